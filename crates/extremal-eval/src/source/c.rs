//! C.

use extremal_expr::{Function, Function2, Relation, TableFunction};

use super::dialect::{Dialect, FileFacts, LibraryUses, digits, opposite, quoted};
use super::statement::{Argument, SourceStatement};
use super::table::{table_name, written};
use crate::op::Op;

pub(super) struct C;

/// Keywords, what headers define, and arguments of formulas.
const RESERVED: &[&str] = &[
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else", "enum", "extern", "float",
    "for", "goto", "if", "inline", "int", "long", "register", "restrict", "return", "short", "signed", "sizeof",
    "static", "struct", "switch", "typedef", "union", "unsigned", "void", "volatile", "while", "fma", "sqrt", "fabs",
    "NAN", "INFINITY", "I", "unix", "linux", "given", "found", "out", "p",
];

impl Dialect for C {
    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn opening(&self, facts: &FileFacts<'_>) -> String {
        let mut out = "#include <math.h>\n#include <stdint.h>\n#include <string.h>\n\n".to_owned();
        out += "// What a function returns: 0, or why it failed; @GUARD + n where condition n does not hold.\n";
        out += "enum { @NOT_FINITE = 1, @SINGULAR = 2, @NO_CONVERGENCE = 3, @GUARD = 4 };\n";
        if facts.largest > 0 {
            out += &format!("\n#define @LARGEST {}\n#define @ROUND_OFF (8.0 * 2.220446049250313e-16)\n", facts.largest);
            out += &format!("#define @TOLERANCE {}\n", digits(facts.tolerance));
        }
        let none = if facts.parameters.is_empty() { "    double none;\n" } else { "" };
        let fields: String = facts.parameters.iter().map(|(name, _)| format!("    double {name};\n")).collect();
        out += &format!("\n// The parameters of the model.\ntypedef struct {{\n{fields}{none}}} @parameters;\n\n");
        let values: Vec<String> = facts.parameters.iter().map(|(_, value)| self.number(*value)).collect();
        let values = if values.is_empty() { "0.0".to_owned() } else { values.join(", ") };
        out + &format!("// Their values in the model.\nconst @parameters @defaults = {{ {values} }};")
    }

    fn library(&self) -> [&'static str; 2] {
        [include_str!("support/functions.c"), include_str!("support/newton.c")]
    }

    fn prefix(&self, name: &str) -> String {
        format!("{name}_")
    }

    fn number(&self, x: f64) -> String {
        match x {
            _ if x.is_nan() => "NAN".to_owned(),
            f64::INFINITY => "INFINITY".to_owned(),
            f64::NEG_INFINITY => "-INFINITY".to_owned(),
            _ => digits(x),
        }
    }

