//! `cargo xtask browser`: the studio in a browser, used as a user would.

pub mod driver;
mod files;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs};

use serde_json::Value;

use crate::shell::{Step, TaskFailure, heading, root};
use driver::Browser;

/// The tests in the browser. Without one they are left out, but not where CI runs.
pub fn tests() -> Result<(), TaskFailure> {
    heading("the studio in a browser");
    if !driver::is_installed() {
        let said = "there is no chromium with chromedriver: the studio is not tested in a browser";
        if env::var_os("CI").is_some_and(|value| value == "true") {
            return Err(failed(said));
        }
        eprintln!("{said}");
        return Ok(());
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
        eprintln!("there is no chromium with chromedriver: the page is not tested in a browser");
        return Ok(());
    }
    let address = files::serve(folder.to_path_buf())?;
    let browser = Browser::start(1360, 900, false)?;
    browser.open(&address)?;
    Visit { browser: &browser }.whole()
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

/// What `run --json` prints for a command that the page shows.
fn rerun(command: &str) -> Result<Value, TaskFailure> {
    let line = format!("{} --json", command.replacen("extremal", &program()?.to_string_lossy(), 1));
    let output = Step::new(command, "sh".as_ref(), &["-c", &line]).output()?;
    serde_json::from_str(&output).map_err(|error| failed(format!("{command}: {error}")))
}

/// A visit to the page.
struct Visit<'b> {
    browser: &'b Browser,
}

impl Visit<'_> {
    /// What a reader does from the first view on, in turn.
    fn whole(&self) -> Result<(), TaskFailure> {
        self.first_view()?;
        self.mistake_and_mending()?;
        self.equations()?;
        self.playing()?;
        self.dragging()?;
        self.two_methods()?;
        self.optimum()?;
        self.exported()?;
        self.measured()
    }

    fn picture(&self, path: &Path) -> Result<(), TaskFailure> {
        fs::write(path, self.browser.picture()?).map_err(|error| TaskFailure::of("pictures", &error))
    }

    /// A motion is there and nothing is being computed.
    fn shown(&self) -> Result<(), TaskFailure> {
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
        let printed = &rerun(command)?["end"]["q"][name];
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
        let printed = rerun(&command)?["objective"].as_f64().unwrap_or(f64::NAN);
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
        self.same_as_command(&self.text("#command")?, "θ1", &self.end("θ1")?)?;
        self.browser.click("#open-export")?;
        self.browser.click("[data-export=csv]")?;
        self.browser
            .until("the file", "document.getElementById('export-said').textContent.includes('double-pendulum.csv')")?;
        self.browser.click("[data-close=export]")
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
