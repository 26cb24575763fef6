//! The book in a browser: every page keeps within its window, and models are changed and run where they stand.

use std::fs;
use std::path::{Path, PathBuf};

use super::driver::Browser;
use super::{expect, failed, rerun};
use crate::shell::TaskFailure;

/// The studio in the page, the last one that was opened.
const STUDIO: &str = "[...document.querySelectorAll('.bench')].at(-1)?.contentDocument";

/// The book that is served at an address, from a folder.
pub struct BookVisit<'b> {
    pub browser: &'b Browser,
    pub address: &'b str,
    pub folder: &'b Path,
}

impl BookVisit<'_> {
    /// What a reader of its models does, in turn.
    pub fn whole(&self) -> Result<(), TaskFailure> {
        self.shown_model()?;
        self.named_models()?;
        self.problem()?;
        self.within_the_window()?;
        self.opened_as_a_file()
    }

    /// A model of a page is run, and changed: its ends are those that the program prints for the same texts.
    fn shown_model(&self) -> Result<(), TaskFailure> {
        let browser = self.browser;
        browser.open(&format!("{}pendulum.html", self.address))?;
        browser.click(".model .run")?;
        let folder = std::env::temp_dir().join(format!("extremal-book-{}", std::process::id()));
        fs::create_dir_all(&folder).map_err(|error| TaskFailure::of("book", &error))?;
        let editor = format!("{STUDIO}.getElementById('editor')");
        let first = self.compared(&folder, &editor)?;
        browser.script(&format!(
            "const area = {editor}; area.value = area.value.replace('l = 1.0', 'l = 2.0'); area.dispatchEvent(new Event('input'))"
        ))?;
        browser.until(
            "another motion",
            &format!("{STUDIO}.querySelector('[data-end=\"q.theta\"]')?.dataset.value !== '{first}'"),
        )?;
        let second = self.compared(&folder, &editor)?;
        let _ = fs::remove_dir_all(&folder);
        expect(first != second, || "another length is the same motion".to_owned())?;
        browser.click(".workbench button")?;
        browser.until("the model as it was", "!document.querySelector('.bench, .model[hidden]')")
    }

    /// Saves the text that is in the editor as the command names it, and runs that; returns the end.
    fn compared(&self, folder: &Path, editor: &str) -> Result<String, TaskFailure> {
        self.shown("[data-end=\"q.theta\"]")?;
        let text = self.browser.script(&format!("return {editor}.value"))?;
        fs::write(folder.join("my-pendulum.toml"), text.as_str().unwrap_or_default())
            .map_err(|error| TaskFailure::of("book", &error))?;
        self.same_as_command(folder)
    }

    fn shown(&self, selector: &str) -> Result<(), TaskFailure> {
        self.browser.until(selector, &format!("{STUDIO}?.querySelector('{selector}')"))
    }

    fn same_as_command(&self, folder: &Path) -> Result<String, TaskFailure> {
        let said = self.browser.script(&format!(
            "return [{STUDIO}.getElementById('command').textContent, {STUDIO}.querySelector('[data-end=\"q.theta\"]').dataset.value]"
        ))?;
        let [command, end] = [0, 1].map(|at| said[at].as_str().unwrap_or_default());
        let printed = &rerun(command, folder)?["end"]["q"]["theta"];
        expect(printed.as_f64().is_some_and(|printed| end.parse() == Ok(printed)), || {
            format!("`{command}` prints {printed}, and the book shows {end}")
        })?;
        Ok(end.to_owned())
    }

    /// Commands in the text open their models with what they say: the same command stands below.
    fn named_models(&self) -> Result<(), TaskFailure> {
        self.opened("extremal run gallery:pendulum --step 0.1 --method rk2 --until 200")?;
        self.shown("[data-end=\"q.theta\"]")?;
        self.same_as_command(&crate::shell::root())?;
        self.opened("extremal derive my-pendulum.toml --form lagrange")?;
        self.shown("#view-equations.shown .equation math")?;
        let command =
            self.browser.script(&format!("return {STUDIO}.querySelector('#equations .command code').textContent"))?;
        expect(command == "extremal derive my-pendulum.toml --form lagrange", || {
            format!("the equations are those of {command}")
        })
    }

    fn opened(&self, command: &str) -> Result<(), TaskFailure> {
        let found = self.browser.script(&format!(
            "document.querySelectorAll('.workbench').forEach(bench => bench.querySelector('button').click()); \
             const code = [...document.querySelectorAll('.try')].find(code => code.textContent === {command:?}); code?.click(); return Boolean(code)"
        ))?;
        expect(found == true, || format!("`{command}` cannot be opened"))
    }

    /// A problem is solved by the command that names it.
    fn problem(&self) -> Result<(), TaskFailure> {
        self.browser.open(&format!("{}control.html", self.address))?;
        self.opened("extremal solve gallery:double-integrator")?;
        self.shown("#view-solve.shown #solve-status.verdict-good")?;
        let shown = self.browser.script(&format!(
            "return [...{STUDIO}.querySelectorAll('#solution tr')].map(({{ cells }}) => [cells[0].textContent, cells[1].textContent]).find(([name]) => name === 'objective')[1]"
        ))?;
        let shown: f64 = shown.as_str().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
        // The optimal cost of fifty steps of the midpoint rule, N²/(N² - 1) of 6, and twelve digits are shown.
        let cost = 6.0 * 2500.0 / 2499.0;
        expect((shown - cost).abs() < 1e-9, || format!("the cost is {cost}, and the book shows {shown}"))
    }

    fn pages(&self) -> Result<Vec<PathBuf>, TaskFailure> {
        let entries = fs::read_dir(self.folder).map_err(|error| TaskFailure::of("book", &error))?;
        let mut pages: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        pages.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
        pages.sort();
        Ok(pages)
    }

    /// Nothing of any page is wider than its window, in a wide one and in a narrow one; what is wider scrolls by itself.
    fn within_the_window(&self) -> Result<(), TaskFailure> {
        let pages = self.pages()?;
        for (width, height) in [(500, 900), (1360, 900)] {
            self.browser.resize(width, height)?;
            for page in &pages {
                let name = page.file_name().unwrap_or_default().to_string_lossy();
                self.browser.open(&format!("{}{name}", self.address))?;
                let wide = self.browser.script(
                    "const most = document.documentElement.clientWidth; \
                     return document.documentElement.scrollWidth > most ? [...document.querySelectorAll('main *')].filter(element => !element.parentElement.closest('math[display=block], .long, pre, table') && element.getBoundingClientRect().right > most + 1).slice(0, 3).map(element => element.outerHTML.slice(0, 200)) : null",
                )?;
                expect(wide.is_null(), || format!("{name} is wider than a window of {width}: {wide}"))?;
            }
        }
        eprintln!("{} pages keep within windows of two widths", pages.len());
        Ok(())
    }

    /// From the disk a page is text that says how its models can be run.
    fn opened_as_a_file(&self) -> Result<(), TaskFailure> {
        let page = self.folder.join("pendulum.html").canonicalize().map_err(|error| TaskFailure::of("book", &error))?;
        self.browser.open(&format!("file://{}", page.display()))?;
        let said = self.browser.script(
            "return [document.querySelector('main .note')?.textContent.includes('cargo xtask book --serve'), document.querySelectorAll('.run, .try').length, \
             document.querySelector('.model code').textContent.includes('[coordinates]')]",
        )?;
        if said == serde_json::json!([true, 0, true]) {
            return Ok(());
        }
        Err(failed(format!("opened as a file, a page of the book is {said}")))
    }
}
