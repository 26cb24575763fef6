//! `extremal completions`: the script that lets a shell complete the arguments.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::arguments;
use crate::failure::{CommandError, Ending};
use crate::terminal;

const EXAMPLES: &str = "\
Examples:
  extremal completions bash > ~/.local/share/bash-completion/completions/extremal
  extremal completions zsh  > ~/.zfunc/_extremal
  extremal completions fish > ~/.config/fish/completions/extremal.fish";

/// Print the completion script of a shell
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

pub fn execute(arguments: &CompletionsArguments) -> Result<Ending, CommandError> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut arguments::Arguments::command(), "extremal", &mut script);
    terminal::print(&String::from_utf8_lossy(&script))?;
    Ok(Ending::Done)
}
