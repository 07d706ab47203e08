//! Revisions of workloads: replica sets of deployments, controller revisions of daemon sets and stateful sets.

use rhumb_api::apps::v1::ReplicaSet;
use rhumb_api::core::v1::PodTemplateSpec;
use rhumb_cli::resource::Info;
use rhumb_cli::{Call, Failure};
use rhumb_client::from_unstructured;
use rhumb_describe::{Lines, Zone, parts};
use rhumb_meta::GroupVersionResource;
use rhumb_meta::v1::{LabelSelector, ListOptions};
use rhumb_patch::strategic;
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::two_way::at_mut;
use crate::{built_in, metadata, two_way, typed};

/// Annotation with the revision of a deployment's replica set.
pub(super) const REVISION: &str = "deployment.kubernetes.io/revision";

/// Label that distinguishes the pods of replica sets.
const TEMPLATE_HASH: &str = "pod-template-hash";

/// How a kind stores its revisions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keeper {
    /// Replica sets, one for each revision.
    ReplicaSets,
    /// Patches that bring the workload back to a revision; with what messages call the kind.
    Revisions(&'static str),
}

/// Returns how an object stores its revisions, or an error that names `what` is unsupported.
pub(super) fn keeper(info: &Info, what: &str) -> Result<Keeper, Failure> {
    let kind = &info.mapping.kind;
    match (&*kind.group, &*kind.kind) {
        ("apps" | "extensions", "Deployment") => Ok(Keeper::ReplicaSets),
        ("apps" | "extensions", "DaemonSet") => Ok(Keeper::Revisions("DaemonSet")),
        ("apps", "StatefulSet") => Ok(Keeper::Revisions("StatefulSet")),
        ("batch", "Job" | "CronJob")
        | ("" | "core", "Pod" | "ReplicationController")
        | ("apps" | "extensions", "ReplicaSet") => {
            let what = if what == "history" { "history viewer" } else { what };
            Err(format!("no {what} has been implemented for {:?}", kind.group_kind().to_string()).into())
        }
        _ => Err(format!(
            "error retrieving {what} for {:?}, no visitor method exists for {{{} {}}}",
            kind.group_kind().to_string(),
            kind.group,
            kind.kind
        )
        .into()),
    }
}

/// Returns the number of a revision; 0 if there is none.
pub(super) fn revision_of(object: &Unstructured) -> Result<i64, String> {
    match metadata::annotations(object).get(REVISION) {
        None => Ok(0),
        Some(text) => text.parse().map_err(|_| format!("strconv.ParseInt: parsing {text:?}: invalid syntax")),
    }
}

/// Returns the objects that are kept of an object's past, each with its number. The newest comes last.
pub(super) async fn of(
    call: &Call,
    info: &Info,
    keeper: Keeper,
) -> Result<Vec<(i64, Unstructured)>, Failure> {
    let object = info.object()?;
    match keeper {
        Keeper::ReplicaSets => {
            let found = owned(call, object, "replicasets").await.map_err(|failure| {
                failure.context(&format!("failed to retrieve replica sets from deployment {}", info.name))
            })?;
            let found = newest_last(object, found)?;
            Ok(found.into_iter().filter_map(|set| Some((revision_of(&set).ok()?, set))).collect())
        }
        Keeper::Revisions(kind) => {
            let found = owned(call, object, "controllerrevisions").await.map_err(|failure| {
                failure.context(&format!("unable to find history controlled by {kind} {}", info.name))
            })?;
            let number = |kept: &Unstructured| kept.get(&["revision"]).and_then(Value::as_i64).unwrap_or(0);
            Ok(found.into_iter().map(|kept| (number(&kept), kept)).collect())
        }
    }
}

