//! Steps of `test` and `ci`, with a summary of their times.

use std::time::{Duration, Instant};

use crate::cli::Request;
use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;
use crate::{clients, deny, dist, fuzz, setup, tidy};

/// A step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Checks required tools.
    Setup,
    /// The formatting, checked.
    Format,
    /// The rules on the source that no compiler checks.
    Tidy,
    /// Clippy.
    Lint,
    /// Unit, integration and documentation tests.
    Tests,
    /// A bounded run of every fuzz target.
    Fuzz,
    /// Licences, duplicates and sources of dependencies.
    Deny,
    /// Hostile clients beside a polite one, for a bounded time.
    Attack,
}

/// Steps of `test` and `ci` in order. Tests come late, so that logs end with them; the attack uses the binary that
/// they built.
const STEPS: &[Step] =
    &[Step::Setup, Step::Format, Step::Tidy, Step::Lint, Step::Deny, Step::Fuzz, Step::Tests, Step::Attack];

/// How long the steps go on that could go on for ever; 0 leaves them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lengths {
    /// Seconds for each fuzz target.
    pub(crate) fuzz_seconds: u64,
    /// Minutes for the attackers.
    pub(crate) attack_minutes: u64,
}

/// Handling of checks whose tools are unavailable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unavailable {
    /// Say so in the summary and go on: the tree is not at fault.
    Skip,
    /// Fail: where it matters, nobody shall believe that a check passed which did not run.
    Fail,
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Step::Setup => "setup",
            Step::Format => "fmt --check",
            Step::Tidy => "tidy",
            Step::Lint => "lint",
            Step::Tests => "tests",
            Step::Fuzz => "fuzz",
            Step::Deny => "deny",
            Step::Attack => "attack",
        }
    }

    fn run(
        self,
        workspace: &Workspace,
        lengths: Lengths,
        unavailable: Unavailable,
    ) -> Result<Outcome, Failure> {
        let Lengths { fuzz_seconds, attack_minutes } = lengths;
        match self {
            Step::Setup => setup::run(workspace)?,
            Step::Format => format(workspace, Format::Check)?,
            Step::Tidy => tidy::run(workspace)?,
            Step::Lint => lint(workspace)?,
            // Without --all-targets, which would leave the documentation tests out.
            Step::Tests => {
                process::run(&mut process::cargo(workspace, ["test", "--workspace", "--no-fail-fast"]))?
            }
            Step::Fuzz if fuzz_seconds == 0 => return Ok(Outcome::Skipped("--fuzz-seconds 0".to_owned())),
            Step::Fuzz => fuzz::run(workspace, None, fuzz_seconds)?,
            Step::Deny => match deny::provide(workspace) {
                Ok(program) => deny::check(workspace, &program)?,
                Err(failure) if unavailable == Unavailable::Fail => return Err(failure),
                Err(failure) => return Ok(Outcome::Skipped(failure.to_string())),
            },
            Step::Attack if attack_minutes == 0 => {
                return Ok(Outcome::Skipped("--attack-minutes 0".to_owned()));
            }
            Step::Attack => attack_the_tested(workspace, attack_minutes)?,
        }
        Ok(Outcome::Passed)
    }
}

/// Result of a successful step.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    /// Passed.
    Passed,
    /// Skipped, with the reason.
    Skipped(String),
}

/// Runs steps one after the other, stops at the first that fails, and ends with a summary either way.
pub(crate) fn run_all(
    workspace: &Workspace,
    lengths: Lengths,
    unavailable: Unavailable,
) -> Result<(), Failure> {
    let started = now();
    let mut report = Vec::new();
    for step in STEPS {
        println!("\n== {}", step.name());
        let begun = now();
        let outcome = step.run(workspace, lengths, unavailable);
        let result = match &outcome {
            Ok(Outcome::Passed) => "ok".to_owned(),
            Ok(Outcome::Skipped(reason)) => format!("SKIPPED: {reason}"),
            Err(_) => "FAILED".to_owned(),
        };
        report.push((step.name(), now() - begun, result));
        if let Err(failure) = outcome {
            print!("{}", summary(&report));
            return Err(Failure::new(format!("step {} failed: {failure}", step.name())));
        }
    }
    print!("{}", summary(&report));
    println!("xtask: all {} steps done in {}", STEPS.len(), seconds(now() - started));
    Ok(())
}

#[allow(clippy::disallowed_methods, reason = "how long a step took is what the person at the terminal asks")]
fn now() -> Instant {
    Instant::now()
}

