//! An etcd of one's own: processes, ports and directories that vanish with it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rhumb_store::etcd::{Config, Etcd};
use rhumb_store::{Committed, Key, Outcome, Store, Transaction};

/// A member, running or killed.
pub(crate) struct Server {
    arguments: Vec<OsString>,
    directory: PathBuf,
    child: Option<Child>,
    /// Where clients find it.
    pub(crate) port: u16,
}

impl Server {
    /// A lone member.
    pub(crate) fn start() -> Server {
        Server::start_with(&[])
    }

    /// A lone member with further arguments.
    pub(crate) fn start_with(arguments: &[&str]) -> Server {
        let (port, peer) = (free_port(), free_port());
        let mut server =
            Server::member("alone", port, peer, &format!("alone=http://127.0.0.1:{peer}"), "http");
        server.arguments.extend(arguments.iter().map(OsString::from));
        server.run();
        server
    }

    /// A lone member that speaks TLS and asks clients who they are. The directory has the files.
    pub(crate) fn start_with_tls(files: &Path) -> Server {
        let (port, peer) = (free_port(), free_port());
        let mut server =
            Server::member("alone", port, peer, &format!("alone=http://127.0.0.1:{peer}"), "https");
        for (option, file) in [
            ("--cert-file", "server.pem"),
            ("--key-file", "server.key"),
            ("--trusted-ca-file", "authority.pem"),
        ] {
            server.arguments.extend([option.into(), files.join(file).into()]);
        }
        server.arguments.push("--client-cert-auth".into());
        server.run();
        server
    }

    /// Three members of one cluster.
    pub(crate) fn start_three() -> Vec<Server> {
        let ports: Vec<(u16, u16)> = (0..3).map(|_| (free_port(), free_port())).collect();
        let name = |index: usize| format!("member{index}");
        let all: Vec<String> = ports
            .iter()
            .enumerate()
            .map(|(index, (_, peer))| format!("{}=http://127.0.0.1:{peer}", name(index)))
            .collect();
        let member = |(index, (port, peer)): (usize, &(u16, u16))| {
            let mut server = Server::member(&name(index), *port, *peer, &all.join(","), "http");
            server.run();
            server
        };
        ports.iter().enumerate().map(member).collect()
    }

    fn member(name: &str, port: u16, peer: u16, all: &str, scheme: &str) -> Server {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let unique = format!("etcd-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(unique);
        fs::create_dir_all(&directory).expect("a directory");
        let client = format!("{scheme}://127.0.0.1:{port}");
        let peer = format!("http://127.0.0.1:{peer}");
        let mut arguments: Vec<OsString> = vec!["--data-dir".into(), directory.join("data").into()];
        // What a killed process wrote is still there; only a machine that goes down would lose it. And a disk that is
        // slow for seconds would be an etcd that times out.
        arguments.push("--unsafe-no-fsync".into());
        for (option, value) in [
            ("--name", name),
            ("--listen-client-urls", &client),
            ("--advertise-client-urls", &client),
            ("--listen-peer-urls", &peer),
            ("--initial-advertise-peer-urls", &peer),
            ("--initial-cluster", all),
        ] {
            arguments.extend([option.into(), value.into()]);
        }
        Server { arguments, directory, child: None, port }
    }

    /// Starts it, at first or again.
    pub(crate) fn run(&mut self) {
        let log = self.directory.join("log");
        let log = File::options().create(true).append(true).open(log).expect("a log");
        let program = program();
        let child = Command::new(&program)
            .args(&self.arguments)
            .stdin(Stdio::null())
            .stdout(log.try_clone().expect("the log"))
            .stderr(log)
            .spawn();
        self.child = Some(child.unwrap_or_else(|error| {
            panic!("cannot start {}: {error}; `cargo xtask setup` gets an etcd", program.display())
        }));
    }

    /// Kills it without a warning, while it is written to.
    ///
    /// The releases from 3.5.0 to 3.5.2 are asked to end instead: killed, they may forget what they acknowledged
    /// (etcd's issue 13766), which is theirs and not ours to repair.
    pub(crate) fn kill(&mut self) {
        if ((3, 5, 0)..=(3, 5, 2)).contains(&version()) {
            self.end();
        } else {
            self.kill_at_once();
        }
    }

    fn kill_at_once(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().expect("a process to kill");
            child.wait().expect("its end");
        }
    }

    fn end(&mut self) {
        if let Some(mut child) = self.child.take() {
            let ended = Command::new("kill").arg(child.id().to_string()).status().expect("kill");
            assert!(ended.success());
            child.wait().expect("its end");
        }
    }

    /// Its address.
    pub(crate) fn endpoint(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// A store in it.
    pub(crate) async fn connect(&self) -> Etcd {
        connect([self.endpoint()]).await
    }

    /// What it said, for when it doesn't start.
    fn log(&self) -> String {
        fs::read_to_string(self.directory.join("log")).unwrap_or_default()
    }
}

impl Drop for Server {
    #[allow(clippy::print_stderr, reason = "what etcd said often tells why a test failed")]
    fn drop(&mut self) {
        self.kill_at_once();
        if std::thread::panicking() {
            let log = self.log();
            let end: Vec<&str> = log.lines().rev().take(10).collect();
            eprintln!("the last lines of etcd, the last one first:\n{}", end.join("\n"));
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A store in the etcd at these addresses, with the patience that a busy machine needs.
pub(crate) async fn connect(endpoints: impl IntoIterator<Item = String>) -> Etcd {
    Etcd::connect(patient(Config::new(endpoints))).await.expect("an etcd that answers")
}

/// More patience, and progress soon.
pub(crate) fn patient(config: Config) -> Config {
    Config {
        request_timeout: Duration::from_secs(60),
        progress_interval: Duration::from_millis(200),
        ..config
    }
}

/// Commits what must succeed.
pub(crate) async fn commit(store: &Etcd, transaction: Transaction) -> Committed {
    match store.commit(transaction).await.expect("an answer") {
        Outcome::Committed(committed) => committed,
        Outcome::Refused { found, .. } => panic!("refused: {found:?}"),
    }
}

/// A key.
pub(crate) fn key(text: impl AsRef<str>) -> Key {
    Key::copy_from_slice(text.as_ref().as_bytes())
}

fn program() -> PathBuf {
    if let Some(named) = std::env::var_os("RHUMB_ETCD") {
        return named.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found =
        std::env::split_paths(&path).map(|directory| directory.join("etcd")).find(|path| path.is_file());
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("tools").join("etcd");
    found.unwrap_or(kept)
}

/// The version of the etcd that is used.
pub(crate) fn version() -> (u32, u32, u32) {
    let output = Command::new(program()).arg("--version").output().expect("etcd, from `cargo xtask setup`");
    let printed = String::from_utf8_lossy(&output.stdout);
    let mut numbers = printed.split([' ', '.', '\n']).filter_map(|word| word.parse().ok());
    let mut next = || numbers.next().expect("a version of three numbers");
    (next(), next(), next())
}

/// Whether that one tells removals at the very revision that was compacted.
pub(crate) fn keeps_removals() -> bool {
    let version = version();
    version >= (3, 5, 18) || ((3, 4, 36)..(3, 5, 0)).contains(&version)
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
