//! `auth reconcile`: updates roles and bindings from files.

use rhumb_cli::command::{Action, Command, Flag};
use rhumb_cli::options::{self, DryRun};
use rhumb_cli::{Call, Failure, Outcome, ResultPrinter};
use rhumb_client::{Api, Error};
use rhumb_meta::GroupVersionResource;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, Preconditions, UpdateOptions};
use rhumb_scheme::Unstructured;
use serde_json::{Value, json};

use super::rules::{Rule, uncovered};
use crate::{metadata, two_way, typed};

const GROUP: &str = "rbac.authorization.k8s.io";

/// Annotation that, set to `false`, exempts an object.
const AUTO_UPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// Maximum attempts on conflicts.
const ATTEMPTS: usize = 3;

static FLAGS: &[Flag] = &[
    Flag::bool("remove-extra-permissions", "Take away what a role allows beyond the file."),
    Flag::bool("remove-extra-subjects", "Take away who a binding has beyond the file."),
];

/// `auth reconcile`.
pub(super) static COMMAND: Command = Command {
    name: "reconcile",
    about: "Bring roles and their bindings up to what files say",
    long: "Creates roles, cluster roles and bindings that are not there, together with their namespaces, \
           and adds what \
           is missing to those that are. A binding to another role is replaced.",
    usage: "-f FILENAME",
    examples: &[
        ("What a file says", "auth reconcile -f rbac.yaml"),
        (
            "And nothing beyond it",
            "auth reconcile -f rbac.yaml --remove-extra-permissions --remove-extra-subjects",
        ),
    ],
    flags: &[options::PRINT, options::FILES, FLAGS, options::DRY_RUN],
    action: Action::Run(|call| Box::pin(run(call))),
    ..Command::EMPTY
};

/// Operation needed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operation {
    Nothing,
    Create,
    Update,
    Recreate,
}

/// Result of reconciling an object.
struct Reconciled {
    object: Unstructured,
    operation: Operation,
    protected: bool,
    missing_rules: Vec<Rule>,
    extra_rules: Vec<Rule>,
    missing_subjects: Vec<Value>,
    extra_subjects: Vec<Value>,
}

async fn run(call: &mut Call) -> Outcome {
    let files = options::files(&call.flags);
    files.require()?;
    if !call.args.is_empty() {
        return Err("no arguments are allowed".into());
    }
    let dry_run = DryRun::of(call)
        .map_err(|failure| failure.context("error accessing --dry-run flag for command reconcile"))?;
    if dry_run == DryRun::Server {
        return Err("--dry-run=server for command reconcile is not supported yet".into());
    }
    let (namespace, enforces) = call.factory.namespace()?;
    let builder = call
        .factory
        .builder()
        .local(true)
        .continue_on_error()
        .namespace(&namespace)
        .default_namespace()
        .files(enforces, &files, &mut call.streams);
    let mut printer = call.printer(dry_run)?;
    let infos = builder.flatten().build().await?;
    infos
        .visit(async |info| {
            let object = info.object()?;
            let kind = typed::kind_of(object);
            let known = matches!(&*kind.kind, "Role" | "ClusterRole" | "RoleBinding" | "ClusterRoleBinding");
            if kind.group != GROUP || !known {
                return Ok(());
            }
            if kind.version != "v1" {
                let (version, kind) = (&kind.version, &kind.kind);
                return Err(format!("only {GROUP}/v1 is supported: not *{version}.{kind}").into());
            }
            let expected = two_way::read(object)?;
            let done = reconcile(call, &expected, dry_run).await?;
            say(call, &mut printer, &done)
        })
        .await
}

