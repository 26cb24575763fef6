//! `cargo xtask aarch64`: the program and the tests of machine code for aarch64, emulated, beside the program for this machine.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Instant;
use std::{env, fs, thread};

use crate::gallery;
use crate::shell::{Step, TaskFailure, cargo, heading, left_out, root};

const TARGET: &str = "aarch64-unknown-linux-gnu";
const EMULATOR: &str = "qemu-aarch64";
/// What loads programs, where libraries for aarch64 are installed beside those of this machine; else those of the cross compiler
/// are taken.
const LOADER: &str = "/lib/ld-linux-aarch64.so.1";
const CROSS_LIBRARIES: [&str; 2] = ["-L", "/usr/aarch64-linux-gnu"];
const LINKER: &str = "aarch64-linux-gnu-gcc";
/// Builds for other processors stand beside those for this one.
const FOLDER: &str = "target/aarch64";
/// Debian's packages; without the last three where rustup has the target.
const PACKAGES: &str = "qemu-user gcc-aarch64-linux-gnu libc6:arm64 rustc-web cargo-web libstd-rust-web-dev:arm64";

/// What builds and runs programs for aarch64.
struct Toolchain {
    cargo: PathBuf,
    rustc: PathBuf,
}

/// Programs and gallery, or the reason why nothing can be done.
pub fn all() -> Result<(), TaskFailure> {
    let tools = Toolchain::find().map_err(|reason| failure("aarch64", &reason))?;
    tools.programs()?;
    Step::cargo("the program", &["build", "--quiet", "-p", "extremal-cli"]).run()?;
    tools.gallery()
}

/// Is everything there that it needs?
pub fn check() -> Result<(), TaskFailure> {
    Toolchain::find().map(drop).map_err(|reason| failure("aarch64", &reason))
}

/// The programs alone, where the tools are there. Without them they are left out, but not where CI runs.
pub fn programs_if_possible() -> Result<(), TaskFailure> {
    match Toolchain::find() {
        Ok(tools) => tools.programs(),
        Err(reason) => left_out("aarch64", &format!("machine code for aarch64 is not tested: {reason}")),
    }
}

