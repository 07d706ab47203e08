//! An etcd, and a kube-apiserver on it where there is one.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use rhumb_store::etcd::Config;
use rhumb_store::{Key, Range, Revision, Store, StoreError, Transaction, etcd};
use tokio::runtime::Runtime;

use crate::running::https::{JSON, Target};
use crate::running::{Process, Scratch};

/// Names a kube-apiserver of the release that Rhumb follows.
const REAL: &str = "RHUMB_KUBE_APISERVER";
/// The token of its administrator.
const TOKEN: &str = "all-may-be-done";
/// How often something is asked whether it is up, and how long one waits in between.
const ATTEMPTS: usize = 3000;
const PAUSE: Duration = Duration::from_millis(50);

/// Plugins that Rhumb has not, or that need controllers which don't run here.
const UNUSED: &str = "LimitRanger,ServiceAccount,TaintNodesByCondition,PodSecurity,Priority,DefaultTolerationSeconds,\
DefaultStorageClass,StorageObjectInUseProtection,PersistentVolumeClaimResize,RuntimeClass,CertificateApproval,\
CertificateSigning,ClusterTrustBundleAttest,CertificateSubjectRestriction,DefaultIngressClass,PodTopologyLabels,\
MutatingAdmissionPolicy,MutatingAdmissionWebhook,ValidatingAdmissionPolicy,ValidatingAdmissionWebhook,ResourceQuota";

/// A running etcd with what is in it.
pub(crate) struct Etcd {
    pub(crate) url: String,
    runtime: Runtime,
    store: etcd::Etcd,
    _process: Process,
    _scratch: Scratch,
}

impl Etcd {
    pub(crate) fn start() -> Self {
        let scratch = Scratch::new("shared-etcd");
        let (port, peer) = (free_port(), free_port());
        let (url, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{peer}"));
        let child = Command::new(program())
            .arg("--data-dir")
            .arg(scratch.path().join("data"))
            .args([
                "--listen-client-urls",
                &url,
                "--advertise-client-urls",
                &url,
                "--listen-peer-urls",
                &peer,
            ])
            .args(["--initial-advertise-peer-urls", &peer, "--initial-cluster", &format!("default={peer}")])
            // The machine outlives every test, and a disk that is slow for seconds would be an etcd that times out.
            .args(["--unsafe-no-fsync", "--log-level", "error"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("etcd, from `cargo xtask setup`");
        let process = Process(child);
        until("etcd is up", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        let runtime = Runtime::new().expect("a runtime");
        let config = Config { request_timeout: Duration::from_secs(60), ..Config::new([url.clone()]) };
        let store = runtime.block_on(etcd::Etcd::connect(config)).expect("an etcd that answers");
        Etcd { url, runtime, store, _process: process, _scratch: scratch }
    }

    /// Its newest revision.
    pub(crate) fn revision(&self) -> Revision {
        self.runtime.block_on(self.store.revision()).expect("a revision")
    }

    /// Whether it still knows what was at a revision.
    pub(crate) fn recalls(&self, revision: Revision) -> bool {
        match self.runtime.block_on(self.store.get(Key::from_static(b"/"), Some(revision))) {
            Ok(_) => true,
            Err(StoreError::Compacted { .. }) => false,
            Err(error) => panic!("{error}"),
        }
    }

    /// Everything whose key begins so.
    pub(crate) fn under(&self, prefix: &str) -> Vec<(String, Vec<u8>)> {
        let range = Range::all(Key::copy_from_slice(prefix.as_bytes()));
        let page = self.runtime.block_on(self.store.range(range)).expect("a page");
        let text = |key: &Key| String::from_utf8_lossy(key).into_owned();
        page.entries.iter().map(|entry| (text(&entry.key), entry.value.to_vec())).collect()
    }

    pub(crate) fn put(&self, key: &str, value: Vec<u8>) {
        let put = Transaction::default().put(Key::copy_from_slice(key.as_bytes()), value.into(), None);
        self.runtime.block_on(self.store.commit(put)).expect("a write");
    }
}

/// The kube-apiserver that somebody named.
pub(crate) fn named_real() -> Option<PathBuf> {
    std::env::var_os(REAL).map(PathBuf::from)
}

/// A running kube-apiserver.
pub(crate) struct Real {
    pub(crate) target: Target,
    _process: Process,
    _scratch: Scratch,
}

impl Real {
    /// Starts one on an etcd.
    pub(crate) fn start(binary: &Path, etcd: &Etcd) -> Self {
        let scratch = Scratch::new("real");
        let path = |name: &str| scratch.path().join(name);
        std::fs::write(path("tokens.csv"), format!("{TOKEN},admin,admin,system:masters\n")).expect("a file");
        // What it would make by itself is an authority's certificate, which not every client takes from a server.
        let made = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost"])
            .args([
                "-addext",
                "subjectAltName=DNS:localhost",
                "-addext",
                "basicConstraints=critical,CA:FALSE",
            ])
            .arg("-keyout")
            .arg(path("sa.key"))
            .arg("-out")
            .arg(path("tls.crt"))
            .output();
        assert!(made.is_ok_and(|made| made.status.success()), "openssl makes a key");
        let port = free_port();
        let child = Command::new(binary)
            .args(["--etcd-servers", &etcd.url, "--bind-address=127.0.0.1", &format!("--secure-port={port}")])
            .arg("--tls-cert-file")
            .arg(path("tls.crt"))
            .arg("--tls-private-key-file")
            .arg(path("sa.key"))
            .arg("--service-account-key-file")
            .arg(path("sa.key"))
            .arg("--service-account-signing-key-file")
            .arg(path("sa.key"))
            .arg("--service-account-issuer=https://kubernetes.default.svc")
            .arg("--token-auth-file")
            .arg(path("tokens.csv"))
            .args(["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24"])
            .arg(format!("--disable-admission-plugins={UNUSED}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("kube-apiserver starts");
        let process = Process(child);
        let mut target = None;
        until("kube-apiserver is ready", || {
            target = Target::new(port, &path("tls.crt"), TOKEN).ok();
            let ready =
                |target: &Target| target.connect()?.exchange("GET", "/readyz", JSON, b"", &mut Vec::new());
            target.as_ref().is_some_and(|target| matches!(ready(target), Ok(200)))
        });
        Real { target: target.expect("it was asked"), _process: process, _scratch: scratch }
    }
}

/// Waits for something to become true.
pub(crate) fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    // Nobody sends: a wait for this is a pause.
    let (_never, pause) = mpsc::channel::<()>();
    for _ in 0..ATTEMPTS {
        if is_true() {
            return;
        }
        let _ = pause.recv_timeout(PAUSE);
    }
    panic!("not yet: {what}");
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

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}
