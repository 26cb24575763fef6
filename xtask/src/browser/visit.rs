//! What a reader of the studio does, in turn.

use std::fs;
use std::path::Path;

use super::driver::Browser;
use super::{expect, rerun};
use crate::shell::{TaskFailure, root};

/// The rows that a command writes.
fn written(command: &str) -> Result<String, TaskFailure> {
    let path = std::env::temp_dir().join(format!("extremal-rows-{}.csv", std::process::id()));
    rerun(&format!("{command} --out {}", path.display()), &root())?;
    let text = fs::read_to_string(&path).map_err(|error| TaskFailure::of("rows", &error))?;
    let _ = fs::remove_file(&path);
    Ok(text)
}

/// A visit to the page.
pub struct Visit<'b> {
    pub browser: &'b Browser,
}

impl Visit<'_> {
    /// What a reader does from the first view on, in turn.
    pub fn whole(&self) -> Result<(), TaskFailure> {
        self.first_view()?;
        self.mistake_and_mending()?;
        self.equations()?;
        self.keyboard()?;
        self.playing()?;
        self.dragging()?;
        self.two_methods()?;
        self.optimum()?;
        self.exported()?;
        self.measured()
    }

    pub fn picture(&self, path: &Path) -> Result<(), TaskFailure> {
        fs::write(path, self.browser.picture()?).map_err(|error| TaskFailure::of("pictures", &error))
    }

    /// A motion is there and nothing is being computed.
    pub fn shown(&self) -> Result<(), TaskFailure> {
        self.browser.until("a motion", "document.querySelector('#facts [data-end]')")
    }

    fn text(&self, selector: &str) -> Result<String, TaskFailure> {
        let text = self.browser.script(&format!("return document.querySelector({selector:?})?.textContent ?? ''"))?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// The end of the motion that is shown, with all its digits.
    fn end(&self, name: &str) -> Result<String, TaskFailure> {
        let script = format!("return document.querySelector(`[data-end=\"q.{name}\"]`)?.dataset.value ?? ''");
        Ok(self.browser.script(&script)?.as_str().unwrap_or_default().to_owned())
    }

    fn first_view(&self) -> Result<(), TaskFailure> {
        self.shown()?;
        let begun = self.browser.script("return performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime ?? -1")?;
        eprintln!("first view after {:.0} ms", begun.as_f64().unwrap_or(f64::NAN));
        let errors = self.browser.script("return performance.getEntriesByType('resource').filter(({ name }) => !name.startsWith(location.origin)).length")?;
        expect(errors == 0, || "the page has fetched something from elsewhere".to_owned())
    }

    /// A name that nobody declared is marked where it is; the model is whole again when it is gone.
    fn mistake_and_mending(&self) -> Result<(), TaskFailure> {
        let browser = self.browser;
        browser.script("const area = document.getElementById('editor'); const at = area.value.indexOf('lagrangian = \"') + 14; area.focus(); area.setSelectionRange(at, at)")?;
        browser.keys("#editor", "mistake + ")?;
        browser.until("the mistake", "document.querySelector('#ink .wrong-here')?.textContent === 'mistake'")?;
        browser.until(
            "what is said of it",
            "document.querySelector('#problems .error')?.textContent.includes('mistake')",
        )?;
        for _ in 0.."mistake + ".len() {
            browser.keys("#editor", "\u{e003}")?;
        }
        browser.until("the sound model", "document.getElementById('problem-count').classList.contains('sound')")?;
        browser.until("no mark", "!document.querySelector('#ink .wrong-here')")
    }

    fn equations(&self) -> Result<(), TaskFailure> {
        self.browser.click("#tab-equations")?;
        self.browser.until(
            "equations",
            "document.querySelector('#equations .equation math mfrac, #equations .equation math mover')",
        )?;
        // Another form, and the command that prints it.
        self.browser.click("#forms [value=hamilton]")?;
        self.browser.until(
            "Hamilton's equations",
            "document.querySelector('#equations .command code')?.textContent.endsWith('--form hamilton')",
        )?;
        self.browser.click("#forms [value=hamilton]")?;
        self.browser.click("#tab-motion")
    }

    fn playing(&self) -> Result<(), TaskFailure> {
        self.browser.click("#play")?;
        self.browser.until("the motion to go on", "Number(document.getElementById('seek').value) > 0.2")?;
        self.browser.click("#play")?;
        let drawn = self.browser.script(
            "const canvas = document.getElementById('scene'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data; \
             let seen = 0; for (let k = 3; k < data.length; k += 4) seen += data[k] > 0; return seen",
        )?;
        expect(drawn.as_u64() > Some(200), || format!("{drawn} pixels of the mechanism are drawn"))
    }

    /// A slider is dragged: the end is what `run` prints, to the last digit.
    fn dragging(&self) -> Result<(), TaskFailure> {
        let before = self.end("θ1")?;
        // A slider stands at one of its thousand positions: the value is the one nearby.
        let value = self.browser.script("const slider = document.querySelector('[data-name=\"g\"]'); slider.value = 5.25; slider.dispatchEvent(new Event('input')); return String(Number(slider.value))")?;
        let value = value.as_str().unwrap_or_default();
        self.browser.until(
            "the motion with another value",
            &format!("document.getElementById('command').textContent.includes('g={value}')"),
        )?;
        let (after, command) = (self.end("θ1")?, self.text("#command")?);
        expect(before != after, || "the slider changes nothing".to_owned())?;
        self.same_as_command(&command, "θ1", &after)
    }

    fn same_as_command(&self, command: &str, name: &str, shown: &str) -> Result<(), TaskFailure> {
        let printed = &rerun(command, &root())?["end"]["q"][name];
        let same = printed.as_f64().is_some_and(|printed| shown.parse() == Ok(printed));
        expect(same, || format!("`{command}` prints {printed} for {name}, and the page shows {shown}"))
    }

    fn two_methods(&self) -> Result<(), TaskFailure> {
        self.browser.click("#tab-compare")?;
        self.browser.click("#compare")?;
        self.browser.until(
            "the comparison",
            "document.querySelector('#errors') && document.querySelectorAll('#compared th').length === 3",
        )?;
        self.browser.click("#tab-motion")
    }

    fn optimum(&self) -> Result<(), TaskFailure> {
        self.choose("cart-pole-swing", "Cart and pole, swing-up")?;
        self.browser.until("the view of the optimum", "document.querySelector('#view-solve.shown')")?;
        self.browser.click("#solve")?;
        self.browser.until("the optimum", "document.querySelector('#solve-status:not(.verdict-wrong)') && document.querySelector('#view-solve .player canvas')")?;
        let rows = "[...document.querySelectorAll('#solution tr')].map(({ cells }) => [cells[0].textContent, cells[1].textContent])";
        let shown = self.browser.script(&format!("return {rows}.find(([name]) => name === 'objective')[1]"))?;
        let shown = shown.as_str().and_then(|text| text.replace('−', "-").parse().ok()).unwrap_or(f64::NAN);
        let command = self.text("#view-solve .command code")?;
        let printed = rerun(&command, &root())?["objective"].as_f64().unwrap_or(f64::NAN);
        // Twelve digits are shown.
        expect((shown - printed).abs() <= 1e-11 * printed.abs(), || {
            format!("`{command}` prints {printed}, the page shows {shown}")
        })
    }

    fn choose(&self, name: &str, title: &str) -> Result<(), TaskFailure> {
        self.browser.click("#open-gallery")?;
        self.browser.until("the gallery", "document.querySelectorAll('#gallery-list li').length > 50")?;
        self.browser.script(&format!("document.querySelector('[data-model={name:?}]').click()"))?;
        self.browser.until("the model", &format!("document.getElementById('title').textContent === {title:?}"))
    }

    /// What is exported is what the command writes.
    fn exported(&self) -> Result<(), TaskFailure> {
        self.choose("double-pendulum", "Double pendulum")?;
        self.browser.click("#tab-motion")?;
        self.shown()?;
        let command = self.text("#command")?;
        self.same_as_command(&command, "θ1", &self.end("θ1")?)?;
        // What would be a download stays in the page.
        self.browser.script(
            "window.exports = {}; const made = URL.createObjectURL; URL.createObjectURL = blob => { window.exports.last = blob; return made(blob); }; \
             document.getElementById('speed').value = '10'",
        )?;
        let file = self.file("csv")?;
        let written = written(&command)?;
        expect(file == written, || format!("the rows of the page are not those of `{command} --out`"))?;
        for (ending, sign) in [
            ("json", "{"),
            ("svg", "<svg"),
            ("ipynb", "{\n  \"cells\""),
            ("tex", "\\documentclass"),
            ("c", "double"),
            ("rs", "fn "),
            ("py", "def "),
            ("jl", "function "),
            ("png", "\u{fffd}PNG"),
            ("webm", "webm"),
        ] {
            let file = self.file(ending)?;
            let head: String = file.chars().take(40).collect();
            expect(file.contains(sign), || format!("the export .{ending} begins with {head:?}"))?;
        }
        Ok(())
    }

    /// Exports a file; returns its text.
    fn file(&self, ending: &str) -> Result<String, TaskFailure> {
        let browser = self.browser;
        browser.script("window.exports.last = null; document.getElementById('export-said').textContent = ''")?;
        browser.click("#open-export")?;
        browser.click(&format!("[data-export={ending}]"))?;
        let said = format!("double-pendulum.{ending} is in your downloads");
        browser.until(&said, &format!("document.getElementById('export-said').textContent === {said:?}"))?;
        browser.click("[data-close=export]")?;
        let text = browser.awaited("window.exports.last.text().then(done)")?;
        Ok(text.as_str().unwrap_or_default().to_owned())
    }

    /// Tabs and the motion by keys alone; and whatever can be used has a name.
    fn keyboard(&self) -> Result<(), TaskFailure> {
        let browser = self.browser;
        browser.keys("#tab-motion", "\u{e014}")?;
        browser.until(
            "the next tab",
            "document.activeElement.id === 'tab-equations' && document.querySelector('#view-equations.shown')",
        )?;
        browser.keys("#tab-equations", "\u{e012}")?;
        browser.until("the tab before", "document.activeElement.id === 'tab-motion'")?;
        browser.keys("#scene", " ")?;
        browser
            .until("the motion to go on", "document.getElementById('play').getAttribute('aria-pressed') === 'true'")?;
        browser.keys("#scene", " ")?;
        browser
            .until("the motion to stop", "document.getElementById('play').getAttribute('aria-pressed') === 'false'")?;
        let nameless = browser.script(
            "const named = one => one.getAttribute('aria-label') || one.getAttribute('aria-labelledby') || one.labels?.length || one.textContent.trim() || one.alt; \
             return [...document.querySelectorAll('button, input:not([hidden]), select, textarea, canvas:not([aria-hidden])')].filter(one => !named(one)).map(one => one.outerHTML.slice(0, 120))",
        )?;
        expect(nameless == serde_json::json!([]), || format!("without a name are {nameless}"))?;
        // A word is completed where it is begun, and taken by Enter.
        browser.script("const area = document.getElementById('editor'); area.focus(); area.setSelectionRange(area.value.length, area.value.length)")?;
        browser.keys("#editor", "\n[sym")?;
        browser.until("a word for it", "document.querySelector('#completions:not([hidden]) [aria-selected=true]')?.textContent.startsWith('symmetries')")?;
        browser.keys("#editor", "\u{e007}")?;
        browser.until("the word", "document.getElementById('editor').value.endsWith('[symmetries')")?;
        for _ in 0.."\n[symmetries".len() {
            browser.keys("#editor", "\u{e003}")?;
        }
        browser.until("the sound model", "document.getElementById('problem-count').classList.contains('sound')")
    }

    /// From a slider to what is drawn, for 10 000 steps.
    fn measured(&self) -> Result<(), TaskFailure> {
        self.browser.script("for (const [id, value] of [['step', '0.005'], ['until', '50']]) document.getElementById(id).value = value; document.getElementById('until').dispatchEvent(new Event('change'))")?;
        self.browser
            .until("10 000 steps", "document.getElementById('timing').textContent.startsWith('10000 steps')")?;
        let times = self.browser.awaited(
            "(async () => { const slider = document.querySelector('[data-name=\"g\"]'), times = []; \
             for (let k = 0; k < 40; k++) { const began = performance.now(); slider.value = 4 + 0.1 * k; \
               const shown = new Promise(next => addEventListener('drawn', next, { once: true })); slider.dispatchEvent(new Event('input')); await shown; \
               times.push(performance.now() - began); await new Promise(next => setTimeout(next, 30)); } \
             times.sort((a, b) => a - b); done([times[0], times[20], times[38]]); })()",
        )?;
        let steps = self.text("#timing")?;
        expect(steps.starts_with("10000 steps"), || format!("the page says `{steps}`"))?;
        let [best, median, most] = [0, 1, 2].map(|at| times[at].as_f64().unwrap_or(f64::NAN));
        eprintln!(
            "from a slider to the picture, 10000 steps, 40 times: {median:.1} ms, at best {best:.1} ms, and {most:.1} ms for 19 of 20"
        );
        Ok(())
    }
}
