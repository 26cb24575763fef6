//! Python.

use extremal_expr::{Function, TableFunction};

use super::c::sign;
use super::dialect::{Dialect, FileFacts, LibraryUses, digits, opposite, quoted};
use super::statement::{Argument, SourceStatement};
use super::table::{table_name, written};
use crate::op::Op;

pub(super) struct Python;

/// Keywords, functions of the file that formulas call, and arguments of formulas.
const RESERVED: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "math", "abs", "float", "div", "sqrt",
    "sincos", "sin", "cos", "tan", "bounded", "exp", "sinh", "cosh", "log", "power", "atanh", "cbrt", "sign", "least",
    "largest", "given", "found", "out", "p",
];

impl Dialect for Python {
    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn comment(&self) -> &'static str {
        "#"
    }

    fn opening(&self, facts: &FileFacts<'_>) -> String {
        let mut out = "import math\n\n".to_owned();
        out += "# What a function returns: 0, or why it failed; GUARD + n where condition n does not hold.\n";
        out += "NOT_FINITE, SINGULAR, NO_CONVERGENCE, GUARD = 1, 2, 3, 4\n";
        if facts.largest > 0 {
            out += &format!("ROUND_OFF = 8.0 * 2.220446049250313e-16\nTOLERANCE = {}\n", digits(facts.tolerance));
        }
        let value = |(name, value): &(String, f64)| format!("        self.{name} = {}\n", self.number(*value));
        let values: String = facts.parameters.iter().map(value).collect();
        let values = if values.is_empty() { "        pass\n".to_owned() } else { values };
        out + &format!(
            "\n\nclass Parameters:\n    \"\"\"The parameters of the model, with their values there.\"\"\"\n\n    \
             def __init__(self):\n{values}"
        )
    }

    fn library(&self) -> [&'static str; 2] {
        [include_str!("support/functions.py"), include_str!("support/newton.py")]
    }

    fn prefix(&self, _: &str) -> String {
        String::new()
    }

    fn number(&self, x: f64) -> String {
        match x {
            _ if x.is_nan() => "math.nan".to_owned(),
            f64::INFINITY => "math.inf".to_owned(),
            f64::NEG_INFINITY => "-math.inf".to_owned(),
            _ => digits(x),
        }
    }

    fn operation(&self, op: Op<&str>, uses: &mut LibraryUses) -> String {
        let mut own = |section: &'static str, name: &str, arguments: &[&str]| {
            uses.insert(section);
            format!("{name}({})", arguments.join(", "))
        };
        match op {
            Op::Add(a, b) => format!("{a} + {b}"),
            Op::Sub(a, b) => format!("{a} - {b}"),
            Op::Mul(a, b) => format!("{a} * {b}"),
            Op::Div(a, b) => own("div", "div", &[a, b]),
            Op::Neg(a) => opposite(a),
            Op::MulAdd(a, b, c) => format!("{a} * {b} + {c}"),
            Op::MulSub(a, b, c) => format!("{a} * {b} - {c}"),
            Op::SubMul(a, b, c) => format!("{c} - {a} * {b}"),
            Op::Sqrt(a) => own("sqrt", "sqrt", &[a]),
            Op::Pow(a, b) => own("pow", "power", &[a, b]),
            Op::Call(function, a) => match function {
                Function::Abs => format!("abs({a})"),
                Function::Atan | Function::Tanh | Function::Asinh => format!("math.{}({a})", function.name()),
                Function::Asin | Function::Acos | Function::Acosh => {
                    own("bounded", "bounded", &[&format!("math.{}", function.name()), a])
                }
                _ => own(function.name(), function.name(), &[a]),
            },
            Op::Table(function, a) => format!("{}({a})", table_name(function)),
            Op::Call2(function, a, b) => match function.name() {
                "min" => own("min", "least", &[a, b]),
                "max" => own("max", "largest", &[a, b]),
                name => format!("math.{name}({a}, {b})"),
            },
            Op::SinCos { argument, .. } => own("sin", "sin", &[argument]),
            Op::Compare(relation, a, b) => format!("float({a} {} {b})", sign(relation)),
            Op::And(a, b) => format!("float({a} != 0.0 and {b} != 0.0)"),
            Op::Or(a, b) => format!("float({a} != 0.0 or {b} != 0.0)"),
            Op::Not(a) => format!("float({a} == 0.0)"),
            Op::Select(c, a, b) => format!("{a} if {c} != 0.0 else {b}"),
        }
    }

    fn table(&self, function: TableFunction) -> String {
        let [breaks, pieces] = written(function, |x| self.number(x), ["(", ")"]);
        let period = function.period().map(digits);
        let again = period.map_or(String::new(), |p| format!("    x = x - {p} * ((x - breaks[0]) // {p})\n"));
        format!(
            "def {name}(x, breaks=({breaks},), pieces=({pieces})):\n{again}    piece, above = 0, len(breaks)\n    \
             while piece < above:\n        middle = (piece + above) // 2\n        \
             if breaks[middle] <= x:\n            piece = middle + 1\n        else:\n            above = middle\n    \
             origin, a, b, c, d = pieces[piece]\n    distance = x - origin\n    \
             return a + distance * (b + distance * (c + distance * d))",
            name = table_name(function)
        )
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("{name} = {value}")
    }

    fn bind_sines(&self, sine: &str, cosine: &str, argument: &str, uses: &mut LibraryUses) -> String {
        uses.insert("sincos");
        format!("{sine}, {cosine} = sincos({argument})")
    }

    fn element(&self, array: &str, at: usize) -> String {
        format!("{array}[{at}]")
    }

    fn assign(&self, array: &str, at: usize, value: &str) -> String {
        format!("{array}[{at}] = {value}")
    }

    fn parameter(&self, field: &str) -> String {
        format!("p.{field}")
    }

    fn formulas(&self, name: &str, used: [bool; 4]) -> Vec<String> {
        let mut lines = vec![format!("def {name}(p, given, found, out):")];
        // A function that writes nothing but zeros has to have a line.
        if !used[3] {
            lines.push("    pass".to_owned());
        }
        lines
    }

    fn function(&self, name: &str, arguments: &[Argument]) -> String {
        let all: Vec<&str> = std::iter::once("p").chain(arguments.iter().map(Argument::name)).collect();
        format!("def {name}({}):", all.join(", "))
    }

    fn end_of_formulas(&self) -> &'static str {
        ""
    }

    fn end_of_function(&self) -> &'static str {
        "    return 0"
    }

    fn statement(&self, statement: &SourceStatement, body: Vec<String>) -> Vec<String> {
        let guarded = |call: String| {
            vec![format!("status = {call}"), "if status != 0:".to_owned(), "    return status".to_owned()]
        };
        match statement {
            SourceStatement::Array { name, length } => vec![format!("{name} = [0.0] * {length}")],
            SourceStatement::Copy { to: (to, at), from: (from, first), length } => {
                vec![format!("{to}[{at}:{}] = {from}[{first}:{}]", at + length, first + length)]
            }
            SourceStatement::Put { to: (to, at), value } => vec![format!("{to}[{at}] = {value}")],
            SourceStatement::Call { formulas, given, found, out } => {
                vec![format!("{formulas}(p, {given}, {found}, {out})")]
            }
            SourceStatement::Solve { equations, sizes, unknowns, first, linear, given, found } => {
                let linear = if *linear { "True" } else { "False" };
                guarded(format!("newton({unknowns}, {first}, {linear}, {equations}, {sizes}, p, {given}, {found})"))
            }
            SourceStatement::Slopes { sizes: [k, m, n], parts, out } => {
                guarded(format!("implicit_slopes({k}, {m}, {n}, {parts}, {out})"))
            }
            SourceStatement::Substeps { fractions, .. } => {
                let rows: Vec<String> =
                    fractions.iter().map(|(a, b)| format!("({}, {})", digits(*a), digits(*b))).collect();
                let mut lines = vec![
                    format!("for elapsed, fraction in ({}):", rows.join(", ")),
                    "    instant, length = t + elapsed * h, fraction * h".to_owned(),
                ];
                lines.extend(body);
                lines
            }
            SourceStatement::Finite { array, length } => {
                vec![format!("if not all(map(math.isfinite, {array}[:{length}])):"), "    return NOT_FINITE".to_owned()]
            }
            SourceStatement::Guards { of: (array, first), count } => vec![
                format!("for i in range({count}):"),
                format!("    if {array}[{first} + i] == 0.0:"),
                "        return GUARD + i".to_owned(),
            ],
        }
    }

    fn numbers(&self, name: &str, values: &[f64]) -> String {
        let list: Vec<String> = values.iter().map(|value| self.number(*value)).collect();
        format!("{} = [{}]", name.to_uppercase(), list.join(", "))
    }

    fn texts(&self, name: &str, values: &[String]) -> String {
        let list: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        format!("{} = [{}]", name.to_uppercase(), list.join(", "))
    }
}
