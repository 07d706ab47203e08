//! Measured servers as processes: ours, and a kube-apiserver with etcd.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Outcome;
use super::https::{JSON, Target};

/// Token of the administrator.
const TOKEN: &str = "measured";
/// Timeout of the start.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running server with its processes, ended on drop.
pub(crate) struct Side {
    processes: Vec<Child>,
    pub(crate) target: Target,
}

impl Side {
    /// Returns the binary that is measured: `$RHUMB_BINARY`, or the one beside this program.
    pub(crate) fn binary() -> Outcome<PathBuf> {
        let binary = match std::env::var_os("RHUMB_BINARY") {
            Some(named) => PathBuf::from(named),
            None => std::env::current_exe()?.with_file_name("rhumb"),
        };
        if !binary.is_file() {
            return Err(format!("{} is not there; cargo xtask bench builds it", binary.display()).into());
        }
        Ok(binary)
    }

    /// Starts ours on an empty directory. Returns the time until it was ready, too.
    pub(crate) fn rhumb(binary: &Path, folder: &Path) -> Outcome<(Side, Duration)> {
        let port = prepare(folder)?;
        let mut command = Command::new(binary);
        command.arg("serve").arg("--data-dir").arg(folder).args(["--listen", &format!("127.0.0.1:{port}")]);
        command.arg("--token-auth-file").arg(folder.join("tokens.csv"));
        started(command, Vec::new(), port, &folder.join("pki/ca.crt"))
    }

    /// Starts the real one on an empty directory, with an etcd that is up before the clock starts.
    pub(crate) fn oracle(folder: &Path) -> Outcome<(Side, Duration)> {
        let port = prepare(folder)?;
        let named = std::env::var_os("RHUMB_KUBE_APISERVER").map(PathBuf::from);
        let home = PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let binary = named.unwrap_or_else(|| home.join(".cache/rhumb-oracle/bin/kube-apiserver"));
        let etcd_port = free_port()?;
        let etcd_url = format!("http://127.0.0.1:{etcd_port}");
        let mut etcd = Command::new(binary.with_file_name("etcd"));
        let peer = format!("http://127.0.0.1:{}", free_port()?);
        etcd.arg("--data-dir").arg(folder.join("etcd")).args(["--log-level", "error"]);
        etcd.args(["--listen-client-urls", &etcd_url, "--advertise-client-urls", &etcd_url]);
        etcd.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        etcd.args(["--initial-cluster", &format!("default={peer}")]);
        let etcd = Running(vec![silent(&mut etcd).spawn()?]);
        let begin = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", etcd_port)).is_err() {
            if begin.elapsed() > PATIENCE {
                return Err("etcd doesn't come up".into());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        // What it would make by itself is an authority's certificate, which not every client takes from a server.
        let (key, certificate) = (folder.join("sa.key"), folder.join("tls.crt"));
        let mut openssl = Command::new("openssl");
        openssl.args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext"]);
        openssl.args(["subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"]);
        openssl.arg("-keyout").arg(&key).arg("-out").arg(&certificate);
        if !silent(&mut openssl).status()?.success() {
            return Err("openssl makes no key".into());
        }
        let mut command = Command::new(&binary);
        command.args(["--etcd-servers", &etcd_url, "--bind-address=127.0.0.1"]);
        command.arg(format!("--secure-port={port}"));
        command.arg("--tls-cert-file").arg(&certificate).arg("--tls-private-key-file").arg(&key);
        command.arg("--service-account-key-file").arg(&key);
        command.arg("--service-account-signing-key-file").arg(&key);
        command.arg("--service-account-issuer=https://kubernetes.default.svc");
        command.arg("--token-auth-file").arg(folder.join("tokens.csv"));
        command.args(["--authorization-mode=RBAC", "--service-cluster-ip-range=10.0.0.0/24"]);
        started(command, etcd.keep(), port, &certificate)
    }

    /// Asks the server to end, and waits until it has.
    pub(crate) fn end(mut self) -> Outcome<()> {
        let Some(mut server) = self.processes.pop() else { return Ok(()) };
        let asked = Command::new("kill").args(["-TERM", &server.id().to_string()]).status()?;
        if !asked.success() || !server.wait()?.success() {
            return Err("the server did not end well".into());
        }
        Ok(())
    }

    /// Returns the resident memory of all processes, in MiB.
    pub(crate) fn resident(&self) -> Outcome<f64> {
        self.processes.iter().map(|process| process::memory(process.id(), "VmRSS:")).sum()
    }

    /// Returns the processes' processor time.
    pub(crate) fn busy(&self) -> Outcome<Busy> {
        let ids = || self.processes.iter().map(Child::id);
        let counted = ids().map(process::busy).sum::<Outcome<Duration>>()?;
        Ok(Busy { counted, of_threads: ids().map(process::busy_threads).sum::<Outcome<Duration>>()? })
    }
}

/// Processor time, measured in two ways.
#[derive(Clone, Copy)]
pub(crate) struct Busy {
    /// In hundredths of a second.
    counted: Duration,
    /// Of the threads that still exist, in nanoseconds.
    of_threads: Duration,
}

impl Busy {
    /// Returns the processor time since an earlier measurement.
    pub(crate) fn since(self, before: Busy) -> Duration {
        let counted = self.counted.saturating_sub(before.counted);
        let of_threads = self.of_threads.saturating_sub(before.of_threads);
        // What threads did that have ended is only in the count.
        if of_threads + process::ENDED < counted { counted } else { of_threads }
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        drop(Running(std::mem::take(&mut self.processes)));
    }
}

/// Process statistics of the kernel.
pub(crate) mod process {
    use std::time::Duration;

