//! Runs third-party clients against `rhumb serve`: installs them, then gives each a server of its own.
//!
//! What a client checks is its own business: it prints a line per check and ends with failure at the first that
//! fails. How it finds the server, and how it has the server killed and started again, is told by its environment.
//! A server that has three objects shows little of what goes wrong, so each begins with a crowd of pods and of custom
//! objects. They are made once and copied.

mod tools;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::Failure;
use crate::process::{self, cargo, program};
use crate::workspace::Workspace;
use tools::Tools;

/// Manifest of clients/kube-rs.
pub(crate) const MANIFEST: &str = "clients/kube-rs/Cargo.toml";

/// Maximum attempts to install a client.
const TRIES: u32 = 3;

/// Number of pods on each server.
const CROWD: &str = "20000";
/// Number of custom resources on each server.
const BUOYS: &str = "4000";

/// A client, or two of one kind.
struct Client {
    /// Name on the command line.
    name: &'static str,
    /// Which server it is started with.
    server: Given,
    /// Gets and builds it, and says how it is started.
    prepare: fn(&Tools<'_>) -> Result<Command, Failure>,
}

/// The server of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    /// Its own, with many objects.
    Crowded,
    /// None: it starts what it needs.
    Nothing,
}

use Given::{Crowded, Nothing};

/// All clients.
static CLIENTS: &[Client] = &[
    Client {
        name: "kubectl-1.20",
        server: Crowded,
        prepare: |tools| kubectl(tools, "checks", &tools.kubectl_of_debian()?),
    },
    Client {
        name: "kubectl-1.36",
        server: Crowded,
        prepare: |tools| kubectl(tools, "checks", &tools.kubectl_of_today()?),
    },
    Client {
        name: "kubectl-1.36-definitions",
        server: Crowded,
        prepare: |tools| kubectl(tools, "definitions", &tools.kubectl_of_today()?),
    },
    Client {
        name: "kubectl-1.36-streams",
        server: Nothing,
        prepare: |tools| replayed(tools, "kubectl_streams"),
    },
    Client {
        name: "kubectl-1.36-example",
        server: Nothing,
        prepare: |tools| replayed(tools, "stable_example"),
    },
    Client { name: "cel", server: Nothing, prepare: cel },
    Client { name: "go", server: Crowded, prepare: |tools| Ok(program(tools.workspace, tools.go_client()?)) },
    Client { name: "helm", server: Crowded, prepare: helm },
    Client { name: "python", server: Crowded, prepare: |tools| python(tools, "python") },
    Client { name: "schemathesis", server: Crowded, prepare: |tools| python(tools, "schemathesis") },
    Client { name: "javascript", server: Crowded, prepare: javascript },
    Client { name: "kube-rs", server: Crowded, prepare: kube },
    Client { name: "kube-rs-in-process", server: Nothing, prepare: kube_in_process },
];

/// Runs all clients, or the named one; the first that fails ends it.
pub(crate) fn run(workspace: &Workspace, only: Option<&str>) -> Result<(), Failure> {
    let chosen: Vec<&Client> =
        CLIENTS.iter().filter(|client| only.is_none_or(|only| only == client.name)).collect();
    if chosen.is_empty() {
        let names: Vec<_> = CLIENTS.iter().map(|client| client.name).collect();
        return Err(Failure::usage(format!("there is no such client; there are {}", names.join(", "))));
    }
    let tools = Tools::new(workspace)?;
    let mut prepared = Vec::new();
    for client in chosen {
        println!("\n== {}: getting what it needs", client.name);
        prepared.push((client, prepare(client, &tools)?));
    }
    println!("\n== the server");
    let rhumb = build_server(workspace)?;
    let crowd = match prepared.iter().any(|(client, _)| client.server == Crowded) {
        true => Some(fill(workspace, &rhumb)?),
        false => None,
    };
    for (client, mut command) in prepared {
        println!("\n== {}", client.name);
        match client.server {
            Crowded => {
                drive(&Server::start(workspace, &rhumb, client.name, crowd.as_deref())?, &mut command)?
            }
            Nothing => process::run(&mut command)?,
        }
    }
    crowd.map_or(Ok(()), |data| remove(&data))
}

