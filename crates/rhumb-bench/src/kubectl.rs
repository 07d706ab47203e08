//! `bench kubectl`: short commands of `rhumb` and kubectl on one server.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::server::sides::Side;

/// Runs per command; the two programs take turns.
const RUNS: usize = 40;

/// Measured commands: name and arguments.
const COMMANDS: &[(&str, &[&str])] = &[
    ("version --client", &["version", "--client"]),
    ("get pods, warm cache", &["get", "pods"]),
    ("get pods -o yaml", &["get", "pods", "-o", "yaml"]),
    ("apply, nothing changed", &["apply", "-f", "objects.yaml"]),
    ("apply --server-side", &["apply", "--server-side", "--force-conflicts", "-f", "objects.yaml"]),
    ("explain deployment.spec", &["explain", "deployment.spec"]),
];

pub(crate) fn run(arguments: &[String]) -> Result<(), Box<dyn Error>> {
    let runs = if arguments.iter().any(|argument| argument == "--quick") { 5 } else { RUNS };
    let directory = std::env::temp_dir().join(format!("rhumb-bench-kubectl-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let measured = measure(&directory, runs);
    std::fs::remove_dir_all(&directory)?;
    measured
}

fn measure(directory: &Path, runs: usize) -> Result<(), Box<dyn Error>> {
    let rhumb = Side::binary().map_err(|error| error as Box<dyn Error>)?;
    let ours = directory.join("kubectl");
    std::os::unix::fs::symlink(&rhumb, &ours)?;
    let theirs = real_kubectl();
    let server = Server::start(&rhumb, directory)?;
    let pods: String = (0..20)
        .map(|number| {
            format!(
                "---\napiVersion: v1\nkind: Pod\nmetadata: {{name: web-{number}, labels: {{app: web}}}}\nspec: \
                 {{containers: [{{name: web, image: nginx, ports: [{{containerPort: 80}}]}}]}}\n"
            )
        })
        .collect();
    std::fs::write(directory.join("objects.yaml"), pods)?;
    let once = |program: &Path, words: &[&str]| -> Result<Duration, Box<dyn Error>> {
        let start = Instant::now();
        let output = Command::new(program)
            .args(words)
            .current_dir(directory)
            .env("KUBECONFIG", &server.kubeconfig)
            .env("HOME", directory.join("home"))
            .stdin(Stdio::null())
            .output()?;
        let took = start.elapsed();
        if !output.status.success() {
            let words = words.join(" ");
            return Err(format!("{words}: {}", String::from_utf8_lossy(&output.stderr)).into());
        }
        Ok(took)
    };
    once(&ours, &["apply", "-f", "objects.yaml"])?;
    println!("size of the binary: {:.1} MiB", std::fs::metadata(&rhumb)?.len() as f64 / f64::from(1 << 20));
    println!("{:28}{:>12}{:>12}{:>9}", "ms, median", "rhumb", "kubectl", "ratio");
    for (name, words) in COMMANDS {
        let (mut our, mut their) = (Vec::new(), Vec::new());
        once(&ours, words)?;
        if let Some(theirs) = &theirs {
            once(theirs, words)?;
        }
        for _ in 0..runs {
            our.push(once(&ours, words)?);
            if let Some(theirs) = &theirs {
                their.push(once(theirs, words)?);
            }
        }
        let our = median(our);
        match their.is_empty() {
            true => println!("{name:28}{our:>12.1}{:>12}{:>9}", "-", "-"),
            false => {
                let their = median(their);
                println!("{name:28}{our:>12.1}{their:>12.1}{:>7.1} x", their / our);
            }
        }
    }
    if theirs.is_none() {
        println!("There is no kubectl to compare with; name one with RHUMB_KUBECTL.");
    }
    Ok(())
}

/// Milliseconds in the middle.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
}

/// Returns the kubectl to compare with: `$RHUMB_KUBECTL`, or the one on the path.
fn real_kubectl() -> Option<PathBuf> {
    let named = std::env::var_os("RHUMB_KUBECTL").map(PathBuf::from);
    let on_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|directory| directory.join("kubectl")).find(|file| file.is_file())
    };
    named.or_else(on_path)
}

/// A server, ended on drop.
struct Server {
    process: Child,
    kubeconfig: PathBuf,
}

impl Server {
    fn start(rhumb: &Path, directory: &Path) -> Result<Self, Box<dyn Error>> {
        let kubeconfig = directory.join("kubeconfig");
        let process = Command::new(rhumb)
            .args(["serve", "--in-memory", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(directory.join("data"))
            .arg("--kubeconfig-out")
            .arg(&kubeconfig)
            .stdout(Stdio::null())
            .spawn()?;
        let server = Server { process, kubeconfig };
        let deadline = Instant::now() + Duration::from_secs(10);
        while !server.kubeconfig.exists() {
            if Instant::now() > deadline {
                return Err("the server did not start".into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        // The file is there a moment before the server answers.
        std::thread::sleep(Duration::from_millis(200));
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
