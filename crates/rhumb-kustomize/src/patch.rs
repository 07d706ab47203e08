//! Patches and their targets.

use rhumb_patch::json_patch;
use serde_json::{Map, Value, json};

use crate::fault::{Fault, Outcome, fail, quote};
use crate::files::Loader;
use crate::kustomization::{Patch, yaml_to_json};
use crate::merge::merge;
use crate::node::{Node, yaml_text};
use crate::read::objects;
use crate::resource::{Allowed, Resource, Resources, Selector};
use crate::schema::Schemas;

/// A parsed patch.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Objects to be merged into those they name, or into those that are selected.
    Merge { patches: Vec<Resource>, target: Option<Selector>, source: String },
    /// Operations for the objects that are selected.
    Operations { patch: Vec<u8>, target: Option<Selector>, source: String },
    /// Objects to be merged into those they name, as the field `patchesStrategicMerge` has them.
    MergeNamed(Vec<Resource>),
    /// Operations of the field `patchesJson6902`.
    OperationsOn { patch: Vec<u8>, target: Selector },
}

/// Returns a selector as it stands in a message.
fn selector_json(selector: &Selector) -> Value {
    let id = &selector.id;
    let fields = [
        ("group", &id.gvk.group),
        ("version", &id.gvk.version),
        ("kind", &id.gvk.kind),
        ("name", &id.name),
        ("namespace", &id.namespace),
        ("annotationSelector", &selector.annotations),
        ("labelSelector", &selector.labels),
    ];
    let mut map = Map::new();
    for (key, value) in fields {
        if !value.is_empty() {
            map.insert(key.to_owned(), json!(value));
        }
    }
    Value::Object(map)
}

/// A patch's configuration as it stands in a message, with the name that its text has there.
fn config_text(patch: &Patch, text_name: &str) -> String {
    let mut map = Map::new();
    for (key, value) in [("path", &patch.path), (text_name, &patch.patch)] {
        if !value.is_empty() {
            map.insert(key.to_owned(), json!(value));
        }
    }
    if let Some(target) = &patch.target {
        map.insert("target".to_owned(), selector_json(target));
    }
    if let Some(options) = &patch.options {
        let mut allowed = Map::new();
        for (key, value) in
            [("allowNameChange", options.allow_name_change), ("allowKindChange", options.allow_kind_change)]
        {
            if value {
                allowed.insert(key.to_owned(), json!(true));
            }
        }
        map.insert("options".to_owned(), Value::Object(allowed));
    }
    yaml_text(&Value::Object(map))
}

/// Puts what was being configured before an error.
pub(crate) fn trouble(error: Fault, kind: &str, config: &str) -> Fault {
    error.under(format!("trouble configuring builtin {kind} with config: `\n{config}`"))
}

/// Reads an entry of `patches`.
pub(crate) fn configure(patch: &Patch, loader: &Loader<'_>) -> Outcome<Change> {
    let config = config_text(patch, "patch");
    read_patch(patch, loader, &config).map_err(|error| trouble(error, "PatchTransformer", &config))
}

/// Reads a patch; `config` is what messages show of it.
pub(crate) fn read_patch(patch: &Patch, loader: &Loader<'_>, config: &str) -> Outcome<Change> {
    let inline = patch.patch.trim();
    let (text, source) = match (inline.is_empty(), patch.path.is_empty()) {
        (true, true) => return fail(format!("must specify one of patch and path in\n{config}")),
        (false, false) => return fail(format!("patch and path can't be set at the same time\n{config}")),
        (false, true) => (inline.as_bytes().to_vec(), format!("[patch: {}]", quote(inline))),
        (true, false) => {
            let text = loader.load(&patch.path).map_err(|error| {
                error.under(format!("failed to get the patch file from path({})", patch.path))
            })?;
            (text, format!("[path: {}]", quote(&patch.path)))
        }
    };
    let (merges, operations) = (objects(&text), operations(&text));
    match (merges, operations) {
        (Ok(merges), Ok((_, count))) if !merges.is_empty() && count > 0 => {
            fail(format!("illegally qualifies as both an SM and JSON patch: {source}"))
        }
        (Err(_), Err(_)) => fail(format!("unable to parse SM or JSON patch from {source}")),
        (Ok(mut patches), _) => {
            if let Some(options) = &patch.options {
                for patch in &mut patches {
                    patch.allowed =
                        Allowed { name: options.allow_name_change, kind: options.allow_kind_change };
                }
            }
            Ok(Change::Merge { patches, target: patch.target.clone(), source })
        }
        (Err(_), Ok((operations, _))) => {
            Ok(Change::Operations { patch: operations, target: patch.target.clone(), source })
        }
    }
}

