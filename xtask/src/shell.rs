//! Steps: named commands that run in the root of the repository and stop everything when they fail.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;
use std::{env, fmt, io};

/// The step that failed, and how.
pub struct TaskFailure {
    pub step: String,
    pub reason: String,
}

impl fmt::Display for TaskFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.step, self.reason)
    }
}

/// A named command.
pub struct Step {
    name: String,
    command: Command,
}

impl Step {
    /// A call of the cargo that called this program.
    pub fn cargo(name: &str, arguments: &[&str]) -> Step {
        Step::new(name, &cargo(), arguments)
    }

    /// A call of any program.
    pub fn new(name: &str, program: &Path, arguments: &[&str]) -> Step {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(root());
        Step { name: name.to_owned(), command }
    }

    /// Runs it in a folder of its own.
    pub fn inside(mut self, folder: &Path) -> Step {
        self.command.current_dir(folder);
        self
    }

    /// Sets an environment variable.
    pub fn with(mut self, variable: &str, value: &str) -> Step {
        self.command.env(variable, value);
        self
    }

    /// Runs it under a heading, with its output on the terminal.
    pub fn run(mut self) -> Result<(), TaskFailure> {
        heading(&self.name);
        let clock = Instant::now();
        let status = self.command.status();
        match status {
            Ok(status) if status.success() => {
                eprintln!("({:.0} s)", clock.elapsed().as_secs_f64());
                Ok(())
            }
            Ok(status) => Err(TaskFailure { step: self.name, reason: status.to_string() }),
            Err(error) => Err(TaskFailure::starting(self.name, &error)),
        }
    }

    /// Runs it silently; a failure carries what it said.
    fn finished(mut self) -> Result<Output, TaskFailure> {
        match self.command.output() {
            Ok(output) if output.status.success() => Ok(output),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stderr);
                Err(TaskFailure { step: self.name, reason: format!("{}\n{said}", output.status) })
            }
            Err(error) => Err(TaskFailure::starting(self.name, &error)),
        }
    }

    /// Runs it silently, and gives what it wrote to the standard output.
    pub fn output(self) -> Result<String, TaskFailure> {
        Ok(String::from_utf8_lossy(&self.finished()?.stdout).into_owned())
    }

    /// Runs it silently, and gives what it wrote to the standard error.
    pub fn errors(self) -> Result<String, TaskFailure> {
        Ok(String::from_utf8_lossy(&self.finished()?.stderr).into_owned())
    }

    /// Runs it silently.
    pub fn run_silently(self) -> Result<(), TaskFailure> {
        self.finished().map(|_| ())
    }
}

impl TaskFailure {
    /// An error of the system.
    pub fn of(step: &str, error: &io::Error) -> TaskFailure {
        TaskFailure { step: step.to_owned(), reason: error.to_string() }
    }

    fn starting(step: String, error: &io::Error) -> TaskFailure {
        TaskFailure { step, reason: format!("cannot be started: {error}") }
    }
}

/// What cannot be done here is left out with a line that says so; where CI runs it is a failure.
pub fn left_out(step: &str, said: &str) -> Result<(), TaskFailure> {
    if env::var_os("CI").is_some_and(|value| value == "true") {
        return Err(TaskFailure { step: step.to_owned(), reason: said.to_owned() });
    }
    eprintln!("{said}");
    Ok(())
}

/// The cargo that called this program.
pub fn cargo() -> PathBuf {
    env::var_os("CARGO").unwrap_or_else(|| "cargo".into()).into()
}

pub fn heading(text: &str) {
    eprintln!("\n=== {text} ===");
}

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}