fn summary(report: &[(&str, Duration, String)]) -> String {
    let mut text = String::from("\n== summary\n");
    for (name, took, result) in report {
        text.push_str(&format!("{name:12} {:>8}  {result}\n", seconds(*took)));
    }
    text
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

/// Whether to format or check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Fail where the source is not formatted.
    Check,
    /// Format it.
    Write,
}

/// Formats, or checks the formatting of, the workspace and of the crates that are not a part of it.
pub(crate) fn format(workspace: &Workspace, mode: Format) -> Result<(), Failure> {
    for scope in [
        &["fmt", "--all"][..],
        &["fmt", "--manifest-path", fuzz::MANIFEST],
        &["fmt", "--manifest-path", clients::MANIFEST],
    ] {
        let mut command = process::cargo(workspace, scope);
        if mode == Format::Check {
            command.arg("--check");
        }
        process::run(&mut command)?;
    }
    Ok(())
}

/// Clippy over the workspace.
pub(crate) fn lint(workspace: &Workspace) -> Result<(), Failure> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"];
    process::run(&mut process::cargo(workspace, arguments))
}

/// Hands arguments to the optimised benchmark binary.
pub(crate) fn bench(workspace: &Workspace, arguments: &[String]) -> Result<(), Failure> {
    let cargo = ["run", "--profile", "dist", "--quiet", "--package", "rhumb-bench", "--"];
    let mut bench = process::cargo(workspace, cargo);
    // The server is measured as the process that users run, and a client as one of its own.
    if arguments
        .first()
        .is_some_and(|first| ["server", "client", "definitions", "kubectl"].contains(&first.as_str()))
    {
        bench.env("RHUMB_BINARY", dist::run(workspace, dist::Profile::Reuse)?);
        let build = ["build", "--profile", "dist", "--quiet", "--package", "rhumb-bench"];
        process::run(&mut process::cargo(workspace, build))?;
    }
    if arguments.first().is_some_and(|first| first == "codec") {
        if let Some(built) = dist::benchmarks(workspace)? {
            println!("bench: built with profile-guided optimisation, as the distributed binary");
            return process::run(process::program(workspace, built).args(arguments));
        }
        println!("bench: built without profile-guided optimisation; `cargo xtask dist` records a profile");
    }
    process::run(bench.args(arguments))
}

/// Builds the server, unless `$RHUMB_BINARY` names one, and lets the optimised benchmark binary attack it.
pub(crate) fn attack(workspace: &Workspace, request: &Request) -> Result<(), Failure> {
    let cargo = ["run", "--release", "--quiet", "--package", "rhumb-bench", "--", "attack"];
    let mut attack = process::cargo(workspace, cargo);
    let is_attacked = !request.has("--list") && !request.has("--against");
    if is_attacked && std::env::var_os("RHUMB_BINARY").is_none() {
        let build = ["build", "--release", "--quiet", "--package", "rhumb"];
        process::run(&mut process::cargo(workspace, build))?;
        attack.env("RHUMB_BINARY", workspace.target().join("release/rhumb"));
    }
    process::run(attack.args(request.flags()))
}

/// What an attack on the build of the tests is asked for. That has assertions and checks of arithmetic and is hardly
/// optimised, so that all of its work takes several times as long; how much that is of what users run is a matter for
/// `cargo xtask attack`.
const TESTED: &[&str] = &["--size", "0.2"];

/// Attacks the server that the tests were built with, so that nothing but the attackers is built for it.
fn attack_the_tested(workspace: &Workspace, minutes: u64) -> Result<(), Failure> {
    let bins = ["--bin", "rhumb", "--bin", "rhumb-bench"];
    let build = ["build", "--quiet", "--workspace", "--profile", "test"];
    process::run(process::cargo(workspace, build).args(bins))?;
    let built = workspace.target().join("debug");
    let mut attack = process::program(workspace, built.join("rhumb-bench"));
    attack.env("RHUMB_BINARY", built.join("rhumb"));
    attack.args(["attack", "--minutes", &minutes.to_string()]).args(TESTED);
    process::run(&mut attack)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_has_a_line_per_step() {
        let report = [
            ("setup", Duration::from_millis(340), "ok".to_owned()),
            ("lint", Duration::from_secs(61), "FAILED".to_owned()),
        ];
        let expect = "\n== summary\nsetup           0.3 s  ok\nlint           61.0 s  FAILED\n";
        assert_eq!(summary(&report), expect);
    }
}
