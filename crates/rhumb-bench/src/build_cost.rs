//! `bench build`: cost of the built-in types: clean release build by crate, share of the binary, and time to make the
//! Scheme.
//!
//! The crates are timed by standing in for rustc: Cargo calls this program with rustc's path and arguments
//! (`RUSTC_WRAPPER`), and it notes how long each call took.

use std::collections::BTreeMap;
use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use crate::timing::{nanoseconds, shown};

/// File that records calls of rustc.
const LOG: &str = "RHUMB_BENCH_RUSTC_LOG";
/// Crates below this time are summed up.
const WORTH_A_LINE: f64 = 2.0;

/// Stands in for rustc, if Cargo called this program to do so. Gives its exit code.
pub(crate) fn stand_in_for_rustc() -> Option<i32> {
    let log = std::env::var_os(LOG)?;
    let mut arguments = std::env::args_os().skip(1);
    let rustc = arguments.next()?;
    let arguments: Vec<OsString> = arguments.collect();
    let mut words = arguments.iter().map(|word| word.to_string_lossy());
    let name = words.find(|word| word == "--crate-name").and_then(|_| words.next());
    let start = Instant::now();
    let status = Command::new(rustc).args(&arguments).status().ok()?;
    if let Some(name) = name
        && let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(log)
    {
        // One call of write, because calls of rustc end at the same time.
        let line = format!("{name} {}\n", start.elapsed().as_secs_f64());
        file.write_all(line.as_bytes()).ok()?;
    }
    Some(status.code().unwrap_or(1))
}

/// Measures all of it.
pub(crate) fn run() -> Result<(), Box<dyn Error>> {
    let scheme = rhumb_api::scheme()?;
    let kinds = scheme.all_known_types().len();
    drop(scheme);
    let start = nanoseconds(|| rhumb_api::scheme().is_ok());
    println!("the Scheme of {kinds} registered kinds is made in {} (goal: 2 ms)", shown(start));

    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let target = root.join("target/bench-build");
    if target.exists() {
        std::fs::remove_dir_all(&target)?;
    }
    std::fs::create_dir_all(&target)?;
    let log = target.join("rustc.log");
    println!("building everything anew, which takes some minutes …");
    let begin = Instant::now();
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--release", "--quiet", "--package", "rhumb"])
        .current_dir(&root)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTC_WRAPPER", std::env::current_exe()?)
        .env(LOG, &log)
        .status()?;
    let whole = begin.elapsed().as_secs_f64();
    if !status.success() {
        return Err(format!("the build failed with {status}").into());
    }
    print!("{}", by_crate(&std::fs::read_to_string(&log)?, whole));
    print!("{}", share(&target.join("release/rhumb"))?);
    std::fs::remove_dir_all(&target)?;
    Ok(())
}

/// Returns the table of the crates' times, longest first. They overlap: Cargo builds on all cores.
fn by_crate(log: &str, whole: f64) -> String {
    let mut seconds: BTreeMap<&str, f64> = BTreeMap::new();
    for line in log.lines() {
        if let Some((name, time)) = line.split_once(' ') {
            *seconds.entry(name).or_default() += time.parse::<f64>().unwrap_or_default();
        }
    }
    let mut rows: Vec<_> = seconds.into_iter().collect();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let mut out = format!("clean release build of the binary: {whole:.0} s; its crates, in seconds\n");
    let mut rest = 0.0;
    for (name, time) in rows {
        if time < WORTH_A_LINE {
            rest += time;
        } else {
            let _ = writeln!(out, "  {name:<24} {time:>6.1}");
        }
    }
    let _ = writeln!(out, "  {:<24} {rest:>6.1}", "all others");
    out
}

/// Returns the share of the binary with symbols of the types' crate.
fn share(binary: &PathBuf) -> Result<String, Box<dyn Error>> {
    let size = std::fs::metadata(binary)?.len();
    let Ok(output) = Command::new("nm").args(["--print-size", "--size-sort"]).arg(binary).output() else {
        return Ok(format!("binary: {}; its parts need `nm` to be seen\n", mib(size)));
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let (mut code, mut data) = (0, 0);
    for line in text.lines().filter(|line| line.contains("rhumb_api")) {
        let mut words = line.split_whitespace().skip(1);
        let length = words.next().and_then(|hex| u64::from_str_radix(hex, 16).ok()).unwrap_or_default();
        match words.next() {
            Some("t" | "T") => code += length,
            _ => data += length,
        }
    }
    Ok(format!(
        "binary: {}, of which rhumb-api has {} of code and {} of tables\n",
        mib(size),
        mib(code),
        mib(data)
    ))
}

fn mib(bytes: u64) -> String {
    format!("{:.2} MiB", bytes as f64 / f64::from(1 << 20))
}
