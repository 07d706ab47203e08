//! `expose`: creates a service for pods or a workload.

use std::collections::BTreeMap;

use rhumb_cli::command::{Action, Command, Family, Flag, Words};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::IntOrString;
use rhumb_meta::v1::CreateOptions;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value, json};

use crate::change_cause::{self, Recorder};
use crate::{last_applied, metadata, overrides, pod_spec, typed};

/// Maximum length of a service's name.
const NAME_LENGTH: usize = 63;

static FLAGS: &[Flag] = &[
    Flag::text("protocol", "The protocol: TCP, UDP or SCTP; else that of the ports, or TCP."),
    Flag::text("port", "The port of the service; else those of the object."),
    Flag::text("type", "The type: ClusterIP, NodePort, LoadBalancer or ExternalName.").choices(&[
        "ClusterIP",
        "NodePort",
        "LoadBalancer",
        "ExternalName",
    ]),
    Flag::text("load-balancer-ip", "The address that a load balancer should have."),
    Flag::text("selector", "The labels of the pods; else those that the object selects."),
    Flag::text("labels", "The labels of the service; else those of the object.").short('l'),
    Flag::text("target-port", "The port of the pods, by number or name; else the same."),
    Flag::text("external-ip", "Another address at which the service is reached."),
    Flag::text("name", "The name of the service; else that of the object."),
    Flag::text("session-affinity", "Whether a client stays with a pod: None or ClientIP.")
        .choices(&["None", "ClientIP"]),
    Flag::text("cluster-ip", "The address of the service; None is for a service without one."),
    options::field_manager("kubectl-expose"),
];

/// The command.
pub(crate) static COMMAND: Command = Command {
    name: "expose",
    family: Family::Beginner,
    about: "Make a service for a replication controller, service, deployment or pod",
    long: "Looks up a deployment, service, replica set, replication controller or pod and makes a service \
           with its \
           selector. A deployment or replica set must select by equality only. Without --port the ports of \
           the \
           object are taken.",
    usage: "(-f FILENAME | TYPE NAME) [--port=port] [--protocol=TCP|UDP|SCTP] [--target-port=number-or-name] \
            [--name=name] [--external-ip=external-ip-of-service] [--type=type]",
    examples: &[
        ("Port 80 of the service is 8000 of the pods", "expose deployment web --port=80 --target-port=8000"),
        ("A pod under another name", "expose pod web-0 --port=444 --name=frontend"),
        ("A second service like the first", "expose service web --port=443 --name=web-tls"),
    ],
    flags: &[
        options::PRINT,
        change_cause::FLAGS,
        FLAGS,
        overrides::FLAGS,
        options::DRY_RUN,
        options::SAVE_CONFIG,
        options::FILES,
    ],
    words: Words::Of(&["pod", "service", "replicationcontroller", "deployment", "replicaset"]),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    let dry_run = DryRun::of(call)?;
    let mut printer = call.printer(dry_run)?;
    let recorder = Recorder::of(call);
    let (namespace, enforces) = call.factory.namespace()?;
    let files = options::files(&call.flags);
    let builder = call.factory.builder().continue_on_error().namespace(&namespace).default_namespace().files(
        enforces,
        &files,
        &mut call.streams,
    );
    let infos = builder.words(false, &call.args).flatten().build().await?;
    infos
        .visit(async |info| {
            let mut service = overrides::apply(&call.flags, service(call, info)?)?;
            recorder.record(&mut service);
            if dry_run == DryRun::Client {
                if enforces {
                    metadata::set_text(&mut service, "namespace", &namespace);
                }
                return typed::print(&mut printer, &mut call.streams, &service, "exposed");
            }
            let service = create(call, &namespace, service, dry_run).await?;
            printer.print(&mut call.streams, &service, "exposed")
        })
        .await
}

/// Creates a service, with itself in its annotation if that is wanted.
pub(crate) async fn create(
    call: &Call,
    namespace: &str,
    service: Unstructured,
    dry_run: DryRun,
) -> Result<Unstructured, Failure> {
    let kind = typed::kind_of(&service);
    let mapper = call.factory.mapper()?;
    let mapping = mapper.rest_mapping(&kind.group_kind(), &[&*kind.version]).await?;
    let api = call.factory.client()?.dynamic(&mapping.resource);
    let api = match mapping.scope {
        rhumb_meta::Scope::Namespaced => api.namespace(namespace),
        rhumb_meta::Scope::Cluster => api,
    };
    let mut object = typed::read(&service)?;
    last_applied::keep_typed(&mut *object, call.flags.bool("save-config"));
    let options = CreateOptions {
        dry_run: dry_run.param(),
        field_manager: call.flags.text("field-manager").to_owned(),
        ..CreateOptions::default()
    };
    Ok(api.create(&Unstructured::from_object(&*object), &options).await?)
}