async fn reconcile(call: &Call, expected: &Unstructured, dry_run: DryRun) -> Result<Reconciled, Failure> {
    let api = api(call, expected)?;
    for _ in 0..=ATTEMPTS {
        let existing = api.find(metadata::text(expected, "name")).await?;
        let mut result = match &existing {
            None => new(expected),
            Some(existing) => compared(call, &two_way::read(&labelled(existing, expected))?, expected),
        };
        if result.protected || dry_run != DryRun::None {
            return Ok(result);
        }
        let sent = match result.operation {
            Operation::Nothing => return Ok(result),
            Operation::Update => api.update(&result.object, &UpdateOptions::default()).await,
            Operation::Create => create(call, &api, &result.object).await,
            Operation::Recreate => {
                let uid = existing.as_ref().map(|existing| metadata::text(existing, "uid").to_owned());
                match delete(&api, expected, uid).await {
                    Ok(()) => create(call, &api, &result.object).await,
                    Err(error) => Err(error),
                }
            }
        };
        match sent {
            Ok(object) => {
                result.object = labelled(&object, expected);
                return Ok(result);
            }
            // Someone else was faster; what has to be done now is another matter.
            Err(error) if error.is_already_exists() || error.is_not_found() || error.is_conflict() => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err("exceeded maximum attempts".into())
}

fn api(call: &Call, object: &Unstructured) -> Result<Api<Unstructured>, Failure> {
    let (resource, namespaced) = match &*typed::kind_of(object).kind {
        "Role" => ("roles", true),
        "RoleBinding" => ("rolebindings", true),
        "ClusterRole" => ("clusterroles", false),
        _ => ("clusterrolebindings", false),
    };
    let api = call.factory.client()?.dynamic(&GroupVersionResource::new_static(GROUP, "v1", resource));
    Ok(if namespaced { api.namespace(metadata::text(object, "namespace")) } else { api })
}

async fn create(call: &Call, api: &Api<Unstructured>, object: &Unstructured) -> Result<Unstructured, Error> {
    let namespace = metadata::text(object, "namespace");
    if let (false, Ok(client)) = (namespace.is_empty(), call.factory.client()) {
        let namespaces = client.dynamic(&GroupVersionResource::new_static("", "v1", "namespaces"));
        match namespaces.get(namespace).await {
            Ok(_) => {}
            Err(error) if error.is_not_found() || error.is_forbidden() => {
                let tree = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}});
                if let Some(object) = Unstructured::new(tree) {
                    match namespaces.create(&object, &CreateOptions::default()).await {
                        Ok(_) => {}
                        Err(error) if error.is_already_exists() || error.is_forbidden() => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            Err(error) => return Err(error),
        }
    }
    api.create(object, &CreateOptions::default()).await
}

async fn delete(api: &Api<Unstructured>, object: &Unstructured, uid: Option<String>) -> Result<(), Error> {
    let preconditions = Preconditions { uid, ..Preconditions::default() };
    let options = DeleteOptions { preconditions: Some(Box::new(preconditions)), ..DeleteOptions::default() };
    match api.delete(metadata::text(object, "name"), &options).await {
        Ok(_) => Ok(()),
        Err(error) if error.is_not_found() => Ok(()),
        Err(error) => Err(error),
    }
}

/// Returns an object with the API version and kind of the expected one.
fn labelled(object: &Unstructured, expected: &Unstructured) -> Unstructured {
    let mut object = object.clone();
    for field in ["apiVersion", "kind"] {
        object.set(&[field], expected.get(&[field]).cloned().unwrap_or_default());
    }
    object
}

fn list(object: &Unstructured, field: &str) -> Vec<Value> {
    object.get(&[field]).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// Returns the result for a missing object.
fn new(expected: &Unstructured) -> Reconciled {
    Reconciled {
        object: expected.clone(),
        operation: Operation::Create,
        protected: false,
        missing_rules: Rule::read_all(expected.get(&["rules"])),
        extra_rules: Vec::new(),
        missing_subjects: list(expected, "subjects"),
        extra_subjects: Vec::new(),
    }
}

/// Returns the result for an existing object.
fn compared(call: &Call, existing: &Unstructured, expected: &Unstructured) -> Reconciled {
    let protected = metadata::annotations(existing).get(AUTO_UPDATE).is_some_and(|value| value == "false");
    let mut result = Reconciled {
        object: existing.clone(),
        operation: Operation::Nothing,
        protected,
        missing_rules: Vec::new(),
        extra_rules: Vec::new(),
        missing_subjects: Vec::new(),
        extra_subjects: Vec::new(),
    };
    let is_binding = typed::kind_of(expected).kind.ends_with("Binding");
    if is_binding && existing.get(&["roleRef"]) != expected.get(&["roleRef"]) {
        result.object = expected.clone();
        result.operation = Operation::Recreate;
        return result;
    }
    // What the object has already stays.
    let mut annotations = metadata::annotations(expected);
    annotations.extend(metadata::annotations(existing));
    if annotations != metadata::annotations(existing) {
        metadata::set_annotations(&mut result.object, annotations);
        result.operation = Operation::Update;
    }
    let mut labels = metadata::labels(expected);
    labels.extend(metadata::labels(existing));
    if labels != metadata::labels(existing) {
        metadata::set_labels(&mut result.object, labels);
        result.operation = Operation::Update;
    }
    if is_binding {
        compare_subjects(call, existing, expected, &mut result);
    } else {
        compare_rules(call, existing, expected, &mut result);
        compare_aggregation(call, existing, expected, &mut result);
    }
    result
}

fn compare_subjects(call: &Call, existing: &Unstructured, expected: &Unstructured, result: &mut Reconciled) {
    let (wanted, there) = (list(expected, "subjects"), list(existing, "subjects"));
    result.missing_subjects = without(&wanted, &there);
    result.extra_subjects = without(&there, &wanted);
    let remove = call.flags.bool("remove-extra-subjects");
    let subjects = match (remove, result.missing_subjects.is_empty(), result.extra_subjects.is_empty()) {
        (false, false, _) => there.into_iter().chain(result.missing_subjects.iter().cloned()).collect(),
        (true, false, _) | (true, _, false) => wanted,
        _ => return,
    };
    result.object.set(&["subjects"], Value::Array(subjects));
    result.operation = Operation::Update;
}

/// Returns the distinct elements of one list that another lacks.
fn without(list: &[Value], other: &[Value]) -> Vec<Value> {
    let mut only = Vec::new();
    for item in list {
        if !other.contains(item) && !only.contains(item) {
            only.push(item.clone());
        }
    }
    only
}

fn compare_rules(call: &Call, existing: &Unstructured, expected: &Unstructured, result: &mut Reconciled) {
    let (wanted, there) =
        (Rule::read_all(expected.get(&["rules"])), Rule::read_all(existing.get(&["rules"])));
    let aggregates = |object: &Unstructured| object.get(&["aggregationRule"]).is_some();
    if !aggregates(expected) || !aggregates(existing) {
        result.extra_rules = uncovered(&wanted, &there);
    }
    result.missing_rules = uncovered(&there, &wanted);
    let remove = call.flags.bool("remove-extra-permissions");
    let rules: Vec<Rule> = match (remove, result.missing_rules.is_empty(), result.extra_rules.is_empty()) {
        (false, false, _) => there.into_iter().chain(result.missing_rules.iter().cloned()).collect(),
        (true, false, _) | (true, _, false) => wanted,
        _ => return,
    };
    result.object.set(&["rules"], rules.iter().map(Rule::tree).collect());
    result.operation = Operation::Update;
}

fn compare_aggregation(
    call: &Call,
    existing: &Unstructured,
    expected: &Unstructured,
    result: &mut Reconciled,
) {
    let selectors = |object: &Unstructured| -> Option<Vec<Value>> {
        let rule = object.get(&["aggregationRule"])?;
        Some(rule.get("clusterRoleSelectors").and_then(Value::as_array).cloned().unwrap_or_default())
    };
    let (wanted, there) = (selectors(expected), selectors(existing));
    let Some(wanted) = wanted else {
        if there.is_some() {
            result.object.fields_mut().remove("aggregationRule");
            result.operation = Operation::Update;
        }
        return;
    };
    let there = there.unwrap_or_default();
    let (missing, extra) = (without(&wanted, &there), without(&there, &wanted));
    let remove = call.flags.bool("remove-extra-permissions");
    let selectors: Vec<Value> = match (remove, missing.is_empty(), extra.is_empty()) {
        (false, false, _) => there.into_iter().chain(missing).collect(),
        (true, false, _) | (true, _, false) => wanted,
        _ => return,
    };
    result.object.set(&["aggregationRule"], json!({"clusterRoleSelectors": selectors}));
    result.operation = Operation::Update;
}

fn say(call: &mut Call, printer: &mut ResultPrinter, done: &Reconciled) -> Outcome {
    typed::print(printer, &mut call.streams, &done.object, "reconciled")?;
    let word = match done.operation {
        Operation::Nothing => return Ok(()),
        Operation::Create => "create",
        Operation::Update => "update",
        Operation::Recreate => "recreate",
    };
    let caveat = match done.protected {
        true => ", but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)",
        false => "",
    };
    call.warn(format!("\treconciliation required {word}{caveat}"));
    let rules = |rules: &[Rule]| rules.iter().map(|rule| format!("{{{}}}", rule.shown(" "))).collect();
    let subjects = |list: &[Value]| list.iter().map(shown).collect();
    listing(call, "missing subjects added", subjects(&done.missing_subjects));
    if call.flags.bool("remove-extra-subjects") {
        listing(call, "extra subjects removed", subjects(&done.extra_subjects));
    }
    listing(call, "missing rules added", rules(&done.missing_rules));
    if call.flags.bool("remove-extra-permissions") {
        listing(call, "extra rules removed", rules(&done.extra_rules));
    }
    Ok(())
}

fn listing(call: &mut Call, title: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        call.warn(format!("\t{title}:"));
    }
    for line in lines {
        call.warn(format!("\t\t{line}"));
    }
}

/// Formats a subject as Go shows it with the names of its fields.
fn shown(subject: &Value) -> String {
    let text = |field: &str| subject.get(field).and_then(Value::as_str).unwrap_or_default();
    format!(
        "{{Kind:{} APIGroup:{} Name:{} Namespace:{}}}",
        text("kind"),
        text("apiGroup"),
        text("name"),
        text("namespace")
    )
}