fn remove(directory: &Path) -> Result<(), Failure> {
    fs::remove_dir_all(directory).map_err(Failure::file("remove", directory))
}

/// Runs what needs a server to its end, stops the server, and shows what it said if something failed. What it kept is
/// left only then.
fn drive(server: &Server<'_>, command: &mut Command) -> Result<(), Failure> {
    let outcome = process::run(server.introduce(command));
    if outcome.is_err() {
        server.show_log();
    }
    server.stop()?;
    outcome?;
    remove(&server.data())
}

/// Makes the objects that every server begins with, and says where the data of a server is that has them.
fn fill(workspace: &Workspace, rhumb: &Path) -> Result<PathBuf, Failure> {
    println!("\n== a crowd of {CROWD} pods and {BUOYS} custom objects");
    let server = Server::start(workspace, rhumb, "crowd", None)?;
    let outcome = process::run(server.introduce(&mut program(workspace, "clients/crowd/fill")));
    if outcome.is_err() {
        server.show_log();
    }
    server.stop()?;
    outcome?;
    Ok(server.data())
}

/// Gets what a client needs. Registries fail now and then, so it is tried more than once.
fn prepare(client: &Client, tools: &Tools<'_>) -> Result<Command, Failure> {
    let mut tries = 1;
    loop {
        match (client.prepare)(tools) {
            Ok(command) => return Ok(command),
            Err(failure) if tries < TRIES => println!("{}: {failure}; trying again", client.name),
            Err(failure) => {
                return Err(Failure::new(format!("{} can't be had: {failure}", client.name)));
            }
        }
        tries += 1;
    }
}

/// Builds the server with the profile that the tests have built it with, so that nothing is built twice.
fn build_server(workspace: &Workspace) -> Result<PathBuf, Failure> {
    let arguments = ["build", "--workspace", "--bin", "rhumb", "--profile", "test"];
    process::run(&mut cargo(workspace, arguments))?;
    Ok(workspace.target().join("debug/rhumb"))
}

/// Creates a command for a kubectl script.
fn kubectl(tools: &Tools<'_>, script: &str, path: &Path) -> Result<Command, Failure> {
    let mut command = program(tools.workspace, format!("clients/kubectl/{script}"));
    command.env("KUBECTL", path);
    Ok(command)
}

/// Runs a test's sessions with Kubernetes' kubectl: those in containers, and the example's steps.
fn replayed(tools: &Tools<'_>, test: &str) -> Result<Command, Failure> {
    let mut command = cargo(tools.workspace, ["test", "--workspace", "--test", test]);
    command.env("RHUMB_TEST_KUBECTL", tools.kubectl_of_today()?);
    Ok(command)
}

/// The conformance tests of the expression language, which need no server.
fn cel(tools: &Tools<'_>) -> Result<Command, Failure> {
    let tests = tools.go_source("clients/cel", "cel.dev/expr")?.join("tests/simple/testdata");
    let arguments = ["run", "--profile", "test", "--package", "rhumb-cel", "--example", "conformance", "--"];
    let mut command = cargo(tools.workspace, arguments);
    command.arg(tests);
    Ok(command)
}

/// Helm, and a kubectl to look at what it did.
fn helm(tools: &Tools<'_>) -> Result<Command, Failure> {
    let mut command = program(tools.workspace, "clients/helm/checks");
    command.env("HELM", tools.helm()?).env("KUBECTL", tools.kubectl_of_today()?);
    Ok(command)
}

/// A client in Python, which has packages of its own.
fn python(tools: &Tools<'_>, name: &str) -> Result<Command, Failure> {
    let requirements = format!("clients/{name}/requirements.txt");
    let mut command = program(tools.workspace, tools.python_packages(name, &requirements)?);
    command.arg(format!("clients/{name}/checks.py"));
    Ok(command)
}

