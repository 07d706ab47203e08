//! Servers that keep nothing, side by side: none leaves anything where its user keeps data, and each is found by its own
//! kubeconfig.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rhumb_client::Client;

use crate::server::read;

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

    fn files(&self, below: &str) -> usize {
        std::fs::read_dir(self.0.join(below)).expect("the directory is there").count()
    }

    /// Starts a server in memory; the process and what its ready line says.
    fn start(&self, arguments: &[&str]) -> (Child, String) {
        let mut process = Command::new(env!("CARGO_BIN_EXE_rhumb"))
            .args(["serve", "--in-memory", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .current_dir(&self.0)
            .env("HOME", self.0.join("home"))
            .env("XDG_DATA_HOME", self.0.join("data"))
            .env("TMPDIR", self.0.join("temporary"))
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("its output is a pipe");
        BufReader::new(output).read_line(&mut line).expect("its output can be read");
        (process, line.trim_end().to_owned())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The kubeconfig that a ready line names.
fn kubeconfig(line: &str) -> &Path {
    let (_, path) = line.split_once(", kubeconfig ").unwrap_or_else(|| panic!("no kubeconfig in {line:?}"));
    Path::new(path)
}

/// Lets a server end in order.
fn end(mut process: Child) {
    let asked = Command::new("kill").arg(process.id().to_string()).status();
    assert!(asked.is_ok_and(|status| status.success()), "the server can't be told to end");
    assert!(process.wait().expect("it ends").success());
}

#[tokio::test]
async fn servers_in_memory_share_no_files_and_leave_none() {
    let place = Place::new("side-by-side");
    let servers = [place.start(&[]), place.start(&[])];
    for (_, line) in &servers {
        let config = read(kubeconfig(line));
        assert!(line.starts_with(&format!("ready at {},", config.server)), "{line} leads to {}", config.server);
        let client = Client::new(config).expect("a client");
        client.core_v1().namespaces().get("default").await.expect("its own certificate is believed");
    }
    assert_ne!(servers[0].1, servers[1].1);
    assert_eq!((place.files("home"), place.files("data"), place.files("temporary")), (0, 0, 2));
    servers.into_iter().for_each(|(process, _)| end(process));
    assert_eq!((place.files("home"), place.files("data"), place.files("temporary")), (0, 0, 0));
}

#[test]
fn the_ready_line_names_the_file_that_was_asked_for() {
    let place = Place::new("asked-for");
    let (process, line) = place.start(&["--kubeconfig-out", "mine"]);
    assert_eq!(kubeconfig(&line), place.0.join("mine"));
    assert!(line.starts_with(&format!("ready at {},", read(kubeconfig(&line)).server)));
    end(process);
    let (process, line) = place.start(&["--kubeconfig-out", "mine", "--data-dir", "kept"]);
    assert_eq!(kubeconfig(&line), place.0.join("mine"));
    end(process);
    assert_eq!((place.files("home"), place.files("data"), place.files("temporary")), (0, 0, 0));
}
