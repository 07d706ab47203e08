//! The attacked server: a process of ours with its own users, or a running kube-apiserver.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use super::wire::{Credentials, Request, Target};
use crate::server::Outcome;
use crate::server::sides::process;

/// Number of attackers.
pub(crate) const ATTACKERS: usize = 4;
/// Timeout of the server's start and end.
const PATIENCE: Duration = Duration::from_secs(180);
/// How much is read of what a server counts.
const LARGEST_METRICS: usize = 64 << 20;
/// Number of log lines about a panic that are shown.
const SHOWN: usize = 3;

/// A server with its users.
pub(crate) struct Attacked {
    pub(crate) target: Target,
    pub(crate) admin: Credentials,
    /// The polite user, `polite`.
    pub(crate) polite: Credentials,
    /// The attackers, `attacker-0` and so on.
    pub(crate) attackers: Vec<Credentials>,
    /// Whether it is a server of ours, about which there is a verdict.
    pub(crate) is_ours: bool,
    child: Option<Child>,
    /// Processes whose memory counts; the first is the server itself.
    processes: Vec<u32>,
    log: Option<PathBuf>,
}

/// Process statistics of the server.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sample {
    /// Resident memory in MiB, and the most there ever was.
    pub(crate) resident: f64,
    pub(crate) highest: f64,
    pub(crate) threads: u64,
    /// Open files, and how many of them are connections and listeners.
    pub(crate) files: u64,
    pub(crate) sockets: u64,
    /// Processor time in seconds.
    pub(crate) busy: f64,
}

/// Panics found in a log.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panics {
    pub(crate) count: u64,
    pub(crate) shown: Vec<String>,
}

/// Returns the name of an attacker and its namespace.
pub(crate) fn attacker(number: usize) -> String {
    format!("attacker-{number}")
}

impl Attacked {
    /// Starts a server of ours on an empty directory. Its log goes to `server.log` beside that.
    pub(crate) fn rhumb(binary: &Path, folder: &Path) -> Outcome<Self> {
        let data = folder.join("data");
        std::fs::create_dir_all(&data)?;
        let mut tokens = "admin-token,admin,admin,system:masters\npolite-token,polite,polite\n".to_owned();
        for name in (0..ATTACKERS).map(attacker) {
            tokens.push_str(&format!("{name}-token,{name},{name}\n"));
        }
        let tokens_file = folder.join("tokens.csv");
        std::fs::write(&tokens_file, tokens)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let log = folder.join("server.log");
        let mut command = Command::new(binary);
        command.arg("serve").arg("--data-dir").arg(&data).args(["--listen", &format!("127.0.0.1:{port}")]);
        command.arg("--token-auth-file").arg(&tokens_file);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let child = command.spawn()?;
        Ok(Attacked {
            target: Target::new(port)?,
            admin: Credentials::token("admin-token"),
            polite: Credentials::token("polite-token"),
            attackers: (0..ATTACKERS)
                .map(|number| Credentials::token(&format!("{}-token", attacker(number))))
                .collect(),
            is_ours: true,
            processes: vec![child.id()],
            child: Some(child),
            log: Some(log),
        })
    }

    /// Returns the kube-apiserver that a kubeconfig leads to. Its administrator speaks for the users, and oracle.sh's
    /// files beside the kubeconfig tell of its processes and log.
    pub(crate) fn oracle(kubeconfig: &Path) -> Outcome<Self> {
        let yaml = std::fs::read(kubeconfig).map_err(|error| {
            format!("{} can't be read ({error}); oracle.sh up makes it", kubeconfig.display())
        })?;
        let mut json = Vec::new();
        rhumb_codec::yaml::to_json(&yaml, &rhumb_codec::yaml::ReadOptions::default(), &mut json)
            .map_err(|error| error.to_string())?;
        let config: serde_json::Value = serde_json::from_slice(&json)?;
        let text = |place: &str| config.pointer(place).and_then(serde_json::Value::as_str);
        let server = text("/clusters/0/cluster/server").ok_or("the kubeconfig names no server")?;
        let token = text("/users/0/user/token").ok_or("the kubeconfig has no token")?;
        let loopback = ["https://127.0.0.1:", "https://localhost:"];
        let port = loopback.iter().find_map(|start| server.strip_prefix(start));
        let port = port.ok_or_else(|| format!("{server} is not on this machine, so it is not attacked"))?;
        let run = kubeconfig.parent().unwrap_or(Path::new("."));
        let id = |file: &str| std::fs::read_to_string(run.join(file)).ok()?.trim().parse().ok();
        let users = |name: &str| Credentials::impersonating(token, name);
        Ok(Attacked {
            target: Target::new(port.trim_end_matches('/').parse()?)?,
            admin: Credentials::token(token),
            polite: users("polite"),
            attackers: (0..ATTACKERS).map(|number| users(&attacker(number))).collect(),
            is_ours: false,
            child: None,
            processes: ["api.pid", "etcd.pid"].into_iter().filter_map(id).collect(),
            log: Some(run.join("api.log")).filter(|log| log.is_file()),
        })
    }

