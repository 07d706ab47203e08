//! The `rhumb` binary: the commands, and nothing that a library should have.

mod command_line;
mod convert;
mod documents;
mod r#gen;
mod log;
mod man;
mod output;
mod scheme;
mod serve;
mod transcode;

use std::process::ExitCode;

/// Decoding is mostly allocating; this allocator makes it a third faster than the system's.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut args = std::env::args();
    let called = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    // Under kubectl's name, by a link, it is kubectl and nothing else.
    let name = std::path::Path::new(&called).file_stem().and_then(|name| name.to_str()).unwrap_or("rhumb");
    let code = match name {
        // The plugin of this name is nothing but its one command.
        "kubectl-convert" => rhumb_kubectl::main(&command_line::KUBECTL_CONVERT, name, &args),
        name if name.starts_with("kubectl") => rhumb_kubectl::main(&command_line::KUBECTL, "kubectl", &args),
        _ => rhumb_kubectl::main(&command_line::RHUMB, "rhumb", &args),
    };
    ExitCode::from(code)
}
