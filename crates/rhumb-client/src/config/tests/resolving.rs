//! From files and flags to what a client uses.

use std::time::Duration;

use super::Dir;
use crate::config::kubeconfig::{AuthInfo, Cluster, Context};
use crate::config::overrides::{resolve, server_uri};
use crate::config::{Auth, Config, ConfigError, Kubeconfig, LoadingRules, Overrides, Source};

const BASE: &str = "
current-context: dev
clusters:
- {name: tls, cluster: {server: https://1.2.3.4:6443/prefix, tls-server-name: api, certificate-authority-data: Q0E=}}
- {name: plain, cluster: {server: http://1.2.3.4:8080}}
- {name: none, cluster: {server: '', tls-server-name: x}}
users:
- {name: token, user: {token: abc}}
- {name: basic, user: {username: u, password: p}}
- {name: both, user: {token: abc, username: u}}
- {name: cert, user: {client-certificate-data: Q0VSVA==, client-key-data: S0VZ}}
- {name: half, user: {client-certificate-data: Q0VSVA==}}
- {name: as, user: {as: root, as-groups: [a, b]}}
- {name: groups, user: {as-groups: [a]}}
- {name: gcp, user: {auth-provider: {name: gcp}}}
- {name: oidc, user: {auth-provider: {name: oidc}}}
- {name: exec, user: {exec: {command: plugin, apiVersion: client.authentication.k8s.io/v1}}}
- {name: old, user: {exec: {command: plugin, apiVersion: client.authentication.k8s.io/v1alpha1}}}
contexts:
- {name: dev, context: {cluster: tls, user: token, namespace: work}}
- {name: plain, context: {cluster: plain, user: token}}
- {name: lost, context: {cluster: gone, user: gone}}
";

fn overrides(context: &str, user: &str) -> Overrides {
    Overrides {
        current_context: context.to_owned(),
        context: Context { user: user.to_owned(), ..Context::default() },
        ..Overrides::default()
    }
}

fn config(overrides: &Overrides) -> Result<Config, ConfigError> {
    let dir = Dir::new();
    resolve(&Kubeconfig::parse(BASE.as_bytes()).unwrap(), overrides, &dir.environment())
}

#[test]
fn the_current_context_is_used() {
    let config = config(&Overrides::default()).unwrap();
    assert_eq!(config.server, "https://1.2.3.4:6443/prefix");
    assert_eq!(config.default_namespace, "work");
    assert_eq!(config.tls.server_name.as_deref(), Some("api"));
    assert_eq!(config.tls.ca, Some(Source::Bytes((*b"CA").into())));
    assert!(matches!(&config.auth, Auth::Token(token) if token.expose() == "abc"));
    assert!(!format!("{config:?}").contains("abc"));
}

#[test]
fn credentials_are_not_sent_in_the_open() {
    let config = config(&overrides("plain", "")).unwrap();
    assert!(matches!(config.auth, Auth::None));
    assert_eq!(config.default_namespace, "default");
}

#[test]
fn each_user_has_its_way() {
    let auth = |user: &str| config(&overrides("", user)).unwrap();
    assert!(
        matches!(&auth("basic").auth, Auth::Basic { username, password } if username == "u" && password.expose() == "p")
    );
    let cert = auth("cert");
    assert!(cert.tls.identity.is_some() && matches!(cert.auth, Auth::None));
    let impersonate = auth("as").impersonate.unwrap();
    assert_eq!((impersonate.user.as_str(), impersonate.groups.len()), ("root", 2));
}

#[test]
fn what_is_wrong_is_told_in_kubectls_words() {
    for (overrides, text) in [
        (overrides("gone", ""), "context \"gone\" does not exist"),
        (overrides("", "gone"), "auth info \"gone\" does not exist"),
        (
            Overrides {
                context: Context { cluster: "gone".into(), ..Context::default() },
                ..Overrides::default()
            },
            "cluster \"gone\" does not exist",
        ),
        (
            overrides("lost", ""),
            "invalid configuration: no configuration has been provided, \
             try setting KUBERNETES_MASTER environment variable",
        ),
        (
            overrides("", "both"),
            "invalid configuration: more than one authentication method found for both; \
             found [token basicAuth], only one is allowed",
        ),
        (
            overrides("", "half"),
            "invalid configuration: client-key-data or client-key must be specified for half \
             to use the clientCert authentication method.",
        ),
        (
            overrides("", "groups"),
            "invalid configuration: requesting uid, groups or user-extra for groups without impersonating a user",
        ),
        (
            overrides("", "exec"),
            "invalid configuration: interactiveMode must be specified for exec to use exec authentication plugin",
        ),
        (overrides("", "old"), "exec plugin: invalid apiVersion \"client.authentication.k8s.io/v1alpha1\""),
        (
            Overrides {
                context: Context { cluster: "none".into(), ..Context::default() },
                ..Overrides::default()
            },
            "invalid configuration: no server found for cluster \"none\"",
        ),
        (
            Overrides {
                cluster: Cluster {
                    certificate_authority: "/no/ca".into(),
                    proxy_url: "ftp://x".into(),
                    ..Cluster::default()
                },
                ..Overrides::default()
            },
            "invalid configuration: [invalid 'proxy-url' \"ftp://x\" for cluster \"tls\": \
             unsupported scheme \"ftp\", must be http, https, or socks5, \
             unable to read certificate-authority /no/ca for tls due to open /no/ca: no such file or directory]",
        ),
    ] {
        assert_eq!(config(&overrides).unwrap_err().to_string(), text);
    }
}

#[test]
fn a_dangling_current_context_is_told_with_all_else() {
    let mut kubeconfig = Kubeconfig::parse(BASE.as_bytes()).unwrap();
    kubeconfig.current_context = "x".to_owned();
    let dir = Dir::new();
    let overrides = Overrides::default().with_default_server(&dir.environment());
    let error = resolve(&kubeconfig, &overrides, &dir.environment()).unwrap_err();
    assert_eq!(error.to_string(), "invalid configuration: context was not found for specified context: x");
    let error = resolve(&kubeconfig, &Overrides::default(), &dir.environment()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "invalid configuration: [context was not found for specified context: x, cluster has no server defined]"
    );
}

#[test]
fn auth_providers_name_what_to_use_instead() {
    let gcp = config(&overrides("", "gcp")).unwrap_err().to_string();
    assert!(gcp.contains("gke-gcloud-auth-plugin"), "{gcp}");
    let oidc = config(&overrides("", "oidc")).unwrap_err().to_string();
    assert!(oidc.contains("int128/kubelogin"), "{oidc}");
}

#[test]
fn flags_go_before_files() {
    let flags = Overrides {
        cluster: Cluster {
            server: "https://other".to_owned(),
            insecure_skip_tls_verify: true,
            ..Cluster::default()
        },
        user: AuthInfo { token: "flag".into(), impersonate: "you".to_owned(), ..AuthInfo::default() },
        context: Context { namespace: "there".to_owned(), ..Context::default() },
        timeout: "5".to_owned(),
        ..Overrides::default()
    };
    let config = config(&flags).unwrap();
    assert_eq!(config.server, "https://other");
    assert_eq!(config.default_namespace, "there");
    // The file's authority and name belong to the file's server.
    assert!(config.tls.insecure && config.tls.ca.is_none() && config.tls.server_name.is_none());
    assert!(matches!(&config.auth, Auth::Token(token) if token.expose() == "flag"));
    assert_eq!(config.impersonate.unwrap().user, "you");
    assert_eq!(config.timeout, Some(Duration::from_secs(5)));
}

#[test]
fn timeouts_are_seconds_or_durations() {
    let timeout = |text: &str| {
        config(&Overrides { timeout: text.to_owned(), ..Overrides::default() }).map(|config| config.timeout)
    };
    assert_eq!(timeout("1m30s").unwrap(), Some(Duration::from_secs(90)));
    assert_eq!(timeout("0").unwrap(), None);
    assert!(timeout("soon").unwrap_err().to_string().starts_with("Invalid timeout value. Timeout must be"));
    assert!(timeout("-1s").is_err());
}

#[test]
fn addresses_of_servers() {
    for (server, uri) in [
        ("https://1.2.3.4:6443", "https://1.2.3.4:6443/"),
        ("https://h/a/b?x=y#z", "https://h/a/b"),
        ("localhost:8080", "http://localhost:8080/"),
        ("", "http://localhost/"),
        ("https://[::1]:6443", "https://[::1]:6443/"),
    ] {
        assert_eq!(server_uri(server).unwrap().to_string(), uri);
    }
    for server in ["host/path", "https://", "ftp://host", "http://a b", "://"] {
        assert!(server_uri(server).is_err(), "{server}");
    }
}

#[test]
fn without_files_kubectl_asks_this_machine() {
    let dir = Dir::new();
    let environment = dir.environment();
    let rules = LoadingRules::new(&environment);
    assert!(matches!(rules.config(&Overrides::default()), Err(ConfigError::Empty)));
    let kubectl = Overrides::default().with_default_server(&environment);
    assert_eq!(rules.config(&kubectl).unwrap().server, "http://localhost:8080");
    let environment = environment.with_variable("KUBERNETES_MASTER", "https://m:1");
    let kubectl = Overrides::default().with_default_server(&environment);
    assert_eq!(LoadingRules::new(&environment).config(&kubectl).unwrap().server, "https://m:1");
}

#[test]
fn all_entries_can_be_checked() {
    let problems = match Kubeconfig::parse(BASE.as_bytes()).unwrap().validate().unwrap_err() {
        ConfigError::Invalid(problems) => problems,
        other => panic!("{other}"),
    };
    for problem in [
        "user \"gone\" was not found for context \"lost\"",
        "cluster \"gone\" was not found for context \"lost\"",
        "no server found for cluster \"none\"",
    ] {
        assert!(problems.iter().any(|found| found == problem), "{problem} in {problems:?}");
    }
}
