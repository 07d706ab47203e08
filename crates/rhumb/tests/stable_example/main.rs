//! The walk through the worked example, as the README in `examples/stable.example.com` has it.
//!
//! Every block of commands is run as it is written, in one shell, and what it prints is compared with the block of
//! output beneath it. The programs of the example are this one under other names: cargo has them built with it, and
//! nothing has to be built while it runs. The walk is made with the kubectl in the binary; with the one that
//! `RHUMB_TEST_KUBECTL` names instead, if it does, as `cargo xtask test --clients --only kubectl-1.36-example` has it.

mod readme;

#[path = "../../../../examples/stable.example.com/src/bin/controller.rs"]
#[allow(unreachable_pub, reason = "it is a program of its own")]
mod controller;
#[path = "../../../../examples/stable.example.com/src/bin/server.rs"]
#[allow(unreachable_pub, reason = "it is a program of its own")]
mod server;

use std::error::Error;
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use readme::Block;

type Outcome<T> = Result<T, Box<dyn Error>>;

/// What a filter of tests is held against.
const NAME: &str = "the_readme_says_what_happens";
/// What ends the output of a block.
const END: char = '\u{1e}';
/// How long a walk may take, in seconds.
const LONGEST: &str = "240";

fn main() -> ExitCode {
    let called = std::env::args().next().map(PathBuf::from).unwrap_or_default();
    match called.file_name().and_then(|name| name.to_str()) {
        Some("stable-server") => server::main(),
        Some("stable-controller") => controller::main(),
        _ => test(),
    }
}

/// Stands in for the harness of tests, which would take the place of the programs.
fn test() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let lists = arguments.iter().any(|argument| argument == "--list");
    let is_left_out =
        arguments.iter().any(|filter| !filter.starts_with('-') && !NAME.contains(filter.as_str()));
    let mut out = std::io::stdout();
    if lists || is_left_out {
        let _ = writeln!(out, "{}", if lists { format!("{NAME}: test") } else { String::new() });
        return ExitCode::SUCCESS;
    }
    let (whose, kubectl) = kubectl();
    match walk(whose, &kubectl) {
        Ok(blocks) => {
            let _ = writeln!(out, "{NAME}: {blocks} blocks with {whose} kubectl");
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(out, "{NAME} failed with {whose} kubectl ({}):\n{error}", kubectl.display());
            ExitCode::FAILURE
        }
    }
}

/// The kubectl that is named, or else the one in the binary.
fn kubectl() -> (&'static str, PathBuf) {
    match std::env::var_os("RHUMB_TEST_KUBECTL") {
        Some(named) => ("Kubernetes'", PathBuf::from(named)),
        None => ("our", PathBuf::from(env!("CARGO_BIN_EXE_rhumb"))),
    }
}

/// Makes the walk with a kubectl, and gives the number of blocks.
fn walk(whose: &str, kubectl: &Path) -> Outcome<usize> {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/stable.example.com");
    let blocks = readme::blocks(&std::fs::read_to_string(example.join("README.md"))?)?;
    let name = format!("stable-example-{}-{}", whose.trim_end_matches('\''), std::process::id());
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let programs = scratch.join("bin");
    std::fs::create_dir_all(&programs)?;
    std::fs::create_dir_all(scratch.join("home"))?;
    let this = std::env::current_exe()?;
    for (name, program) in [
        ("rhumb", Path::new(env!("CARGO_BIN_EXE_rhumb"))),
        ("kubectl", &kubectl.canonicalize()?),
        ("stable-server", &this),
        ("stable-controller", &this),
    ] {
        let link = programs.join(name);
        let _ = std::fs::remove_file(&link);
        symlink(program, link)?;
    }
    std::fs::write(scratch.join("walk.sh"), script(&blocks))?;
    let mut path = programs.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let done = Command::new("timeout")
        .args(["--kill-after=5", LONGEST, "bash"])
        .arg(scratch.join("walk.sh"))
        .current_dir(&example)
        .env_remove("KUBECONFIG")
        .env("PATH", path)
        .env("HOME", scratch.join("home"))
        .env("TMPDIR", &scratch)
        .stdin(Stdio::null())
        .output()?;
    let (said, complained) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    compare(&blocks, &said).map_err(|error| format!("{error}\n--- on standard error\n{complained}"))?;
    if !done.status.success() {
        return Err(format!("the commands end with {}\n{complained}", done.status).into());
    }
    std::fs::remove_dir_all(&scratch)?;
    Ok(blocks.len())
}

/// All blocks as one script, with a mark behind each.
fn script(blocks: &[Block]) -> String {
    let mut script = "set -euo pipefail\ntrap 'kill $(jobs -p) 2> /dev/null || true' EXIT\n".to_owned();
    for block in blocks {
        script.push_str(&block.commands);
        script.push_str(&format!("printf '{END}'\n"));
    }
    script
}

/// Compares what was said with what the README shows.
fn compare(blocks: &[Block], said: &str) -> Outcome<()> {
    let mut outputs = said.split(END);
    for block in blocks {
        let output = outputs.next().unwrap_or_default();
        let Some(expected) = &block.output else { continue };
        let (got, want) = (readme::comparable(output), readme::comparable(expected));
        if got != want {
            let Block { line, commands, .. } = block;
            let told = format!("--- in the README\n{expected}\n--- now\n{output}");
            return Err(
                format!("README.md:{line}: these commands say something else\n{commands}\n{told}").into()
            );
        }
    }
    Ok(())
}
