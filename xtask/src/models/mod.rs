//! `cargo xtask fuzz models`: the whole program on models and options drawn at random.
//!
//! Whatever the model, a call ends by itself in a while, in bounded memory, with one of its exit codes, and with numbers wherever it says
//! that it finished.

mod calls;
mod grammar;
mod tables;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use crate::shell::{Step, TaskFailure, heading, root};
use calls::ROWS;
use grammar::{Case, MODEL};
use serde_json::Value;

/// A call that takes longer hangs: in seconds of the processor, which a busy machine does not change,
const MOST_WORK: u64 = 10;
/// and on the clock, for those that wait.
const LONGEST: Duration = Duration::from_secs(120);
/// What ends a call that had its seconds.
const OUT_OF_TIME: i32 = 24;
/// Memory of a call, in KiB: 2 GiB.
const MOST_MEMORY: u64 = 2 << 20;
const BETWEEN_LOOKS: Duration = Duration::from_millis(2);
/// Columns that may have no number: the energy by positions, an estimate, leaves its domain without harm.
const ESTIMATES: [&str; 1] = ["energy_v"];

/// Calls the program for so long, or for one seed if `minutes` is none.
pub fn fuzz(minutes: Option<f64>, first: u64) -> Result<(), TaskFailure> {
    Step::cargo("the program", &["build", "-p", "extremal-cli"]).run()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let program = fs::canonicalize(target.join("debug/extremal")).map_err(|error| failure(error.to_string()))?;
    let artifacts = root().join("fuzz/artifacts/models");
    fs::create_dir_all(&artifacts).map_err(|error| failure(error.to_string()))?;
    heading("random models");
    let folder = env::temp_dir().join(format!("extremal-models-{}", std::process::id()));
    let gallery = gallery().map_err(|error| failure(error.to_string()))?;
    let (clock, mut seed, mut calls, mut failed) = (Instant::now(), first, 0u64, 0u64);
    let mut codes = [0u64; 3];
    loop {
        let case = grammar::case(seed, &gallery);
        prepare(&folder, &case).map_err(|error| failure(error.to_string()))?;
        for arguments in &case.calls {
            calls += 1;
            match call(&program, &folder, arguments) {
                Ok(code) => codes[code] += 1,
                Err(reason) => {
                    failed += 1;
                    let saved = artifacts.join(format!("{seed}.toml"));
                    let words = shown(arguments);
                    let text = format!("# extremal {words}\n# {reason}\n{}", case.model);
                    fs::write(&saved, text).map_err(|error| failure(error.to_string()))?;
                    eprintln!("seed {seed}: {reason}\n  extremal {words}\n  saved as {}", saved.display());
                    break;
                }
            }
        }
        seed += 1;
        if minutes.is_none_or(|minutes| clock.elapsed().as_secs_f64() > 60.0 * minutes) {
            break;
        }
    }
    let _ = fs::remove_dir_all(&folder);
    let [done, stopped, refused] = codes;
    eprintln!(
        "{calls} calls, seeds {first} to {}: {done} done, {stopped} stopped, {refused} refused, {failed} wrong",
        seed - 1
    );
    if failed == 0 { Ok(()) } else { Err(failure(format!("{failed} calls went wrong"))) }
}

/// The models of the gallery, in the order of their names.
fn gallery() -> io::Result<Vec<String>> {
    let entries = fs::read_dir(root().join("gallery"))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    paths.sort();
    paths.iter().map(fs::read_to_string).collect()
}

fn shown(arguments: &[String]) -> String {
    let quoted =
        |word: &String| if word.contains(['(', ' ', '\'', '*']) { format!("\"{word}\"") } else { word.clone() };
    arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn failure(reason: String) -> TaskFailure {
    TaskFailure { step: "fuzz models".to_owned(), reason }
}

/// Makes a folder with nothing but the model.
fn prepare(folder: &Path, case: &Case) -> io::Result<()> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    fs::write(folder.join(MODEL), &case.model)
}

/// Calls the program in the folder; what it did wrong is the error.
fn call(program: &Path, folder: &Path, arguments: &[String]) -> Result<usize, String> {
    let status = match spawn(program, folder, arguments).and_then(|child| wait(child, LONGEST)) {
        Ok(Some(status)) => status,
        Ok(None) => return Err(format!("does not end within {} s", LONGEST.as_secs())),
        Err(error) => return Err(format!("cannot be called: {error}")),
    };
    let said = fs::read(folder.join("stderr")).unwrap_or_default();
    let said = String::from_utf8_lossy(&said);
    if let Some(line) = said.lines().find(|line| line.contains("panicked at") || line.contains("memory allocation of"))
    {
        return Err(line.to_owned());
    }
    if signal_of(status) == Some(OUT_OF_TIME) {
        return Err(format!("does not end within {MOST_WORK} s"));
    }
    let code = status.code().and_then(|code| usize::try_from(code).ok()).filter(|code| *code <= 2);
    let code = code.ok_or_else(|| format!("ends with {status}"))?;
    if code > 0 && said.trim().is_empty() {
        return Err(format!("ends with {code} and says nothing"));
    }
    if arguments.iter().any(|word| word == "--json") && code < 2 {
        let printed = fs::read_to_string(folder.join("stdout")).map_err(|error| error.to_string())?;
        json(&printed, code == 0)?;
    }
    match fs::read_to_string(folder.join(ROWS)) {
        Ok(rows) => numbers(&rows, code == 0).map(|()| code),
        Err(_) => Ok(code),
    }
}

