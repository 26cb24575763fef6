//! `cargo xtask page`: the studio as a folder of files that any web server can serve, with the desk as WebAssembly; and its tests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::browser;
use crate::shell::{Step, TaskFailure, cargo, heading, root};

const TARGET: &str = "wasm32-unknown-unknown";
/// What a page with a desk of its own says instead of nothing.
const MARK: &str = "<meta charset=\"utf-8\">";
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' blob: data:; media-src blob:; \
    connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'";
/// Compressed, the page is smaller than this.
const MOST_BYTES: u64 = 3_000_000;

/// A compiler that can do it.
enum Compiler {
    /// That of this toolchain, which has the target.
    Installed,
    /// One of the system that has the source of the standard library: it builds that too.
    FromSource { linker: PathBuf },
}

fn failed(reason: impl Into<String>) -> TaskFailure {
    TaskFailure { step: "page".to_owned(), reason: reason.into() }
}

/// The compiler for browsers, if there is one.
fn compiler() -> Option<Compiler> {
    let folder =
        Step::new("target", "rustc".as_ref(), &["--print", "target-libdir", "--target", TARGET]).output().ok()?;
    if Path::new(folder.trim()).exists() {
        return Some(Compiler::Installed);
    }
    let source = Path::new("/usr/lib/rustlib/src/rust/library/std").exists();
    let system = Path::new("/usr/bin/cargo").exists() && Path::new("/usr/bin/rustc").exists();
    let folder = Step::new("linker", "rustc".as_ref(), &["--print", "target-libdir"]).output().ok()?;
    let linker = Path::new(folder.trim()).parent()?.join("bin/rust-lld");
    (source && system && linker.exists()).then_some(Compiler::FromSource { linker })
}

/// Makes the folder target/page; returns where it is.
pub fn build() -> Result<PathBuf, TaskFailure> {
    let compiler = compiler().ok_or_else(|| {
        failed(format!(
            "no compiler here has the target {TARGET}: `rustup target add {TARGET}`, or the source of the standard library beside a compiler of the system"
        ))
    })?;
    let target = root().join("target/wasm");
    let folder = target.to_string_lossy().into_owned();
    let arguments = ["build", "-p", "extremal-wasm", "--profile", "page", "--target", TARGET, "--target-dir", &folder];
    match compiler {
        Compiler::Installed => Step::new("the desk for browsers", &cargo(), &arguments).run()?,
        Compiler::FromSource { linker } => {
            let arguments = [&arguments[..], &["-Zbuild-std=std,panic_abort"]].concat();
            Step::new("the desk for browsers", "/usr/bin/cargo".as_ref(), &arguments)
                .with("RUSTC", "/usr/bin/rustc")
                .with("RUSTC_BOOTSTRAP", "1")
                .with("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", &linker.to_string_lossy())
                .run()?;
        }
    }
    let page = root().join("target/page");
    let write =
        |name: &str, content: &[u8]| fs::write(page.join(name), content).map_err(|error| TaskFailure::of(name, &error));
    fs::create_dir_all(&page).map_err(|error| TaskFailure::of("page", &error))?;
    let assets = root().join("crates/extremal-studio/assets");
    let entries = fs::read_dir(&assets).map_err(|error| TaskFailure::of("assets", &error))?;
    for entry in entries.filter_map(Result::ok) {
        let (name, path) = (entry.file_name().to_string_lossy().into_owned(), entry.path());
        let content = fs::read(&path).map_err(|error| TaskFailure::of(&name, &error))?;
        if name != "index.html" {
            write(&name, &content)?;
            continue;
        }
        let own = format!(
            "{MARK}\n<meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n<meta name=\"extremal-desk\" content=\"worker.js\">"
        );
        write(&name, String::from_utf8_lossy(&content).replacen(MARK, &own, 1).as_bytes())?;
    }
    for (name, path) in [
        ("worker.js", root().join("crates/extremal-wasm/worker.js")),
        ("extremal.wasm", target.join(TARGET).join("page/extremal_wasm.wasm")),
    ] {
        write(name, &fs::read(&path).map_err(|error| TaskFailure::of(name, &error))?)?;
    }
    eprintln!("{}", page.display());
    Ok(page)
}

/// The same where the toolchain has the target: elsewhere the standard library has to be compiled first, and all takes six minutes of a processor.
pub fn tests_if_installed() -> Result<(), TaskFailure> {
    if matches!(compiler(), Some(Compiler::Installed)) && is_there("node") {
        return tests();
    }
    eprintln!(
        "this toolchain has no target {TARGET}, or there is no node: the page without a server is not tested \
         (`cargo xtask page --test` does it, and compiles the standard library where the target is missing)"
    );
    Ok(())
}

fn is_there(program: &str) -> bool {
    Step::new(program, program.as_ref(), &["--version"]).run_silently().is_ok()
}

/// The page, its size, and its numbers beside those of the program: the same bytes for every model of the gallery.
pub fn tests() -> Result<(), TaskFailure> {
    heading("the page without a server");
    let page = build()?;
    let wasm = page.join("extremal.wasm").to_string_lossy().into_owned();
    // Of the same gallery as the page.
    Step::cargo("the program", &["build", "-p", "extremal-cli", "--quiet"]).run_silently()?;
    let program = browser::program()?.to_string_lossy().into_owned();
    let script = root().join("crates/extremal-wasm/same.mjs").to_string_lossy().into_owned();
    Step::new("the same numbers", "node".as_ref(), &[&script, &wasm, &program, &MOST_BYTES.to_string()]).run()?;
    browser::page_tests(&page)
}
