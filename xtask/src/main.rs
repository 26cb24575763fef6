//! Development tasks: `cargo xtask test`, `cargo xtask rules`, `cargo xtask book`, `cargo xtask drawings`, `cargo xtask wheel`, `cargo xtask aarch64`, `cargo xtask browser`, `cargo xtask page`, `cargo xtask fuzz`, `cargo xtask mutants`, `cargo xtask bench`.

mod aarch64;
mod bench;
mod book;
mod browser;
mod check;
mod drawings;
mod files;
mod fuzz;
mod gallery;
mod models;
mod mutants;
mod page;
mod python;
mod rules;
mod shell;

use std::env;
use std::process::ExitCode;
use std::time::Instant;

const USAGE: &str = "\
Usage: cargo xtask TASK

  test                 rules, formatting, lints, all tests, documentation, every model of the gallery, the book, the Python package,
                       the studio in a browser
  rules                direction of dependencies, unique names of types and equations, sizes of files, mutants that still apply; builds nothing
  book                 the book, as pages in target/book; its models run in them where there is a compiler for wasm32-unknown-unknown
  book --test          that, and its models and all of its pages in the browser
  book --serve         that, served to this machine: a page that is opened as a file may not load programs
  drawings             the sheet of all drawings, docs/drawings.png with its page, and the pictures of the book, drawn anew
  wheel                the Python package as a wheel, in target/wheels
  python               that wheel in an environment of its own, and the tests in python/tests
  aarch64              machine code for aarch64, by emulation: random programs (as `test` does), and every model of the gallery with the bits that
                       it has here. Needs qemu-aarch64, a cross compiler and Rust for that processor; says what is missing
  aarch64 --check      only whether these are there; builds nothing
  browser              the studio in chromium, driven by chromedriver, used as a user would
  browser --pictures   pictures of it in target/studio, as PNG in base 64
  page                 the studio without a server, a folder of files in target/page; needs a compiler for wasm32-unknown-unknown
  page --test          that, its numbers beside those of the program, and the page in the browser; needs node
  fuzz [--seconds N]   each fuzz target for N seconds (60 if not said); needs a C++ compiler
  fuzz models [--minutes N] [--seed K]
                       the whole program on random models for N minutes (10 if not said), from a seed on;
                       a seed alone is one model. Those that go wrong are left in fuzz/artifacts/models
  mutants [WORD...]    break the core in the ways listed in xtask/mutants.toml (those whose file or description has
                       one of the words): does a test fail? Needs cargo-nextest, and half an hour for all of them
  mutants --check      only whether every entry of the list still applies; builds nothing
  bench                steps and times to get ready, beside loops written by hand
  bench --seen         what the user of a run sees, beside loops that watch the energy too
  bench --growth       how getting ready, memory and a step grow with the size of a system
  bench --instructions instructions per step, by callgrind";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let clock = Instant::now();
    let done = match words.as_slice() {
        ["test"] => check::all(),
        ["rules"] => rules::all(),
        ["book"] => book::build().map(drop),
        ["book", "--test"] => book::tests(),
        ["book", "--serve"] => book::serve(),
        ["drawings"] => drawings::all(),
        ["wheel"] => python::wheel().map(drop),
        ["python"] => python::tests(),
        ["aarch64"] => aarch64::all(),
        ["aarch64", "--check"] => aarch64::check(),
        ["browser"] => browser::tests(),
        ["browser", "--pictures"] => browser::pictures(),
        ["page"] => page::build().map(drop),
        ["page", "--test"] => page::tests(),
        ["fuzz"] => fuzz::all(60),
        ["fuzz", "--seconds", seconds] => match seconds.parse() {
            Ok(seconds) => fuzz::all(seconds),
            Err(_) => return usage(),
        },
        ["fuzz", "models", options @ ..] => match models_of(options) {
            Some((minutes, seed)) => models::fuzz(minutes, seed),
            None => return usage(),
        },
        ["mutants", "--check"] => mutants::check(),
        ["mutants", words @ ..] => mutants::campaign(words),
        ["bench"] => bench::times(),
        ["bench", "--seen"] => bench::seen(),
        ["bench", "--growth"] => bench::growth(),
        ["bench", "--instructions"] => bench::instructions(),
        _ => return usage(),
    };
    let seconds = clock.elapsed().as_secs();
    match done {
        Ok(()) => {
            eprintln!("\nall is well, {} min {} s", seconds / 60, seconds % 60);
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("\nfailed after {} min {} s: {failure}", seconds / 60, seconds % 60);
            ExitCode::FAILURE
        }
    }
}

/// For how many minutes, and from which seed on.
fn models_of(options: &[&str]) -> Option<(Option<f64>, u64)> {
    match options {
        [] => Some((Some(10.0), 0)),
        ["--minutes", minutes] => Some((Some(minutes.parse().ok()?), 0)),
        ["--seed", seed] => Some((None, seed.parse().ok()?)),
        ["--minutes", minutes, "--seed", seed] | ["--seed", seed, "--minutes", minutes] => {
            Some((Some(minutes.parse().ok()?), seed.parse().ok()?))
        }
        _ => None,
    }
}

fn usage() -> ExitCode {
    eprintln!("{USAGE}");
    ExitCode::from(2)
}
