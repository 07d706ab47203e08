//! `bench train BINARY`: training workload for profile-guided optimisation.
//!
//! It runs what servers and command lines do most. The proportions matter little: the compiler learns which code runs
//! and which branches are taken more often. Code that doesn't run here is optimised for size.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::server::go_client::{JSON, PROTOBUF};
use crate::server::load::{Load, Which};
use crate::server::sides::Side;

const CLIENTS: u64 = 16;
const PODS: u64 = 4000;
const WATCHERS: usize = 64;
const ROUNDS: usize = 10;

/// Files for the commands.
const OBJECTS: &str = include_str!("objects.yaml");

/// Commands in the order in which they run.
const COMMANDS: &[&[&str]] = &[
    &["version", "--client"],
    &["apply", "-f", "objects.yaml"],
    &["get", "all,configmaps,roles"],
    &["get", "pods"],
    &["get", "pods", "-o", "yaml"],
    &["get", "deployments", "-o", "json"],
    &["describe", "deployment", "web"],
    &["explain", "deployment.spec"],
    &["diff", "-f", "objects.yaml"],
    &["apply", "--server-side", "--force-conflicts", "-f", "objects.yaml"],
    &["scale", "deployment", "web", "--replicas=5"],
    &["label", "--overwrite", "deployment", "web", "tier=front"],
    &["patch", "configmap", "settings", "-p", "{\"data\":{\"mode\":\"fast\"}}"],
    &["patch", "deployment", "web", "--type=json", "-p", "[{\"op\":\"remove\",\"path\":\"/spec/replicas\"}]"],
    &["replace", "-f", "settings.yaml"],
    &["transcode", "-f", "objects.yaml", "-o", "json"],
    &["delete", "-f", "objects.yaml"],
];

/// Runs the workload on a binary.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let [binary] = words else { return Err("usage: rhumb-bench train BINARY".into()) };
    let binary = std::path::absolute(binary)?;
    let folder = std::env::temp_dir().join(format!("rhumb-training-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let trained = serve(&binary, &folder).map_err(|error| error as Box<dyn Error>);
    let trained = trained.and_then(|side| {
        let commanded = command(&binary, &folder);
        side.end().map_err(|error| error as Box<dyn Error>).and(commanded)
    });
    std::fs::remove_dir_all(&folder)?;
    trained
}

/// Runs the server load; the server keeps running.
fn serve(binary: &Path, folder: &Path) -> crate::server::Outcome<Side> {
    let (side, _) = Side::rhumb(binary, &folder.join("data"))?;
    let load = Load::new(side.target.clone());
    load.namespaces()?;
    load.create(CLIENTS, None, PODS, || Ok(()))?;
    load.get(CLIENTS, Duration::from_secs(2), || Ok(()))?;
    load.change(CLIENTS, 500, 4, "trained")?;
    load.watch(4, WATCHERS, 200, || Ok(()))?;
    let mut lister = load.lister()?;
    for accept in [JSON, PROTOBUF] {
        for _ in 0..ROUNDS {
            lister.list(Which::All, accept, PODS)?;
        }
    }
    Ok(side)
}

/// Runs each command several times.
fn command(binary: &Path, folder: &Path) -> Result<(), Box<dyn Error>> {
    std::fs::write(folder.join("objects.yaml"), OBJECTS)?;
    // The first object can be replaced without a change.
    std::fs::write(folder.join("settings.yaml"), OBJECTS.split("---").next().unwrap_or_default())?;
    let kubeconfig: PathBuf = folder.join("data/admin.kubeconfig");
    for _ in 0..ROUNDS {
        for words in COMMANDS {
            let output = Command::new(binary)
                .args(*words)
                .current_dir(folder)
                .env("KUBECONFIG", &kubeconfig)
                .env("HOME", folder)
                .stdin(Stdio::null())
                .output()?;
            if !output.status.success() {
                let (words, told) = (words.join(" "), String::from_utf8_lossy(&output.stderr));
                return Err(format!("{words}: {told}").into());
            }
        }
    }
    Ok(())
}
