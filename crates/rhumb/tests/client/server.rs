//! A server to talk to, and places on it where tests don't meet.
//!
//! [`Server`] is the binary: it can be stopped, killed and started again on the same port with the same data.
//! [`Subject`] is what tests that only talk need: a client's configuration and a namespace of one's own, on a
//! server that the test started or on the one that [`KUBECONFIG`] names.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use rhumb_api::core::v1::Namespace;
use rhumb_client::config::{ContentType, Kubeconfig};
use rhumb_client::{Client, Config};
use rhumb_meta::v1::{CreateOptions, DeleteOptions};

/// Names the kubeconfig of another server to run the tests against.
pub(crate) const KUBECONFIG: &str = "RHUMB_TEST_KUBECONFIG";

/// How often a server is started on a port that someone else seems to have.
const STARTS: u32 = 100;

/// Where a server keeps its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Storage {
    /// They are gone when it ends.
    InMemory,
    /// They are there after a restart.
    OnDisk,
}

/// A `rhumb serve` that goes away with the test, together with its data.
pub(crate) struct Server {
    directory: PathBuf,
    arguments: Vec<String>,
    port: u16,
    running: Option<Running>,
}

struct Running {
    process: Child,
    /// Kept open, so that the server can write what it likes.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server on a free port and waits until it is ready.
    pub(crate) fn start(storage: Storage) -> Self {
        Self::start_with(storage, &[])
    }

    /// Starts a server with more flags.
    pub(crate) fn start_with(storage: Storage, flags: &[&str]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("client-{}-{number}", std::process::id());
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&directory).expect("a directory of our own");
        let mut arguments: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        if storage == Storage::InMemory {
            arguments.push("--in-memory".to_owned());
        }
        let mut server = Server { directory, arguments, port: 0, running: None };
        server.run();
        server
    }

    /// Starts it again on its port, on the data it left behind. What runs is ended first.
    pub(crate) fn restart(&mut self) {
        self.stop();
        self.run();
    }

    /// Lets it end in order.
    pub(crate) fn stop(&mut self) {
        let Some(mut running) = self.running.take() else { return };
        let asked = Command::new("kill").arg(running.process.id().to_string()).status();
        assert!(asked.is_ok_and(|status| status.success()), "the server can't be told to end");
        running.process.wait().expect("it ends");
    }

    /// Ends it without warning.
    pub(crate) fn kill(&mut self) {
        let Some(mut running) = self.running.take() else { return };
        let _ = running.process.kill();
        let _ = running.process.wait();
    }

    fn run(&mut self) {
        // Someone may have the port for a moment, as the other end of a connection. A start that fails takes
        // long enough to wait for that.
        let started = (0..STARTS).any(|_| self.try_run());
        assert!(started, "the server doesn't start on port {}", self.port);
    }

    fn try_run(&mut self) -> bool {
        let mut process = Command::new(env!("CARGO_BIN_EXE_rhumb"))
            .args(["serve", "--listen", &format!("127.0.0.1:{}", self.port), "--data-dir"])
            .arg(&self.directory)
            .arg("--kubeconfig-out")
            .arg(self.kubeconfig())
            .args(&self.arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut output = BufReader::new(process.stdout.take().expect("its output is a pipe"));
        let mut line = String::new();
        output.read_line(&mut line).expect("its output can be read");
        let port = line
            .split_once("127.0.0.1:")
            .and_then(|(_, rest)| rest.split(|letter: char| !letter.is_ascii_digit()).next()?.parse().ok());
        self.running = Some(Running { process, _output: output });
        match port {
            Some(port) => self.port = port,
            None => self.kill(),
        }
        port.is_some()
    }

    /// The port that it listens on, also while it doesn't run.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.directory.join("test.kubeconfig")
    }

    /// The administrator's configuration.
    pub(crate) fn config(&self) -> Config {
        read(&self.kubeconfig())
    }

    /// The administrator's client.
    pub(crate) fn client(&self) -> Client {
        Client::new(self.config()).expect("a client")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// The configuration in a kubeconfig file.
pub(crate) fn read(kubeconfig: &Path) -> Config {
    let kubeconfig = Kubeconfig::read(kubeconfig).expect("a kubeconfig");
    Config::from_kubeconfig(&kubeconfig, None).expect("a configuration")
}

/// A server to talk to, and a namespace on it.
pub(crate) struct Subject {
    config: Config,
    /// The namespace, which no other test has.
    pub(crate) namespace: String,
    _server: Option<Server>,
}

impl Subject {
    /// A server and a namespace whose name begins with a word.
    pub(crate) async fn new(word: &str) -> Self {
        let (config, server) = match std::env::var_os(KUBECONFIG) {
            Some(path) => (read(Path::new(&path)), None),
            None => {
                let server = Server::start(Storage::InMemory);
                (server.config(), Some(server))
            }
        };
        let mut namespace = Namespace::default();
        namespace.metadata.generate_name = format!("{word}-");
        let client = Client::new(config.clone()).expect("a client");
        let made = client.core_v1().namespaces().create(&namespace, &CreateOptions::default()).await;
        let namespace = made.expect("a namespace").metadata.name;
        Subject { config, namespace, _server: server }
    }

    /// A client that speaks JSON.
    pub(crate) fn client(&self) -> Client {
        self.client_of(ContentType::Json)
    }

    /// A client that speaks JSON or protobuf.
    pub(crate) fn client_of(&self, content_type: ContentType) -> Client {
        let mut config = self.config.clone();
        config.content_type = content_type;
        config.default_namespace.clone_from(&self.namespace);
        Client::new(config).expect("a client")
    }

    /// Takes the namespace away again, if the server stays.
    pub(crate) async fn end(self) {
        if self._server.is_none() {
            let namespaces = self.client().core_v1().namespaces();
            namespaces.delete(&self.namespace, &DeleteOptions::default()).await.expect("it goes");
        }
    }
}
