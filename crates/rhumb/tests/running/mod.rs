//! The binary as a running server, and what to ask it.

#[allow(dead_code, reason = "measurements use more of it")]
#[path = "../../../rhumb-bench/src/server/https.rs"]
pub(crate) mod https;

use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use https::{Connection, JSON, Target};
use serde_json::Value;

/// The token of the administrator.
const TOKEN: &str = "all-may-be-done";

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

/// A process that ends with the test, at the latest.
pub(crate) struct Process(pub(crate) Child);

impl Drop for Process {
    fn drop(&mut self) {
        // SIGKILL: it gets no time to put anything in order.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A running `rhumb serve`; dropping it kills it.
pub(crate) struct Rhumb {
    pub(crate) target: Target,
    _process: Process,
}

impl Rhumb {
    /// Starts it with its data in `directory`, and waits until it says that it is ready.
    pub(crate) fn start(directory: &Path, arguments: &[&str]) -> Self {
        let tokens = directory.join("tokens.csv");
        std::fs::write(&tokens, format!("{TOKEN},admin,admin,system:masters\n")).expect("a file of tokens");
        let mut child = Command::new(env!("CARGO_BIN_EXE_rhumb"))
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(directory)
            .arg("--token-auth-file")
            .arg(&tokens)
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let output = child.stdout.take().expect("its output is a pipe");
        let process = Process(child);
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).expect("its output can be read");
        let (_, rest) = line.split_once("127.0.0.1:").expect("the address that it listens on");
        let port =
            rest.split(|letter: char| !letter.is_ascii_digit()).next().and_then(|port| port.parse().ok());
        let authority = directory.join("pki/ca.crt");
        let target = Target::new(port.expect("a port"), &authority, TOKEN).expect("its certificate");
        Rhumb { target, _process: process }
    }

    /// A client that has a connection of its own.
    pub(crate) fn client(&self) -> Client {
        Client::new(&self.target).expect("a connection")
    }
}

/// Asks a server and reads its answers as JSON.
pub(crate) struct Client {
    connection: Connection,
    buffer: Vec<u8>,
}

impl Client {
    pub(crate) fn new(target: &Target) -> io::Result<Self> {
        Ok(Client { connection: target.connect()?, buffer: Vec::new() })
    }

    /// Sends a request; the error is that the server went away.
    pub(crate) fn ask(&mut self, method: &str, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        let sent = if body.is_null() { String::new() } else { body.to_string() };
        let status = self.connection.exchange(method, path, JSON, sent.as_bytes(), &mut self.buffer)?;
        let value = serde_json::from_slice(&self.buffer).map_err(io::Error::other)?;
        Ok((status, value))
    }

    /// What a server that is there answers with success.
    pub(crate) fn done(&mut self, method: &str, path: &str, body: &Value) -> Value {
        let (status, value) = self.ask(method, path, body).expect("an answer");
        assert!((200..300).contains(&status), "{method} {path}: {status} {value}");
        value
    }

    pub(crate) fn get(&mut self, path: &str) -> Value {
        self.done("GET", path, &Value::Null)
    }

    /// Begins a watch on a connection of its own.
    pub(crate) fn watch(target: &Target, path: &str) -> io::Result<Watch> {
        let mut connection = target.connect()?;
        let status = connection.follow(path)?;
        assert_eq!(status, 200, "the watch {path} is refused");
        Ok(Watch { connection, unread: Vec::new() })
    }
}

/// A watch under way.
pub(crate) struct Watch {
    connection: Connection,
    unread: Vec<u8>,
}

impl Watch {
    /// The next event; an error if the server went away.
    pub(crate) fn next(&mut self) -> io::Result<Value> {
        loop {
            if let Some(end) = self.unread.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.unread.drain(..=end).collect();
                return serde_json::from_slice(&line).map_err(io::Error::other);
            }
            if !self.connection.chunk(&mut self.unread)? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
    }
}

/// The revision that an object or a list has.
pub(crate) fn revision(object: &Value) -> u64 {
    let text = object["metadata"]["resourceVersion"].as_str();
    text.and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("no revision: {object}"))
}
