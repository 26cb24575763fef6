//! `cargo xtask page`: the studio as a folder of files that any web server can serve, with the desk as WebAssembly; and its tests.

use std::fs;
use std::path::{Path, PathBuf};

use crate::browser;
use crate::shell::{Step, TaskFailure, cargo, heading, left_out, root};

const TARGET: &str = "wasm32-unknown-unknown";
/// What is said where there is no compiler for it.
pub const MISSING: &str = "no compiler here has the target wasm32-unknown-unknown: `rustup target add wasm32-unknown-unknown`, \
    or the source of the standard library beside a compiler of the system";
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

/// Is there a compiler for browsers?
pub fn can_be_built() -> bool {
    compiler().is_some()
}

/// Makes the folder target/page; returns where it is.
pub fn build() -> Result<PathBuf, TaskFailure> {
    let compiler = compiler().ok_or_else(|| failed(MISSING))?;
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

/// The tests of the page, where there are a compiler and node for them.
pub fn tests_if_possible() -> Result<(), TaskFailure> {
    match (compiler(), Step::new("node", "node".as_ref(), &["--version"]).run_silently()) {
        (None, _) => left_out("page", &format!("{MISSING}: the page without a server is not tested")),
        (_, Err(_)) => left_out("page", "there is no node: the page without a server is not tested"),
        _ => tests(),
    }
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
