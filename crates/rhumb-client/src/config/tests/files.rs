//! Reading and writing the file form.

use crate::config::Kubeconfig;
use crate::config::kubeconfig::SecretText;

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
        (
            "kind: Pod\napiVersion: v1\n",
            "no kind \"Pod\" is registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\"",
        ),
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
    config.shorten();
    assert_eq!(String::from_utf8(config.to_yaml()).unwrap(), include_str!("data/minify.yaml"));
    config.current_context = "gone".to_owned();
    assert_eq!(config.minify().unwrap_err().to_string(), "cannot locate context gone");
}

#[test]
fn shorten_is_what_config_view_shows() {
    let mut config = Kubeconfig::parse(FULL.as_bytes()).unwrap();
    config.shorten();
    assert_eq!(String::from_utf8(config.to_yaml()).unwrap(), include_str!("data/view.yaml"));
}

#[test]
fn flatten_takes_files_in() {
    let dir = super::Dir::new();
    for (name, content) in [("pki/ca.pem", "CA\n"), ("me.crt", "CRT\n"), ("me.key", "KEY\n")] {
        dir.write(name, content);
    }
    let mut config = Kubeconfig::read(&dir.write("full.yaml", FULL)).unwrap();
    // Paths start from the file, wherever the process is.
    config.flatten(std::path::Path::new("/elsewhere")).unwrap();
    assert_eq!(String::from_utf8(config.to_yaml()).unwrap(), include_str!("data/flatten.yaml"));
    let both = "clusters: [{name: c, cluster: {certificate-authority: x, certificate-authority-data: Q0E=}}]";
    let mut config = Kubeconfig::parse(both.as_bytes()).unwrap();
    let error = config.flatten(dir.path()).unwrap_err();
    assert_eq!(error.to_string(), "cannot have values for both path and contents");
}

#[test]
fn damaged_files_are_refused_or_come_back_as_they_were_read() {
    let seed = 7;
    let mut random = fastrand::Rng::with_seed(seed);
    let mut understood = 0;
    for round in 0..600 {
        let mut text = FULL.as_bytes().to_vec();
        for _ in 0..random.usize(1..4) {
            let at = random.usize(..text.len());
            match random.u8(..4) {
                0 => text[at] = random.u8(..),
                1 => drop(text.remove(at)),
                2 => text.insert(at, b" \n:-{}[]'\"&*!|>%@`#,?"[random.usize(..21)]),
                _ => text.truncate(at.max(1)),
            }
        }
        if let Ok(config) = Kubeconfig::parse(&text) {
            understood += 1;
            let again = Kubeconfig::parse(&config.to_yaml()).unwrap();
            assert_eq!(again, config, "seed {seed}, round {round}");
        }
    }
    assert!(understood > 60, "{understood}");
}
