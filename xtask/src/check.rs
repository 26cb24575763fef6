//! `cargo xtask test`: everything a change must pass, cheapest first.

use crate::shell::{Step, TaskFailure};
use crate::{gallery, rules};

pub fn all() -> Result<(), TaskFailure> {
    rules::all()?;
    Step::cargo("formatting", &["fmt", "--all", "--check"]).run()?;
    Step::cargo("lints", &["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"]).run()?;
    Step::cargo("tests", &["test", "--workspace", "--quiet"]).run()?;
    Step::cargo("documentation", &["doc", "--workspace", "--no-deps", "--quiet"])
        .with("RUSTDOCFLAGS", "-D warnings")
        .run()?;
    gallery::all()
}
