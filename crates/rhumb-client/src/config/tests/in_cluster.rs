//! In a pod.

use super::Dir;
use crate::config::{Auth, ConfigError, Environment, LoadingRules, Overrides, in_cluster};

fn pod(dir: &Dir) -> Environment {
    dir.environment()
        .with_variable("KUBERNETES_SERVICE_HOST", "fd00::1")
        .with_variable("KUBERNETES_SERVICE_PORT", "443")
        .with_service_account_dir(dir.file("sa"))
}

#[test]
fn a_pod_has_all_it_needs() {
    let dir = Dir::new();
    let token = dir.write("sa/token", "abc");
    dir.write("sa/ca.crt", "CA");
    dir.write("sa/namespace", "work\n");
    // Both ways lead there: asked for, and found when there is nothing else.
    for config in [
        in_cluster::config(&pod(&dir), &Overrides::default()).unwrap(),
        LoadingRules::new(&pod(&dir)).config(&Overrides::default()).unwrap(),
        LoadingRules::new(&pod(&dir)).config(&Overrides::default().with_default_server(&pod(&dir))).unwrap(),
    ] {
        assert_eq!(config.server, "https://[fd00::1]:443");
        assert_eq!(config.default_namespace, "work");
        assert!(matches!(&config.auth, Auth::TokenFile(path) if *path == token));
        assert!(config.tls.ca.is_some());
    }
    let named = pod(&dir).with_variable("POD_NAMESPACE", "mine");
    assert_eq!(in_cluster::config(&named, &Overrides::default()).unwrap().default_namespace, "mine");
}

#[test]
fn a_file_goes_before_the_pod() {
    let dir = Dir::new();
    dir.write("sa/token", "abc");
    dir.write("sa/namespace", "work");
    dir.write(
        ".kube/config",
        "current-context: a\nclusters: [{name: a, cluster: {server: 'https://a'}}]\n\
         contexts: [{name: a, context: {cluster: a}}]\n",
    );
    let config = LoadingRules::new(&pod(&dir)).config(&Overrides::default()).unwrap();
    assert_eq!(config.server, "https://a");
    assert_eq!(config.default_namespace, "work");
}

#[test]
fn outside_of_a_pod() {
    let dir = Dir::new();
    let error = in_cluster::config(&dir.environment(), &Overrides::default()).unwrap_err();
    assert!(matches!(error, ConfigError::NotInCluster));
    let error = in_cluster::config(&pod(&dir), &Overrides::default()).unwrap_err();
    assert!(error.is_missing_file(), "{error}");
}
