//! Servers that keep nothing, side by side: none leaves anything where its user keeps data, and each is found by its
//! own kubeconfig.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A place of the test, and the user's directories in it.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
        for below in ["home", "data", "temporary"] {
            std::fs::create_dir_all(path.join(below)).expect("a directory of our own");
        }
        Place(path)
    }

    /// How many files the user's directories and the one for temporary files have.
    fn files(&self) -> [usize; 3] {
        ["home", "data", "temporary"]
            .map(|below| std::fs::read_dir(self.0.join(below)).expect("the directory is there").count())
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rhumb"));
        command.args(arguments).current_dir(&self.0);
        let directories = [("HOME", "home"), ("XDG_DATA_HOME", "data"), ("TMPDIR", "temporary")];
        command.envs(directories.map(|(name, below)| (name, self.0.join(below))));
        command
    }

    /// Starts a server in memory.
    fn start(&self, arguments: &[&str]) -> Server {
        let mut command = self.command(&["serve", "--in-memory", "--listen", "127.0.0.1:0"]);
        let mut process = command.args(arguments).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let output = process.stdout.take().expect("its output is a pipe");
        let mut server = Server { process, ready: String::new() };
        BufReader::new(output).read_line(&mut server.ready).expect("its output can be read");
        server
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

struct Server {
    process: Child,
    ready: String,
}

impl Server {
    /// Where it says that it listens, and where it says that its kubeconfig is.
    fn told(&self) -> (&str, &Path) {
        let told =
            self.ready.trim_end().strip_prefix("ready at ").and_then(|rest| rest.split_once(", kubeconfig "));
        let (url, path) = told.unwrap_or_else(|| panic!("no kubeconfig in {:?}", self.ready));
        (url, Path::new(path))
    }

    /// The kubeconfig must lead to it, and be believed.
    fn is_found(&self, place: &Place) {
        let (url, path) = self.told();
        let text = std::fs::read_to_string(path).expect("the kubeconfig can be read");
        assert!(text.contains(&format!("server: {url}\n")), "the kubeconfig of {url}:\n{text}");
        let found = place
            .command(&["get", "namespaces", "default", "--output=name", "--kubeconfig"])
            .arg(path)
            .output()
            .expect("the binary starts");
        assert_eq!(String::from_utf8_lossy(&found.stdout), "namespace/default\n", "{found:?}");
    }

    /// Lets it end in order.
    fn end(mut self) {
        let asked = Command::new("kill").arg(self.process.id().to_string()).status();
        assert!(asked.is_ok_and(|status| status.success()), "the server can't be told to end");
        assert!(self.process.wait().expect("it ends").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn servers_in_memory_share_no_files_and_leave_none() {
    let place = Place::new("side-by-side");
    let servers = [place.start(&[]), place.start(&[])];
    assert_eq!(place.files(), [0, 0, 2]);
    let [(one, mine), (other, yours)] = servers.each_ref().map(Server::told);
    assert!(one != other && mine != yours, "{one} {other} {} {}", mine.display(), yours.display());
    servers.iter().for_each(|server| server.is_found(&place));
    servers.into_iter().for_each(Server::end);
    assert_eq!(place.files()[1..], [0, 0]);
}

#[test]
fn the_ready_line_names_the_file_that_was_asked_for() {
    let place = Place::new("asked-for");
    for arguments in [&["--kubeconfig-out", "mine"][..], &["--kubeconfig-out", "mine", "--data-dir", "kept"]]
    {
        let server = place.start(arguments);
        assert_eq!(server.told().1, place.0.join("mine"), "{arguments:?}");
        server.is_found(&place);
        assert_eq!(place.files()[1..], [0, 0], "{arguments:?}");
        server.end();
    }
}