    /// Reports whether it says that it is ready.
    pub(crate) async fn is_ready(&self) -> bool {
        let asked = async {
            let mut connection = self.target.connect().await?;
            connection.exchange(&Request::get("/readyz"), &self.admin, 0).await
        };
        let answered = tokio::time::timeout(Duration::from_secs(10), asked).await;
        matches!(answered, Ok(Ok(answer)) if answer.status == 200)
    }

    /// How many watches and other requests without an end it has, by its own count.
    pub(crate) async fn watches(&self) -> Outcome<u64> {
        let mut connection = self.target.connect().await?;
        let answer = connection.exchange(&Request::get("/metrics"), &self.admin, LARGEST_METRICS).await?;
        let text = String::from_utf8_lossy(&answer.body);
        let lines = text.lines().filter(|line| line.starts_with("apiserver_longrunning_requests{"));
        let counts = lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        Ok(counts.sum::<f64>() as u64)
    }

    /// Waits until it is ready.
    pub(crate) async fn until_ready(&mut self) -> Outcome<()> {
        let begun = Instant::now();
        while !self.is_ready().await {
            if let Some(status) = self.ended() {
                return Err(format!("the server ended before it was ready: {status}").into());
            }
            if begun.elapsed() > PATIENCE {
                return Err("the server doesn't get ready".into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Returns the exit status of our process, if it ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.as_mut()?.try_wait().ok().flatten()
    }

    /// Reads the current statistics; empty if the processes are gone or unknown.
    pub(crate) fn sample(&self) -> Sample {
        let mut sample = Sample::default();
        for id in &self.processes {
            sample.resident += process::memory(*id, "VmRSS:").unwrap_or_default();
            sample.highest += process::memory(*id, "VmHWM:").unwrap_or_default();
            sample.busy += process::busy(*id).unwrap_or_default().as_secs_f64();
        }
        if let Some(id) = self.processes.first() {
            sample.threads = count(&format!("/proc/{id}/task"));
            (sample.files, sample.sockets) = open_files(&format!("/proc/{id}/fd"));
        }
        sample
    }

    /// Finds panics in the log.
    pub(crate) fn panics(&self) -> Outcome<Panics> {
        let mut panics = Panics::default();
        let Some(log) = &self.log else { return Ok(panics) };
        for line in BufReader::new(File::open(log)?).split(b'\n') {
            let line = line?;
            let signs: [&[u8]; 4] =
                [b"panicked at", b"has overflowed its stack", b"panic serving", b"Observed a panic"];
            if signs.iter().any(|sign| memchr::memmem::find(&line, sign).is_some()) {
                panics.count += 1;
                if panics.shown.len() < SHOWN {
                    panics.shown.push(String::from_utf8_lossy(&line).into_owned());
                }
            }
        }
        Ok(panics)
    }

    /// Asks our process to end, and waits until it has. An error says how it ended otherwise.
    pub(crate) fn end(mut self) -> Outcome<()> {
        let Some(child) = &mut self.child else { return Ok(()) };
        if let Some(status) = child.try_wait()? {
            return Err(format!("the server had ended: {status}").into());
        }
        let asked = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
        let begun = Instant::now();
        while asked.success() && begun.elapsed() < PATIENCE {
            match child.try_wait()? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(format!("the server ended with {status}").into()),
                None => std::thread::sleep(Duration::from_millis(100)),
            }
        }
        Err("the server does not end when it is asked to".into())
    }
}

impl Drop for Attacked {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Counts the entries of a directory.
fn count(directory: &str) -> u64 {
    std::fs::read_dir(directory).map(|entries| entries.count() as u64).unwrap_or_default()
}

/// How many files a process has open by its directory of them, and how many of them are sockets.
fn open_files(directory: &str) -> (u64, u64) {
    let Ok(entries) = std::fs::read_dir(directory) else { return (0, 0) };
    entries.flatten().fold((0, 0), |(files, sockets), entry| {
        let is_socket = std::fs::read_link(entry.path())
            .is_ok_and(|target| target.to_string_lossy().starts_with("socket:"));
        (files + 1, sockets + u64::from(is_socket))
    })
}
