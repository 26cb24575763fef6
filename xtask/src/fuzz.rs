//! `cargo xtask fuzz`: each target for a while, with nothing installed beyond the toolchain and a C++ compiler for libFuzzer.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

use crate::shell::{Step, TaskFailure, root};

/// Coverage for libFuzzer, as `cargo fuzz` asks for it, without the sanitizers that need a nightly compiler.
const INSTRUMENTATION: &str = "--cfg fuzzing -Ccodegen-units=1 -Cdebug-assertions -Coverflow-checks -Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares";
/// A model file of this length has some of everything.
const MAX_LENGTH: &str = "-max_len=4096";
/// Seconds after which an input counts as a hang.
const TIMEOUT: &str = "-timeout=10";

pub fn all(seconds: u64) -> Result<(), TaskFailure> {
    let folder = root().join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&folder).map_err(|error| failure("fuzz", format!("{}: {error}", folder.display())))?;
    let mut targets: Vec<String> =
        entries.filter_map(|entry| Some(entry.ok()?.path().file_stem()?.to_string_lossy().into_owned())).collect();
    targets.sort();
    // The target is named so that build scripts, which run here and now, are not instrumented.
    let triple = host()?;
    let build = ["build", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", &triple];
    Step::cargo("fuzz targets", &build).with("RUSTFLAGS", INSTRUMENTATION).run()?;
    let built = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("fuzz/target"), Into::into);
    targets.iter().try_for_each(|target| one(&built.join(&triple).join("release").join(target), target, seconds))
}

fn one(program: &Path, target: &str, seconds: u64) -> Result<(), TaskFailure> {
    let (corpus, artifacts) = (format!("fuzz/corpus/{target}"), format!("fuzz/artifacts/{target}/"));
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(root().join(folder))
            .map_err(|error| failure(&format!("fuzz {target}"), format!("{folder}: {error}")))?;
    }
    let time = format!("-max_total_time={seconds}");
    let prefix = format!("-artifact_prefix={artifacts}");
    let own_seeds = format!("fuzz/seeds/{target}");
    let dictionary = format!("fuzz/{target}.dict");
    let dictionary_option = format!("-dict={dictionary}");
    let mut arguments = vec![&time, &prefix, MAX_LENGTH, TIMEOUT, "-print_final_stats=1", &corpus];
    let gallery = (target == "model").then_some("gallery");
    arguments.extend(gallery.into_iter().chain([&*own_seeds]).filter(|folder| root().join(folder).is_dir()));
    if root().join(&dictionary).is_file() {
        arguments.push(&dictionary_option);
    }
    Step::new(&format!("fuzz {target}"), program, &arguments).run()
}

/// The platform this runs on, as the compiler calls it.
fn host() -> Result<String, TaskFailure> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|error| failure("rustc -vV", error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| failure("rustc -vV", "does not say the host".to_owned()))
}

fn failure(step: &str, reason: String) -> TaskFailure {
    TaskFailure { step: step.to_owned(), reason }
}
