//! Builds the distributed binary with profile-guided optimisation.
//!
//! An instrumented binary writes profiles while `rhumb-bench train` runs a workload on it. `llvm-profdata` merges
//! them, and a second build uses the result to inline hot calls, lay out branches and optimise cold code for size.
//! `llvm-profdata` must be of the LLVM version of the compiler.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::{self, cargo, program};
use crate::setup::install_package;
use crate::workspace::Workspace;

/// Whether an existing profile is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Record a new profile.
    Renew,
    /// Use the existing one; it still applies to functions whose source has not changed since.
    Reuse,
}

/// Builds the binary and returns its path.
pub(crate) fn run(workspace: &Workspace, profile: Profile) -> Result<PathBuf, Failure> {
    let compiler = Compiler::ask(workspace)?;
    let merged = workspace.target().join("rhumb.profdata");
    if profile == Profile::Renew || !merged.is_file() {
        record(workspace, &compiler, &merged)?;
    }
    println!("dist: building with the profile {}", workspace.shown(&merged));
    let built = workspace.target().join("counted");
    build(workspace, &compiler, &built, "rhumb", &using(&merged))?;
    let (from, to) = (compiler.binary(&built), workspace.target().join("handout/rhumb"));
    fs::create_dir_all(workspace.target().join("handout")).map_err(Failure::file("make", &to))?;
    fs::copy(&from, &to).map_err(Failure::file("copy", &from))?;
    println!("dist: {}", workspace.shown(&to));
    Ok(to)
}

/// Builds the benchmarks with the existing profile, so that they measure code as it is distributed. Returns the path
/// of the program, or `None` if there is no profile.
pub(crate) fn benchmarks(workspace: &Workspace) -> Result<Option<PathBuf>, Failure> {
    let merged = workspace.target().join("rhumb.profdata");
    if !merged.is_file() {
        return Ok(None);
    }
    let compiler = Compiler::ask(workspace)?;
    let built = workspace.target().join("counted");
    build(workspace, &compiler, &built, "rhumb-bench", &using(&merged))?;
    Ok(Some(compiler.binary(&built).with_file_name("rhumb-bench")))
}

/// Returns the compiler flags for building with a profile.
fn using(merged: &Path) -> String {
    let bounds = [
        // Cold functions are inlined like others: as separate functions they would take more room, because each has an
        // unwinding entry.
        "-inlinecold-threshold=225",
        // Only code that takes 95 % of the time is optimised for speed (by default 99 %), and all other code for size
        // (by default only in programs with a larger working set).
        "-profile-summary-cutoff-hot=950000",
        "-pgso-lwss-only=false",
    ];
    let bounds: String = bounds.iter().map(|bound| format!(" -Cllvm-args={bound}")).collect();
    format!("-Cprofile-use={}{bounds}", merged.display())
}

/// Builds an instrumented binary, runs the training workload and merges the profiles.
fn record(workspace: &Workspace, compiler: &Compiler, merged: &Path) -> Result<(), Failure> {
    let tool = profdata(workspace, compiler)?;
    let built = workspace.target().join("counting");
    let profiles = built.join("counts");
    let _ = fs::remove_dir_all(&profiles);
    println!("dist: building an instrumented binary, which takes as long as the final one");
    build(workspace, compiler, &built, "rhumb", &format!("-Cprofile-generate={}", profiles.display()))?;
    println!("dist: running the training workload");
    let bench = ["run", "--profile", "dist", "--quiet", "--package", "rhumb-bench", "--", "train"];
    process::run(cargo(workspace, bench).arg(compiler.binary(&built)))?;
    process::run(program(workspace, tool).arg("merge").arg("-o").arg(merged).arg(&profiles))
}

/// Builds a package with compiler flags. All builds use the same cargo profile, which is a part of symbol names.
fn build(
    workspace: &Workspace,
    compiler: &Compiler,
    into: &Path,
    package: &str,
    flags: &str,
) -> Result<(), Failure> {
    // With an explicit target, the flags don't apply to build scripts and procedural macros.
    let arguments = ["build", "--profile", "dist", "--quiet", "--package", package, "--target"];
    let mut command = cargo(workspace, arguments);
    command.arg(&compiler.platform).arg("--target-dir").arg(into);
    process::run(command.env("RUSTFLAGS", flags))
}

/// Facts about the compiler.
struct Compiler {
    /// Host platform.
    platform: String,
    /// Major version of its LLVM.
    llvm: String,
    /// Directory of its own tools.
    tools: PathBuf,
}

impl Compiler {
    fn ask(workspace: &Workspace) -> Result<Self, Failure> {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let told = process::output(program(workspace, &rustc).arg("-vV")).unwrap_or_default();
        let libraries = process::output(program(workspace, &rustc).args(["--print", "target-libdir"]));
        let line = |name: &str| told.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        match (line("host:"), line("LLVM version:").and_then(|version| version.split('.').next()), libraries)
        {
            (Some(platform), Some(llvm), Some(libraries)) => Ok(Compiler {
                platform: platform.to_owned(),
                llvm: llvm.to_owned(),
                tools: Path::new(&libraries).with_file_name("bin"),
            }),
            _ => Err(Failure::new("rustc printed no version; is it installed?")),
        }
    }

    /// Returns the path of `rhumb` in a build directory.
    fn binary(&self, built: &Path) -> PathBuf {
        built.join(&self.platform).join("dist/rhumb")
    }
}

/// Finds `llvm-profdata` of the compiler's LLVM version, or installs it.
fn profdata(workspace: &Workspace, compiler: &Compiler) -> Result<PathBuf, Failure> {
    let package = format!("llvm-{}", compiler.llvm);
    if let Some(found) = find_profdata(workspace, compiler) {
        return Ok(found);
    }
    println!("dist: missing: llvm-profdata {}; installing it", compiler.llvm);
    let problem = match install_package(workspace, &package) {
        Ok(()) => "it was installed but still can't be started".to_owned(),
        Err(failure) => failure.to_string(),
    };
    find_profdata(workspace, compiler).ok_or_else(|| {
        Failure::new(format!(
            "llvm-profdata {} is missing and could not be installed ({problem}): run `rustup component add \
             llvm-tools`, or install your system's {package}",
            compiler.llvm
        ))
    })
}

fn find_profdata(workspace: &Workspace, compiler: &Compiler) -> Option<PathBuf> {
    let names = [
        compiler.tools.join("llvm-profdata"),
        format!("llvm-profdata-{}", compiler.llvm).into(),
        "llvm-profdata".into(),
    ];
    let version = format!("LLVM version {}.", compiler.llvm);
    names.into_iter().find(|name| {
        process::output(program(workspace, name).arg("--version")).is_some_and(|told| told.contains(&version))
    })
}
