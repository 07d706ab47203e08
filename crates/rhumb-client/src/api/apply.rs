//! Server-side apply: encodes the applied configuration of an object.
//!
//! Whatever is sent becomes a field that the manager owns, so only what the caller said may be. In a tree
//! that is all of it. In a typed object a field without an option around it can't tell "not said" from
//! "empty"; a struct that holds nothing is taken for not said (`status: {}` and `resources: {}` are the usual
//! ones), and so is a `null`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ApplyOptions, PatchOptions};
use rhumb_schema::{Shape, Struct, Value, View, to_tree};
use serde_json::{Map, Value as Json};

use super::Patch;
use crate::Error;
use crate::rest::Request;

/// Puts an object to be applied into a request, under a version and kind if they are known.
pub(super) fn put_into(
    request: Request,
    object: &dyn Object,
    named: Option<&(String, String)>,
    options: &ApplyOptions,
) -> Result<Request, Error> {
    if options.field_manager.is_empty() {
        return Err(Error::Request("apply needs the name of a field manager in its options".to_owned()));
    }
    if object.metadata().is_some_and(|metadata| !metadata.managed_fields.is_empty()) {
        return Err(Error::Request(
            "an object that was read can't be applied: it has managed fields. Apply one that says what you want"
                .to_owned(),
        ));
    }
    let options = PatchOptions {
        dry_run: options.dry_run.clone(),
        force: Some(options.force),
        field_manager: options.field_manager.clone(),
        ..PatchOptions::default()
    };
    let mut tree = said(object);
    name(&mut tree, object, named);
    Patch::Apply(tree).put_into(request.options(&options))
}

/// Encodes an object that has a name, so that the caller need not repeat it.
pub(super) fn put_named_into(
    request: Request,
    object: &dyn Object,
    name: &str,
    named: Option<&(String, String)>,
    options: &ApplyOptions,
) -> Result<Request, Error> {
    if object.metadata().is_none_or(|metadata| !metadata.name.is_empty()) {
        return put_into(request, object, named, options);
    }
    let mut object = object.clone_object();
    object.edit_metadata(&mut |metadata| metadata.name = name.to_owned());
    put_into(request, &*object, named, options)
}

fn name(tree: &mut Json, object: &dyn Object, named: Option<&(String, String)>) {
    let is_tree = matches!(object.view(), View::Json(_));
    if let Some((api_version, kind)) = named
        && let Json::Object(map) = tree
        && (!is_tree || object.type_meta() == ("", ""))
    {
        map.insert("apiVersion".to_owned(), api_version.as_str().into());
        map.insert("kind".to_owned(), kind.as_str().into());
    }
}

/// Returns the parts of a value that say something.
fn said(value: &dyn Value) -> Json {
    let mut tree = to_tree(value);
    prune(value.view(), &mut tree);
    tree
}

fn prune(view: View<'_>, tree: &mut Json) {
    match (view, tree) {
        (View::Struct(value), Json::Object(map)) if is_plain(value) => prune_fields(value, map),
        (View::List(list), Json::Array(trees)) => {
            for (index, tree) in trees.iter_mut().enumerate() {
                if let Some(element) = list.get(index) {
                    prune(element.view(), tree);
                }
            }
        }
        (View::Map(map), Json::Object(trees)) => {
            for (key, value) in map.entries() {
                if let Some(tree) = trees.get_mut(key) {
                    prune(value.view(), tree);
                }
            }
        }
        _ => {}
    }
}

fn prune_fields(value: &dyn Struct, map: &mut Map<String, Json>) {
    for (position, field) in value.desc().fields.iter().enumerate() {
        let view = value.field(position).view();
        if field.inline {
            if let View::Struct(inner) = view {
                prune_fields(inner, map);
            }
            continue;
        }
        let Some(tree) = map.get_mut(field.json) else { continue };
        prune(view, tree);
        let is_struct = matches!(field.shape, Shape::Struct(_));
        if tree.is_null() || is_struct && is_blank(view) {
            map.remove(field.json);
        }
    }
}

/// Reports whether a struct is an object in JSON, with its fields in it.
fn is_plain(value: &dyn Struct) -> bool {
    !value.desc().is_transparent() && !value.desc().is_union()
}

/// Reports whether nothing in it says anything.
fn is_blank(view: View<'_>) -> bool {
    match view {
        View::Struct(value) => {
            (0..value.desc().fields.len()).all(|position| is_blank(value.field(position).view()))
        }
        other => other.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use rhumb_api::apps::v1::{DaemonSet, Deployment};
    use rhumb_api::core::v1::{Container, EmptyDirVolumeSource, Volume};
    use rhumb_scheme::Unstructured;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_was_not_said_is_not_sent() {
        let mut deployment = Deployment::default();
        deployment.metadata.name = "web".to_owned();
        deployment.spec.replicas = Some(0);
        let pod = &mut deployment.spec.template.spec;
        pod.containers.push(Container { name: "c".to_owned(), ..Container::default() });
        let mut volume = Volume { name: "v".to_owned(), ..Volume::default() };
        volume.volume_source.empty_dir = Some(Box::new(EmptyDirVolumeSource::default()));
        pod.volumes.push(volume);
        assert_eq!(
            said(&deployment),
            json!({
                "metadata": {"name": "web"},
                "spec": {"replicas": 0, "template": {"spec": {
                    "containers": [{"name": "c"}],
                    "volumes": [{"name": "v", "emptyDir": {}}],
                }}},
            })
        );
    }

    #[test]
    fn a_status_of_zeros_is_none() {
        let mut set = DaemonSet::default();
        set.metadata.name = "d".to_owned();
        set.spec.min_ready_seconds = 5;
        assert_eq!(said(&set), json!({"metadata": {"name": "d"}, "spec": {"minReadySeconds": 5}}));
        set.status.number_ready = 1;
        let status = said(&set);
        assert_eq!(status.pointer("/status/numberReady"), Some(&json!(1)));
        assert_eq!(status.pointer("/status/numberMisscheduled"), Some(&json!(0)));
    }

    #[test]
    fn a_tree_goes_as_it_is() {
        let tree = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {}, "spec": {"nodeName": null}});
        let object = Unstructured::new(tree.clone()).unwrap();
        assert_eq!(said(&object), tree);
    }
}
