//! Benchmarks, run by `cargo xtask bench`, and attacks, run by `cargo xtask attack`.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its figures")]
#![allow(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

mod attack;
mod build_cost;
mod client;
mod codec;
mod definitions;
mod go;
mod kubectl;
mod server;
mod store;
mod timing;
mod training;

/// The allocator of the `rhumb` binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    if let Some(code) = build_cost::stand_in_for_rustc() {
        std::process::exit(code);
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("codec") => codec::run(arguments.get(1..).unwrap_or_default()),
        Some("build") => build_cost::run(),
        Some("store") => store::run(arguments.get(1..).unwrap_or_default()),
        Some("server") => server::run(arguments.get(1..).unwrap_or_default()),
        Some("definitions") => definitions::run(arguments.get(1..).unwrap_or_default()),
        Some("kubectl") => kubectl::run(arguments.get(1..).unwrap_or_default()),
        Some("train") => training::run(arguments.get(1..).unwrap_or_default()),
        Some("attack") => attack::run(arguments.get(1..).unwrap_or_default()),
        Some("client") => client::run(arguments.get(1..).unwrap_or_default()),
        _ => {
            eprintln!(
                "usage: cargo xtask bench codec [WORD...] | build | store [--quick] | \
                 server [--against oracle] [--quick] | \
                 definitions [--against oracle] [--quick] | client [--quick] | kubectl [--quick]; cargo xtask attack"
            );
            std::process::exit(2);
        }
    }
}
