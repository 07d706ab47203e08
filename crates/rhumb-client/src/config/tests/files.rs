//! Reading and writing the file form.

use crate::config::Kubeconfig;
use crate::config::kubeconfig::{Cluster, SecretText};

/// Every field that there is, as kubectl writes it.
const FULL: &str = include_str!("data/full.yaml");

#[test]
fn what_kubectl_wrote_comes_back_byte_for_byte() {
    for (name, text) in [
        ("full", FULL),
        ("small", include_str!("data/small.yaml")),
        ("empty", include_str!("data/empty.yaml")),
    ] {
        let config = Kubeconfig::parse(text.as_bytes()).unwrap();
        assert_eq!(String::from_utf8(config.to_yaml()).unwrap(), text, "{name}");
    }
}

#[test]
fn json_is_read_as_well() {
    let config = Kubeconfig::parse(FULL.as_bytes()).unwrap();
    assert_eq!(Kubeconfig::parse(&config.to_json()).unwrap(), config);
}

#[test]
fn debug_output_has_no_secrets() {
    let config = Kubeconfig::parse(FULL.as_bytes()).unwrap();
    let shown = format!("{config:?}{config:#?}");
    for secret in ["s3cret", "t0ken", "hunter2", "env-value", "refresh-me"] {
        assert!(FULL.contains(secret), "{secret} is not tested");
        assert!(!shown.contains(secret), "{secret} is shown in {shown}");
    }
    assert!(!format!("{:?}", SecretText::from("abc")).contains("abc"));
}

#[test]
fn nothing_is_an_empty_configuration() {
    for text in ["", "\n", "# only a comment\n", "{}", "null", "apiVersion: v1\nkind: Config\n"] {
        assert!(Kubeconfig::parse(text.as_bytes()).unwrap().is_empty(), "{text:?}");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    for (text, error) in [
        ("a: [", "yaml: line 1: did not find expected node content"),
        ("kind: Pod\napiVersion: v1\n", "no kind \"Pod\" is registered for version \"v1\""),
        (
            "clusters: 7",
            "json: cannot unmarshal number into Go struct field Config.clusters of type []v1.NamedCluster",
        ),
        (
            "clusters: [{name: a}, {name: a}]",
            "error converting *[]NamedCluster into *map[string]*api.Cluster: duplicate name \"a\" in list",
        ),
        ("users: [{name: u, user: {client-key-data: '%%'}}]", "illegal base64 data at input byte 0"),
    ] {
        assert_eq!(Kubeconfig::parse(text.as_bytes()).unwrap_err().to_string(), error, "{text}");
    }
}

#[test]
fn minify_keeps_what_the_current_context_names() {
    let mut config = Kubeconfig::parse(FULL.as_bytes()).unwrap();
    config.minify().unwrap();
    assert_eq!(config.contexts.keys().collect::<Vec<_>>(), ["dev"]);
    assert_eq!(config.clusters.keys().collect::<Vec<_>>(), ["files"]);
    assert_eq!(config.users.keys().collect::<Vec<_>>(), ["exec"]);
    config.current_context = "gone".to_owned();
    assert_eq!(config.minify().unwrap_err().to_string(), "cannot locate context gone");
}

#[test]
fn shorten_is_what_config_view_shows() {
    let mut config = Kubeconfig::parse(FULL.as_bytes()).unwrap();
    config.shorten();
    let text = String::from_utf8(config.to_yaml()).unwrap();
    assert!(text.contains("certificate-authority-data: DATA+OMITTED\n"), "{text}");
    assert!(text.contains("client-key-data: DATA+OMITTED\n"), "{text}");
    assert!(text.contains("token: REDACTED\n"), "{text}");
}

#[test]
fn flatten_takes_files_in() {
    let dir = super::Dir::new();
    dir.write("pki/ca.pem", "AUTHORITY");
    let mut config = Kubeconfig::default();
    let cluster = Cluster { certificate_authority: "pki/ca.pem".to_owned(), ..Cluster::default() };
    config.clusters.insert("c".to_owned(), cluster.into());
    config.flatten(dir.path()).unwrap();
    assert_eq!(config.clusters["c"].certificate_authority_data.0, b"AUTHORITY");
    assert_eq!(config.clusters["c"].certificate_authority, "");
}
