//! The binary to hand out: built twice, the second time for what the first was seen to do.
//!
//! The first one counts which ways it takes while `rhumb-bench train` makes it work. With these counts the compiler
//! puts what is used together, lays out branches by how often they are taken, and builds to be small what is never
//! used. LLVM's `llvm-profdata` sums the counts up; it has to be of the compiler's own version of LLVM.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::{self, cargo, program};
use crate::setup::install_package;
use crate::workspace::Workspace;

/// What to do about counts that are there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Count anew.
    Renew,
    /// Take them, though the source may have changed since: what did not still has its counts.
    Reuse,
}

/// Builds the binary. Answers with where it is.
pub(crate) fn run(workspace: &Workspace, counts: Counts) -> Result<PathBuf, Failure> {
    let compiler = Compiler::ask(workspace)?;
    let summed = workspace.target().join("rhumb.profdata");
    if counts == Counts::Renew || !summed.is_file() {
        count(workspace, &compiler, &summed)?;
    }
    println!("dist: building with the counts in {}", workspace.shown(&summed));
    let built = workspace.target().join("counted");
    build(workspace, &compiler, &built, "rhumb", &using(&summed))?;
    let (from, to) = (compiler.binary(&built), workspace.target().join("handout/rhumb"));
    fs::create_dir_all(workspace.target().join("handout")).map_err(Failure::file("make", &to))?;
    fs::copy(&from, &to).map_err(Failure::file("copy", &from))?;
    println!("dist: {}", workspace.shown(&to));
    Ok(to)
}

/// Builds the benchmarks with the counts that are there, so that they measure what is handed out. Answers with where
/// the program is; `None` if there are no counts.
pub(crate) fn benchmarks(workspace: &Workspace) -> Result<Option<PathBuf>, Failure> {
    let summed = workspace.target().join("rhumb.profdata");
    if !summed.is_file() {
        return Ok(None);
    }
    let compiler = Compiler::ask(workspace)?;
    let built = workspace.target().join("counted");
    build(workspace, &compiler, &built, "rhumb-bench", &using(&summed))?;
    Ok(Some(compiler.binary(&built).with_file_name("rhumb-bench")))
}

/// The flags for building with counts.
fn using(summed: &Path) -> String {
    let bounds = [
        // What is never used is put in place of calls like anything else. As functions of their own it would take more
        // room, because each has its entry for unwinding.
        "-inlinecold-threshold=225",
        // Only what 95 % of the time is spent in may grow by being fast, where it is 99 % by default, and all the rest
        // is built to be small, which by default it is only in programs that keep much more at work at once.
        "-profile-summary-cutoff-hot=950000",
        "-pgso-lwss-only=false",
    ];
    let bounds: String = bounds.iter().map(|bound| format!(" -Cllvm-args={bound}")).collect();
    format!("-Cprofile-use={}{bounds}", summed.display())
}

/// Builds a binary that counts, makes it work, and sums up.
fn count(workspace: &Workspace, compiler: &Compiler, summed: &Path) -> Result<(), Failure> {
    let tool = profdata(workspace, compiler)?;
    let built = workspace.target().join("counting");
    let counted = built.join("counts");
    let _ = fs::remove_dir_all(&counted);
    println!("dist: building a binary that counts, which takes as long as the one to hand out");
    build(workspace, compiler, &built, "rhumb", &format!("-Cprofile-generate={}", counted.display()))?;
    println!("dist: making it work");
    let bench = ["run", "--profile", "dist", "--quiet", "--package", "rhumb-bench", "--", "train"];
    process::run(cargo(workspace, bench).arg(compiler.binary(&built)))?;
    process::run(program(workspace, tool).arg("merge").arg("-o").arg(summed).arg(&counted))
}

/// Builds with flags. All builds are of the same profile: it is a part of the names that counts are kept by.
fn build(
    workspace: &Workspace,
    compiler: &Compiler,
    into: &Path,
    package: &str,
    flags: &str,
) -> Result<(), Failure> {
    // With the platform named, the flags are not for build scripts and macros, which count nothing.
    let arguments = ["build", "--profile", "dist", "--quiet", "--package", package, "--target"];
    let mut command = cargo(workspace, arguments);
    command.arg(&compiler.platform).arg("--target-dir").arg(into);
    process::run(command.env("RUSTFLAGS", flags))
}

/// What is to be known of the compiler.
struct Compiler {
    /// The platform it runs on and builds for.
    platform: String,
    /// The first number of its LLVM's version.
    llvm: String,
    /// Where its own tools are.
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
            _ => Err(Failure::new("rustc doesn't say what it is; is it installed?")),
        }
    }

    /// The binary of a build.
    fn binary(&self, built: &Path) -> PathBuf {
        built.join(&self.platform).join("dist/rhumb")
    }
}

/// The program that sums counts up, of the compiler's version; installed, if it is missing and can be.
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