    use crate::server::Outcome;

    /// Clock ticks per second.
    const TICKS: f64 = 100.0;
    /// Difference of both times above which threads must have ended.
    pub(super) const ENDED: Duration = Duration::from_millis(30);

    /// Returns a line of its status that is about memory, in MiB.
    pub(crate) fn memory(id: u32, line: &str) -> Outcome<f64> {
        let status = std::fs::read_to_string(format!("/proc/{id}/status"))?;
        let size = status.lines().find_map(|text| text.strip_prefix(line)).ok_or("no such line of memory")?;
        Ok(size.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
    }

    /// Returns the processor time of a process.
    pub(crate) fn busy(id: u32) -> Outcome<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{id}/stat"))?;
        // The name of the program is in parentheses and may have blanks; what follows has none.
        let (_, rest) = stat.rsplit_once(')').ok_or("no stat")?;
        let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|tick| tick.parse::<f64>().ok());
        Ok(Duration::from_secs_f64(ticks.sum::<f64>() / TICKS))
    }

    /// Returns the processor time of a process's current threads.
    pub(super) fn busy_threads(id: u32) -> Outcome<Duration> {
        let mut all = Duration::ZERO;
        for thread in std::fs::read_dir(format!("/proc/{id}/task"))? {
            // It may end meanwhile.
            let Ok(told) = std::fs::read_to_string(thread?.path().join("schedstat")) else { continue };
            let took = told.split_whitespace().next().ok_or("a thread without its time")?;
            all += Duration::from_nanos(took.parse()?);
        }
        Ok(all)
    }
}

/// Processes that are ended if the start fails.
struct Running(Vec<Child>);

impl Running {
    fn keep(mut self) -> Vec<Child> {
        std::mem::take(&mut self.0)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        for process in self.0.iter_mut().rev() {
            let _ = process.kill();
            let _ = process.wait();
        }
    }
}

/// Returns an empty directory with a file of tokens, and a port.
fn prepare(folder: &Path) -> Outcome<u16> {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("tokens.csv"), format!("{TOKEN},admin,admin,system:masters\n"))?;
    free_port()
}

fn free_port() -> Outcome<u16> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port())
}

fn silent(command: &mut Command) -> &mut Command {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null())
}

/// Starts a server and asks until it says that it is ready.
fn started(
    mut command: Command,
    before: Vec<Child>,
    port: u16,
    authority: &Path,
) -> Outcome<(Side, Duration)> {
    let mut running = Running(before);
    let begin = Instant::now();
    running.0.push(silent(&mut command).spawn()?);
    loop {
        if let Ok(target) = Target::new(port, authority, TOKEN) {
            let answer =
                |target: &Target| target.connect()?.exchange("GET", "/readyz", JSON, b"", &mut Vec::new());
            if matches!(answer(&target), Ok(200)) {
                return Ok((Side { processes: running.keep(), target }, begin.elapsed()));
            }
        }
        let ended = running.0.last_mut().is_some_and(|child| matches!(child.try_wait(), Ok(Some(_))));
        if ended || begin.elapsed() > PATIENCE {
            return Err(format!("{command:?} doesn't get ready").into());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}