fn javascript(tools: &Tools<'_>) -> Result<Command, Failure> {
    let (node, directory) = tools.node_packages("clients/javascript")?;
    // Node looks for packages from where a program lies, not from where it is started.
    let checks = directory.join("checks.js");
    fs::copy(tools.workspace.root().join("clients/javascript/checks.js"), &checks)
        .map_err(Failure::file("write", &checks))?;
    let mut command = program(tools.workspace, node);
    command.arg(checks);
    Ok(command)
}

fn kube(tools: &Tools<'_>) -> Result<Command, Failure> {
    Ok(program(tools.workspace, build_kube(tools)?.join("debug/rhumb-clients-kube")))
}

/// The documented example. It has a server within itself.
fn kube_in_process(tools: &Tools<'_>) -> Result<Command, Failure> {
    Ok(program(tools.workspace, build_kube(tools)?.join("debug/examples/in_process")))
}

/// Builds both at once: the example needs the server, and built apart they would need kube in two forms.
fn build_kube(tools: &Tools<'_>) -> Result<PathBuf, Failure> {
    let directory = tools.directory("kube-rs");
    // Not --locked: a new dependency of the server's own crates must not make this crate's lock file wrong.
    let mut command = cargo(tools.workspace, ["build", "--bins", "--examples", "--manifest-path", MANIFEST]);
    process::run(command.arg("--target-dir").arg(&directory))?;
    Ok(directory)
}

/// A server for one client, run by the script that also restarts it.
struct Server<'a> {
    workspace: &'a Workspace,
    rhumb: &'a Path,
    directory: PathBuf,
}

impl<'a> Server<'a> {
    /// Starts one, with a copy of what another kept or with nothing.
    fn start(
        workspace: &'a Workspace,
        rhumb: &'a Path,
        client: &str,
        kept: Option<&Path>,
    ) -> Result<Server<'a>, Failure> {
        let directory = workspace.target().join("clients").join(client);
        if directory.exists() {
            remove(&directory)?;
        }
        fs::create_dir_all(&directory).map_err(Failure::file("make", &directory))?;
        let server = Server { workspace, rhumb, directory };
        if let Some(kept) = kept {
            process::run(program(workspace, "cp").arg("-R").arg(kept).arg(server.data()))?;
        }
        process::run(&mut server.script("start"))?;
        Ok(server)
    }

    /// Tells a client where the server is and how it is restarted.
    fn introduce<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let restart = format!("clients/server restart {}", quoted(&self.directory));
        command.env("KUBECONFIG", self.directory.join("kubeconfig"));
        command
            .env("RHUMB_RESTART", restart)
            .env("RHUMB", self.rhumb)
            .env("RHUMB_CROWD", CROWD)
            .env("RHUMB_BUOYS", BUOYS)
    }

    /// Returns the data directory of `clients/server`.
    fn data(&self) -> PathBuf {
        self.directory.join("data")
    }

    /// Prints the end of what the server said.
    fn show_log(&self) {
        let text = fs::read_to_string(self.directory.join("log")).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        println!("the server's last words:");
        for line in lines.iter().skip(lines.len().saturating_sub(20)) {
            println!("  {line}");
        }
    }

    fn stop(&self) -> Result<(), Failure> {
        process::run(&mut self.script("stop"))
    }

    fn script(&self, verb: &str) -> Command {
        let mut command = program(self.workspace, "clients/server");
        command.arg(verb).arg(&self.directory).env("RHUMB", self.rhumb);
        command
    }
}

/// A path as one word of a shell's command.
fn quoted(path: &Path) -> String {
    format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_word_for_a_shell() {
        assert_eq!(quoted(Path::new("/a b/c")), "'/a b/c'");
        assert_eq!(quoted(Path::new("/it's")), r"'/it'\''s'");
    }

    #[test]
    fn an_unknown_client_is_refused_with_those_there_are() {
        let workspace = Workspace::locate().unwrap();
        let failure = run(&workspace, Some("telnet")).unwrap_err().to_string();
        assert!(failure.contains("kubectl-1.36") && failure.contains("javascript"), "{failure}");
    }
}
