//! kubectl alone, without a server in the same binary.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut args = std::env::args();
    let _ = args.next();
    ExitCode::from(rhumb_kubectl::main(&rhumb_kubectl::KUBECTL, "kubectl", &args.collect::<Vec<_>>()))
}