fn spawn(program: &Path, folder: &Path, arguments: &[String]) -> io::Result<Child> {
    // The limits are those of a shell, which then becomes the program.
    let script = format!("ulimit -v {MOST_MEMORY}; ulimit -S -t {MOST_WORK}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script])
        .arg(program)
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(folder.join("stdout"))?)
        .stderr(File::create(folder.join("stderr"))?)
        .spawn()
}

/// `None` if it had to be ended.
fn wait(mut child: Child, longest: Duration) -> io::Result<Option<ExitStatus>> {
    let clock = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if clock.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(BETWEEN_LOOKS);
    }
}

#[cfg(unix)]
fn signal_of(status: ExitStatus) -> Option<i32> {
    std::os::unix::process::ExitStatusExt::signal(&status)
}

#[cfg(not(unix))]
fn signal_of(_: ExitStatus) -> Option<i32> {
    None
}

/// What is printed as JSON is that, and the end of what is done is a number in all its parts.
fn json(printed: &str, done: bool) -> Result<(), String> {
    if printed.trim().is_empty() && !done {
        return Ok(());
    }
    let value: Value = serde_json::from_str(printed).map_err(|error| format!("prints what is no JSON: {error}"))?;
    let Some(groups) = value["end"].as_object().filter(|_| done) else { return Ok(()) };
    for (group, values) in groups {
        let open = values.as_object().and_then(|values| values.iter().find(|(_, value)| value.is_null()));
        if let Some((name, _)) = open {
            return Err(format!("`{group}` of `{name}` is no number at the end of what is done"));
        }
    }
    Ok(())
}

/// Rows of a call that is done, or of a member that finished, are numbers.
fn numbers(csv: &str, done: bool) -> Result<(), String> {
    let mut lines = csv.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split(',').collect();
    let status = names.iter().position(|name| *name == "status");
    for (number, line) in lines.enumerate() {
        // Words with commas come last.
        let cells: Vec<&str> = line.split(',').collect();
        let finished = match status {
            Some(at) => cells.get(at) == Some(&"finished"),
            None => done,
        };
        let bad = cells.iter().zip(&names).find(|(cell, name)| {
            !ESTIMATES.contains(*name) && cell.parse::<f64>().is_ok_and(|value| !value.is_finite())
        });
        if let (true, Some((cell, name))) = (finished, bad) {
            return Err(format!("`{name}` is {cell} in row {number} of what is called finished"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_case() {
        for seed in 0..200 {
            let (one, other) = (grammar::case(seed, &[]), grammar::case(seed, &[]));
            assert_eq!((one.model, one.calls), (other.model, other.calls));
        }
        assert_ne!(grammar::case(1, &[]).model, grammar::case(2, &[]).model);
    }

    #[test]
    fn everything_that_can_be_stated_is_drawn() {
        let gallery = gallery().unwrap();
        let (mut models, mut calls) = (String::new(), String::new());
        for seed in 0..20_000 {
            let case = grammar::case(seed, &gallery[..1]);
            models.push_str(&case.model);
            case.calls.iter().for_each(|call| calls.push_str(&format!("{} \n", call.join(" "))));
        }
        let tables = "parameters coordinates entropies matter states definitions dynamics friction forces conduction heat ports constraints outputs invariants \
            stop symmetries exact discrete controls objective boundary simulation";
        for table in tables.split_whitespace() {
            assert!(models.contains(&format!("\n[{table}]")), "[{table}]");
        }
        let keys = "dry static along heats domain count second vakonomic nonholonomic chetaev variational multiplier force_minus entropy \
            direction running terminal periodic path integrals guess grading via acceleration p0 project singular tolerance record";
        for key in keys.split_whitespace() {
            assert!(models.contains(key), "{key}");
        }
        let methods = "left right midpoint trapezoidal theta galerkin( custom euler rk2 rk4 dopri5 dop853 gauss( energy-entropy difference \
            hermite yoshida4 yoshida6 yoshida8 suzuki4 kahan-li8 sofroniou-spaletta10 blanes-moan4 blanes-moan6 blanes-moan6-nystrom wisdom-holman compose( lobatto";
        for method in methods.split_whitespace() {
            assert!(models.contains(method) && calls.contains(method), "{method}");
        }
        let words = "run sweep derive analyze compare solve --json --quiet --out --plot --resume --force --set --memory --method --start \
            --entropy --constraints --project --singular --step --until --steps --tolerance --record --track --vary --random --samples \
            --seed --every --threads --form --latex --along --degree --candidates --methods --against --first --skip --refine \
            --multistart --warm-start --seek --max-iterations --log";
        for word in words.split_whitespace() {
            assert!(calls.contains(&format!("{word} ")), "{word}");
        }
    }

    #[test]
    fn what_is_printed_as_json_is_looked_at() {
        assert!(json("{\"end\": {\"q\": {\"x\": 1.0}}}", true).is_ok());
        assert!(json("{\"end\": {\"q\": {\"x\": null}}}", true).unwrap_err().contains("`q` of `x`"));
        assert!(json("{\"end\": {\"q\": {\"x\": null}}}", false).is_ok());
        assert!(json("{", false).is_err() && json("", true).is_err() && json("", false).is_ok());
    }

    #[test]
    fn what_is_finished_has_numbers() {
        assert!(numbers("t,x\n0.0,1.0\n", true).is_ok());
        assert!(numbers("t,x\n0.0,NaN\n", true).unwrap_err().contains("`x` is NaN"));
        assert!(numbers("t,x\n0.0,NaN\n", false).is_ok());
        assert!(numbers("t,energy_v\n0.0,NaN\n", true).is_ok());
        assert!(numbers("member,x,status,reason\n0,inf,failed,\"a, b\"\n", true).is_ok());
        assert!(numbers("member,x,status,reason\n0,inf,finished,\n", true).is_err());
    }
}
