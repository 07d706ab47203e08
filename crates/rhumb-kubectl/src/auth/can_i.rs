//! `auth can-i`: checks whether an action is allowed.

use std::io::Write;

use rhumb_cli::command::{Action, Command, Flag, Words};
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_meta::GroupVersionResource;
use rhumb_meta::v1::CreateOptions;
use rhumb_output::TabWriter;
use rhumb_scheme::Unstructured;
use rhumb_scheme::mapper::MapperError;
use serde_json::{Value, json};

use super::rules::{Rule, compacted};

const RESOURCE_VERBS: &[&str] = &[
    "get",
    "list",
    "watch",
    "create",
    "update",
    "patch",
    "delete",
    "deletecollection",
    "use",
    "bind",
    "impersonate",
    "*",
    "approve",
    "sign",
    "escalate",
    "attest",
];

const URL_VERBS: &[&str] = &["get", "put", "post", "head", "options", "delete", "patch", "*"];

static FLAGS: &[Flag] = &[
    Flag::bool("all-namespaces", "Ask about all namespaces.").short('A'),
    Flag::bool("quiet", "Print nothing; the exit code tells.").short('q'),
    Flag::text("subresource", "The subresource: log, scale."),
    Flag::bool("list", "Show all that is allowed."),
    Flag::bool("no-headers", "With --list, print no headings."),
];

