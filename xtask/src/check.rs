//! `cargo xtask test`: everything a change must pass, cheapest first.

use std::path::Path;

use crate::shell::{Step, TaskFailure};
use crate::{aarch64, book, browser, gallery, page, python, rules};

pub fn all() -> Result<(), TaskFailure> {
    rules::all()?;
    Step::cargo("formatting", &["fmt", "--all", "--check"]).run()?;
    Step::cargo("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]).run()?;
    features()?;
    Step::cargo("tests", &["test", "--workspace", "--quiet"]).run()?;
    Step::cargo("documentation", &["doc", "--workspace", "--no-deps", "--quiet"])
        .with("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    gallery::all()?;
    python::tests()?;
    browser::tests()?;
    page::tests_if_possible()?;
    book::tests()?;
    aarch64::programs_if_possible()
}

/// The library without any of its features, and for browsers where the target is installed.
fn features() -> Result<(), TaskFailure> {
    const BROWSER: &str = "wasm32-unknown-unknown";
    let bare = ["check", "-p", "extremal", "--no-default-features", "--quiet"];
    // All that machine code, pictures and Parquet need goes with them: nothing unused is left.
    for package in ["extremal-eval", "extremal-solve", "extremal-trajectory", "extremal-engine", "extremal"] {
        let lints = ["clippy", "-p", package, "--no-default-features", "--quiet", "--", "-D", "warnings"];
        Step::cargo(&format!("{package} without features"), &lints).run()?;
    }
    let folder = Step::new("target", "rustc".as_ref(), &["--print", "target-libdir", "--target", BROWSER]).output()?;
    if !Path::new(folder.trim()).exists() {
        eprintln!("{BROWSER} is not installed: the library is not checked for browsers");
        return Ok(());
    }
    Step::cargo("the library for browsers", &[&bare[..], &["--target", BROWSER]].concat()).run()
}
