//! Our server beside a real one: requests, and the answers that kube-apiserver v1.36 gave to them.
//!
//! `cases/AREA.yaml` has requests in order (`script.rs` describes the format) and `cases/AREA.answers.json`
//! the recorded answers, without what differs from one run to the next (`mask.rs`).
//! `tools/record-requests.py` records them. The player sends the same requests to the server of [`target`]
//! and reports every difference as one line:
//!
//! ```text
//! file | step | what | expected | got
//! ```
//!
//! `differences.txt` lists those that we know, each under a comment that says why. A difference that is not
//! listed fails the test, and so does a listed one that no longer occurs.
//!
//! `COMPARE=lists` plays only the files whose name begins so. Every file has a server of its own in this process;
//! `RHUMB_COMPARE_URL` and `RHUMB_COMPARE_TOKEN` name another one to ask instead.

#[path = "../admission/mod.rs"]
mod admission;
mod connection;
mod known;
mod mask;
mod player;
mod script;
mod wire;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use connection::Target;
use known::{Difference, Known};
use rhumb_server::Server;
use rhumb_server::config::{AdmissionPlugins, Anonymous, Controllers, Options};
use rhumb_server::identity::{MASTERS, User};
use script::Script;

/// The most bytes of differences that a failing test shows; all of them are in a file whose name it tells.
const SHOWN: usize = 30_000;

/// The token of the administrator.
const TOKEN: &str = "compare";

/// The server that somebody named for the requests.
fn target() -> Option<Target> {
    let url = std::env::var("RHUMB_COMPARE_URL").ok()?;
    let token = std::env::var("RHUMB_COMPARE_TOKEN").unwrap_or_default();
    Some(Target::parse(&url, &token).expect("RHUMB_COMPARE_URL is http[s]://host:port"))
}

/// A server for one file, with the plugins that the recorded one had.
async fn server() -> Server {
    let groups = vec![MASTERS.to_owned()];
    let admin = User { name: "admin".to_owned(), uid: "admin".to_owned(), groups, ..User::default() };
    // Roles were recorded without the controller that puts them together.
    let controllers = Controllers::parse("*,-clusterrole-aggregation-controller").expect("a known name");
    let admission_plugins = AdmissionPlugins::only(&["NamespaceLifecycle"]);
    let options = Options { admission_plugins, controllers, ..Options::default() };
    let builder = Server::builder().options(options).in_memory().listen(([127, 0, 0, 1], 0).into());
    // What was recorded lets the anonymous user in, and refuses what that one may not do.
    let builder = builder.anonymous(Anonymous::Everything);
    builder.token(TOKEN, admin).start().await.expect("the server starts")
}

/// Plays files and gives the differences of each, in the order of the files.
fn play_all(scripts: &[Script]) -> Vec<Vec<Difference>> {
    match target() {
        Some(target) => scripts.iter().map(|script| play(script, &target)).collect(),
        None => play_on(scripts, TOKEN, server),
    }
}

/// Plays files at the same time, each on a server of its own.
fn play_on(scripts: &[Script], token: &str, server: impl AsyncFn() -> Server + Sync) -> Vec<Vec<Difference>> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    thread::scope(|scope| {
        let players: Vec<_> = scripts
            .iter()
            .map(|script| {
                scope.spawn(|| {
                    let server = runtime.block_on(server());
                    let target = Target::parse(server.url(), token).expect("a server has a URL");
                    let found = play(script, &target);
                    runtime.block_on(server.shutdown()).expect("the server ends");
                    found
                })
            })
            .collect();
        players.into_iter().map(|player| player.join().expect("a file is played")).collect()
    })
}

fn play(script: &Script, target: &Target) -> Vec<Difference> {
    player::play(script, target).unwrap_or_else(|fault| panic!("{}: {fault}", script.name))
}

#[test]
fn every_request_has_a_recorded_answer() {
    let mut faults = Vec::new();
    let mut requests = 0;
    for script in scripts() {
        let mut seen = BTreeSet::new();
        for step in &script.steps {
            requests += 1;
            if !seen.insert(step.name.clone()) {
                faults.push(format!("{} | {} | there are two of this name", script.name, step.name));
            }
            if !script.answers.contains_key(&step.name) {
                faults.push(format!("{} | {} | no answer is recorded", script.name, step.name));
            }
        }
        for name in script.answers.keys().filter(|name| !seen.contains(*name)) {
            faults.push(format!("{} | {name} | an answer without a request", script.name));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(requests >= 700, "only {requests} requests are left");
}

#[test]
fn answers_are_those_of_a_real_server() {
    let mut known = Known::read(&folder().join("differences.txt")).expect("differences.txt");
    let filter = std::env::var("COMPARE").unwrap_or_default();
    let (mut expected, mut lines) = (0, Vec::new());
    let scripts: Vec<Script> =
        scripts().into_iter().filter(|script| script.name.starts_with(&filter)).collect();
    let requests: usize = scripts.iter().map(|script| script.steps.len()).sum();
    for difference in play_all(&scripts).into_iter().flatten() {
        if known.covers(&difference) {
            expected += 1;
        } else {
            lines.push(difference.to_string());
        }
    }
    let unlisted = lines.len();
    lines.extend(known.unused(&filter).map(|entry| format!("{entry} | listed, and no longer occurs")));
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compare.txt");
    fs::write(&report, lines.join("\n")).expect("the report can be written");
    let mut text = lines.join("\n");
    let end = (0..=SHOWN.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    text.truncate(end);
    assert!(
        lines.is_empty(),
        "{text}\n{requests} requests, {unlisted} differences that are not listed, {expected} that are; all of them: {}",
        report.display()
    );
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compare")
}

fn scripts() -> Vec<Script> {
    scripts_of(&folder())
}

/// The files of a folder, in the order of their names.
fn scripts_of(folder: &Path) -> Vec<Script> {
    let entries = fs::read_dir(folder.join("cases")).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let yaml = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.map(|path| Script::read(path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display())))
        .collect()
}
