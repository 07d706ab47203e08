//! `rhumb serve` as a process of a test's own, and clients of it.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rhumb_client::config::{Auth, Secret, Source};
use rhumb_client::{Client, Config};

/// A directory that goes away with the test.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory of our own");
        Scratch(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A running server. Dropping it kills it, without warning.
pub(crate) struct Server {
    process: Child,
    authority: PathBuf,
    port: u16,
    token: String,
}

impl Server {
    /// Starts it on what a directory has, for an administrator with this token.
    pub(crate) fn start(directory: &Path, token: &str) -> Self {
        let tokens = directory.join("tokens.csv");
        std::fs::write(&tokens, format!("{token},admin,admin,system:masters\n")).expect("a file of tokens");
        let mut process = Command::new(env!("CARGO_BIN_EXE_rhumb"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(directory)
            .arg("--token-auth-file")
            .arg(&tokens)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = process.stdout.take().expect("its output is a pipe");
        let mut server =
            Server { process, authority: directory.join("pki/ca.crt"), port: 0, token: token.to_owned() };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("its output can be read");
        let (_, rest) = line.split_once("127.0.0.1:").expect("the address that it listens on");
        let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
        server.port = port.parse().expect("a port");
        server
    }

    /// The port that it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The file of the authority that vouches for it.
    pub(crate) fn authority(&self) -> &Path {
        &self.authority
    }

    /// A client of it.
    pub(crate) fn client(&self) -> Client {
        let mut config = Config::new(format!("https://localhost:{}", self.port).parse().expect("an address"));
        config.tls.ca = Some(Source::File(self.authority.clone()));
        config.auth = Auth::Token(Secret::from(self.token.as_str()));
        Client::new(config).expect("a client")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
