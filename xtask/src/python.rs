//! `cargo xtask wheel` and the tests of the Python package, in a virtual environment under target/.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Step, TaskFailure, heading, left_out, root};

/// What builds wheels.
const MATURIN: &str = "maturin>=1.9,<2";

/// Builds the wheel of the Python package into target/wheels; returns where it is.
pub fn wheel() -> Result<PathBuf, TaskFailure> {
    let tools = environment("tools")?;
    pip(&tools, "maturin", &[MATURIN])?;
    let wheels = target().join("wheels");
    // One version has one wheel: what an earlier build left would be taken for it.
    let _ = fs::remove_dir_all(&wheels);
    let out = wheels.to_string_lossy();
    let build = ["build", "--release", "--manifest-path", "python/Cargo.toml", "--out", &*out];
    Step::new("wheel", &program(&tools, "maturin"), &build).run()?;
    let found = fs::read_dir(&wheels).ok().and_then(|mut entries| entries.find_map(Result::ok));
    let wheel = found.map(|entry| entry.path()).ok_or_else(|| failure("wheel", "maturin has left no wheel"))?;
    eprintln!("{}", wheel.display());
    Ok(wheel)
}

/// Installs the wheel as a user would, then runs the tests in python/tests. Without Python they are left out, but not where CI runs.
pub fn tests() -> Result<(), TaskFailure> {
    if Step::new("python3", "python3".as_ref(), &["--version"]).run_silently().is_err() {
        return left_out("python", "there is no python3: the Python package is not tested");
    }
    let wheel = wheel()?;
    let wheel = wheel.to_string_lossy();
    alone(&wheel)?;
    sources()?;
    let tests = environment("tests")?;
    pip(&tests, "what the tests need", &[&format!("{wheel}[test]")])?;
    pip(&tests, "the wheel", &["--no-deps", "--force-reinstall", &wheel])?;
    let extremal = env::current_exe()
        .map_err(|error| TaskFailure::of("python tests", &error))?
        .with_file_name(format!("extremal{}", env::consts::EXE_SUFFIX));
    Step::new(
        "python tests",
        &program(&tests, "python"),
        &["-m", "pytest", "-c", "python/pyproject.toml", "python/tests"],
    )
    .with("EXTREMAL_PROGRAM", &extremal.to_string_lossy())
    .run()
}

/// The wheel in an environment that has nothing else: all that it needs comes with it.
fn alone(wheel: &str) -> Result<(), TaskFailure> {
    let _ = fs::remove_dir_all(target().join("python/alone"));
    let alone = environment("alone")?;
    pip(&alone, "the wheel alone", &[wheel])?;
    let one_run = "import extremal as ex; assert ex.gallery('pendulum').run(until=1)['theta'].size > 1";
    Step::new("the wheel alone", &program(&alone, "python"), &["-c", one_run]).run_silently()
}

/// What pip unpacks where there is no wheel: cargo must find all that it needs in it.
fn sources() -> Result<(), TaskFailure> {
    let tools = environment("tools")?;
    let folder = target().join("sdist");
    let _ = fs::remove_dir_all(&folder);
    let out = folder.to_string_lossy();
    let pack = ["sdist", "--manifest-path", "python/Cargo.toml", "--out", &*out];
    Step::new("source distribution", &program(&tools, "maturin"), &pack).run_silently()?;
    let entries = || fs::read_dir(&folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    let packed = entries().next().ok_or_else(|| failure("source distribution", "maturin has left none"))?;
    let unpack = ["-m", "tarfile", "--extract", &*packed.to_string_lossy(), &*out];
    Step::new("source distribution", &program(&tools, "python"), &unpack).run_silently()?;
    let unpacked = entries().find(|path| path.is_dir());
    let unpacked = unpacked.ok_or_else(|| failure("source distribution", "there is nothing in it"))?;
    let manifest = unpacked.join("python/Cargo.toml");
    Step::cargo("source distribution", &["check", "--manifest-path", &*manifest.to_string_lossy()])
        .with("CARGO_TARGET_DIR", &target().to_string_lossy())
        .run()
}

/// A virtual environment of this name, made if it is not there.
fn environment(name: &str) -> Result<PathBuf, TaskFailure> {
    let folder = target().join("python").join(name);
    if !program(&folder, "python").exists() {
        let place = folder.to_string_lossy();
        Step::new("virtual environment", "python3".as_ref(), &["-m", "venv", &*place]).run_silently()?;
    }
    Ok(folder)
}

fn pip(environment: &Path, what: &str, packages: &[&str]) -> Result<(), TaskFailure> {
    heading(&format!("pip install: {what}"));
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    Step::new(what, &program(environment, "python"), &[&install[..], packages].concat()).run_silently()
}

/// A program of a virtual environment.
fn program(environment: &Path, name: &str) -> PathBuf {
    let folder = if cfg!(windows) { "Scripts" } else { "bin" };
    environment.join(folder).join(format!("{name}{}", env::consts::EXE_SUFFIX))
}

fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}

fn failure(step: &str, reason: &str) -> TaskFailure {
    TaskFailure { step: step.to_owned(), reason: reason.to_owned() }
}
