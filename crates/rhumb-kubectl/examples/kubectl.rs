//! kubectl alone, without a server in the same binary.

use std::process::ExitCode;

use rhumb_cli::command::Command;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

static KUBECTL: Command = rhumb_kubectl::KUBECTL;

fn main() -> ExitCode {
    let mut args = std::env::args();
    let _ = args.next();
    ExitCode::from(rhumb_kubectl::main(&KUBECTL, "kubectl", &args.collect::<Vec<_>>()))
}
