//! The project's habits as commands: `cargo xtask help` lists them.
//!
//! This crate builds with the standard library alone, because it is the first thing a fresh clone compiles. It
//! starts other programs (cargo, libFuzzer, cargo-deny) and reads the source tree as data; it owns no part of
//! the product.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool speaks through both")]

mod cli;
mod clients;
mod deny;
mod dist;
mod etcd;
mod failure;
mod fuzz;
mod process;
mod setup;
mod steps;
mod tidy;
mod workspace;

use std::process::ExitCode;

use cli::{Command, Flag, Request};
use failure::Failure;
use steps::Unavailable;
use workspace::Workspace;

const FUZZ_SECONDS: Flag = Flag {
    name: "--fuzz-seconds",
    value: Some("N"),
    about: "how long each fuzz target runs; 0 leaves fuzzing out (default 10)",
};

/// Every command there is. The help text and the parser both read this table.
static COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "",
        about: "setup, fmt --check, tidy, lint, deny, a short fuzz run and the tests; what .ci/run calls",
        flags: &[
            FUZZ_SECONDS,
            Flag { name: "--clients", value: None, about: "instead of all that, the clients of others" },
            Flag { name: "--only", value: Some("CLIENT"), about: "only this one of them, such as python" },
        ],
        run: |workspace, request| match (request.has("--clients"), request.value("--only")) {
            (true, only) => clients::run(workspace, only),
            (false, Some(_)) => Err(Failure::usage("--only goes with --clients")),
            (false, None) => steps::run_all(workspace, fuzz_seconds(request)?, Unavailable::Skip),
        },
    },
    Command {
        name: "ci",
        arguments: "",
        about: "test, but a check whose tool can't be had on this machine fails instead of being skipped",
        flags: &[FUZZ_SECONDS],
        run: |workspace, request| steps::run_all(workspace, fuzz_seconds(request)?, Unavailable::Fail),
    },
    Command {
        name: "setup",
        arguments: "",
        about: "checks for, and where it can installs, what the tests need",
        flags: &[],
        run: |workspace, _| setup::run(workspace),
    },
    Command {
        name: "fmt",
        arguments: "",
        about: "formats the workspace, the fuzz targets and the client in Rust",
        flags: &[Flag { name: "--check", value: None, about: "changes nothing; fails where it would" }],
        run: |workspace, request| {
            let mode = if request.has("--check") { steps::Format::Check } else { steps::Format::Write };
            steps::format(workspace, mode)
        },
    },
    Command {
        name: "lint",
        arguments: "",
        about: "clippy over every target of the workspace; a warning is an error",
        flags: &[],
        run: |workspace, _| steps::lint(workspace),
    },
    Command {
        name: "tidy",
        arguments: "",
        about: "reads the source as data: file heads, lengths, banned words and crates, the direction of crates and modules",
        flags: &[Flag {
            name: "--modules",
            value: None,
            about: "instead, what the layers of the server import, and how many modules do in a circle",
        }],
        run: |workspace, request| match request.has("--modules") {
            true => tidy::print_modules(workspace),
            false => tidy::run(workspace),
        },
    },
    Command {
        name: "deny",
        arguments: "",
        about: "licences, duplicate versions and sources of the dependencies (deny.toml)",
        flags: &[],
        run: |workspace, _| deny::run(workspace),
    },
    Command {
        name: "fuzz",
        arguments: "[TARGET]",
        about: "runs every fuzz target, or one, for a bounded time",
        flags: &[
            Flag { name: "--seconds", value: Some("N"), about: "how long each target runs (default 10)" },
            Flag { name: "--input", value: Some("FILE"), about: "runs TARGET once on that input and stops" },
            Flag {
                name: "--growth",
                value: None,
                about: "instead, what four times as much costs, of everything or what has the words of TARGET in its name",
            },
        ],
        run: |workspace, request| {
            let target = request.at_most_one_argument()?;
            if request.has("--growth") {
                return match request.value("--input").or(request.value("--seconds")) {
                    None => fuzz::growth(workspace, target),
                    Some(_) => Err(Failure::usage("--growth takes neither --seconds nor --input")),
                };
            }
            match (target, request.value("--input")) {
                (Some(target), Some(input)) => fuzz::reproduce(workspace, target, input.as_ref()),
                (None, Some(_)) => Err(Failure::usage("--input needs the name of a target")),
                (target, None) => {
                    fuzz::run(workspace, target, request.number("--seconds", fuzz::DEFAULT_SECONDS)?)
                }
            }
        },
    },
    Command {
        name: "dist",
        arguments: "",
        about: "builds the binary to hand out, target/handout/rhumb, for what an earlier one was seen to do",
        flags: &[],
        run: |workspace, _| dist::run(workspace, dist::Counts::Renew).map(drop),
    },
    Command {
        name: "bench",
        arguments: "NAME [ARGUMENT...]",
        about: "builds the benchmarks and the binary to hand out and hands all arguments on, e.g. bench codec",
        flags: cli::PASS_THROUGH,
        run: |workspace, request| steps::bench(workspace, &request.arguments),
    },
    Command {
        name: "attack",
        arguments: "",
        about: "four hostile users and a polite one at a server ($RHUMB_BINARY or a release build): fails if the \
                polite one notices, memory grows, or anything breaks",
        flags: &[
            Flag { name: "--minutes", value: Some("N"), about: "how long the attackers work (default 10)" },
            Flag {
                name: "--seed",
                value: Some("S"),
                about: "what the order of the attacks is made of (default 21)",
            },
            Flag { name: "--list", value: None, about: "only names the attacks" },
            Flag { name: "--only", value: Some("NAME"), about: "only this one of them" },
            Flag {
                name: "--against",
                value: Some("oracle|KUBECONFIG"),
                about: "a kube-apiserver that oracle.sh started, without a verdict",
            },
            Flag {
                name: "--size",
                value: Some("FRACTION"),
                about: "how large and many inputs are, for slower builds (default 1)",
            },
            Flag {
                name: "--at-once",
                value: Some("N"),
                about: "how many attacks each attacker has under way (default 3)",
            },
            Flag {
                name: "--quiet-seconds",
                value: Some("N"),
                about: "how long the polite user is alone before (default 30)",
            },
            Flag {
                name: "--rest-seconds",
                value: Some("N"),
                about: "how long the server has to give everything back (default 60)",
            },
            Flag {
                name: "--most-latency",
                value: Some("MS"),
                about: "bound on the polite user's p99 (default 100)",
            },
            Flag {
                name: "--times-quiet",
                value: Some("N"),
                about: "how many times the quiet p99 it may be (default 3)",
            },
            Flag {
                name: "--latency-floor",
                value: Some("MS"),
                about: "below how much that is not asked (default 20)",
            },
            Flag {
                name: "--most-memory",
                value: Some("MIB"),
                about: "bound on resident memory (default 300)",
            },
            Flag {
                name: "--times-idle",
                value: Some("N"),
                about: "how many times that of before is left after the rest (default 1.5)",
            },
        ],
        run: steps::attack,
    },
];

fn fuzz_seconds(request: &Request) -> Result<u64, Failure> {
    request.number("--fuzz-seconds", fuzz::DEFAULT_SECONDS)
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let outcome = cli::resolve(COMMANDS, &words).and_then(|resolved| match resolved {
        cli::Resolved::Help => {
            print!("{}", cli::help(COMMANDS));
            Ok(())
        }
        cli::Resolved::Run(command, request) => (command.run)(&Workspace::locate()?, &request),
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("xtask: {failure}");
            failure.exit_code()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_and_flag_is_in_the_help() {
        let help = cli::help(COMMANDS);
        for command in COMMANDS {
            assert!(help.contains(&format!("\n  {}", command.name)), "{}", command.name);
            assert!(help.contains(command.about), "{}", command.name);
            for flag in command.flags {
                assert!(help.contains(flag.name) && help.contains(flag.about), "{}", flag.name);
            }
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = COMMANDS.iter().map(|command| command.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), COMMANDS.len());
    }
}
