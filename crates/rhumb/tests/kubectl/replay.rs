//! Runs a session's commands: a server of its own, a directory of its own, the program under the name `kubectl`.

#[path = "../support/recorded_with.rs"]
mod recorded_with;

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use recorded_with::PLUGINS_OFF;

use crate::mask::Mask;
use crate::session::{Answer, Session, Text};

/// The address that the server tells others, so that answers don't depend on the machine.
const ADVERTISED: &str = "192.0.2.2";
/// How many seconds a command may take.
const SECONDS: &str = "60";

/// The programs of a replay.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    /// What serves: `rhumb`.
    pub(crate) server: PathBuf,
    /// What is called `kubectl`.
    pub(crate) kubectl: PathBuf,
    /// Where directories of sessions are made.
    pub(crate) scratch: PathBuf,
    /// Variables that commands see beside the usual ones.
    pub(crate) environment: Vec<(String, String)>,
}

/// Runs all commands and returns their answers, masked.
pub(crate) fn replay(session: &Session, programs: &Programs) -> io::Result<Vec<Answer>> {
    let place = Place::new(programs, session)?;
    let flags: Vec<&str> = session.directive("server-flags").flat_map(str::split_whitespace).collect();
    let server = Server::start(&programs.server, &place.root, &flags)?;
    let mask = Mask {
        literal: vec![
            (server.address.clone(), "<server>"),
            (server.address.replace("127.0.0.1", ADVERTISED), "<server>"),
            (place.root.to_string_lossy().into_owned(), "<dir>"),
        ],
        ..mask(session)
    };
    let answers = session.steps.iter().map(|step| place.run(&step.script.join("\n"), &programs.environment));
    answers.map(|answer| Ok(mask.answer(&answer?))).collect()
}

/// The mask that a session's directives ask for.
pub(crate) fn mask(session: &Session) -> Mask {
    Mask {
        literal: Vec::new(),
        generated: session.directive("generated").map(str::to_owned).collect(),
        unordered: session.directive("unordered").next().is_some(),
    }
}

/// The directory of a session, which goes when the session is over.
pub(crate) struct Place {
    /// Where it is.
    pub(crate) root: PathBuf,
}

impl Place {
    /// Makes one.
    pub(crate) fn new(programs: &Programs, session: &Session) -> io::Result<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        // All these paths are equally long, because the width of a column may depend on one.
        let name = format!("session-{:07}-{number:04}", std::process::id());
        let place = Place { root: programs.scratch.join(name) };
        for directory in ["bin", "home", "work", "tmp", "data"] {
            fs::create_dir_all(place.root.join(directory))?;
        }
        let program = fs::canonicalize(&programs.kubectl)?;
        symlink(&program, place.root.join("bin/kubectl"))?;
        if session.directive("convert").next().is_some() {
            let beside = program.with_file_name("kubectl-convert");
            let convert = if beside.exists() { &beside } else { &program };
            symlink(convert, place.root.join("bin/kubectl-convert"))?;
        }
        Ok(place)
    }

    /// A program that sees this directory and nothing else of the machine's settings.
    pub(crate) fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.root.join("work"))
            .env_clear()
            .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", self.root.join("bin").display()))
            .env("HOME", self.root.join("home"))
            .env("TMPDIR", self.root.join("tmp"))
            .env("KUBECONFIG", self.root.join("kubeconfig"))
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC");
        command
    }

    /// Runs a script to its end.
    pub(crate) fn run(&self, script: &str, environment: &[(String, String)]) -> io::Result<Answer> {
        // Files and not pipes: what a command leaves running in the background may keep them open.
        let (out, err) = (self.root.join("stdout"), self.root.join("stderr"));
        let mut process = self
            .command("timeout")
            .args(["-s", "KILL", SECONDS, "sh", "-c", script])
            .envs(environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .spawn()?;
        let status = process.wait()?;
        if script.contains(" &") {
            // `timeout` leads a group of its own, and what still runs belongs to it.
            let group = format!("-{}", process.id());
            Command::new("kill").args(["-s", "KILL", "--", &group]).stderr(Stdio::null()).status()?;
        }
        Ok(Answer {
            out: Text::from_bytes(&fs::read(out)?),
            err: Text::from_bytes(&fs::read(err)?),
            code: status.code().unwrap_or(-1),
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// The controllers that ran there: nothing counts what quotas bound, at a moment of its own.
const CONTROLLERS: &str = "*,-resourcequota-controller";

/// A server that goes with its owner, however that ends.
pub(crate) struct Server {
    watcher: Child,
    address: String,
}

impl Server {
    /// Starts one with its data in a directory, and waits until it is ready.
    pub(crate) fn start(program: &Path, root: &Path, flags: &[&str]) -> io::Result<Self> {
        // The shell waits for the end of its input, which comes also when this process is killed.
        let script = "\"$@\" & server=$!; exec >&-; read -r line; kill -9 $server; wait $server";
        let mut watcher = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg(program)
            .args(["serve", "--in-memory", "--listen", "127.0.0.1:0", "--advertise-address", ADVERTISED])
            .arg("--data-dir")
            .arg(root.join("data"))
            .arg("--kubeconfig-out")
            .arg(root.join("kubeconfig"))
            .args(["--disable-admission-plugins", PLUGINS_OFF])
            .args(["--controllers", CONTROLLERS])
            .args(flags)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(root.join("server.log"))?)
            .spawn()?;
        let output = watcher.stdout.take();
        let mut server = Server { watcher, address: String::new() };
        let mut line = String::new();
        BufReader::new(output.ok_or_else(|| io::Error::other("no output"))?).read_line(&mut line)?;
        let found = line.split_once("https://").and_then(|(_, rest)| rest.split([',', '\n']).next());
        let log = || fs::read_to_string(root.join("server.log")).unwrap_or_default();
        server.address =
            found.ok_or_else(|| io::Error::other(format!("no server: {line}{}", log())))?.to_owned();
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.watcher.stdin.take());
        let _ = self.watcher.wait();
    }
}