/// Returns the service for an object.
fn service(call: &Call, info: &Info) -> Result<Unstructured, Failure> {
    let object = info.object()?;
    let kind = &info.mapping.kind;
    let exposable = matches!(
        (&*kind.group, &*kind.kind),
        ("", "ReplicationController" | "Service" | "Pod")
            | ("apps" | "extensions", "Deployment" | "ReplicaSet")
    );
    if !exposable {
        return Err(format!("cannot expose a {}", kind.group_kind()).into());
    }
    let flags = &call.flags;
    let selector = match flags.text("selector") {
        "" => selector(object, &kind.kind).map_err(|why| {
            let text = format!("couldn't retrieve selectors via --selector flag or introspection: {why}");
            Failure::message(text)
        })?,
        selector => selector.to_owned(),
    };
    let (found, protocols) = ports(object);
    let ports = match (flags.text("port"), found.is_empty()) {
        ("", true) if flags.text("cluster-ip") == "None" => String::new(),
        ("", true) => return Err("couldn't find port via --port flag or introspection".into()),
        ("", false) => found.join(","),
        (ports, _) => ports.to_owned(),
    };
    let labels = match flags.text("labels") {
        "" => joined(object.get(&["metadata", "labels"])),
        labels => labels.to_owned(),
    };
    let name: String = match flags.text("name") {
        "" => info.name.chars().take(NAME_LENGTH).collect(),
        name => name.to_owned(),
    };
    let mut spec = Map::new();
    if selector.is_empty() {
        return Err("selector must be specified".into());
    }
    spec.insert("selector".to_owned(), json!(parse_labels(&selector)?));
    let labels = if labels.is_empty() { BTreeMap::new() } else { parse_labels(&labels)? };
    spec.insert("ports".to_owned(), service_ports(&ports, flags.text("protocol"), &protocols)?);
    set_targets(&mut spec, flags.text("target-port"));
    let mut put = |field: &str, value: Value| drop(spec.insert(field.to_owned(), value));
    if !flags.text("external-ip").is_empty() {
        put("externalIPs", json!([flags.text("external-ip")]));
    }
    put("type", json!(flags.text("type")));
    if flags.text("type") == "LoadBalancer" {
        put("loadBalancerIP", json!(flags.text("load-balancer-ip")));
    }
    match flags.text("session-affinity") {
        affinity @ ("" | "None" | "ClientIP") => put("sessionAffinity", json!(affinity)),
        other => return Err(format!("unknown session affinity: {other}").into()),
    }
    put("clusterIP", json!(flags.text("cluster-ip")));
    tree(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
    }))
}

/// Returns the service that `run --expose` makes for its pod.
pub(crate) fn service_of_pod(
    name: &str,
    selector: &str,
    labels: &str,
    port: &str,
) -> Result<Unstructured, Failure> {
    let labels = if labels.is_empty() { BTreeMap::new() } else { parse_labels(labels)? };
    let mut spec = Map::new();
    spec.insert("selector".to_owned(), json!(parse_labels(selector)?));
    spec.insert("ports".to_owned(), service_ports(port, "TCP", &BTreeMap::new())?);
    set_targets(&mut spec, "");
    tree(json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "labels": labels},
        "spec": spec,
    }))
}

/// Returns the tree of an object as its type has it.
fn tree(tree: Value) -> Result<Unstructured, Failure> {
    let tree = Unstructured::new(tree).ok_or_else(|| Failure::message("an object must be a JSON object"))?;
    Ok(Unstructured::from_object(&*typed::read(&tree)?))
}

/// Labels as they are written on a command line.
fn joined(labels: Option<&Value>) -> String {
    let labels = labels.and_then(Value::as_object).into_iter().flatten();
    let labels: Vec<String> =
        labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    labels.join(",")
}

/// Parses labels: `a=b,c=d`.
pub(crate) fn parse_labels(text: &str) -> Result<BTreeMap<String, String>, Failure> {
    let mut labels = BTreeMap::new();
    for pair in text.split(',') {
        let parts: Vec<&str> = pair.split('=').collect();
        let [key, value] = parts.as_slice() else {
            return Err(format!("unexpected label spec: {pair}").into());
        };
        if key.is_empty() {
            return Err("unexpected empty label key".into());
        }
        labels.insert((*key).to_owned(), (*value).to_owned());
    }
    Ok(labels)
}

