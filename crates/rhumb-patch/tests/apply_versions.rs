//! Writes through several versions of a custom resource, replayed from a real kube-apiserver v1.36: managers
//! name their fields in the version they used, and a version that goes away takes the others along.

use std::collections::BTreeMap;

use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_meta::{FieldsV1, Time};
use rhumb_patch::apply::{CompiledSchema, ConvertError, Endpoint, RequestedFields, Type, Versions};
use rhumb_schema::{RawJson, from_tree};
use serde_json::{Value, json};

/// The versions of a definition without conversion: objects differ in their `apiVersion` only.
struct Served {
    schema: CompiledSchema,
    gone: Vec<String>,
}

impl Versions for Served {
    fn schema(&self, api_version: &str) -> Result<Type<'_>, ConvertError> {
        if self.gone.iter().any(|gone| gone == api_version) {
            let message = format!("request to convert CR to an invalid group/version: {api_version}");
            return Err(ConvertError::Failed(message));
        }
        Ok(self.schema.root())
    }

    fn convert(&self, object: &Value, api_version: &str) -> Result<Value, ConvertError> {
        self.schema(api_version)?;
        Ok(in_version(object, api_version))
    }
}

fn in_version(object: &Value, api_version: &str) -> Value {
    let mut object = object.clone();
    object["apiVersion"] = api_version.into();
    object
}

fn split(object: &Value) -> (Value, Vec<ManagedFieldsEntry>) {
    let mut object = object.clone();
    let list = object["metadata"].as_object_mut().and_then(|metadata| metadata.remove("managedFields"));
    let entry = |mut tree: Value| {
        let fields = tree.as_object_mut().and_then(|tree| tree.remove("fieldsV1"));
        let mut entry = ManagedFieldsEntry::default();
        from_tree(&tree, &mut entry).expect("an entry");
        entry.fields_v1 = fields.and_then(|fields| Some(FieldsV1(RawJson(fields.as_str()?.into()))));
        entry
    };
    let list = list.and_then(|list| list.as_array().cloned()).unwrap_or_default();
    (object, list.into_iter().map(entry).collect())
}

#[test]
fn managers_of_several_versions_live_side_by_side() {
    let recorded: Value = serde_json::from_str(include_str!("apply/versions.json")).expect("a fixture");
    let mut served = Served { schema: CompiledSchema::new(&recorded["schema"], false), gone: Vec::new() };
    let filters = BTreeMap::new();
    let mut live = Value::Null;
    let mut compared = 0;
    for (index, step) in recorded["steps"].as_array().expect("steps").iter().enumerate() {
        if let Some(gone) = step["gone"].as_str() {
            served.gone.push(gone.to_owned());
            continue;
        }
        let version = step["version"].as_str().expect("a version");
        let kind = step["body"]["kind"].as_str().expect("a kind");
        let empty = json!({"apiVersion": version, "kind": kind});
        let endpoint = Endpoint {
            schema: served.schema.root(),
            api_version: version,
            kind,
            subresource: "",
            empty: &empty,
            filters: &filters,
            versions: &served,
        };
        let (object, fields) = split(if live.is_null() { &empty } else { &live });
        let object = in_version(&object, version);
        let (answer, theirs) = split(&step["object"]);
        let now = theirs.iter().chain(&fields).filter_map(|entry| entry.time).max();
        let now = now.unwrap_or(Time::from_unix(0, 0));
        let manager = step["manager"].as_str().expect("a manager");
        let ours = if step["verb"] == "apply" {
            let force = step["force"].as_bool().unwrap_or_default();
            match endpoint.apply(&object, &step["body"], &fields, manager, force, now) {
                Ok(applied) => {
                    assert_eq!(applied.object["spec"], answer["spec"], "step {index}");
                    applied.managed_fields
                }
                Err(error) => {
                    assert_eq!(Some(error.to_string().as_str()), step["message"].as_str(), "step {index}");
                    assert_eq!(Some(u64::from(error.reason().code())), step["code"].as_u64(), "step {index}");
                    compared += 1;
                    continue;
                }
            }
        } else {
            let (new, sent) = split(&step["body"]);
            endpoint.update(&object, &new, &fields, RequestedFields::Entries(&sent), manager, now)
        };
        assert_eq!(ours, theirs, "step {index}");
        compared += 1;
        live = step["object"].clone();
    }
    assert_eq!(compared, 13);
}
