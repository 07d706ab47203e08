//! Development commands of the workspace: `cargo xtask help` lists them.
//!
//! This crate builds with the standard library alone, because it is the first thing a fresh clone compiles. It
//! starts other programs (cargo, libFuzzer, cargo-deny) and reads the source tree as data; it owns no part of
//! the product.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command-line tool prints to both")]

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
use steps::{Lengths, Unavailable};
use workspace::Workspace;

const FUZZ_SECONDS: Flag = Flag {
    name: "--fuzz-seconds",
    value: Some("N"),
    about: "seconds per fuzz target; 0 disables fuzzing (default 10)",
};

const ATTACK_MINUTES: Flag = Flag {
    name: "--attack-minutes",
    value: Some("N"),
    about: "length of the attack at the end; 0 skips it (default 0)",
};

/// All commands. The parser and the help read this table.
static COMMANDS: &[Command] = &[
    Command {
        name: "test",
        arguments: "",
        about: "run setup, fmt --check, tidy, lint, deny, a short fuzz run and all tests",
        flags: &[
            FUZZ_SECONDS,
            ATTACK_MINUTES,
            Flag {
                name: "--clients",
                value: None,
                about: "run third-party clients instead (clients/README.md)",
            },
            Flag {
                name: "--only",
                value: Some("CLIENT"),
                about: "with --clients: run this client only, such as python",
            },
        ],
        run: |workspace, request| match (request.has("--clients"), request.value("--only")) {
            (true, only) => clients::run(workspace, only),
            (false, Some(_)) => Err(Failure::usage("--only goes with --clients")),
            (false, None) => steps::run_all(workspace, lengths(request, 0)?, Unavailable::Skip),
        },
    },
    Command {
        name: "ci",
        arguments: "",
        about: "like test, but fail instead of skipping checks whose tools can't be installed",
        flags: &[FUZZ_SECONDS, ATTACK_MINUTES],
        run: |workspace, request| steps::run_all(workspace, lengths(request, CI_MINUTES)?, Unavailable::Fail),
    },
    Command {
        name: "setup",
        arguments: "",
        about: "install the tools that the tests need, or report what is missing",
        flags: &[],
        run: |workspace, _| setup::run(workspace),
    },
    Command {
        name: "fmt",
        arguments: "",
        about: "format the workspace, the fuzz targets and clients/kube-rs",
        flags: &[Flag {
            name: "--check",
            value: None,
            about: "don't change files; fail if any is not formatted",
        }],
        run: |workspace, request| {
            let mode = if request.has("--check") { steps::Format::Check } else { steps::Format::Write };
            steps::format(workspace, mode)
        },
    },
    Command {
        name: "lint",
        arguments: "",
        about: "run clippy on all targets of the workspace; warnings are errors",
        flags: &[],
        run: |workspace, _| steps::lint(workspace),
    },
    Command {
        name: "tidy",
        arguments: "",
        about: "check sources: module docs, lengths, banned words and crates, dependencies between crates and modules",
        flags: &[Flag {
            name: "--modules",
            value: None,
            about: "print the imports between the server's layers and the size of their import cycle instead",
        }],
        run: |workspace, request| match request.has("--modules") {
            true => tidy::print_modules(workspace),
            false => tidy::run(workspace),
        },
    },
    Command {
        name: "deny",
        arguments: "",
        about: "check licences, duplicate versions and sources of dependencies (deny.toml)",
        flags: &[],
        run: |workspace, _| deny::run(workspace),
    },
    Command {
        name: "fuzz",
        arguments: "[TARGET]",
        about: "run all fuzz targets, or one, for a limited time",
        flags: &[
            Flag { name: "--seconds", value: Some("N"), about: "seconds per target (default 10)" },
            Flag { name: "--input", value: Some("FILE"), about: "run TARGET once on this input" },
            Flag {
                name: "--growth",
                value: None,
                about: "measure instead how cost grows with four times the input; TARGET selects by name",
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
        about: "build the distributed binary, target/handout/rhumb, with profile-guided optimisation",
        flags: &[],
        run: |workspace, _| dist::run(workspace, dist::Profile::Renew).map(drop),
    },
    Command {
        name: "bench",
        arguments: "NAME [ARGUMENT...]",
        about: "build the benchmarks and the distributed binary and run a benchmark, e.g. bench codec",
        flags: cli::PASS_THROUGH,
        run: |workspace, request| steps::bench(workspace, &request.arguments),
    },
    Command {
        name: "attack",
        arguments: "",
        about: "attack a server ($RHUMB_BINARY or a release build) and check a polite user's latency",
        flags: &[
            Flag { name: "--minutes", value: Some("N"), about: "duration of the attacks (default 10)" },
            Flag {
                name: "--seed",
                value: Some("S"),
                about: "random seed for the order of the attacks (default 21)",
            },
            Flag { name: "--list", value: None, about: "list the attacks and exit" },
            Flag { name: "--only", value: Some("NAME"), about: "run this attack only" },
            Flag {
                name: "--against",
                value: Some("oracle|KUBECONFIG"),
                about: "attack a kube-apiserver instead, without pass or fail",
            },
            Flag {
                name: "--size",
                value: Some("FRACTION"),
                about: "scale of the inputs' size and number, for slower builds (default 1)",
            },
            Flag {
                name: "--at-once",
                value: Some("N"),
                about: "concurrent attacks per attacker (default 3)",
            },
            Flag {
                name: "--quiet-seconds",
                value: Some("N"),
                about: "duration of the baseline without attackers (default 30)",
            },
            Flag {
                name: "--rest-seconds",
                value: Some("N"),
                about: "time for memory to be released after the attacks (default 60)",
            },
            Flag {
                name: "--most-latency",
                value: Some("MS"),
                about: "maximum p99 latency of the polite user (default 100)",
            },
            Flag {
                name: "--times-quiet",
                value: Some("N"),
                about: "maximum p99 as a multiple of the baseline (default 3)",
            },
            Flag {
                name: "--latency-floor",
                value: Some("MS"),
                about: "latency below which --times-quiet is not checked (default 12)",
            },
            Flag {
                name: "--most-wait",
                value: Some("S"),
                about: "bound on the polite user's longest wait (default 5)",
            },
            Flag {
                name: "--most-memory",
                value: Some("MIB"),
                about: "maximum resident memory (default 300)",
            },
            Flag {
                name: "--times-idle",
                value: Some("N"),
                about: "maximum memory after the rest as a multiple of the baseline (default 1.5)",
            },
        ],
        run: steps::attack,
    },
];

/// How long CI is under attack.
const CI_MINUTES: u64 = 0;

fn lengths(request: &Request, attack_minutes: u64) -> Result<Lengths, Failure> {
    Ok(Lengths {
        fuzz_seconds: request.number("--fuzz-seconds", fuzz::DEFAULT_SECONDS)?,
        attack_minutes: request.number("--attack-minutes", attack_minutes)?,
    })
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
