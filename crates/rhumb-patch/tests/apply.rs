//! Sequences of creates, updates, patches and applies that a real kube-apiserver v1.36 answered, replayed:
//! the managed fields to the byte, the applied objects, and the texts of refusals.

use std::collections::BTreeMap;

use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{FieldsV1, GroupVersion, Time};
use rhumb_patch::apply::{
    ApplyError, CompiledSchema, Endpoint, FieldSet, Filter, OneVersion, RequestedFields, Type, keep_times,
};
use rhumb_schema::{RawJson, from_tree, text, to_tree};
use rhumb_scheme::Scheme;
use serde_json::{Value, json};

/// What a kind needs to be replayed.
struct World {
    scheme: Scheme,
    thing: CompiledSchema,
}

fn text_of<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// What the kinds' strategies reset.
fn filters(kind: &str, version: &str, subresource: &str) -> BTreeMap<String, Filter> {
    let paths: &[&[&str]] = match (kind, subresource) {
        ("ConfigMap", _) => return BTreeMap::new(),
        (_, "") => &[&["status"]],
        ("Deployment", _) => &[&["spec"], &["metadata", "labels"]],
        ("Pod", _) => &[&["spec"], &["metadata", "deletionTimestamp"], &["metadata", "ownerReferences"]],
        ("Thing", _) => &[&["spec"], &["metadata"]],
        _ => &[&["spec"]],
    };
    BTreeMap::from([(version.to_owned(), Filter::Exclude(FieldSet::of_fields(paths)))])
}

impl World {
    fn object(&self, version: &str, kind: &str) -> Option<Box<dyn rhumb_meta::Object>> {
        let gv: GroupVersion = version.parse().expect("a version");
        self.scheme.new_object(&gv.with_kind(kind.to_owned())).ok()
    }

    fn empty(&self, version: &str, kind: &str) -> Value {
        match self.object(version, kind) {
            Some(object) => to_tree(object.as_ref()),
            None => json!({"apiVersion": version, "kind": kind}),
        }
    }

    fn schema(&self, version: &str, kind: &str) -> Type<'_> {
        let gv: GroupVersion = version.parse().expect("a version");
        match self.scheme.known_type(&gv.with_kind(kind.to_owned())) {
            Some(known) => Type::of(known.desc),
            None => self.thing.root(),
        }
    }

    /// An object with its defaults, as the server has it when it looks at managed fields.
    fn defaulted(&self, version: &str, kind: &str, tree: &Value) -> Value {
        let mut tree = tree.clone();
        if let Some(metadata) = tree["metadata"].as_object_mut() {
            metadata.remove("managedFields");
        }
        let Some(mut object) = self.object(version, kind) else {
            for port in tree.pointer_mut("/spec/ports").and_then(Value::as_array_mut).into_iter().flatten() {
                let port = port.as_object_mut().expect("a port");
                port.entry("protocol").or_insert_with(|| "TCP".into());
            }
            return tree;
        };
        from_tree(&tree, object.as_mut()).expect("an object of its kind");
        self.scheme.default(object.as_mut());
        to_tree(object.as_ref())
    }
}

fn merge_patch(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    for (name, value) in patch {
        if value.is_null() {
            target.as_object_mut().expect("an object").remove(name);
        } else {
            merge_patch(&mut target[name], value);
        }
    }
}

/// The entries of a tree. Their sets stand in it as texts, because a tree would lose the order in them.
fn entries(object: &Value) -> Vec<ManagedFieldsEntry> {
    let list = object["metadata"]["managedFields"].as_array();
    list.into_iter()
        .flatten()
        .map(|tree| {
            let mut tree = tree.clone();
            let fields = tree.as_object_mut().and_then(|tree| tree.remove("fieldsV1"));
            let mut entry = ManagedFieldsEntry::default();
            from_tree(&tree, &mut entry).expect("an entry");
            entry.fields_v1 = fields.and_then(|fields| Some(FieldsV1(RawJson(fields.as_str()?.into()))));
            entry
        })
        .collect()
}

/// The entries as text. Custom resources are trees, in which the sets' own order gives way to that of their
/// keys.
fn shown(entries: &[ManagedFieldsEntry], kind: &str) -> Vec<String> {
    let line = |entry: &ManagedFieldsEntry| {
        let mut out = Vec::new();
        text::encode(entry, &mut out);
        let text = String::from_utf8(out).expect("UTF-8");
        if kind == "Thing" { text.parse::<Value>().expect("JSON").to_string() } else { text }
    };
    entries.iter().map(line).collect()
}

fn without_fields(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(metadata) = object["metadata"].as_object_mut() {
        metadata.remove("managedFields");
    }
    object
}

/// What of an object an endpoint decides about.
fn decided(object: &Value, kind: &str, subresource: &str) -> Value {
    if !subresource.is_empty() {
        return object["status"].clone();
    }
    let spec = match kind {
        "Service" => json!([object["spec"]["ports"], object["spec"]["selector"]]),
        _ => object["spec"].clone(),
    };
    let metadata = &object["metadata"];
    json!([
        spec,
        object["data"],
        metadata["labels"],
        metadata["annotations"],
        metadata["finalizers"],
        metadata["ownerReferences"]
    ])
}