/// Returns the operations of a JSON patch as JSON text, and how many they are.
fn operations(text: &[u8]) -> Outcome<(Vec<u8>, usize)> {
    let value: Value = match text.first() {
        None => return fail("empty json patch operations"),
        Some(b'[') => serde_json::from_slice(text).map_err(|error| Fault(error.to_string()))?,
        Some(_) => yaml_to_json(text)?,
    };
    let count = match &value {
        Value::Null => 0,
        Value::Array(items) => {
            if let Some(other) = items.iter().find(|item| !item.is_object() && !item.is_null()) {
                return fail(format!(
                    "json: cannot unmarshal {} into Go value of type jsonpatch.Operation",
                    kind_name(other)
                ));
            }
            items.len()
        }
        other => {
            return fail(format!(
                "json: cannot unmarshal {} into Go value of type jsonpatch.Patch",
                kind_name(other)
            ));
        }
    };
    Ok((value.to_string().into_bytes(), count))
}

fn kind_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Reads the entries of `patchesStrategicMerge`, which are texts or files, and a text with more of them.
pub(crate) fn configure_merge(paths: &[String], text: &str, loader: &Loader<'_>) -> Outcome<Change> {
    if paths.is_empty() && text.is_empty() {
        return fail("empty file path and empty patch content");
    }
    let mut patches = Vec::new();
    for path in paths {
        match objects(path.as_bytes()) {
            Ok(found) => patches.extend(found),
            Err(_) => {
                let content = loader.load(path)?;
                patches.extend(objects(&content).map_err(|error| in_file(error, path))?);
            }
        }
    }
    if !text.is_empty() {
        patches.extend(objects(text.as_bytes())?);
    }
    if patches.is_empty() {
        return fail(format!(
            "patch appears to be empty; files={}, Patch={text}",
            crate::fault::listed(paths)
        ));
    }
    Ok(Change::MergeNamed(patches))
}

/// Names the file in an error about its YAML.
pub(crate) fn in_file(error: Fault, path: &str) -> Fault {
    if error.is_malformed_yaml() { Fault(format!("{error} in File: {path}")) } else { error }
}

/// Reads an entry of `patchesJson6902`.
pub(crate) fn configure_operations(patch: &Patch, loader: &Loader<'_>) -> Outcome<Change> {
    let config = config_text(patch, "jsonOp");
    read_operations(patch, loader).map_err(|error| trouble(error, "PatchJson6902Transformer", &config))
}

/// Reads operations with their target.
pub(crate) fn read_operations(patch: &Patch, loader: &Loader<'_>) -> Outcome<Change> {
    let target = patch.target.clone().unwrap_or_default();
    if target.id.name.is_empty() {
        return fail("must specify the target name");
    }
    let text = match (patch.path.is_empty(), patch.patch.is_empty()) {
        (true, true) => return fail("empty file path and empty jsonOp"),
        (false, false) => return fail("must specify a file path or jsonOp, not both"),
        (true, false) => patch.patch.clone().into_bytes(),
        (false, true) => {
            let text = loader.load(&patch.path)?;
            if text.is_empty() {
                return fail(format!("patch file '{}' empty seems to be empty", patch.path));
            }
            text
        }
    };
    let shown = String::from_utf8_lossy(&text).into_owned();
    let (operations, count) = operations(&text).map_err(|error| error.under(format!("decoding {shown}")))?;
    if count == 0 {
        return fail(format!(
            "patch appears to be empty; file={}, JsonOp={}",
            patch.path,
            String::from_utf8_lossy(&operations)
        ));
    }
    Ok(Change::OperationsOn { patch: operations, target })
}

