//! Namespaces, settings, priorities, and how the server is shared among its clients.

use crate::loopback::Loopback;
use rhumb_api::flowcontrol::v1::{FlowSchema, FlowSchemaCondition};
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{FieldsV1, Object, Time};
use rhumb_schema::RawJson;
use serde_json::{Value as Json, json};

use super::{Settings, Upkeep, Wanted, read_file};
use crate::base::failure::Outcome;

const FLOW_GROUP: &str = "flowcontrol.apiserver.k8s.io";
const AUTOUPDATE: &str = "apf.kubernetes.io/autoupdate-spec";

/// The namespaces.
pub(super) fn namespaces() -> Vec<Wanted> {
    let names = ["default", "kube-node-lease", "kube-public", "kube-system"];
    names.map(|name| Wanted::new("", "namespaces", json!({"metadata": {"name": name}}))).into()
}

/// The config maps in which the server leaves what others need to know of it.
pub(super) fn settings(api: &Loopback, settings: &Settings) -> Vec<Wanted> {
    let mut today = Vec::new();
    api.environment().time().write_rfc3339(&mut today);
    let today = String::from_utf8_lossy(today.get(..10).unwrap_or_default()).into_owned();
    let tracking = json!({
        "metadata": {"name": "kube-apiserver-legacy-service-account-token-tracking"},
        "data": {"since": today}
    });
    let map = |tree| Wanted { namespace: "kube-system", ..Wanted::new("", "configmaps", tree) };
    let mut wanted = vec![map(tracking)];
    let authority = &settings.client_authority;
    let mut data = settings.proxies.clone();
    if !authority.is_empty() {
        data.insert("client-ca-file".to_owned(), authority.clone());
    }
    if !data.is_empty() {
        let tree = json!({"metadata": {"name": "extension-apiserver-authentication"}, "data": data});
        wanted.push(Wanted { upkeep: Upkeep::Fields { names: &["data"], unless: "" }, ..map(tree) });
    }
    wanted
}

/// The priorities of pods that a cluster can't be without.
pub(super) fn priorities() -> Vec<Wanted> {
    let class = |name, value: i64, description| {
        let tree = json!({
            "metadata": {"name": name},
            "value": value,
            "preemptionPolicy": "PreemptLowerPriority",
            "description": description
        });
        Wanted::new("scheduling.k8s.io", "priorityclasses", tree)
    };
    let node = "Used for system critical pods that must not be moved from their current node.";
    let cluster = "Used for system critical pods that must run in the cluster, but can be moved to another node if \
                   necessary.";
    vec![
        class("system-node-critical", 2_000_001_000, node),
        class("system-cluster-critical", 2_000_000_000, cluster),
    ]
}

/// The levels and schemas by which the server is shared among its clients.
pub(super) fn flows() -> Outcome<Vec<Wanted>> {
    let mut file = read_file(include_str!("flow.json"))?;
    let mut wanted = Vec::new();
    for resource in ["prioritylevelconfigurations", "flowschemas"] {
        for mut tree in file.remove(resource).unwrap_or_default() {
            if let Some(Json::Object(meta)) = tree.get_mut("metadata") {
                meta.insert("annotations".to_owned(), json!({AUTOUPDATE: "true"}));
            }
            wanted.push(Wanted {
                manager: "api-priority-and-fairness-config-producer-v1",
                upkeep: Upkeep::Fields { names: &["spec"], unless: AUTOUPDATE },
                finish: Box::new(found_level),
                ..Wanted::new(FLOW_GROUP, resource, tree)
            });
        }
    }
    Ok(wanted)
}

/// Says of a schema that its level is there.
fn found_level(object: &mut dyn Object, now: Time) {
    let Some(schema) = object.downcast_mut::<FlowSchema>() else { return };
    let level = schema.spec.priority_level_configuration.name.clone();
    schema.status.conditions.push(FlowSchemaCondition {
        type_: "Dangling".to_owned(),
        status: "False".to_owned(),
        last_transition_time: now,
        reason: "Found".to_owned(),
        message: format!(
            "This FlowSchema references the PriorityLevelConfiguration object named {level:?} and it exists"
        ),
    });
    let fields = json!({"f:status": {"f:conditions": {"k:{\"type\":\"Dangling\"}": {
        ".": {}, "f:lastTransitionTime": {}, "f:message": {}, "f:reason": {}, "f:status": {}, "f:type": {}
    }}}});
    let manager = "api-priority-and-fairness-config-consumer-v1";
    applied(object, manager, "flowcontrol.apiserver.k8s.io/v1", &fields, now);
}

/// Notes that a status was applied by somebody.
pub(super) fn applied(object: &mut dyn Object, manager: &str, api_version: &str, fields: &Json, now: Time) {
    object.edit_metadata(&mut |meta| {
        let entry = ManagedFieldsEntry {
            manager: manager.to_owned(),
            operation: "Apply".to_owned(),
            api_version: api_version.to_owned(),
            time: Some(now),
            fields_type: "FieldsV1".to_owned(),
            fields_v1: Some(FieldsV1(RawJson(fields.to_string().into_bytes()))),
            subresource: "status".to_owned(),
        };
        meta.managed_fields.insert(0, entry);
    });
}