/// Returns the objects that an object selects and controls.
async fn owned(
    call: &Call,
    object: &Unstructured,
    resource: &'static str,
) -> Result<Vec<Unstructured>, Failure> {
    let mut selector = LabelSelector::default();
    if let Some(tree) = object.get(&["spec", "selector"]) {
        let text = tree.to_string();
        rhumb_codec::json::decode_into(text.as_bytes(), &mut selector, rhumb_codec::Strictness::Ignore)
            .map_err(|error| Failure::message(error.to_string()))?;
    }
    let selector = selector.to_selector().map_err(|error| Failure::message(error.to_string()))?;
    let options = ListOptions { label_selector: selector.to_string(), ..ListOptions::default() };
    let client = call.factory.client()?;
    let api = client.dynamic(&GroupVersionResource::new_static("apps", "v1", resource));
    let list = api.namespace(metadata::text(object, "namespace")).list(&options).await?;
    let uid = metadata::text(object, "uid");
    let is_owned = |kept: &Unstructured| {
        let owners =
            kept.get(&["metadata", "ownerReferences"]).and_then(Value::as_array).into_iter().flatten();
        let mut owners = owners.filter(|owner| owner.get("controller") == Some(&true.into()));
        owners.next().and_then(|owner| owner.get("uid")?.as_str()) == Some(uid)
    };
    Ok(list.items.into_iter().filter(is_owned).map(|kept| with_kind(kept, resource)).collect())
}

/// Items of lists don't say what they are.
fn with_kind(mut object: Unstructured, resource: &str) -> Unstructured {
    let kind = if resource == "replicasets" { "ReplicaSet" } else { "ControllerRevision" };
    object.set(&["apiVersion"], "apps/v1".into());
    object.set(&["kind"], kind.into());
    object
}

/// Puts the replica set that has the template of the deployment, the oldest if there are several, behind the
/// others.
fn newest_last(deployment: &Unstructured, mut sets: Vec<Unstructured>) -> Result<Vec<Unstructured>, Failure> {
    let wanted = template(&two_way::read(deployment)?);
    let mut newest: Option<(usize, (String, String))> = None;
    for (at, set) in sets.iter().enumerate() {
        let age =
            (metadata::text(set, "creationTimestamp").to_owned(), metadata::text(set, "name").to_owned());
        let is_older = newest.as_ref().is_none_or(|(_, known)| age < *known);
        if is_older && template(&two_way::read(set)?) == wanted {
            newest = Some((at, age));
        }
    }
    if let Some((at, _)) = newest {
        let set = sets.remove(at);
        sets.push(set);
    }
    Ok(sets)
}

/// Returns the template of an object without what only tells replica sets apart.
pub(super) fn template(object: &Unstructured) -> Value {
    let mut template = object.get(&["spec", "template"]).cloned().unwrap_or_default();
    if let Some(fields) = template.as_object_mut() {
        let metadata = at_mut(fields, &["metadata"]);
        if let Some(Value::Object(labels)) = metadata.get_mut("labels") {
            labels.remove(TEMPLATE_HASH);
        }
    }
    template
}

/// Returns a workload as it was at a revision.
pub(super) fn applied(workload: &Unstructured, revision: &Unstructured) -> Result<Unstructured, Failure> {
    let workload = two_way::read(workload)?;
    let table = built_in::table(&typed::kind_of(&workload))
        .ok_or_else(|| Failure::message("the object is of no built-in kind"))?;
    let mut tree = workload.into_tree();
    let patch = revision.get(&["data"]).cloned().unwrap_or_default();
    strategic::apply(&mut tree, &patch, table).map_err(|error| Failure::message(error.to_string()))?;
    let tree = Unstructured::new(tree).ok_or_else(|| Failure::message("the revision leaves no object"))?;
    two_way::read(&tree)
}

/// Returns the template of an object as `describe` shows it, with tabs between title and value.
pub(super) fn described(call: &Call, object: &Unstructured, cause: Option<&str>) -> Result<String, Failure> {
    // Whatever the object is, a replica set has a template in the same place.
    let tree = serde_json::json!({"spec": {"template": object.get(&["spec", "template"])}});
    let tree = Unstructured::new(tree).ok_or_else(|| Failure::message("there is no template"))?;
    let set: ReplicaSet = from_unstructured(&tree)?;
    let mut template: PodTemplateSpec = set.spec.template;
    if let Some(cause) = cause {
        template.metadata.annotations.insert(crate::change_cause::ANNOTATION.to_owned(), cause.to_owned());
    }
    let mut lines = Lines::new(call.factory.now(), Zone::utc());
    parts::pod_template(&mut lines, Some(&template));
    Ok(lines.with_tabs())
}