/// Returns the labels of the pods that an object has.
fn selector(object: &Unstructured, kind: &str) -> Result<String, String> {
    let labels = |path: &[&str]| joined(object.get(path));
    match kind {
        "Pod" => match labels(&["metadata", "labels"]) {
            labels if labels.is_empty() => Err("the pod has no labels and cannot be exposed".to_owned()),
            labels => Ok(labels),
        },
        "Service" if object.get(&["spec", "selector"]).is_none() => {
            Err("the service has no pod selector set".to_owned())
        }
        "Service" | "ReplicationController" => Ok(labels(&["spec", "selector"])),
        _ => {
            let found = labels(&["spec", "selector", "matchLabels"]);
            if found.is_empty() {
                let kind = kind.to_lowercase();
                return Err(format!("invalid {kind}: no selectors, therefore cannot be exposed"));
            }
            let expressions = object.get(&["spec", "selector", "matchExpressions"]).and_then(Value::as_array);
            match expressions.filter(|expressions| !expressions.is_empty()) {
                None => Ok(found),
                Some(expressions) => {
                    let shown: Vec<String> = expressions.iter().map(shown_expression).collect();
                    let shown = shown.join(" ");
                    Err(format!("couldn't convert expressions - \"[{shown}]\" to map-based selector format"))
                }
            }
        }
    }
}

/// Formats an expression as Go shows it with the names of its fields.
fn shown_expression(expression: &Value) -> String {
    let text = |field: &str| expression.get(field).and_then(Value::as_str).unwrap_or_default();
    let values = expression.get("values").and_then(Value::as_array).into_iter().flatten();
    let values: Vec<&str> = values.filter_map(Value::as_str).collect();
    format!("{{Key:{} Operator:{} Values:[{}]}}", text("key"), text("operator"), values.join(" "))
}

/// Returns the ports of an object, each once, and the protocols of each.
fn ports(object: &Unstructured) -> (Vec<String>, BTreeMap<String, Vec<String>>) {
    let kind = typed::kind_of(object);
    let mut found: Vec<(i64, String)> = Vec::new();
    let mut gather = |ports: Option<&Value>, field: &str| {
        for port in ports.and_then(Value::as_array).into_iter().flatten() {
            let protocol = port.get("protocol").and_then(Value::as_str).filter(|text| !text.is_empty());
            let number = port.get(field).and_then(Value::as_i64).unwrap_or_default();
            found.push((number, protocol.unwrap_or("TCP").to_owned()));
        }
    };
    if kind.kind == "Service" {
        gather(object.get(&["spec", "ports"]), "port");
    } else if let Some(path) = pod_spec::path(&kind) {
        let spec = object.get(path);
        let containers = spec.and_then(|spec| spec.get("containers")?.as_array()).into_iter().flatten();
        containers.for_each(|container| gather(container.get("ports"), "containerPort"));
    }
    let (mut ports, mut protocols) = (Vec::new(), BTreeMap::<String, Vec<String>>::new());
    for (port, protocol) in found {
        let port = port.to_string();
        if !ports.contains(&port) {
            ports.push(port.clone());
        }
        let known = protocols.entry(port).or_default();
        if !known.contains(&protocol) {
            known.push(protocol);
        }
    }
    (ports, protocols)
}

/// Returns the ports of the service. Several get names; a port with several protocols is several.
fn service_ports(
    ports: &str,
    protocol: &str,
    protocols: &BTreeMap<String, Vec<String>>,
) -> Result<Value, Failure> {
    let words: Vec<&str> = ports.split(',').filter(|_| !ports.is_empty()).collect();
    let mut list = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let number = atoi(word)?;
        let name = if words.len() > 1 { format!("port-{}", at + 1) } else { String::new() };
        let chosen = match (protocol, protocols.get(*word).map(Vec::as_slice)) {
            ("", Some([one])) => one,
            ("", Some(several)) => {
                for protocol in several {
                    let name = format!("port-{}-{}", at + 1, protocol.to_lowercase());
                    list.push(json!({"name": name, "port": number, "protocol": protocol}));
                }
                continue;
            }
            ("", None) => "TCP",
            (protocol, _) => protocol,
        };
        list.push(json!({"name": name, "port": number, "protocol": chosen}));
    }
    Ok(Value::Array(list))
}

/// Returns a number as Go's `strconv.Atoi` reads it.
pub(crate) fn atoi(text: &str) -> Result<i32, Failure> {
    let wrong = |why: &str| Failure::message(format!("strconv.Atoi: parsing {text:?}: {why}"));
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(wrong("invalid syntax"));
    }
    let number: i64 = text.parse().map_err(|_| wrong("value out of range"))?;
    // Go keeps the lower half of a number that is too large for a port, whatever it is.
    Ok(number as i32)
}

fn set_targets(spec: &mut Map<String, Value>, target: &str) {
    for port in spec.get_mut("ports").and_then(Value::as_array_mut).into_iter().flatten() {
        let target = match (target, IntOrString::parse(target)) {
            ("", _) => port.get("port").cloned().unwrap_or_default(),
            (_, IntOrString::Int(number)) => json!(number),
            (_, IntOrString::String(name)) => json!(name),
        };
        port["targetPort"] = target;
    }
}
