//! Which files count, and what they come to together.

use super::Dir;
use crate::config::{Kubeconfig, LoadingRules};

const FIRST: &str = "
current-context: one
clusters:
- {name: shared, cluster: {server: https://first, certificate-authority: ca.pem}}
contexts:
- {name: one, context: {cluster: shared, user: me}}
";
const SECOND: &str = "
current-context: two
clusters:
- {name: shared, cluster: {server: https://second, tls-server-name: x}}
- {name: other, cluster: {server: https://other, certificate-authority: ../ca.pem}}
users:
- {name: me, user: {client-certificate: me.crt, client-key: /abs/me.key, tokenFile: me.token,
   exec: {command: bin/plugin, apiVersion: client.authentication.k8s.io/v1beta1}}}
- {name: plain, user: {exec: {command: plugin, apiVersion: client.authentication.k8s.io/v1beta1}}}
";

fn rules(dir: &Dir, list: &str) -> LoadingRules {
    let list: Vec<_> = list.split(':').map(|name| dir.file(name)).collect();
    let list = std::env::join_paths(list).unwrap().into_string().unwrap();
    LoadingRules::new(&dir.environment().with_variable("KUBECONFIG", list))
}

fn two_files() -> Dir {
    let dir = Dir::new();
    dir.write("a/first", FIRST);
    dir.write("b/second", SECOND);
    dir
}

#[test]
fn the_first_file_wins_and_missing_ones_are_passed_over() {
    let dir = two_files();
    let rules = rules(&dir, "none:a/first:b/second");
    let config = rules.load().unwrap();
    assert_eq!(config.current_context, "one");
    assert_eq!(config.clusters["shared"].server, "https://first");
    // An entry is taken as a whole: what only the second says of it does not count.
    assert_eq!(config.clusters["shared"].tls_server_name, "");
    assert_eq!(config.clusters["other"].server, "https://other");
    assert_eq!(config.contexts["one"].origin.as_deref(), Some(&*dir.file("a/first")));
    assert!(rules.missing_files().is_empty());
}

#[test]
fn paths_start_from_their_own_file() {
    let dir = two_files();
    let config = rules(&dir, "a/first:b/second").load().unwrap();
    let path = |name: &str| dir.file(name).to_str().unwrap().to_owned();
    assert_eq!(config.clusters["shared"].certificate_authority, path("a/ca.pem"));
    assert_eq!(config.clusters["other"].certificate_authority, path("ca.pem"));
    let me = &config.users["me"];
    assert_eq!(me.client_certificate, path("b/me.crt"));
    assert_eq!(me.client_key, "/abs/me.key");
    assert_eq!(me.token_file, path("b/me.token"));
    assert_eq!(me.exec.as_ref().unwrap().command, path("b/bin/plugin"));
    assert_eq!(config.users["plain"].exec.as_ref().unwrap().command, "plugin");
}

#[test]
fn a_broken_file_names_itself() {
    let dir = two_files();
    dir.write("broken", "a: [");
    dir.write("worse", "clusters: 7");
    let one = rules(&dir, "a/first:broken").load().unwrap_err().to_string();
    let broken = format!(
        "error loading config file \"{}\": yaml: line 1: did not find expected node content",
        dir.file("broken").display()
    );
    assert_eq!(one, broken);
    let both = rules(&dir, "broken:worse").load().unwrap_err().to_string();
    assert!(both.starts_with(&format!("[{broken}, error loading config file")), "{both}");
}

#[test]
fn an_explicit_file_must_be_there_and_is_alone() {
    let dir = two_files();
    let rules = rules(&dir, "a/first");
    let only = rules.clone().with_explicit_file(dir.file("b/second")).load().unwrap();
    assert_eq!(only.current_context, "two");
    let gone = dir.file("gone");
    let error = rules.with_explicit_file(&gone).load().unwrap_err();
    assert_eq!(error.to_string(), format!("stat {}: no such file or directory", gone.display()));
}

#[test]
fn without_a_variable_it_is_the_file_at_home() {
    let dir = Dir::new();
    let rules = LoadingRules::new(&dir.environment());
    assert!(rules.load().unwrap().is_empty());
    assert_eq!(rules.default_file(), Some(&*dir.file(".kube/config")));
    dir.write(".kube/config", FIRST);
    assert_eq!(rules.load().unwrap().current_context, "one");
    // A variable that names only missing files is not forgotten for the file at home.
    let other = self::rules(&dir, "x:y");
    assert!(other.load().unwrap().is_empty());
    assert_eq!(other.missing_files().len(), 2);
    assert_eq!(other.default_file(), Some(&*dir.file("y")));
}

#[test]
fn relative_and_doubled_names_in_the_variable() {
    let dir = two_files();
    let environment = dir.environment().with_variable("KUBECONFIG", "a/first::a/first:b/second");
    let rules = LoadingRules::new(&environment);
    assert_eq!(rules.files().len(), 2);
    let config = rules.load().unwrap();
    assert_eq!(config.clusters["shared"].certificate_authority, dir.file("a/ca.pem").to_str().unwrap());
    assert_ne!(config, Kubeconfig::default());
}
