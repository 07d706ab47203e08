//! Fuzzing with libFuzzer on a stable compiler.
//!
//! The usual driver wants a nightly compiler only for the address sanitizer. The workspace forbids unsafe code,
//! so what fuzzing can find here are panics, overflows, endless loops and runaway memory, and for those LLVM's
//! coverage pass, which stable accepts as code generation options, is enough. The options apply to the target
//! platform alone (hence `--target`): procedural macros and build scripts could not link with them.
//!
//! Inputs that reached new code are kept in `fuzz/corpus`, which is not committed; `fuzz/seeds/<target>` holds
//! what is. A crashing input is written to `fuzz/artifacts/<target>`.
//!
//! Time that grows too fast is found otherwise: `growth` runs a test of the server at length.

use std::fs::{self, File};
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use crate::failure::Failure;
use crate::process;
use crate::workspace::Workspace;

/// Manifest of the fuzz crate.
pub(crate) const MANIFEST: &str = "fuzz/Cargo.toml";

/// Default duration of a target: enough for its seeds and a little more.
pub(crate) const DEFAULT_SECONDS: u64 = 10;

/// Compiler options for libFuzzer's edge and comparison coverage.
const COVERAGE: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    "-Ccodegen-units=1",
    "--cfg=fuzzing",
];

/// Interval of progress messages.
const HEARTBEAT: Duration = Duration::from_secs(30);

/// Builds the targets and runs all, or the named one, for a time each, one on every processor; no others begin after
/// a crash.
pub(crate) fn run(workspace: &Workspace, only: Option<&str>, seconds: u64) -> Result<(), Failure> {
    let names = select(targets(workspace)?, only)?;
    let built = build(workspace, &names)?;
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    for some in names.chunks(at_once) {
        thread::scope(|scope| {
            let built = &built;
            let begin = |name| scope.spawn(move || run_one(workspace, built, name, seconds));
            let running: Vec<_> = some.iter().map(String::as_str).map(begin).collect();
            let ended =
                running.into_iter().map(|one| one.join().unwrap_or_else(|panic| resume_unwind(panic)));
            // All of them are waited for before the first failure is told.
            ended.collect::<Vec<_>>().into_iter().collect::<Result<(), Failure>>()
        })?;
    }
    Ok(())
}

/// Runs the long form of the tests of growth, optimised, for everything or what has this in its name.
pub(crate) fn growth(workspace: &Workspace, only: Option<&str>) -> Result<(), Failure> {
    let arguments =
        ["test", "--release", "--package", "rhumb-server", "--test", "growth", "--", "--nocapture"];
    let mut command = process::cargo(workspace, arguments);
    command.env("RHUMB_GROWTH", "long");
    if let Some(only) = only {
        command.env("RHUMB_GROWTH_ONLY", only);
    }
    process::run(&mut command)
}

/// Builds one target and runs it on one input, with its output shown.
pub(crate) fn reproduce(workspace: &Workspace, name: &str, input: &Path) -> Result<(), Failure> {
    let names = select(targets(workspace)?, Some(name))?;
    let built = build(workspace, &names)?;
    // The person stands where they like, but programs are started from the root.
    let input = std::path::absolute(input).map_err(Failure::file("find", input))?;
    process::run(process::program(workspace, built.join(name)).arg("-timeout=10").arg(input))
}

/// The targets, by their files. One that cargo was not told of would be skipped in silence, so that is an error.
fn targets(workspace: &Workspace) -> Result<Vec<String>, Failure> {
    let directory = workspace.root().join("fuzz/fuzz_targets");
    let mut names = Vec::new();
    for entry in fs::read_dir(&directory).map_err(Failure::file("list", &directory))? {
        let path = entry.map_err(Failure::file("list", &directory))?.path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            names.extend(path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned));
        }
    }
    names.sort_unstable();
    let manifest = workspace.root().join(MANIFEST);
    let text = fs::read_to_string(&manifest).map_err(Failure::file("read", &manifest))?;
    match names.iter().find(|name| !declares(&text, name)) {
        None => Ok(names),
        Some(name) => Err(Failure::new(format!(
            "fuzz/fuzz_targets/{name}.rs has no entry in {MANIFEST}; add\n{}",
            declaration(name)
        ))),
    }
}

fn declares(manifest: &str, name: &str) -> bool {
    manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\""))
}

fn declaration(name: &str) -> String {
    format!(
        "[[bin]]\nname = \"{name}\"\npath = \"fuzz_targets/{name}.rs\"\ntest = false\ndoc = false\nbench = false"
    )
}

fn select(all: Vec<String>, only: Option<&str>) -> Result<Vec<String>, Failure> {
    match only {
        None => Ok(all),
        Some(name) if all.iter().any(|known| known == name) => Ok(vec![name.to_owned()]),
        Some(name) => {
            Err(Failure::usage(format!("there is no fuzz target {name:?}; there are: {}", all.join(", "))))
        }
    }
}

/// Builds the targets with coverage and returns the directory with their binaries.
///
/// They have a build directory of their own, so that the options don't throw away what the tests have built.
fn build(workspace: &Workspace, names: &[String]) -> Result<PathBuf, Failure> {
    let host = process::output(process::program(workspace, "rustc").arg("-vV"))
        .and_then(|text| text.lines().find_map(|line| line.strip_prefix("host: ")).map(str::to_owned))
        .ok_or_else(|| Failure::new("rustc does not say which platform it builds for"))?;
    let directory = workspace.target().join("fuzz");
    println!("fuzz: building {} with coverage", names.join(", "));
    let mut command = process::cargo(workspace, ["build", "--release", "--manifest-path", MANIFEST]);
    command.args(["--target", &host]).arg("--target-dir").arg(&directory);
    for name in names {
        command.args(["--bin", name]);
    }
    // The unit separator is how cargo takes several options in one variable without quoting.
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", COVERAGE.join("\x1f"));
    process::run(&mut command)?;
    Ok(directory.join(host).join("release"))
}