fn replay(world: &World, case: &Value, problems: &mut Vec<String>) -> usize {
    let (kind, version) = (text_of(case, "kind"), text_of(case, "apiVersion"));
    let empty = world.empty(version, kind);
    let mut live = empty.clone();
    let mut count = 0;
    for (index, step) in case["steps"].as_array().expect("steps").iter().enumerate() {
        let at = format!("{} step {index} {}", text_of(case, "title"), text_of(step, "verb"));
        let subresource = text_of(step, "subresource");
        let filters = filters(kind, version, subresource);
        let endpoint = Endpoint {
            schema: world.schema(version, kind),
            api_version: version,
            kind,
            subresource,
            empty: &empty,
            filters: &filters,
            versions: &OneVersion,
        };
        let (manager, body, answer) = (text_of(step, "manager"), &step["body"], &step["object"]);
        let (live_fields, live_tree) = (entries(&live), without_fields(&live));
        let theirs = entries(answer);
        let latest = theirs.iter().chain(&live_fields).filter_map(|entry| entry.time).max();
        let now = latest.unwrap_or(Time::from_unix(1, 0));
        let ours = match text_of(step, "verb") {
            "apply" => {
                let force = step["force"].as_bool().unwrap_or_default();
                let applied = endpoint.apply(&live_tree, body, &live_fields, manager, force, now);
                match (applied, step["code"].as_u64()) {
                    (Ok(applied), Some(200 | 201)) => {
                        let object = world.defaulted(version, kind, &applied.object);
                        let (a, b) =
                            (decided(&object, kind, subresource), decided(answer, kind, subresource));
                        if a != b {
                            problems.push(format!("{at}: object\n  ours   {a}\n  theirs {b}"));
                        }
                        let mut fields = applied.managed_fields;
                        let unchanged = object == live_tree && keep_times(&live_fields, &mut fields);
                        if unchanged != step["unchanged"].as_bool().unwrap_or_default()
                            || (!applied.changed && !unchanged)
                        {
                            problems.push(format!("{at}: unchanged {unchanged}"));
                        }
                        fields
                    }
                    (Ok(_), Some(422)) => {
                        count += 1;
                        continue;
                    }
                    (Err(error), _) => {
                        check_refusal(&error, step, &at, problems);
                        count += 1;
                        continue;
                    }
                    (Ok(_), code) => {
                        problems.push(format!("{at}: we accept, they say {code:?} {}", step["message"]));
                        continue;
                    }
                }
            }
            _ if step["code"].as_u64() > Some(299) => continue,
            "patch" => {
                let mut new = live.clone();
                merge_patch(&mut new, body);
                written(world, &endpoint, &live_tree, &live_fields, &new, manager, now)
            }
            _ => written(world, &endpoint, &live_tree, &live_fields, body, manager, now),
        };
        let (ours, theirs) = (shown(&ours, kind), shown(&theirs, kind));
        if ours != theirs {
            problems.push(format!(
                "{at}: fields\n  ours   {}\n  theirs {}",
                ours.join("\n    "),
                theirs.join("\n    ")
            ));
        }
        live = answer.clone();
        count += 1;
    }
    count
}

fn written(
    world: &World,
    endpoint: &Endpoint<'_>,
    live: &Value,
    live_fields: &[ManagedFieldsEntry],
    body: &Value,
    manager: &str,
    now: Time,
) -> Vec<ManagedFieldsEntry> {
    let new = world.defaulted(endpoint.api_version, endpoint.kind, body);
    let sent = entries(body);
    let requested = match &body["metadata"]["managedFields"] {
        Value::Array(list) if list.is_empty() => RequestedFields::Reset,
        Value::Array(_) => RequestedFields::Entries(&sent),
        _ => RequestedFields::Absent,
    };
    let mut fields = endpoint.update(live, &new, live_fields, requested, manager, now);
    if new == *live {
        keep_times(live_fields, &mut fields);
    }
    fields
}

fn check_refusal(error: &ApplyError, step: &Value, at: &str, problems: &mut Vec<String>) {
    let status = error.status();
    if status.message != text_of(step, "message")
        || status.reason != text_of(step, "reason")
        || Some(i64::from(status.code)) != step["code"].as_i64()
    {
        problems.push(format!("{at}: refusal\n  ours   {}\n  theirs {}", status.message, step["message"]));
    }
    if let Some(theirs) = step.get("causes") {
        let causes = status.details.map(|details| details.causes).unwrap_or_default();
        let mut ours: Vec<Value> = causes.iter().map(|cause| json!([cause.message, cause.field])).collect();
        ours.sort_by_key(|cause| cause.to_string());
        let mut theirs = theirs.as_array().cloned().unwrap_or_default();
        theirs.sort_by_key(|cause| cause.to_string());
        if ours != theirs {
            problems.push(format!("{at}: causes\n  ours   {ours:?}\n  theirs {theirs:?}"));
        }
    }
}

#[test]
fn sequences_of_writes_leave_the_managed_fields_that_a_real_server_gives() {
    let answers: Value = serde_json::from_str(include_str!("apply/answers.json")).expect("a fixture");
    let world = World {
        scheme: rhumb_api::scheme().expect("the built-in scheme freezes"),
        thing: CompiledSchema::new(&answers["schema"], false),
    };
    let mut problems = Vec::new();
    let cases = answers["cases"].as_array().expect("cases");
    let count: usize = cases.iter().map(|case| replay(&world, case, &mut problems)).sum();
    assert!(problems.is_empty(), "{} problems:\n{}", problems.len(), problems.join("\n"));
    assert!(count > 550, "{count} steps were compared");
}
