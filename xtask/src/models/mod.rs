//! `cargo xtask fuzz models`: the whole program on models and options drawn at random.
//!
//! Whatever the model, a call ends by itself in a while, in bounded memory, with one of its exit codes, and with numbers wherever it says
//! that it finished.

mod grammar;
mod random;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, io, thread};

use crate::shell::{Failure, Step, heading, root};
use grammar::{Case, MODEL, ROWS};

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
pub fn fuzz(minutes: Option<f64>, first: u64) -> Result<(), Failure> {
    Step::cargo("the program", &["build", "-p", "extremal-cli"]).run()?;
    let target = env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from);
    let program = fs::canonicalize(target.join("debug/extremal")).map_err(|error| failure(error.to_string()))?;
    let artifacts = root().join("fuzz/artifacts/models");
    fs::create_dir_all(&artifacts).map_err(|error| failure(error.to_string()))?;
    heading("random models");
    let folder = env::temp_dir().join(format!("extremal-models-{}", std::process::id()));
    let (clock, mut seed, mut failed) = (Instant::now(), first, 0u64);
    let mut codes = [0u64; 3];
    loop {
        let case = grammar::case(seed);
        match call(&program, &folder, &case) {
            Ok(code) => codes[code] += 1,
            Err(reason) => {
                failed += 1;
                let saved = artifacts.join(format!("{seed}.toml"));
                let text = format!("# extremal {}\n# {reason}\n{}", case.arguments.join(" "), case.model);
                fs::write(&saved, text).map_err(|error| failure(error.to_string()))?;
                eprintln!("seed {seed}: {reason}\n  extremal {}\n  saved as {}", shown(&case), saved.display());
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
        "{} calls from seed {first}: {done} done, {stopped} stopped, {refused} refused, {failed} wrong",
        seed - first
    );
    if failed == 0 { Ok(()) } else { Err(failure(format!("{failed} calls went wrong"))) }
}

fn shown(case: &Case) -> String {
    let quoted =
        |word: &String| if word.contains(['(', ' ', '\'', '*']) { format!("\"{word}\"") } else { word.clone() };
    case.arguments.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn failure(reason: String) -> Failure {
    Failure { step: "fuzz models".to_owned(), reason }
}

/// Calls the program in a folder of its own; what it did wrong is the error.
fn call(program: &Path, folder: &Path, case: &Case) -> Result<usize, String> {
    let prepared = prepare(program, folder, case).and_then(|child| wait(child, LONGEST));
    let status = match prepared {
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
    match fs::read_to_string(folder.join(ROWS)) {
        Ok(rows) => numbers(&rows, code == 0).map(|()| code),
        Err(_) => Ok(code),
    }
}

fn prepare(program: &Path, folder: &Path, case: &Case) -> io::Result<Child> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder)?;
    fs::write(folder.join(MODEL), &case.model)?;
    // The limits are those of a shell, which then becomes the program.
    let script = format!("ulimit -v {MOST_MEMORY}; ulimit -S -t {MOST_WORK}; exec \"$0\" \"$@\"");
    Command::new("sh")
        .args(["-c", &script])
        .arg(program)
        .args(&case.arguments)
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
            let (one, other) = (grammar::case(seed), grammar::case(seed));
            assert_eq!((one.model, one.arguments), (other.model, other.arguments));
        }
        assert_ne!(grammar::case(1).model, grammar::case(2).model);
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
