//! Programs written as C and Rust compute the same bits, and as Python the same numbers to round-off.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::{env, fs};

use extremal_eval::source::{FormulaSource, InputPlace, Language, ProgramInput, SourceFile};
use extremal_eval::{EntryPoint, Program};
use extremal_expr::{
    Expr, Function, Function2, Graph, Id, Interpolation, OutsideTable, Rational, Relation, TableFunction,
};

/// Every operation, of two inputs and a parameter.
fn everything<'g>(g: &'g Graph, [x, y, k]: [Expr<'g>; 3]) -> Vec<(String, Expr<'g>)> {
    let mut all: Vec<(String, Expr<'g>)> =
        Function::ALL.iter().map(|function| (function.name().to_owned(), x.call(*function))).collect();
    all.extend(Function2::ALL.iter().map(|function| (function.name().to_owned(), g.call2(*function, x, y))));
    let tables = [Interpolation::Linear, Interpolation::Cubic, Interpolation::Monotone, Interpolation::Periodic];
    let (places, values) = ([-2.0, -1.0, 0.5, 0.975, 2.0, 3.0], [1.0, 0.2, -0.7, 2.0, 0.1, 1.0]);
    for (kind, outside) in tables.into_iter().zip(OutsideTable::ALL.into_iter().cycle()) {
        let table = TableFunction::through(kind.name(), &places, &values, kind, outside).unwrap();
        all.push((kind.name().to_owned(), x.table(table)));
        all.push((format!("{}'", kind.name()), g.gradient(x.table(table), &[x])[0]));
    }
    let below = g.compare(Relation::Lt, x, y);
    let equal = g.compare(Relation::Eq, x, y);
    all.extend([
        ("sum".to_owned(), x + y * k - 3),
        ("difference".to_owned(), k - x * y),
        ("ratio".to_owned(), (x * y - k) / (x + y)),
        ("root".to_owned(), x.sqrt()),
        ("power".to_owned(), x.pow(y)),
        ("third power".to_owned(), x.pow(g.rational(Rational::new(1, 3).unwrap()))),
        ("select".to_owned(), g.select(g.or(below, equal), x * 2, -y)),
        ("and".to_owned(), g.select(g.and(below, g.not(equal)), k, x)),
    ]);
    all
}

/// Numbers of all sizes and signs, and those at which functions change their ways.
fn points() -> Vec<[f64; 2]> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        0.17,
        0.975,
        1e-9,
        1e-8,
        20.0,
        746.0,
        -746.0,
        709.5,
        1e9,
        1.5e9,
        -3e10,
        1e22,
        f64::MAX,
        f64::MIN_POSITIVE,
        5e-324,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        2.0,
        3.0,
        -2.0,
        -3.0,
        0.4375,
        2.4375,
    ];
    let mut all: Vec<[f64; 2]> = special.iter().flat_map(|x| special.iter().map(|y| [*x, *y])).collect();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for at in 0..4000 {
        let mut number = || {
            let mantissa = f64::from_bits(next() >> 12 | 1023 << 52);
            // Most are near one, some anywhere.
            let range = if at % 8 == 0 { 2000 } else { 12 };
            let exponent = (next() % (2 * range + 1)) as i32 - range as i32;
            (if next() % 2 == 0 { mantissa } else { -mantissa }) * 2f64.powi(exponent)
        };
        all.push([number(), number()]);
    }
    all
}

struct Emitted {
    names: Vec<String>,
    text: String,
    /// What each point gives.
    expected: Vec<Vec<f64>>,
}

const K: f64 = 0.7;

fn emitted(language: Language) -> Emitted {
    let g = Graph::new();
    let [x, y, k] = ["x", "y", "k"].map(|name| g.symbol(name));
    let (names, formulas): (Vec<String>, Vec<Expr<'_>>) = everything(&g, [x, y, k]).into_iter().unzip();
    let ids: Vec<Id> = formulas.iter().map(|e| e.id()).collect();
    let entry = EntryPoint { tier: 1, outputs: ids.clone() };
    let program = Program::compile(&g, &[vec![k.id()], vec![x.id(), y.id()]], &[entry]).unwrap();
    let input = |name: &str, place| ProgramInput { name: name.to_owned(), place };
    let inputs = [
        vec![input("k", InputPlace::Parameter(0))],
        vec![input("x", InputPlace::Given(0)), input("y", InputPlace::Given(1))],
    ];
    let outputs: Vec<(usize, usize)> = (0..ids.len()).map(|at| (at, at)).collect();
    let mut file = SourceFile::new(language, "All", &[("k", K)]);
    file.formulas(&FormulaSource {
        name: "everything",
        comment: "All there is.",
        program: &program,
        entry: 0,
        outputs: &outputs,
        inputs: &inputs,
    });
    let mut machine = program.machine();
    machine.inputs_mut(0)[0] = K;
    machine.commit(0);
    let value = |point: [f64; 2]| {
        machine.inputs_mut(1).copy_from_slice(&point);
        let mut out = vec![0.0; ids.len()];
        machine.run(0, &mut out);
        out
    };
    Emitted { text: file.finish("Every operation.", 1e-12), expected: points().into_iter().map(value).collect(), names }
}

/// The numbers that a program prints, one point in a line.
fn printed(command: &mut Command) -> Vec<Vec<f64>> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let number = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
    text.lines().map(|line| line.split_whitespace().map(number).collect()).collect()
}