impl Toolchain {
    fn find() -> Result<Toolchain, String> {
        let lacks = |what: &str| {
            format!(
                "there is no {what}; Debian has all that is needed, after dpkg --add-architecture arm64, in {PACKAGES}"
            )
        };
        for program in [EMULATOR, LINKER] {
            if Step::new(program, program.as_ref(), &["--version"]).run_silently().is_err() {
                return Err(lacks(program));
            }
        }
        // The compiler that this program was built with, or that of the distribution.
        let own = Toolchain { cargo: cargo(), rustc: env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()).into() };
        let system = Toolchain { cargo: "/usr/bin/cargo".into(), rustc: "/usr/bin/rustc".into() };
        [own, system].into_iter().find(Toolchain::has_library).ok_or_else(|| lacks(&format!("Rust for {TARGET}")))
    }

    fn has_library(&self) -> bool {
        let folder = Step::new("target", &self.rustc, &["--print", "target-libdir", "--target", TARGET]).output();
        let entries = folder.ok().and_then(|folder| fs::read_dir(folder.trim()).ok());
        entries.is_some_and(|entries| {
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
        })
    }

    fn step(&self, name: &str, arguments: &[&str]) -> Step {
        let variable = TARGET.replace('-', "_").to_uppercase();
        let place = ["--target", TARGET, "--target-dir", FOLDER];
        Step::new(name, &self.cargo, &[&arguments[..1], &place[..], &arguments[1..]].concat())
            .with("RUSTC", &self.rustc.to_string_lossy())
            .with(&format!("CARGO_TARGET_{variable}_LINKER"), LINKER)
            .with(&format!("CARGO_TARGET_{variable}_RUNNER"), &[&[EMULATOR][..], libraries()].concat().join(" "))
    }

    /// Instructions beside those of another assembler, and random programs: machine code beside the tape.
    fn programs(&self) -> Result<(), TaskFailure> {
        let suites = ["--test", "lattice_programs", "--test", "lattice_recurrences", "--test", "pair_programs"];
        let all = [&["test", "--quiet", "-p", "extremal-eval", "--lib"][..], &suites[..]].concat();
        self.step("instructions and loops for aarch64", &all).run()?;
        let random = ["test", "--quiet", "-p", "extremal-eval", "--test", "programs", "--", "backends::", "traces::"];
        self.step("random programs for aarch64", &random).run()
    }

    /// Every model of the gallery by both programs: the same bytes in the file of rows, and the same way to end.
    fn gallery(&self) -> Result<(), TaskFailure> {
        self.step("the program for aarch64", &["build", "--quiet", "-p", "extremal-cli"]).run()?;
        heading("gallery on aarch64");
        let failed = |error| TaskFailure::of("gallery on aarch64", &error);
        let (clock, models) = (Instant::now(), gallery::models().map_err(failed)?);
        let folder = env::temp_dir().join(format!("extremal-aarch64-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(failed)?;
        let comparison = ProgramPair {
            own: gallery::program().map_err(failed)?,
            other: root().join(FOLDER).join(TARGET).join("debug/extremal"),
            folder: folder.clone(),
        };
        let outcome = comparison.all(&models);
        fs::remove_dir_all(&folder).map_err(failed)?;
        let rows = outcome?;
        let seconds = clock.elapsed().as_secs_f64();
        eprintln!("{} models, {rows} rows, the same bytes ({seconds:.0} s)", models.len());
        Ok(())
    }
}

/// Two programs that should write the same.
struct ProgramPair {
    own: PathBuf,
    other: PathBuf,
    folder: PathBuf,
}

impl ProgramPair {
    /// All models, as many at a time as there are processors; how many rows they have.
    fn all(&self, models: &[PathBuf]) -> Result<usize, TaskFailure> {
        let next = AtomicUsize::new(0);
        let (found, results) = channel();
        thread::scope(|scope| {
            for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
                let (found, next) = (found.clone(), &next);
                scope.spawn(move || {
                    while let Some(model) = models.get(next.fetch_add(1, Ordering::Relaxed)) {
                        // Nobody waits for more where another model has failed.
                        if found.send(self.one(model)).is_err() {
                            break;
                        }
                    }
                });
            }
            drop(found);
            results.into_iter().sum()
        })
    }

    fn one(&self, model: &Path) -> Result<usize, TaskFailure> {
        let name = model.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let step = format!("{name} on aarch64");
        let own = self.rows(&self.own, &[], model, &format!("{name}.own.csv"))?;
        let emulated = self.other.to_string_lossy();
        let emulated = [libraries(), &[&*emulated][..]].concat();
        let other = self.rows(EMULATOR.as_ref(), &emulated, model, &format!("{name}.other.csv"))?;
        if own == other {
            return Ok(own.lines().count().saturating_sub(1));
        }
        let differs = own.lines().zip(other.lines()).position(|(own, other)| own != other);
        let line = differs.unwrap_or(own.lines().count().min(other.lines().count()));
        let at = |text: &str| text.lines().nth(line).unwrap_or("nothing").to_owned();
        let reason = format!("line {} differs:\n  here      {}\n  emulated  {}", line + 1, at(&own), at(&other));
        Err(failure(&step, &reason))
    }

    /// The rows that a program writes for a model.
    fn rows(&self, program: &Path, before: &[&str], model: &Path, file: &str) -> Result<String, TaskFailure> {
        let out = self.folder.join(file);
        let (model, path) = (model.to_string_lossy(), out.to_string_lossy());
        let command = gallery::command(&model)?;
        let words = [command, &*model, "--quiet", "--out", &*path];
        let all: Vec<&str> = before.iter().copied().chain(words).collect();
        let step = format!("{} {}", program.display(), all.join(" "));
        Step::new(&step, program, &all).run_silently()?;
        let rows = fs::read_to_string(&out).map_err(|error| TaskFailure::of(&step, &error))?;
        fs::remove_file(&out).map_err(|error| TaskFailure::of(&step, &error))?;
        Ok(rows)
    }
}

/// The options by which the emulator finds libraries.
fn libraries() -> &'static [&'static str] {
    if Path::new(LOADER).exists() { &[] } else { &CROSS_LIBRARIES }
}

fn failure(step: &str, reason: &str) -> TaskFailure {
    TaskFailure { step: step.to_owned(), reason: reason.to_owned() }
}
