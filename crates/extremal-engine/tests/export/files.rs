//! Exported files, the programs around them, and what these print.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

use extremal_engine::eval::source::Language;
use extremal_engine::export::{ExportTarget, export};
use extremal_engine::{Model, Settings};

/// So many steps are taken.
pub const STEPS: u64 = 100;

/// A model with the settings that it is exported with.
pub struct Exported {
    pub name: &'static str,
    pub model: Model,
    pub settings: Settings,
}

/// What a program prints: numbers by the model and by what they are.
pub type PrintedNumbers = BTreeMap<(String, String), Vec<f64>>;

/// What is called of a file: its name, with a number of results.
struct FileShape {
    prefix: String,
    calls: Vec<(&'static str, usize)>,
    phase: usize,
    state: usize,
}

impl FileShape {
    /// Read off the text in C, which names lengths.
    fn of(text: &str) -> FileShape {
        let after = |mark: &str| text.split_once(mark).map(|(_, rest)| rest);
        let prefix = after("\n} ").unwrap().split("_parameters").next().unwrap().to_owned();
        let length = |function: &str, out: &str| -> usize {
            let Some(rest) = after(&format!("int {prefix}_{function}(")) else { return 0 };
            let rest = rest.split_once(&format!("double {out}[")).unwrap().1;
            rest.split(']').next().unwrap().parse().unwrap()
        };
        let functions = [
            ("rates", "dy"),
            ("jacobian", "slopes"),
            ("mass_matrix", "mass"),
            ("velocities", "v"),
            ("invariants", "values"),
        ];
        FileShape {
            calls: functions.map(|(function, out)| (function, length(function, out))).to_vec(),
            phase: length("rates", "dy"),
            state: length("start", "x"),
            prefix,
        }
    }
}

/// A folder of its own, removed at the end.
pub struct WorkFolder(PathBuf);

impl WorkFolder {
    pub fn new(name: &str) -> WorkFolder {
        let path = env::temp_dir().join(format!("extremal-export-{}-{name}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        WorkFolder(path)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.join(name), text).unwrap();
    }

    /// Compiles without a warning.
    fn compile(&self, command: &mut Command) {
        let output = command.current_dir(&self.0).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    }

    fn printed(&self, command: &mut Command) -> PrintedNumbers {
        let output = command.current_dir(&self.0).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let mut all = PrintedNumbers::new();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let key = (words.next().unwrap().to_owned(), words.next().unwrap().to_owned());
            let number = |word: &str| f64::from_bits(u64::from_str_radix(word, 16).unwrap());
            all.insert(key, words.map(number).collect());
        }
        all
    }
}

impl Drop for WorkFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn text(of: &Exported, language: Language) -> String {
    export(&of.model, &of.settings, ExportTarget::Source(language))
        .unwrap_or_else(|error| panic!("{}: {error}", of.name))
}

/// What all files in C compute, in one program.
pub fn in_c(models: &[Exported], folder: &WorkFolder) -> PrintedNumbers {
    let mut main = "#include <stdio.h>\n#include <stdlib.h>\n".to_owned();
    let mut body = String::new();
    for of in models {
        let source = text(of, Language::C);
        let FileShape { prefix, calls, phase, state } = FileShape::of(&source);
        folder.write(&format!("{}.c", of.name), &source);
        let _ = writeln!(main, "#include \"{}.c\"", of.name);
        let (name, h) = (of.name, of.settings.step.unwrap());
        let _ = writeln!(
            body,
            "{{\nconst {prefix}_parameters *p = &{prefix}_defaults;\ndouble x[{state}], y[{phase}];\n\
             memcpy(y, {prefix}_initial, sizeof y);\nconst double h = {h:?};\n\
             check({prefix}_start(p, 0.0, h, y, x), \"{name}\", 0);\nshow(\"{name}\", \"start\", {state}, x);\n\
             for (int i = 0; i < {STEPS}; i++)\ncheck({prefix}_step(p, fma(i, h, 0.0), h, x), \"{name}\", i);\n\
             show(\"{name}\", \"end\", {state}, x);"
        );
        for (function, length) in calls.into_iter().filter(|(_, length)| *length > 0) {
            let (time, of_state) = match function {
                "velocities" | "invariants" => (format!("fma({STEPS}, h, 0.0)"), "x"),
                _ => ("0.0".to_owned(), "y"),
            };
            let _ = writeln!(
                body,
                "double {function}[{length}];\ncheck({prefix}_{function}(p, {time}, {of_state}, {function}), \"{name}\", -1);\n\
                 show(\"{name}\", \"{function}\", {length}, {function});"
            );
        }
        body.push_str("}\n");
    }
    main.push_str(
        "static void show(const char *name, const char *what, int n, const double *x)\n{\nprintf(\"%s %s\", name, what);\n\
         for (int i = 0; i < n; i++) {\nuint64_t bits;\nmemcpy(&bits, x + i, sizeof bits);\n\
         printf(\" %llx\", (unsigned long long)bits);\n}\nprintf(\"\\n\");\n}\n\
         static void check(int status, const char *name, int step)\n{\nif (status != 0) {\n\
         printf(\"%s fails with %d at %d\\n\", name, status, step);\nexit(1);\n}\n}\nint main(void)\n{\n",
    );
    folder.write("main.c", &format!("{main}{body}return 0;\n}}\n"));
    let flags = ["-std=c11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "main.c", "-o", "in_c", "-lm"];
    folder.compile(Command::new("cc").args(flags));
    folder.printed(&mut Command::new(folder.0.join("in_c")))
}

/// The same in Rust.
pub fn in_rust(models: &[Exported], folder: &WorkFolder) -> PrintedNumbers {
    let (mut main, mut body) = (String::new(), String::new());
    for (at, of) in models.iter().enumerate() {
        let FileShape { calls, .. } = FileShape::of(&text(of, Language::C));
        folder.write(&format!("m{at}.rs"), &text(of, Language::Rust));
        let _ = writeln!(main, "mod m{at};");
        let (name, h) = (of.name, of.settings.step.unwrap());
        let _ = writeln!(
            body,
            "let (p, y, h) = (&m{at}::DEFAULTS, &m{at}::INITIAL, {h:?}f64);\nlet mut x = [0.0; m{at}::STATE_NAMES.len()];\n\
             m{at}::start(p, 0.0, h, y, &mut x).unwrap();\nshow(\"{name} start\", &x);\n\
             for i in 0..{STEPS} {{\nm{at}::step(p, f64::from(i).mul_add(h, 0.0), h, &mut x).unwrap();\n}}\n\
             show(\"{name} end\", &x);"
        );
        for (function, length) in calls.into_iter().filter(|(_, length)| *length > 0) {
            let (time, of_state) = match function {
                "velocities" | "invariants" => (format!("{STEPS}f64.mul_add(h, 0.0)"), "&x"),
                _ => ("0.0".to_owned(), "y"),
            };
            let _ = writeln!(
                body,
                "let mut out = [0.0; {length}];\nm{at}::{function}(p, {time}, {of_state}, &mut out).unwrap();\n\
                 show(\"{name} {function}\", &out);"
            );
        }
    }
    main.push_str(
        "fn show(what: &str, x: &[f64]) {\nlet words: Vec<String> = x.iter().map(|x| format!(\"{:x}\", x.to_bits())).collect();\n\
         println!(\"{what} {}\", words.join(\" \"));\n}\nfn main() {\n",
    );
    folder.write("main.rs", &format!("{main}{body}}}\n"));
    let rustc = env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    // Names and failures that this program does not look at are no mistake of the files.
    let flags = ["--edition", "2021", "-Copt-level=1", "-Dwarnings", "-Adead_code", "main.rs", "-o", "in_rust"];
    folder.compile(Command::new(rustc).args(flags));
    folder.printed(&mut Command::new(folder.0.join("in_rust")))
}

/// The same in Python, where there is one.
pub fn in_python(models: &[Exported], folder: &WorkFolder) -> Option<PrintedNumbers> {
    Command::new("python3").arg("--version").output().ok()?;
    let mut main = "import struct\n\ndef show(name, what, x):\n    \
                    print(name, what, ' '.join('%x' % struct.unpack('Q', struct.pack('d', v))[0] for v in x))\n"
        .to_owned();
    for (at, of) in models.iter().enumerate() {
        let FileShape { calls, .. } = FileShape::of(&text(of, Language::C));
        folder.write(&format!("m{at}.py"), &text(of, Language::Python));
        let (name, h) = (of.name, of.settings.step.unwrap());
        let _ = writeln!(
            main,
            "import m{at} as m\np, y, h = m.Parameters(), list(m.INITIAL), {h:?}\nx = [0.0] * len(m.STATE_NAMES)\n\
             assert m.start(p, 0.0, h, y, x) == 0\nshow('{name}', 'start', x)\nfor i in range({STEPS}):\n    \
             assert m.step(p, i * h, h, x) == 0\nshow('{name}', 'end', x)"
        );
        for (function, length) in calls.into_iter().filter(|(_, length)| *length > 0) {
            let (time, of_state) = if matches!(function, "velocities" | "invariants") {
                (format!("{STEPS} * h"), "x")
            } else {
                ("0.0".to_owned(), "y")
            };
            let _ = writeln!(
                main,
                "out = [0.0] * {length}\nassert m.{function}(p, {time}, {of_state}, out) == 0\nshow('{name}', '{function}', out)"
            );
        }
    }
    folder.write("main.py", &main);
    Some(folder.printed(Command::new("python3").args(["-B", "main.py"])))
}
