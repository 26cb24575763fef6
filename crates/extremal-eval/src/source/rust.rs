//! Rust.

use extremal_expr::{Function, TableFunction};

use super::c::sign;
use super::dialect::{Dialect, FileFacts, LibraryUses, digits, opposite, quoted};
use super::statement::{Argument, SourceStatement};
use super::table::{table_name, written};
use crate::op::Op;

pub(super) struct Rust;

/// Keywords and arguments of formulas.
const RESERVED: &[&str] = &[
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
    "given", "found", "out", "p",
];

impl Dialect for Rust {
    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn comment(&self) -> &'static str {
        "//"
    }

    fn documentation(&self) -> &'static str {
        "///"
    }

    fn opening(&self, facts: &FileFacts<'_>) -> String {
        let mut out = "// Names are those of the model, and coefficients are typed with all their digits.\n".to_owned();
        out += "#![allow(non_snake_case, clippy::all)]\n\n/// Why a function failed.\n";
        out += "#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum Failure {\n    /// A result is not finite.\n";
        out += "    NotFinite,\n    /// A matrix has no inverse.\n    Singular,\n    /// Newton's method does not converge.\n";
        out += "    NoConvergence,\n    /// The condition of this number does not hold.\n    Guard(usize),\n}\n";
        if facts.largest > 0 {
            out +=
                &format!("\nconst LARGEST: usize = {};\nconst ROUND_OFF: f64 = 8.0 * f64::EPSILON;\n", facts.largest);
            out += &format!("const TOLERANCE: f64 = {};\n", digits(facts.tolerance));
        }
        let fields: String = facts.parameters.iter().map(|(name, _)| format!("    pub {name}: f64,\n")).collect();
        out += &format!(
            "\n/// The parameters of the model.\n#[derive(Clone, Copy, Debug)]\npub struct Parameters {{\n{fields}}}\n"
        );
        let value = |(name, value): &(String, f64)| format!("{name}: {}", self.number(*value));
        let values: Vec<String> = facts.parameters.iter().map(value).collect();
        out + &format!(
            "\n/// Their values in the model.\npub const DEFAULTS: Parameters = Parameters {{ {} }};",
            values.join(", ")
        )
    }

    fn library(&self) -> [&'static str; 2] {
        [include_str!("support/functions.rust"), include_str!("support/newton.rust")]
    }

    fn prefix(&self, _: &str) -> String {
        String::new()
    }

    fn number(&self, x: f64) -> String {
        match x {
            _ if x.is_nan() => "f64::NAN".to_owned(),
            f64::INFINITY => "f64::INFINITY".to_owned(),
            f64::NEG_INFINITY => "f64::NEG_INFINITY".to_owned(),
            _ => digits(x),
        }
    }

    fn operation(&self, op: Op<&str>, uses: &mut LibraryUses) -> String {
        let mut own = |name: &'static str, arguments: &[&str]| {
            uses.insert(name);
            format!("own_{name}({})", arguments.join(", "))
        };
        match op {
            Op::Add(a, b) => format!("{a} + {b}"),
            Op::Sub(a, b) => format!("{a} - {b}"),
            Op::Mul(a, b) => format!("{a} * {b}"),
            Op::Div(a, b) => format!("{a} / {b}"),
            Op::Neg(a) => opposite(a),
            Op::MulAdd(a, b, c) => format!("f64::mul_add({a}, {b}, {c})"),
            Op::MulSub(a, b, c) => format!("f64::mul_add({a}, {b}, {})", opposite(c)),
            Op::SubMul(a, b, c) => format!("f64::mul_add({}, {b}, {c})", opposite(a)),
            Op::Sqrt(a) => format!("f64::sqrt({a})"),
            Op::Pow(a, b) => own("pow", &[a, b]),
            Op::Call(Function::Abs, a) => format!("f64::abs({a})"),
            Op::Call(function, a) => own(function.name(), &[a]),
            Op::Table(function, a) => format!("{}({a})", table_name(function)),
            Op::Call2(function, a, b) => own(function.name(), &[a, b]),
            Op::SinCos { argument, .. } => own("sin", &[argument]),
            Op::Compare(relation, a, b) => format!("f64::from({a} {} {b})", sign(relation)),
            Op::And(a, b) => format!("f64::from({a} != 0.0 && {b} != 0.0)"),
            Op::Or(a, b) => format!("f64::from({a} != 0.0 || {b} != 0.0)"),
            Op::Not(a) => format!("f64::from({a} == 0.0)"),
            Op::Select(c, a, b) => format!("if {c} != 0.0 {{ {a} }} else {{ {b} }}"),
        }
    }

    fn table(&self, function: TableFunction) -> String {
        let [breaks, pieces] = written(function, |x| self.number(x), ["[", "]"]);
        let count = function.breaks().len();
        let period = function.period().map(digits);
        let again =
            period.map_or(String::new(), |p| format!("    let x = x - {p} * f64::floor((x - BREAKS[0]) / {p});\n"));
        format!(
            "fn {name}(x: f64) -> f64 {{\n    const BREAKS: [f64; {count}] = [{breaks}];\n    \
             const PIECES: [[f64; 5]; {pieces_count}] = [{pieces}];\n{again}    \
             let [origin, a, b, c, d] = PIECES[BREAKS.partition_point(|at| *at <= x)];\n    \
             let distance = x - origin;\n    a + distance * (b + distance * (c + distance * d))\n}}",
            name = table_name(function),
            pieces_count = count + 1
        )
    }

    fn bind(&self, name: &str, value: &str) -> String {
        format!("let {name} = {value};")
    }

    fn bind_sines(&self, sine: &str, cosine: &str, argument: &str, uses: &mut LibraryUses) -> String {
        uses.insert("sincos");
        format!("let ({sine}, {cosine}) = own_sincos({argument});")
    }

    fn element(&self, array: &str, at: usize) -> String {
        format!("{array}[{at}]")
    }

    fn assign(&self, array: &str, at: usize, value: &str) -> String {
        format!("{array}[{at}] = {value};")
    }

    fn parameter(&self, field: &str) -> String {
        format!("p.{field}")
    }

    fn formulas(&self, name: &str, used: [bool; 4]) -> Vec<String> {
        let kinds = [("p", "&Parameters"), ("given", "&[f64]"), ("found", "&[f64]"), ("out", "&mut [f64]")];
        let argument = |((name, kind), used): ((&str, &str), bool)| {
            if used { format!("{name}: {kind}") } else { format!("_{name}: {kind}") }
        };
        let arguments: Vec<String> = kinds.into_iter().zip(used).map(argument).collect();
        vec![format!("fn {name}({}) {{", arguments.join(", "))]
    }

    fn function(&self, name: &str, arguments: &[Argument]) -> String {
        let written = arguments.iter().map(|argument| match argument {
            Argument::Scalar(name) => format!("{name}: f64"),
            Argument::Given(name, length) => format!("{name}: &[f64; {length}]"),
            Argument::Written(name, length) => format!("{name}: &mut [f64; {length}]"),
        });
        let all: Vec<String> = std::iter::once("p: &Parameters".to_owned()).chain(written).collect();
        format!("pub fn {name}({}) -> Result<(), Failure> {{", all.join(", "))
    }

    fn end_of_formulas(&self) -> &'static str {
        "}"
    }

    fn end_of_function(&self) -> &'static str {
        "    Ok(())\n}"
    }

    fn statement(&self, statement: &SourceStatement, body: Vec<String>) -> Vec<String> {
        match statement {
            SourceStatement::Array { name, length } => vec![format!("let mut {name} = [0.0; {length}];")],
            SourceStatement::Copy { to: (to, at), from: (from, first), length } => {
                vec![format!("{to}[{at}..{}].copy_from_slice(&{from}[{first}..{}]);", at + length, first + length)]
            }
            SourceStatement::Put { to: (to, at), value } => vec![format!("{to}[{at}] = {value};")],
            SourceStatement::Call { formulas, given, found, out } if found == out => {
                vec![format!("{formulas}(p, &{given}, &{found}.clone(), &mut {out});")]
            }
            SourceStatement::Call { formulas, given, found, out } => {
                vec![format!("{formulas}(p, &{given}, &{found}, &mut {out});")]
            }
            SourceStatement::Solve { equations, sizes, unknowns, first, linear, given, found } => vec![
                format!(
                    "Equations {{ n: {unknowns}, first: {first}, linear: {linear}, equations: {equations}, sizes: {sizes} }}"
                ),
                format!("    .newton(p, &{given}, &mut {found})?;"),
            ],
            SourceStatement::Slopes { sizes: [k, m, n], parts, out } => {
                vec![format!("implicit_slopes({k}, {m}, {n}, &mut {parts}, &mut {out})?;")]
            }
            SourceStatement::Substeps { fractions, .. } => {
                let rows: Vec<String> =
                    fractions.iter().map(|(a, b)| format!("({}, {})", digits(*a), digits(*b))).collect();
                let mut lines = vec![
                    format!("for (elapsed, fraction) in [{}] {{", rows.join(", ")),
                    "    let (instant, length) = (t + elapsed * h, fraction * h);".to_owned(),
                ];
                lines.extend(body);
                lines.push("}".to_owned());
                lines
            }
            SourceStatement::Finite { array, length } => vec![
                format!("if {array}[..{length}].iter().any(|x| !x.is_finite()) {{"),
                "    return Err(Failure::NotFinite);".to_owned(),
                "}".to_owned(),
            ],
            SourceStatement::Guards { of: (array, first), count } => vec![
                format!(
                    "if let Some(broken) = {array}[{first}..{}].iter().position(|holds| *holds == 0.0) {{",
                    first + count
                ),
                "    return Err(Failure::Guard(broken));".to_owned(),
                "}".to_owned(),
            ],
        }
    }

    fn numbers(&self, name: &str, values: &[f64]) -> String {
        let list: Vec<String> = values.iter().map(|value| self.number(*value)).collect();
        format!("pub const {}: [f64; {}] = [{}];", name.to_uppercase(), values.len(), list.join(", "))
    }

    fn texts(&self, name: &str, values: &[String]) -> String {
        let list: Vec<String> = values.iter().map(|value| quoted(value)).collect();
        format!("pub const {}: [&str; {}] = [{}];", name.to_uppercase(), values.len(), list.join(", "))
    }
}
