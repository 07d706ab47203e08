//! `create ingress`.

use rhumb_api::networking::v1::Ingress;
use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::{Call, Outcome, options};
use rhumb_meta::IntOrString;
use serde_json::{Map, Value, json};

use super::generator::{Generator, MANAGER};

static FLAGS: &[Flag] = &[
    Flag::text("class", "The ingress class."),
    Flag::array(
        "rule",
        "A rule: host/path=service:port[,tls[=secret]]; a path that ends with * is a prefix.",
    ),
    Flag::text("default-backend", "Where all other requests go: service:port."),
    Flag::array("annotation", "An annotation of the ingress: key=value."),
];

/// `create ingress`.
pub(super) static COMMAND: Command = Command {
    name: "ingress",
    aliases: &["ing"],
    about: "Create an ingress",
    usage: "NAME --rule=host/path=service:port[,tls[=secret]] ",
    examples: &[
        ("One path of a host", "create ingress web --rule='example.com/shop=shop:80'"),
        ("A whole host, with TLS", "create ingress web --class=nginx --rule='example.com/*=web:80,tls=cert'"),
        ("What no rule fits goes to one service", "create ingress all --default-backend=web:80"),
    ],
    flags: &[options::PRINT, options::SAVE_CONFIG, options::VALIDATE, options::DRY_RUN, FLAGS, MANAGER],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let generator = Generator::of(call)?;
    let flags = &call.flags;
    let (rules, default_backend) = (flags.list("rule"), flags.text("default-backend"));
    if default_backend.is_empty() && rules.is_empty() {
        return Err(
            "not enough information provided: every ingress has to either specify a default-backend \
                    (which catches all traffic) or a list of rules (which catch specific paths)"
                .into(),
        );
    }
    let mut parsed = Vec::new();
    for rule in &rules {
        let Some(rule) = Rule::parse(rule) else {
            return Err(format!(
                "rule {rule} is invalid and should be in format host/path=svcname:svcport[,tls[=secret]]"
            )
            .into());
        };
        parsed.push(rule);
    }
    let mut annotations = Map::new();
    for annotation in flags.list("annotation") {
        let Some((key, value)) = annotation.split_once('=') else {
            return Err(
                format!("annotation {annotation} is invalid and should be in format key=[value]").into()
            );
        };
        annotations.insert(key.to_owned(), value.into());
    }
    let mut spec = Map::new();
    if !flags.text("class").is_empty() {
        spec.insert("ingressClassName".to_owned(), flags.text("class").into());
    }
    if !default_backend.is_empty() {
        let parts: Vec<&str> = default_backend.split(':').collect();
        let [service, port] = parts.as_slice() else {
            return Err("default-backend should be in format servicename:serviceport".into());
        };
        spec.insert("defaultBackend".to_owned(), backend(service, port));
    }
    spec.insert("tls".to_owned(), certificates(&parsed));
    spec.insert("rules".to_owned(), hosts(&parsed));
    let mut metadata = generator.metadata();
    metadata["annotations"] = Value::Object(annotations);
    let tree = json!({"metadata": metadata, "spec": spec});
    generator.create::<Ingress>(call, tree, "failed to create ingress: ").await
}

/// A rule of the command line.
struct Rule<'a> {
    host: &'a str,
    path: String,
    is_prefix: bool,
    service: &'a str,
    port: &'a str,
    /// The secret with the certificate; empty for the controller's own.
    tls: Option<&'a str>,
}

impl<'a> Rule<'a> {
    /// kubectl checks the beginning of a rule by a pattern and then cuts it at each separator, whatever the
    /// pattern
    /// took; so does this.
    fn parse(rule: &'a str) -> Option<Self> {
        if !fits(rule) {
            return None;
        }
        let mut parts = rule.split(',');
        let target = parts.next()?;
        let tls = match (parts.next(), parts.next()) {
            (Some(tls), None) => Some(tls.split('=').nth(1).unwrap_or_default()),
            _ => None,
        };
        let (host, rest) = target.split_once('/')?;
        let mut parts = rest.split('=');
        let path = format!("/{}", parts.next()?);
        let mut backend = parts.next()?.split(':');
        let (service, port) = (backend.next()?, backend.next()?);
        let is_prefix = path.ends_with('*');
        let path = path.strip_suffix('*').map(str::to_owned).unwrap_or(path);
        Some(Rule { host, path, is_prefix, service, port, tls })
    }
}

/// Reports whether a rule begins as `host/path=service:port` does.
fn fits(rule: &str) -> bool {
    let Some((host, rest)) = rule.split_once('/') else { return false };
    let word = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !host.chars().all(|letter| word(letter) || letter == '*' || letter == '.') {
        return false;
    }
    // The path may have any characters, also equals signs: any of them may be the one before the service.
    rest.match_indices('=').any(|(at, _)| {
        let backend = rest.get(at + 1..).unwrap_or_default();
        let service = backend.trim_start_matches(word);
        service.len() < backend.len() && service.strip_prefix(':').is_some_and(|port| port.starts_with(word))
    })
}

fn backend(service: &str, port: &str) -> Value {
    let port = match IntOrString::parse(port) {
        IntOrString::Int(number) => json!({"number": number}),
        IntOrString::String(name) => json!({"name": name}),
    };
    json!({"service": {"name": service, "port": port}})
}

/// Returns the rules of each host together.
fn hosts(rules: &[Rule<'_>]) -> Value {
    let mut hosts: Vec<(&str, Vec<Value>)> = Vec::new();
    for rule in rules {
        let path = json!({
            "path": rule.path,
            "pathType": if rule.is_prefix { "Prefix" } else { "Exact" },
            "backend": backend(rule.service, rule.port),
        });
        match hosts.iter_mut().find(|(host, _)| *host == rule.host) {
            Some((_, paths)) => paths.push(path),
            None => hosts.push((rule.host, vec![path])),
        }
    }
    hosts.into_iter().map(|(host, paths)| json!({"host": host, "http": {"paths": paths}})).collect()
}

/// Returns the hosts of each secret together, each host once.
fn certificates(rules: &[Rule<'_>]) -> Value {
    let mut secrets: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for rule in rules {
        let Some(secret) = rule.tls else { continue };
        if seen.contains(&rule.host) {
            continue;
        }
        seen.push(rule.host);
        match secrets.iter_mut().find(|(name, _)| *name == secret) {
            Some((_, hosts)) => hosts.push(rule.host),
            None if rule.host.is_empty() && secret.is_empty() => {}
            None if rule.host.is_empty() => secrets.push((secret, Vec::new())),
            None => secrets.push((secret, vec![rule.host])),
        }
    }
    secrets.into_iter().map(|(secret, hosts)| json!({"hosts": hosts, "secretName": secret})).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_name_host_path_and_service() {
        let rule = Rule::parse("foo.com/bar*=svc:8080,tls=secret").unwrap_or_else(|| panic!("a rule"));
        assert_eq!((rule.host, rule.path.as_str(), rule.is_prefix), ("foo.com", "/bar", true));
        assert_eq!((rule.service, rule.port, rule.tls), ("svc", "8080", Some("secret")));
        assert!(Rule::parse("foo.com=svc:1").is_none());
        assert!(Rule::parse("foo.com/=svc").is_none());
        assert!(Rule::parse("foo com/=svc:1").is_none());
    }
}