    fn operation(&self, op: Op<&str>, uses: &mut LibraryUses) -> String {
        let mut own = |name: &'static str, arguments: &[&str]| {
            uses.insert(name);
            format!("@{name}({})", arguments.join(", "))
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
            Op::Sqrt(a) => format!("sqrt({a})"),
            Op::Pow(a, b) => own("pow", &[a, b]),
            Op::Call(Function::Abs, a) => format!("fabs({a})"),
            Op::Call(function, a) => own(function.name(), &[a]),
            Op::Table(function, a) => format!("@{}({a})", table_name(function)),
            Op::Call2(function @ (Function2::Atan2 | Function2::Min | Function2::Max), a, b) => {
                own(function.name(), &[a, b])
            }
            Op::SinCos { argument, .. } => own("sin", &[argument]),
            Op::Compare(relation, a, b) => format!("(double)({a} {} {b})", sign(relation)),
            Op::And(a, b) => format!("(double)({a} != 0.0 && {b} != 0.0)"),
            Op::Or(a, b) => format!("(double)({a} != 0.0 || {b} != 0.0)"),
            Op::Not(a) => format!("(double)({a} == 0.0)"),
            Op::Select(c, a, b) => format!("{c} != 0.0 ? {a} : {b}"),
        }
    }

    fn table(&self, function: TableFunction) -> String {
        let [breaks, pieces] = written(function, |x| self.number(x), ["{ ", " }"]);
        let count = function.breaks().len();
        let period = function.period().map(digits);
        let again = period.map_or(String::new(), |p| format!("    x -= {p} * floor((x - breaks[0]) / {p});\n"));
        format!(
            "static double @{name}(double x)\n{{\n    static const double breaks[{count}] = {{ {breaks} }};\n    \
             static const double pieces[{pieces_count}][5] = {{ {pieces} }};\n{again}    int piece = 0, above = {count};\n    \
             while (piece < above) {{\n        const int middle = (piece + above) / 2;\n        \
             if (breaks[middle] <= x)\n            piece = middle + 1;\n        else\n            above = middle;\n    }}\n    \
             const double *c = pieces[piece], d = x - c[0];\n    \
             return c[1] + d * (c[2] + d * (c[3] + d * c[4]));\n}}",
            name = table_name(function),
            pieces_count = count + 1
        )
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("const double {name} = {value};")
    }

    fn bind_sines(&self, sine: &str, cosine: &str, argument: &str, uses: &mut LibraryUses) -> String {
        uses.insert("sincos");
        format!("double {sine}, {cosine}; @sincos({argument}, &{sine}, &{cosine});")
    }

    fn element(&self, array: &str, at: usize) -> String {
        format!("{array}[{at}]")
    }

    fn assign(&self, array: &str, at: usize, value: &str) -> String {
        format!("{array}[{at}] = {value};")
    }

    fn parameter(&self, field: &str) -> String {
        format!("p->{field}")
    }

    fn formulas(&self, name: &str, used: [bool; 4]) -> Vec<String> {
        let arguments = "const @parameters *p, const double *given, const double *found, double *out";
        let mut lines = vec![format!("static void @{name}({arguments})"), "{".to_owned()];
        let unused = ["p", "given", "found", "out"].into_iter().zip(used).filter(|(_, used)| !used);
        lines.extend(unused.map(|(name, _)| format!("    (void){name};")));
        lines
    }

    fn function(&self, name: &str, arguments: &[Argument]) -> String {
        let written = arguments.iter().map(|argument| match argument {
            Argument::Scalar(name) => format!("double {name}"),
            Argument::Given(name, length) => format!("const double {name}[{length}]"),
            Argument::Written(name, length) => format!("double {name}[{length}]"),
        });
        let all: Vec<String> = std::iter::once("const @parameters *p".to_owned()).chain(written).collect();
        format!("int @{name}({})\n{{", all.join(", "))
    }

    fn end_of_formulas(&self) -> &'static str {
        "}"
    }

    fn end_of_function(&self) -> &'static str {
        "    return 0;\n}"
    }

    fn statement(&self, statement: &SourceStatement, body: Vec<String>) -> Vec<String> {
        let guarded = |call: String| {
            vec![
                "{".to_owned(),
                format!("    const int status = {call};"),
                "    if (status != 0)".to_owned(),
                "        return status;".to_owned(),
                "}".to_owned(),
            ]
        };
        match statement {
            SourceStatement::Array { name, length } => vec![format!("double {name}[{length}] = {{ 0.0 }};")],
            SourceStatement::Copy { to: (to, at), from: (from, first), length } => {
                let part = |array: &str, at: usize| if at == 0 { array.to_owned() } else { format!("{array} + {at}") };
                vec![format!("memcpy({}, {}, {length} * sizeof(double));", part(to, *at), part(from, *first))]
            }
            SourceStatement::Put { to: (to, at), value } => vec![format!("{to}[{at}] = {value};")],
            SourceStatement::Call { formulas, given, found, out } => {
                vec![format!("@{formulas}(p, {given}, {found}, {out});")]
            }
            SourceStatement::Solve { equations, sizes, unknowns, first, linear, given, found } => {
                let linear = u8::from(*linear);
                guarded(format!("@newton({unknowns}, {first}, {linear}, @{equations}, @{sizes}, p, {given}, {found})"))
            }
            SourceStatement::Slopes { sizes: [k, m, n], parts, out } => {
                guarded(format!("@implicit_slopes({k}, {m}, {n}, {parts}, {out})"))
            }
            SourceStatement::Substeps { fractions, .. } => {
                let rows: Vec<String> =
                    fractions.iter().map(|(a, b)| format!("{{ {}, {} }}", digits(*a), digits(*b))).collect();
                let count = fractions.len();
                let mut lines = vec![
                    format!("static const double fractions[{count}][2] = {{ {} }};", rows.join(", ")),
                    format!("for (int part = 0; part < {count}; part++) {{"),
                    "    const double instant = t + fractions[part][0] * h, length = fractions[part][1] * h;"
                        .to_owned(),
                ];
                lines.extend(body);
                lines.push("}".to_owned());
                lines
            }
            SourceStatement::Finite { array, length } => vec![
                format!("for (int i = 0; i < {length}; i++)"),
                format!("    if (!isfinite({array}[i]))"),
                "        return @NOT_FINITE;".to_owned(),
            ],
            SourceStatement::Guards { of: (array, first), count } => vec![
                format!("for (int i = 0; i < {count}; i++)"),
                format!("    if ({array}[{first} + i] == 0.0)"),
                "        return @GUARD + i;".to_owned(),
            ],
        }
    }

    fn numbers(&self, name: &str, values: &[f64]) -> String {
        let list: Vec<String> = values.iter().map(|value| self.number(*value)).collect();
        format!("const double @{name}[{}] = {{ {} }};", values.len(), list.join(", "))
    }

    fn texts(&self, name: &str, values: &[String]) -> String {
        let list: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        format!("const char *const @{name}[{}] = {{ {} }};", values.len(), list.join(", "))
    }
}

/// The sign of a relation, in all languages of the family.
pub(super) fn sign(relation: Relation) -> &'static str {
    match relation {
        Relation::Lt => "<",
        Relation::Le => "<=",
        Relation::Eq => "==",
        Relation::Ne => "!=",
    }
}
