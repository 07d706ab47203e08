//! What plugins make of requests, beside a real server: the requests of `cases` were sent to a kube-apiserver v1.36 on
//! which all plugins that we have were on, and what it answered stands beside them.
//!
//! Format, masks and player are those of `../compare`, where they are described. `differences.txt` lists what we know
//! to be different, each under a comment that says why. `COMPARE=pods` plays only the files whose name begins so.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use crate::connection::Target;
use crate::known::{Difference, Known};
use crate::script::Script;
use rhumb_server::Server;
use rhumb_server::identity::{MASTERS, User};

/// The token of the administrator.
const TOKEN: &str = "admission";

fn user(name: &str, uid: &str, groups: &[&str]) -> User {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    User { name: name.to_owned(), uid: uid.to_owned(), groups, ..User::default() }
}

/// A server for one file. Two of those that it knows are nodes and may everything but what plugins refuse to nodes.
async fn server() -> Server {
    let builder = Server::builder()
        .in_memory()
        .listen(([127, 0, 0, 1], 0).into())
        .token(TOKEN, user("admin", "admin", &[MASTERS]))
        .token("node", user("system:node:one", "one", &["system:nodes", MASTERS]))
        .token("nameless", user("system:node:", "x", &["system:nodes", MASTERS]));
    builder.start().await.expect("the server starts")
}

/// Plays files and gives the differences of each, in the order of the files.
fn play_all(scripts: &[Script]) -> Vec<Vec<Difference>> {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    thread::scope(|scope| {
        let players: Vec<_> = scripts
            .iter()
            .map(|script| {
                scope.spawn(|| {
                    let server = runtime.block_on(server());
                    let target = Target::parse(server.url(), TOKEN).expect("a server has a URL");
                    let found = crate::player::play(script, &target)
                        .unwrap_or_else(|fault| panic!("{}: {fault}", script.name));
                    runtime.block_on(server.shutdown()).expect("the server ends");
                    found
                })
            })
            .collect();
        players.into_iter().map(|player| player.join().expect("a file is played")).collect()
    })
}

#[test]
fn plugins_answer_as_those_of_a_real_server() {
    let mut known = Known::read(&folder().join("differences.txt")).expect("differences.txt");
    let filter = std::env::var("COMPARE").unwrap_or_default();
    let scripts: Vec<Script> =
        scripts().into_iter().filter(|script| script.name.starts_with(&filter)).collect();
    let mut lines = Vec::new();
    for script in &scripts {
        for step in script.steps.iter().filter(|step| !script.answers.contains_key(&step.name)) {
            lines.push(format!("{} | {} | no answer is recorded", script.name, step.name));
        }
    }
    for difference in play_all(&scripts).into_iter().flatten() {
        if !known.covers(&difference) {
            lines.push(difference.to_string());
        }
    }
    lines.extend(known.unused(&filter).map(|entry| format!("{entry} | listed, and no longer occurs")));
    assert!(lines.is_empty(), "{}\n{} differences", lines.join("\n"), lines.len());
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/admission")
}

fn scripts() -> Vec<Script> {
    let entries = fs::read_dir(folder().join("cases")).expect("the folder of cases");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    let yaml = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.map(|path| Script::read(path).unwrap_or_else(|fault| panic!("{}: {fault}", path.display())))
        .collect()
}
