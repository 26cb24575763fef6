//! `cargo xtask browser`: the studio in a browser, used as a user would.

mod book;
pub mod driver;
mod visit;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use serde_json::Value;

use crate::files;
use crate::shell::{Step, TaskFailure, heading, left_out, root};
use book::BookVisit;
use driver::Browser;
use visit::Visit;

/// The tests in the browser. Without one they are left out, but not where CI runs.
pub fn tests() -> Result<(), TaskFailure> {
    heading("the studio in a browser");
    if !driver::is_installed() {
        return left_out("browser", "there is no chromium with chromedriver: the studio is not tested in a browser");
    }
    Step::cargo("the program", &["build", "-p", "extremal-cli", "--quiet"]).run_silently()?;
    let studio = RunningStudio::open(&[])?;
    let browser = Browser::start(1360, 900, false)?;
    browser.open(&studio.address)?;
    Visit { browser: &browser }.whole()
}

/// The same on the page without a server, served from its folder; without a browser it is left out as there.
pub fn page_tests(folder: &Path) -> Result<(), TaskFailure> {
    if !driver::is_installed() {
        return left_out("page", "there is no chromium with chromedriver: the page is not tested in a browser");
    }
    let address = files::serve(folder.to_path_buf())?;
    let browser = Browser::start(1360, 900, false)?;
    browser.open(&address)?;
    Visit { browser: &browser }.whole()
}

/// The book, served from its folder.
pub fn book_tests(folder: &Path) -> Result<(), TaskFailure> {
    heading("the book in a browser");
    if !driver::is_installed() {
        return left_out("book", "there is no chromium with chromedriver: the book is not tested in a browser");
    }
    let address = files::serve(folder.to_path_buf())?;
    let browser = Browser::start(1360, 900, false)?;
    BookVisit { browser: &browser, address: &address, folder }.whole()
}

/// Pictures of the studio in target/studio, to be looked at: wide and narrow, light and dark.
pub fn pictures() -> Result<(), TaskFailure> {
    Step::cargo("the program", &["build", "-p", "extremal-cli", "--quiet"]).run_silently()?;
    let folder = root().join("target/studio");
    fs::create_dir_all(&folder).map_err(|error| TaskFailure::of("pictures", &error))?;
    let studio = RunningStudio::open(&[])?;
    for (name, width, height, dark) in
        [("wide-light", 1440, 960, false), ("wide-dark", 1440, 960, true), ("narrow", 500, 1500, false)]
    {
        let browser = Browser::start(width, height, dark)?;
        browser.open(&studio.address)?;
        let visit = Visit { browser: &browser };
        visit.shown()?;
        browser.script(
            "const seek = document.getElementById('seek'); seek.value = 7.3; seek.dispatchEvent(new Event('input'))",
        )?;
        visit.picture(&folder.join(format!("{name}.base64")))?;
        for view in ["equations", "analysis", "compare", "map"] {
            browser.click(&format!("#tab-{view}"))?;
            match view {
                "compare" => browser.click("#compare")?,
                "map" => browser.click("#map")?,
                _ => {}
            }
            let there = match view {
                "compare" => {
                    "document.querySelector('#compared') && !document.getElementById('compare-progress').textContent"
                }
                "map" => "document.querySelector('#map-picture')",
                "analysis" => "document.querySelector('#analysis section')",
                _ => "document.querySelector('#equations math')",
            };
            browser.until(view, there)?;
            visit.picture(&folder.join(format!("{name}-{view}.base64")))?;
        }
    }
    eprintln!("{}", folder.display());
    Ok(())
}

fn failed(reason: impl Into<String>) -> TaskFailure {
    TaskFailure { step: "browser".to_owned(), reason: reason.into() }
}

fn expect(holds: bool, reason: impl FnOnce() -> String) -> Result<(), TaskFailure> {
    if holds { Ok(()) } else { Err(failed(reason())) }
}

/// The program that was built beside this one.
pub fn program() -> Result<PathBuf, TaskFailure> {
    let own = env::current_exe().map_err(|error| TaskFailure::of("the program", &error))?;
    Ok(own.with_file_name(format!("extremal{}", env::consts::EXE_SUFFIX)))
}

/// A studio that is open; closed at the end.
struct RunningStudio {
    process: Child,
    address: String,
}

impl RunningStudio {
    fn open(arguments: &[&str]) -> Result<RunningStudio, TaskFailure> {
        let mut process = Command::new(program()?)
            .args(["studio", "--no-open"])
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| TaskFailure::of("the studio", &error))?;
        let mut said = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut said).map_err(|error| TaskFailure::of("the studio", &error))?;
        }
        let address = said.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
        let studio = RunningStudio { process, address: address.unwrap_or_default() };
        expect(!studio.address.is_empty(), || format!("the studio prints no address but `{said}`"))?;
        Ok(studio)
    }
}

impl Drop for RunningStudio {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What `--json` prints for a command that a page shows, in a folder.
fn rerun(command: &str, folder: &Path) -> Result<Value, TaskFailure> {
    let line = format!("{} --json", command.replacen("extremal", &program()?.to_string_lossy(), 1));
    let output = Step::new(command, "sh".as_ref(), &["-c", &line]).inside(folder).output()?;
    serde_json::from_str(&output).map_err(|error| failed(format!("{command}: {error}")))
}
