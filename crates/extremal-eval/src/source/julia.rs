//! Julia.

use extremal_expr::{Function, TableFunction};

use super::c::sign;
use super::dialect::{Dialect, FileFacts, LibraryUses, digits, opposite, quoted};
use super::statement::{Argument, SourceStatement};
use super::table::{table_name, written};
use crate::op::Op;

pub(super) struct Julia;

/// Keywords, functions that formulas call, and arguments of formulas.
const RESERVED: &[&str] = &[
    "baremodule",
    "begin",
    "break",
    "catch",
    "const",
    "continue",
    "do",
    "else",
    "elseif",
    "end",
    "export",
    "false",
    "finally",
    "for",
    "function",
    "global",
    "if",
    "import",
    "let",
    "local",
    "macro",
    "module",
    "quote",
    "return",
    "struct",
    "true",
    "try",
    "using",
    "while",
    "fma",
    "sqrt",
    "abs",
    "root",
    "power",
    "pi",
    "im",
    "NaN",
    "Inf",
    "Float64",
    "exp",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "atan",
    "cbrt",
    "sign",
    "min",
    "max",
    "sincos",
    "given",
    "found",
    "out",
    "p",
];

impl Dialect for Julia {
    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn comment(&self) -> &'static str {
        "#"
    }

    fn opening(&self, facts: &FileFacts<'_>) -> String {
        let mut name = facts.prefix.to_owned();
        name[..1].make_ascii_uppercase();
        let mut out = format!("module {name}\n\n");
        out += "# What a function returns: 0, or why it failed; GUARD + n where condition n, counted from 0, does not hold.\n";
        out += "const NOT_FINITE, SINGULAR, NO_CONVERGENCE, GUARD = 1, 2, 3, 4\n";
        if facts.largest > 0 {
            out += &format!("const ROUND_OFF = 8.0 * eps()\nconst TOLERANCE = {}\n", digits(facts.tolerance));
        }
        let fields: String = facts.parameters.iter().map(|(name, _)| format!("    {name}::Float64\n")).collect();
        out += &format!("\n\"The parameters of the model.\"\nmutable struct Parameters\n{fields}end\n");
        let values: Vec<String> = facts.parameters.iter().map(|(_, value)| self.number(*value)).collect();
        if !values.is_empty() {
            out += &format!("\n\"Their values in the model.\"\nParameters() = Parameters({})", values.join(", "));
        }
        out
    }

    fn closing(&self) -> &'static str {
        "end # module"
    }

    fn library(&self) -> [&'static str; 2] {
        [include_str!("support/functions.jl"), include_str!("support/newton.jl")]
    }

    fn prefix(&self, _: &str) -> String {
        String::new()
    }

    fn number(&self, x: f64) -> String {
        match x {
            _ if x.is_nan() => "NaN".to_owned(),
            f64::INFINITY => "Inf".to_owned(),
            f64::NEG_INFINITY => "-Inf".to_owned(),
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
            Op::Div(a, b) => format!("{a} / {b}"),
            Op::Neg(a) => opposite(a),
            Op::MulAdd(a, b, c) => format!("fma({a}, {b}, {c})"),
            Op::MulSub(a, b, c) => format!("fma({a}, {b}, {})", opposite(c)),
            Op::SubMul(a, b, c) => format!("fma({}, {b}, {c})", opposite(a)),
            Op::Sqrt(a) => own("sqrt", "root", &[a]),
            Op::Pow(a, b) => own("pow", "power", &[a, b]),
            Op::Call(function, a) => match function {
                Function::Abs
                | Function::Sign
                | Function::Exp
                | Function::Sinh
                | Function::Cosh
                | Function::Tanh
                | Function::Asinh
                | Function::Atan
                | Function::Cbrt => format!("{}({a})", function.name()),
                _ => own(function.name(), &format!("own_{}", function.name()), &[a]),
            },
            Op::Table(function, a) => format!("{}({a})", table_name(function)),
            Op::Call2(function, a, b) => match function.name() {
                "atan2" => format!("atan({a}, {b})"),
                name => format!("{name}({a}, {b})"),
            },
            Op::SinCos { argument, .. } => own("sin", "own_sin", &[argument]),
            Op::Compare(relation, a, b) => format!("Float64({a} {} {b})", sign(relation)),
            Op::And(a, b) => format!("Float64({a} != 0.0 && {b} != 0.0)"),
            Op::Or(a, b) => format!("Float64({a} != 0.0 || {b} != 0.0)"),
            Op::Not(a) => format!("Float64({a} == 0.0)"),
            Op::Select(c, a, b) => format!("{c} != 0.0 ? {a} : {b}"),
        }
    }

    fn table(&self, function: TableFunction) -> String {
        let [breaks, pieces] = written(function, |x| self.number(x), ["(", ")"]);
        let name = table_name(function);
        let period = function.period().map(digits);
        let again =
            period.map_or(String::new(), |p| format!("    x = x - {p} * floor((x - {name}_breaks[1]) / {p})\n"));
        format!(
            "const {name}_breaks = [{breaks}]\nconst {name}_pieces = [{pieces}]\nfunction {name}(x)\n{again}    \
             origin, a, b, c, d = {name}_pieces[searchsortedlast({name}_breaks, x) + 1]\n    distance = x - origin\n    \
             return a + distance * (b + distance * (c + distance * d))\nend"
        )
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("{name} = {value}")
    }

    fn bind_sines(&self, sine: &str, cosine: &str, argument: &str, uses: &mut LibraryUses) -> String {
        uses.insert("sincos");
        format!("{sine}, {cosine} = own_sincos({argument})")
    }

    fn element(&self, array: &str, at: usize) -> String {
        format!("{array}[{}]", at + 1)
    }

    fn assign(&self, array: &str, at: usize, value: &str) -> String {
        format!("{array}[{}] = {value}", at + 1)
    }

    fn parameter(&self, field: &str) -> String {
        format!("p.{field}")
    }

    fn formulas(&self, name: &str, _: [bool; 4]) -> Vec<String> {
        vec![format!("function {name}(p, given, found, out)")]
    }

    fn function(&self, name: &str, arguments: &[Argument]) -> String {
        let all: Vec<&str> = std::iter::once("p").chain(arguments.iter().map(Argument::name)).collect();
        format!("function {name}({})", all.join(", "))
    }

    fn end_of_formulas(&self) -> &'static str {
        "    return nothing\nend"
    }

    fn end_of_function(&self) -> &'static str {
        "    return 0\nend"
    }

    fn statement(&self, statement: &SourceStatement, body: Vec<String>) -> Vec<String> {
        let guarded = |call: String| vec![format!("status = {call}"), "status == 0 || return status".to_owned()];
        match statement {
            SourceStatement::Array { name, length } => vec![format!("{name} = zeros({length})")],
            SourceStatement::Copy { to: (to, at), from: (from, first), length } => {
                vec![format!("{to}[{}:{}] = {from}[{}:{}]", at + 1, at + length, first + 1, first + length)]
            }
            SourceStatement::Put { to: (to, at), value } => vec![format!("{to}[{}] = {value}", at + 1)],
            SourceStatement::Call { formulas, given, found, out } => {
                vec![format!("{formulas}(p, {given}, {found}, {out})")]
            }
            SourceStatement::Solve { equations, sizes, unknowns, first, linear, given, found } => {
                guarded(format!("newton({unknowns}, {first}, {linear}, {equations}, {sizes}, p, {given}, {found})"))
            }
            SourceStatement::Slopes { sizes: [k, m, n], parts, out } => {
                guarded(format!("implicit_slopes({k}, {m}, {n}, {parts}, {out})"))
            }
            SourceStatement::Substeps { fractions, .. } => {
                let rows: Vec<String> =
                    fractions.iter().map(|(a, b)| format!("({}, {})", digits(*a), digits(*b))).collect();
                let mut lines = vec![
                    format!("for (elapsed, fraction) in ({},)", rows.join(", ")),
                    "    instant, length = t + elapsed * h, fraction * h".to_owned(),
                ];
                lines.extend(body);
                lines.push("end".to_owned());
                lines
            }
            SourceStatement::Finite { array, length } => {
                vec![format!("all(isfinite, {array}[1:{length}]) || return NOT_FINITE")]
            }
            SourceStatement::Guards { of: (array, first), count } => vec![
                format!("for i in 1:{count}"),
                format!("    {array}[{first}+i] == 0.0 && return GUARD + i - 1"),
                "end".to_owned(),
            ],
        }
    }

    fn numbers(&self, name: &str, values: &[f64]) -> String {
        let list: Vec<String> = values.iter().map(|value| self.number(*value)).collect();
        format!("const {} = [{}]", name.to_uppercase(), list.join(", "))
    }

    fn texts(&self, name: &str, values: &[String]) -> String {
        let list: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        format!("const {} = [{}]", name.to_uppercase(), list.join(", "))
    }
}
