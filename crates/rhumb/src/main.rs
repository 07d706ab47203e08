//! The `rhumb` binary: commands as thin wrappers over the libraries.

mod cel;
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

/// Makes decoding, which mostly allocates, a third faster than the system's allocator does.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut args = std::env::args();
    let called = args.next().unwrap_or_default();
    let args: Vec<String> = args.collect();
    // Called as `kubectl`, by a link, it has the commands of kubectl only.
    let name = std::path::Path::new(&called).file_stem().and_then(|name| name.to_str()).unwrap_or("rhumb");
    let code = match name {
        // A plugin has one command.
        "kubectl-convert" => rhumb_kubectl::main(&command_line::KUBECTL_CONVERT, name, &args),
        name if name.starts_with("kubectl") => rhumb_kubectl::main(&command_line::KUBECTL, "kubectl", &args),
        _ => rhumb_kubectl::main(&command_line::RHUMB, "rhumb", &args),
    };
    ExitCode::from(code)
}