/// Runs one target for a time. Its chatter goes to a log; what is shown is a line before and a line after.
fn run_one(workspace: &Workspace, built: &Path, name: &str, seconds: u64) -> Result<(), Failure> {
    let fuzz = workspace.root().join("fuzz");
    let corpus = fuzz.join("corpus").join(name);
    let artifacts = fuzz.join("artifacts").join(name);
    let seeds = fuzz.join("seeds").join(name);
    for directory in [&corpus, &artifacts] {
        fs::create_dir_all(directory).map_err(Failure::file("create", directory))?;
    }
    let log = built.join(format!("{name}.log"));
    let output = File::create(&log).map_err(Failure::file("create", &log))?;

    let mut command = process::program(workspace, built.join(name));
    command.arg(format!("-max_total_time={seconds}")).args(["-rss_limit_mb=2048", "-timeout=10"]);
    // In CI the same inputs come in the same order, so that a change is judged by what it does and not by luck. By
    // hand every run is another one.
    if std::env::var_os("CI").is_some() {
        command.arg("-seed=1");
    }
    command.arg("-print_final_stats=1").arg(format!("-artifact_prefix={}/", artifacts.display()));
    // New finds are written to the first directory, so the committed seeds must never be the first.
    command.arg(&corpus);
    if seeds.is_dir() {
        command.arg(&seeds);
    }
    command.stdout(Stdio::null()).stderr(output);

    println!("fuzz: {name} for {seconds} s");
    let mut child = command.spawn().map_err(|error| process::cannot_start(&command, &error))?;
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait()));
    let status = loop {
        match receiver.recv_timeout(HEARTBEAT) {
            Ok(status) => break status.map_err(Failure::file("wait for", &log))?,
            Err(RecvTimeoutError::Timeout) => {
                println!("fuzz: {name} is running: {}", progress(&read(&log)));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(Failure::new(format!("lost sight of fuzz target {name}")));
            }
        }
    };
    let text = read(&log);
    if status.success() {
        println!("fuzz: {name} found nothing: {}", progress(&text));
        return Ok(());
    }
    println!("{}", tail(&text, 40));
    Err(Failure::new(crash(workspace, name, &text).unwrap_or_else(|| {
        format!("fuzz target {name} ended with {status}; its output is in {}", workspace.shown(&log))
    })))
}

/// A log's text so far. A target may print what is no text, and a log that can't be read has nothing to say.
fn read(log: &Path) -> String {
    String::from_utf8_lossy(&fs::read(log).unwrap_or_default()).into_owned()
}

/// The last line that tells of runs and coverage, with single spaces, or what there is instead.
fn progress(log: &str) -> String {
    let mut lines = log.lines().rev();
    let line = lines.find(|line| line.starts_with('#') && line.contains("cov:"));
    line.unwrap_or("no coverage was counted").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The end of a log, where a panic's message and libFuzzer's verdict are.
fn tail(log: &str, count: usize) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines.get(lines.len().saturating_sub(count)..).unwrap_or_default().join("\n")
}

/// Describes a crash: its input file and how to run it again.
fn crash(workspace: &Workspace, name: &str, log: &str) -> Option<String> {
    let path =
        log.lines().rev().find_map(|line| line.split_once("Test unit written to ")).map(|(_, path)| path)?;
    let path = workspace.shown(Path::new(path.trim()));
    Some(format!(
        "fuzz target {name} crashed\n  input:     {path}\n  reproduce: cargo xtask fuzz {name} --input {path}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_names_its_input_and_how_to_run_it_again() {
        let workspace = Workspace::locate().unwrap();
        let path = workspace.root().join("fuzz/artifacts/wire/crash-12ab");
        let log = format!(
            "INFO: seed\n#2 INITED cov: 3 ft: 3\nartifact_prefix='x'; Test unit written to {}\nBase64: AA==\n",
            path.display()
        );
        let expect = "fuzz target wire crashed\n  input:     fuzz/artifacts/wire/crash-12ab\n  reproduce: cargo xtask \
                      fuzz wire --input fuzz/artifacts/wire/crash-12ab";
        assert_eq!(crash(&workspace, "wire", &log).unwrap(), expect);
        assert_eq!(crash(&workspace, "wire", "libFuzzer: no such file"), None);
    }

    #[test]
    fn every_target_of_the_tree_is_declared() {
        let names = targets(&Workspace::locate().unwrap()).unwrap();
        assert!(names.iter().any(|name| name == "wire"), "{names:?}");
        assert!(!declares("[[bin]]\npath = \"fuzz_targets/wired.rs\"", "wire"));
        assert!(declares(&declaration("wire"), "wire"));
    }

    #[test]
    fn only_targets_that_exist_are_selected() {
        let all = || vec!["json".to_owned(), "wire".to_owned()];
        assert_eq!(select(all(), None).unwrap(), all());
        assert_eq!(select(all(), Some("wire")).unwrap(), ["wire"]);
        assert!(select(all(), Some("wir")).unwrap_err().to_string().contains("there are: json, wire"));
    }

    #[test]
    fn progress_and_tail_read_logs_of_any_size() {
        let log = "#2 INITED cov: 3 ft: 3\n#64\tNEW    cov: 5 ft: 6\nDone 64 runs in 1 second(s)\n";
        assert_eq!(progress(log), "#64 NEW cov: 5 ft: 6");
        assert_eq!(progress(""), "no coverage was counted");
        assert_eq!(tail("a\nb\nc", 2), "b\nc");
        assert_eq!(tail("a", 2), "a");
    }
}
