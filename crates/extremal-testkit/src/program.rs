//! The program, called as a user would.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

use serde_json::Value;

/// A folder of its own for each test, removed at its end.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    #[expect(clippy::new_without_default, reason = "a folder is made on the disk, which is no default")]
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("extremal-cli-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// The path of a file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The text of a file in it.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// The program, ready to be called in this folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        command(arguments, &self.0)
    }

    /// Calls the program in this folder.
    pub fn call(&self, arguments: &[&str]) -> ProgramOutput {
        ProgramOutput::of(self.command(arguments).output().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a call left.
pub struct ProgramOutput {
    /// The exit code, if the program was not killed.
    pub code: Option<i32>,
    /// What it wrote to the standard output.
    pub stdout: String,
    /// What it wrote to the standard error.
    pub stderr: String,
}

impl ProgramOutput {
    /// What a process left.
    pub fn of(output: Output) -> ProgramOutput {
        ProgramOutput {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The standard output, after checking that the call succeeded.
    pub fn succeeded(self) -> String {
        assert_eq!(self.code, Some(0), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self.stdout
    }

    /// The standard error, after checking the exit code.
    pub fn failed_with(self, code: i32) -> String {
        assert_eq!(self.code, Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.stderr
    }

    /// The JSON on the standard output, null if that is something else.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_default()
    }

    /// The warnings in the JSON on the standard output.
    pub fn warnings(&self) -> Vec<String> {
        let json = self.json();
        let list = json["warnings"].as_array().into_iter().flatten();
        list.filter_map(|text| text.as_str().map(str::to_string)).collect()
    }
}

/// Calls the program where no files are written.
pub fn call(arguments: &[&str]) -> ProgramOutput {
    ProgramOutput::of(command(arguments, &env::temp_dir()).output().unwrap())
}

/// Calls the program with a text on standard input.
pub fn call_with_input(arguments: &[&str], input: &str) -> ProgramOutput {
    let mut child = command(arguments, &env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its options need not read.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    ProgramOutput::of(child.wait_with_output().unwrap())
}

/// The JSON object that a call printed, and nothing else.
pub fn json(arguments: &[&str]) -> Value {
    serde_json::from_str(&call(arguments).succeeded()).unwrap()
}

/// The program, ready to be called in a folder. It stands in the folder above that of the test.
fn command(arguments: &[&str], folder: &Path) -> Command {
    let test = env::current_exe().unwrap();
    let built = test.ancestors().nth(2).unwrap();
    let mut command = Command::new(built.join(format!("extremal{}", env::consts::EXE_SUFFIX)));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}
