//! The `rhumb` binary: the commands, and nothing that a library should have.

#![allow(clippy::print_stderr, reason = "the command line talks to people")]

mod command_line;
mod convert;
mod documents;
mod output;
mod scheme;
mod serve;
mod transcode;

use std::process::ExitCode;

/// Decoding is mostly allocating; this allocator makes it a third faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let matches = command_line::command().get_matches();
    match command_line::run(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        // Whoever reads our output may stop early, as `head` does; that is no error of ours.
        Err(error) if output::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
