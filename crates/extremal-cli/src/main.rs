//! The command line of extremal: arguments, rendering, exit codes. What is computed is the library's business.

mod animation;
mod arguments;
mod commands;
mod compare_figure;
mod device;
mod drawings;
mod ensemble;
mod failure;
mod film;
mod interrupt;
// An allocator cannot be written without it.
mod members_told;
#[allow(unsafe_code)]
mod memory;
mod outputs;
mod problems_summary;
mod progress;
mod shard;
mod sheet;
mod solution_summary;
mod source;
mod summary;
mod sweep_figure;
mod sweep_summary;
mod swept;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let arguments = arguments::Arguments::parse();
    memory::limit(arguments.memory);
    match commands::execute(arguments) {
        Ok(ending) => ending.code(),
        Err(failure) => {
            failure.report();
            failure.code()
        }
    }
}
