//! `cargo xtask bench`: times beside floors, or instructions per step, which do not depend on what else the machine does.

use crate::shell::{Step, TaskFailure, heading};

/// The steps whose instructions are counted: names that the benchmark knows, and how many steps are taken.
const KERNELS: [(&str, u64); 10] = [
    ("double-pendulum", 20_000),
    ("double-pendulum-in-positions", 20_000),
    ("chain-of-16", 500),
    ("damped-oscillator", 100_000),
    ("ideal-gas-piston", 20_000),
    ("seen double pendulum", 20_000),
    ("seen Kepler, e = 0.6, galerkin(2)", 20_000),
    ("seen Hénon–Heiles, trapezoidal", 100_000),
    ("seen damped oscillator", 100_000),
    ("seen Fermi–Pasta–Ulam, 1000 masses", 2_000),
];

pub fn times() -> Result<(), TaskFailure> {
    Step::cargo("benchmarks", &["bench", "--package", "extremal-engine", "--bench", "speed"]).run()
}

/// What the user of a run sees, beside loops that watch the energy as it does.
pub fn seen() -> Result<(), TaskFailure> {
    with_option("--seen")
}

/// How getting ready, memory and a step grow with the size of a system.
pub fn growth() -> Result<(), TaskFailure> {
    with_option("--growth")
}

fn with_option(option: &str) -> Result<(), TaskFailure> {
    Step::cargo("benchmarks", &["bench", "--package", "extremal-engine", "--bench", "speed", "--", option]).run()
}

/// By callgrind: those of twice as many steps less those of as many, so that getting ready does not count. It emulates a processor
/// without AVX-512.
pub fn instructions() -> Result<(), TaskFailure> {
    Step::cargo("build", &["bench", "--package", "extremal-engine", "--bench", "speed", "--no-run"]).run()?;
    heading("instructions per step");
    println!("| step | instructions |\n| --- | --- |");
    for (kernel, steps) in KERNELS {
        let (once, twice) = (collected(kernel, steps)?, collected(kernel, 2 * steps)?);
        println!("| {kernel} | {:.0} |", (twice - once) as f64 / steps as f64);
    }
    Ok(())
}

fn collected(kernel: &str, steps: u64) -> Result<i64, TaskFailure> {
    let count = steps.to_string();
    let arguments =
        ["bench", "--quiet", "--package", "extremal-engine", "--bench", "speed", "--", "--march", kernel, &count];
    let said = Step::cargo(&format!("callgrind of {kernel}"), &arguments)
        .with(
            "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER",
            "valgrind --tool=callgrind --callgrind-out-file=/dev/null",
        )
        .errors()?;
    let number = said.lines().find_map(|line| line.split_once("Collected : "));
    number.and_then(|(_, number)| number.trim().parse().ok()).ok_or_else(|| TaskFailure {
        step: format!("callgrind of {kernel}"),
        reason: format!("did not say how many instructions there were; is valgrind installed?\n{said}"),
    })
}