/// `auth can-i`.
pub(super) static COMMAND: Command = Command {
    name: "can-i",
    about: "Find out whether something is allowed",
    long: "Asks the server whether a verb on a resource or a path is allowed: yes or no, and an exit code \
           of 0 or 1.",
    usage: "VERB [TYPE | TYPE/NAME | NONRESOURCEURL]",
    examples: &[
        ("Make pods in any namespace", "auth can-i create pods --all-namespaces"),
        ("Read one pod's output", "auth can-i get pods/web-0 --subresource=log"),
        ("As someone else", "auth can-i list secrets --as=ann"),
        ("All that is allowed here", "auth can-i --list"),
    ],
    flags: &[FLAGS],
    words: Words::Fixed(RESOURCE_VERBS),
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

async fn run(call: &mut Call) -> Outcome {
    if call.flags.bool("list") {
        return list(call).await;
    }
    let args = call.args.clone();
    let [verb, what] = args.as_slice() else {
        return Err("you must specify two arguments: verb resource or verb resource/resourceName.\nSee \
                    'kubectl auth \
                    can-i -h' for help and examples."
            .into());
    };
    let namespace = match call.flags.bool("all-namespaces") {
        true => String::new(),
        false => call.factory.namespace()?.0,
    };
    let subresource = call.flags.text("subresource").to_owned();
    let spec = if what.starts_with('/') {
        if !subresource.is_empty() {
            return Err("--subresource can not be used with NonResourceURL".into());
        }
        if !URL_VERBS.contains(&verb.as_str()) {
            call.warning(format!("verb '{verb}' is not a known verb\n"));
        }
        json!({"nonResourceAttributes": {"verb": verb, "path": what}})
    } else {
        let (word, name) = what.split_once('/').unwrap_or((what, ""));
        let resource = resource(call, word).await?;
        if !call.flags.bool("all-namespaces") && !resource.resource.is_empty() {
            if is_clusterwide(call, &resource).await {
                let group = match &*resource.group {
                    "" => String::new(),
                    group => format!(" in group '{group}'"),
                };
                call.warning(format!("resource '{}' is not namespace scoped{group}\n", resource.resource));
            }
            if !RESOURCE_VERBS.contains(&verb.as_str()) {
                call.warning(format!("verb '{verb}' is not a known verb\n"));
            }
        }
        json!({"resourceAttributes": {
            "namespace": namespace,
            "verb": verb,
            "group": resource.group,
            "resource": resource.resource,
            "subresource": subresource,
            "name": name,
        }})
    };
    if call.flags.bool("no-headers") {
        return Err("--no-headers cannot be set without --list specified".into());
    }
    let answer = ask(call, "SelfSubjectAccessReview", "selfsubjectaccessreviews", spec).await?;
    let allowed = answer.get(&["status", "allowed"]).and_then(Value::as_bool).unwrap_or(false);
    if !call.flags.bool("quiet") {
        let mut line = if allowed { "yes" } else { "no" }.to_owned();
        for field in ["reason", "evaluationError"] {
            let text = answer.get(&["status", field]).and_then(Value::as_str).unwrap_or_default();
            if !allowed && !text.is_empty() {
                line.push_str(" - ");
                line.push_str(text);
            }
        }
        call.line(line)?;
    }
    if allowed { Ok(()) } else { Err(Failure::exit(1)) }
}

async fn ask(call: &Call, kind: &str, resource: &'static str, spec: Value) -> Result<Unstructured, Failure> {
    let tree = json!({"apiVersion": "authorization.k8s.io/v1", "kind": kind, "spec": spec});
    let question = Unstructured::new(tree).ok_or_else(|| Failure::message("there is nothing to ask"))?;
    let resource = GroupVersionResource::new_static("authorization.k8s.io", "v1", resource);
    Ok(call.factory.client()?.dynamic(&resource).create(&question, &CreateOptions::default()).await?)
}

/// Returns the resource that a word means; if the server has none, the word itself, with a warning.
async fn resource(call: &mut Call, word: &str) -> Result<GroupVersionResource, Failure> {
    let itself = || GroupVersionResource::new("", "", word.to_owned());
    if word == "*" {
        return Ok(itself());
    }
    let (full, partial) = GroupVersionResource::parse_arg(&word.to_lowercase());
    let mapper = call.factory.mapper()?;
    let wanted = GroupVersionResource::new(partial.group.clone(), "", partial.resource.clone());
    for wanted in full.iter().chain([&wanted]) {
        match mapper.resource_for(wanted).await {
            Ok(found) => return Ok(found),
            // A server that doesn't answer may have the type all the same.
            Err(error @ MapperError::Unavailable(_)) => return Err(error.into()),
            Err(_) => {}
        }
    }
    match (&*partial.group, &*partial.resource) {
        // These are no objects, but may be impersonated.
        ("", "users" | "groups") => {}
        ("", resource) => call.warning(format!("the server doesn't have a resource type '{resource}'\n")),
        (group, resource) => {
            let text = format!("the server doesn't have a resource type '{resource}' in group '{group}'\n");
            call.warning(text);
        }
    }
    Ok(itself())
}

async fn is_clusterwide(call: &Call, resource: &GroupVersionResource) -> bool {
    if resource.version.is_empty() {
        return false;
    }
    let Ok(discovery) = call.factory.discovery() else { return false };
    let Ok(listed) = discovery.resources(&resource.group_version()).await else { return false };
    listed.resources.iter().any(|known| known.name == resource.resource && !known.namespaced)
}

/// Shows all that is allowed in the namespace.
async fn list(call: &mut Call) -> Outcome {
    if !call.args.is_empty() {
        return Err("list option must be specified with no arguments".into());
    }
    let flags = &call.flags;
    if flags.bool("quiet") || flags.bool("all-namespaces") || !flags.text("subresource").is_empty() {
        return Err(
            "list option can't be specified with neither quiet, all-namespaces nor subresource options"
                .into(),
        );
    }
    let (namespace, _) = call.factory.namespace()?;
    let spec = json!({"namespace": namespace});
    let answer = ask(call, "SelfSubjectRulesReview", "selfsubjectrulesreviews", spec).await?;
    let status = |field: &str| answer.get(&["status", field]);
    if status("incomplete").and_then(Value::as_bool) == Some(true) {
        let why = status("evaluationError").and_then(Value::as_str).unwrap_or_default();
        call.warning(format!("the list may be incomplete: {why}"));
    }
    let mut rules = Rule::read_all(status("resourceRules"));
    rules.extend(Rule::read_all(status("nonResourceRules")));
    let mut rules = compacted(rules.iter().flat_map(Rule::taken_apart).collect());
    rules.sort_by_key(|rule| rule.shown(","));
    let mut table = TabWriter::table(Vec::new());
    if !call.flags.bool("no-headers") {
        writeln!(table, "Resources\tNon-Resource URLs\tResource Names\tVerbs")?;
    }
    for rule in &rules {
        let listed = |list: &[String]| format!("[{}]", list.join(" "));
        let (urls, names, verbs) = (listed(&rule.urls), listed(&rule.names), listed(&rule.verbs));
        writeln!(table, "{}\t{urls}\t{names}\t{verbs}", with_group(rule))?;
    }
    Ok(call.streams.out.write_all(&table.into_inner()?)?)
}

/// Formats a resource: `deployments.apps/scale`.
fn with_group(rule: &Rule) -> String {
    let Some(resource) = rule.resources.first() else { return String::new() };
    let (resource, subresource) =
        resource.split_once('/').map_or((resource.as_str(), None), |(resource, sub)| (resource, Some(sub)));
    let group = rule.groups.first().map(String::as_str).filter(|group| !group.is_empty());
    let group = group.map(|group| format!(".{group}")).unwrap_or_default();
    let subresource = subresource.map(|sub| format!("/{sub}")).unwrap_or_default();
    format!("{resource}{group}{subresource}")
}
