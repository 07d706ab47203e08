//! What plugins make of requests, beside a real server: the requests of `cases` were sent to a kube-apiserver v1.36 on
//! which all plugins that we have were on, and what it answered stands beside them.
//!
//! Format, masks and player are those of `../compare`, where they are described. `differences.txt` lists what we know
//! to be different, each under a comment that says why. `COMPARE=pods` plays only the files whose name begins so.

use std::path::{Path, PathBuf};

use crate::known::Known;
use crate::script::Script;
use crate::{play_on, scripts_of};
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

#[test]
fn plugins_answer_as_those_of_a_real_server() {
    let mut known = Known::read(&folder().join("differences.txt")).expect("differences.txt");
    let filter = std::env::var("COMPARE").unwrap_or_default();
    let scripts: Vec<Script> =
        scripts_of(&folder()).into_iter().filter(|script| script.name.starts_with(&filter)).collect();
    let mut lines = Vec::new();
    for script in &scripts {
        for step in script.steps.iter().filter(|step| !script.answers.contains_key(&step.name)) {
            lines.push(format!("{} | {} | no answer is recorded", script.name, step.name));
        }
    }
    for difference in play_on(&scripts, TOKEN, server).into_iter().flatten() {
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
