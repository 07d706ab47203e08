//! Records and checks sessions from the command line.
//!
//! It needs no crates: `rustc --edition 2024 -O tool.rs -o session` makes it.
//!
//! - `session record PATH...` runs files, or all under a directory, with the real kubectl and writes its answers in;
//! - `session check [-v] PROGRAM PATH...` runs them with PROGRAM as kubectl and shows what differs.
//!
//! `RHUMB_TEST_KUBECTL` names the real kubectl, `RHUMB_TEST_SERVER` the `rhumb` that serves.

mod compare;
mod mask;
mod replay;
mod session;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use compare::Verdict;
use replay::Programs;

fn main() -> io::Result<ExitCode> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let verbose =
        arguments.iter().position(|argument| argument == "-v").map(|at| arguments.remove(at)).is_some();
    let mut arguments = arguments.into_iter();
    let (kubectl, record) = match arguments.next().as_deref() {
        Some("record") => (setting("RHUMB_TEST_KUBECTL", "kubectl"), true),
        Some("check") => (PathBuf::from(arguments.next().unwrap_or_default()), false),
        _ => {
            writeln!(io::stderr(), "usage: session record PATH... | session check [-v] PROGRAM PATH...")?;
            return Ok(ExitCode::from(2));
        }
    };
    let programs = Programs {
        server: setting("RHUMB_TEST_SERVER", "rhumb"),
        kubectl,
        scratch: std::env::temp_dir(),
        environment: Vec::new(),
    };
    let mut files = Vec::new();
    for path in arguments {
        files.extend(compare::files(Path::new(&path))?);
    }
    let verdicts = compare::for_each(&files, |file| {
        let verdict = if record { compare::record(file, &programs) } else { compare::check(file, &programs) };
        if verbose {
            let _ = writeln!(
                io::stderr(),
                "{}: {} of {}",
                file.display(),
                verdict.commands.saturating_sub(verdict.different),
                verdict.commands
            );
        }
        verdict
    });
    let mut out = io::stdout().lock();
    for verdict in &verdicts {
        out.write_all(verdict.report.as_bytes())?;
    }
    let sum = |count: fn(&Verdict) -> usize| verdicts.iter().map(count).sum::<usize>();
    let (commands, different) = (sum(|verdict| verdict.commands), sum(|verdict| verdict.different));
    writeln!(out, "{} sessions, {commands} commands, {different} different", files.len())?;
    Ok(if different == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn setting(name: &str, program: &str) -> PathBuf {
    std::env::var_os(name).map_or_else(|| PathBuf::from(program), PathBuf::from)
}