impl Change {
    /// Applies the patch to the objects it is for.
    pub(crate) fn apply(&self, resources: &mut Resources, schemas: &Schemas) -> Outcome<()> {
        match self {
            Change::Merge { patches, .. } if patches.is_empty() => Ok(()),
            Change::Merge { patches, target: Some(target), source } => {
                let [patch] = patches.as_slice() else {
                    return fail(format!(
                        "Multiple Strategic-Merge Patches in one `patches` entry is not allowed to set \
                         `patches.target` field: {source}"
                    ));
                };
                let selected = resources.select(target).map_err(|error| {
                    let target = quote(&target.to_string());
                    error.under(format!("unable to find patch target {target} in `resources`"))
                })?;
                merge_into(resources, &selected, patch, schemas)
            }
            Change::Merge { patches, target: None, .. } => patches.iter().try_for_each(|patch| {
                let id = patch.original_id();
                let at = resources.by_id(&id).map_err(|error| {
                    error.under(format!(
                        "no resource matches strategic merge patch {}",
                        quote(&id.to_string())
                    ))
                })?;
                match resources.list.get_mut(at) {
                    Some(resource) => merge_one(resource, patch, schemas),
                    None => Ok(()),
                }
            }),
            Change::MergeNamed(patches) => patches.iter().try_for_each(|patch| {
                let at = resources.by_id(&patch.original_id())?;
                merge_into(resources, &[at], patch, schemas)
            }),
            Change::Operations { target: None, source, .. } => {
                fail(format!("must specify a target for JSON patch {source}"))
            }
            Change::Operations { patch, target: Some(target), .. } => {
                for at in resources.select(target)? {
                    if let Some(resource) = resources.list.get_mut(at) {
                        resource.remember_id();
                        operate(resource, patch)?;
                    }
                }
                Ok(())
            }
            Change::OperationsOn { patch, target } => {
                for at in resources.select(target)? {
                    if let Some(resource) = resources.list.get_mut(at) {
                        operate(resource, patch)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Merges a patch into one object.
fn merge_one(resource: &mut Resource, patch: &Resource, schemas: &Schemas) -> Outcome<()> {
    let Some(node) = resource.node.clone() else { return Ok(()) };
    let (name, namespace, kind) =
        (node.name().to_owned(), node.namespace().to_owned(), node.kind().to_owned());
    if patch.allowed.name || patch.allowed.kind {
        resource.remember_id();
    }
    resource.node = merge(node, patch.node().clone(), schemas)?;
    if resource.is_empty() {
        return Ok(());
    }
    resource.edit(|node| {
        if !patch.allowed.kind {
            node.set_top("kind", &kind)?;
        }
        if !patch.allowed.name {
            node.set_name(&name)?;
        }
        node.set_namespace(&namespace)
    })
}

/// Merges a patch into several objects, whatever it is named, and looks for identities that occur twice then.
fn merge_into(resources: &mut Resources, at: &[usize], patch: &Resource, schemas: &Schemas) -> Outcome<()> {
    for at in at {
        let Some(resource) = resources.list.get_mut(*at) else { continue };
        let mut copy = patch.clone();
        copy.take_metadata_from(patch)?;
        let api_version = resource.node().api_version().to_owned();
        copy.edit(|node| node.set_top("apiVersion", &api_version))?;
        merge_one(resource, &copy, schemas)?;
    }
    let list = std::mem::take(&mut resources.list);
    resources.append_all(list.into_iter().filter(|resource| !resource.is_empty()))
}

/// Annotation for those in which kustomize tracks an object's history.
const HISTORY: &str = "internal.config.kubernetes.io/previousNames";

/// Applies operations to one object.
///
/// kustomize keeps history in annotations, so that operations find annotations to add to where the object had
/// none.
fn operate(resource: &mut Resource, patch: &[u8]) -> Outcome<()> {
    let mut json = resource.node().to_json()?;
    let is_marked = resource.has_history()
        || resource.needs_hash
        || resource.origin.is_some()
        || resource.behavior != crate::resource::Behavior::Unspecified;
    if is_marked && let Some(metadata) = json.get_mut("metadata").and_then(Value::as_object_mut) {
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if annotations.is_null() {
            *annotations = json!({});
        }
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.insert(HISTORY.to_owned(), json!(""));
        }
    }
    json_patch::apply(&mut json, patch).map_err(|error| Fault(error.detail()))?;
    let mut node = Node::from_json(&json);
    if is_marked {
        let mut annotations = node.annotations();
        annotations.remove(HISTORY);
        node.set_annotations(&annotations)?;
    }
    resource.node = Some(node);
    Ok(())
}
