//! `extremal studio`: the models of a page, answered by this program.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use clap::Args;
use extremal_studio::{Studio, StudioOptions, answer_questions};

use crate::failure::{CommandError, Ending};
use crate::interrupt::Interrupt;
use crate::source::{folder_of, text_of};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  extremal studio
  extremal studio gallery:double-pendulum
  extremal studio my-model.toml --port 8080 --no-open

The page is served on this machine alone, at an address with a random token that
is printed. Nothing is sent anywhere, and no file is changed: the page saves to
what the browser calls downloads. Ctrl-C ends it.";

/// Open the studio: a page in the browser to write a model and see it move
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct StudioArguments {
    /// A model file, `gallery:NAME`, or `-` for standard input, to begin with
    model: Option<String>,
    /// The port on this machine [default: a free one]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Print the address, and open no browser
    #[arg(long)]
    no_open: bool,
    /// Give up what takes longer to compute than this
    #[arg(long, value_name = "SECONDS", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Answer the questions of a studio on standard input
    #[arg(long, hide = true)]
    worker: bool,
    /// Where files are looked for that models name
    #[arg(long, hide = true, requires = "worker")]
    folder: Option<PathBuf>,
}

pub fn execute(arguments: StudioArguments, memory: Option<u64>) -> Result<Ending, CommandError> {
    if arguments.worker {
        let folder = arguments.folder;
        // That the studio has ended is no error of those who worked for it.
        let _ = answer_questions(io::stdin().lock(), io::stdout().lock(), folder);
        return Ok(Ending::Done);
    }
    let begin = match &arguments.model {
        Some(model) => Some((model.as_str(), text_of(model)?.1)),
        None => None,
    };
    let folder = begin.as_ref().map(|(model, _)| folder_of(model)).unwrap_or_default();
    // Where the program was started, if the model is in no folder.
    let folder = if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder };
    let program = env::current_exe().map_err(CommandError::Studio)?;
    let worker = move || {
        let mut command = Command::new(&program);
        command.args(["studio", "--worker", "--folder"]).arg(&folder);
        if let Some(bytes) = memory {
            command.args(["--memory", &bytes.to_string()]);
        }
        command
    };
    let interrupt = Interrupt::listen();
    let studio = Studio::open(StudioOptions {
        port: arguments.port,
        model: begin.map(|(model, text)| (if model == "-" { "model.toml" } else { model }.to_owned(), text)),
        worker: Box::new(worker),
        limit: Duration::from_secs(arguments.limit),
    })
    .map_err(CommandError::Studio)?;
    terminal::print(&format!("The studio is open at {} (Ctrl-C ends it)\n", studio.address()))?;
    if !arguments.no_open {
        open_browser(&studio.address());
    }
    studio.serve(|| interrupt.asked());
    Ok(Ending::Done)
}

/// Opens the address in the browser, where there is a screen: the address is printed anyway.
fn open_browser(address: &str) {
    let mut command = if cfg!(windows) {
        let mut command = Command::new("rundll32");
        command.arg("url.dll,FileProtocolHandler");
        command
    } else if cfg!(target_os = "macos") {
        Command::new("open")
    } else if env::var_os("DISPLAY").is_some() || env::var_os("WAYLAND_DISPLAY").is_some() {
        Command::new("xdg-open")
    } else {
        return;
    };
    let _ = command.arg(address).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
}