/// Compiles without a warning.
fn compiled(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

fn folder(name: &str) -> std::path::PathBuf {
    let path = env::temp_dir().join(format!("extremal-eval-{}-{name}", std::process::id()));
    fs::create_dir_all(&path).unwrap();
    path
}

fn list(open: &str, close: &str) -> String {
    points().iter().fold(String::new(), |mut out, [x, y]| {
        let _ = writeln!(out, "{open}{:#x}, {:#x}{close},", x.to_bits(), y.to_bits());
        out
    })
}

fn assert_same_bits(emitted: &Emitted, found: &[Vec<f64>]) {
    assert_eq!(found.len(), emitted.expected.len());
    for ((point, expected), found) in points().iter().zip(&emitted.expected).zip(found) {
        for ((name, expected), found) in emitted.names.iter().zip(expected).zip(found) {
            // Every number that is none is as good as another.
            let same = expected.to_bits() == found.to_bits() || expected.is_nan() && found.is_nan();
            assert!(same, "{name} of {point:?}: {found:e} and not {expected:e}");
        }
    }
}

#[test]
fn c_computes_the_same_bits() {
    let (emitted, folder) = (emitted(Language::C), folder("c"));
    let main = format!(
        "{}\n#include <stdio.h>\nstatic const uint64_t points[][2] = {{\n{}}};\nint main(void)\n{{\n\
         for (size_t i = 0; i < sizeof points / sizeof *points; i++) {{\n\
         double given[2], out[{n}] = {{ 0.0 }};\nmemcpy(given, points[i], sizeof given);\n\
         all_everything(&all_defaults, given, given, out);\n\
         for (int j = 0; j < {n}; j++)\nprintf(\"%llx \", (unsigned long long)all_bits(out[j]));\nprintf(\"\\n\");\n}}\nreturn 0;\n}}\n",
        emitted.text,
        list("{ ", " }"),
        n = emitted.names.len()
    );
    let (source, program) = (folder.join("all.c"), folder.join("all"));
    fs::write(&source, main).unwrap();
    let flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
    compiled(Command::new("cc").args(flags).arg(&source).arg("-o").arg(&program).arg("-lm"));
    assert_same_bits(&emitted, &printed(&mut Command::new(&program)));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn rust_computes_the_same_bits() {
    let (emitted, folder) = (emitted(Language::Rust), folder("rust"));
    let main = format!(
        "{}\nconst POINTS: [[u64; 2]; {}] = [\n{}];\nfn main() {{\nfor point in POINTS {{\n\
         let given = point.map(f64::from_bits);\nlet mut out = [0.0; {}];\neverything(&DEFAULTS, &given, &given, &mut out);\n\
         let words: Vec<String> = out.iter().map(|x| format!(\"{{:x}}\", x.to_bits())).collect();\n\
         println!(\"{{}}\", words.join(\" \"));\n}}\nlet _ = [Failure::NotFinite, Failure::Singular, Failure::NoConvergence, Failure::Guard(0)];\n}}\n",
        emitted.text,
        points().len(),
        list("[", "]"),
        emitted.names.len()
    );
    let (source, program) = (folder.join("all.rs"), folder.join("all"));
    fs::write(&source, main).unwrap();
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let flags = ["--edition", "2021", "-Copt-level=1", "-Dwarnings", "-Adead_code", "--crate-name", "all"];
    compiled(Command::new(rustc).args(flags).arg(&source).arg("-o").arg(&program));
    assert_same_bits(&emitted, &printed(&mut Command::new(&program)));
    fs::remove_dir_all(folder).unwrap();
}

/// Python's functions are those of the C library of the machine: errors are a unit or two in the last place, and those of cube roots,
/// by a power and a correction, a few more.
#[test]
fn python_computes_the_same_to_round_off() {
    if Command::new("python3").arg("--version").output().is_err() {
        return;
    }
    let (emitted, folder) = (emitted(Language::Python), folder("python"));
    let main = format!(
        "{}\nimport struct\nPOINTS = [\n{}]\nfor point in POINTS:\n    given = [struct.unpack('d', struct.pack('Q', bits))[0] for bits in point]\n    \
         out = [0.0] * {}\n    everything(Parameters(), given, given, out)\n    \
         print(' '.join('%x' % struct.unpack('Q', struct.pack('d', x))[0] for x in out))\n",
        emitted.text,
        list("[", "]"),
        emitted.names.len()
    );
    let source = folder.join("all.py");
    fs::write(&source, main).unwrap();
    let found = printed(Command::new("python3").arg(Path::new(&source)));
    for ((point, expected), found) in points().iter().zip(&emitted.expected).zip(&found) {
        for ((name, expected), found) in emitted.names.iter().zip(expected).zip(found) {
            // What is left of sums that cancel has the round-off of their terms.
            let scale = match name.as_str() {
                "sum" | "difference" => 10.0 + point[0].abs().max(1.0) * point[1].abs().max(1.0),
                "ratio" => continue,
                _ => expected.abs(),
            };
            let near = (expected - found).abs() <= 16.0 * f64::EPSILON * scale || expected == found;
            assert!(near || expected.is_nan() && found.is_nan(), "{name} of {point:?}: {found:e}, not {expected:e}");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}
