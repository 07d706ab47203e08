//! Field markers in schemas of custom resources: name references and labels.

use serde_json::Value;

use crate::config::{Config, NameReference};
use crate::fault::{Outcome, fail};
use crate::fieldspec::{FieldSpec, merge_one};
use crate::files::Loader;
use crate::id::Gvk;
use crate::kustomization::yaml_to_json;

/// Maximum depth of types, which may be recursive.
const MAX_DEPTH: usize = 32;

/// Reads the files that a kustomization lists as `crds`.
pub(crate) fn load(paths: &[String], loader: &Loader<'_>) -> Outcome<Config> {
    let mut config = Config::default();
    for path in paths {
        let content = loader.load(path)?;
        let types = yaml_to_json(&content).and_then(|json| match json {
            Value::Object(_) => Ok(json),
            _ => fail("error unmarshaling JSON: not an object"),
        });
        let types = types
            .map_err(|error| error.under(format!("unable to parse open API definition from '{path}'")))?;
        let mut found = Config::default();
        for (name, definition) in types.as_object().into_iter().flatten() {
            let Some(properties) = properties(definition) else { continue };
            if !["kind", "apiVersion", "metadata"].iter().all(|key| properties.get(key).is_some()) {
                continue;
            }
            let kind = name.rsplit('.').next().unwrap_or(name);
            let gvk = Gvk::selector("", "", kind);
            collect(&mut found, &gvk, &types, name, &mut Vec::new())?;
        }
        config.merge(found)?;
    }
    Ok(config)
}

/// Returns a key in any case.
fn get<'v>(value: &'v Value, key: &str) -> Option<&'v Value> {
    let map = value.as_object()?;
    map.get(key)
        .or_else(|| map.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value))
}

fn properties(definition: &Value) -> Option<&Value> {
    get(definition, "Schema")?.get("properties")
}

fn collect(config: &mut Config, gvk: &Gvk, types: &Value, name: &str, path: &mut Vec<String>) -> Outcome<()> {
    if path.len() > MAX_DEPTH {
        return Ok(());
    }
    let Some(properties) = types.get(name).and_then(properties).and_then(Value::as_object) else {
        return Ok(());
    };
    for (name, property) in properties {
        path.push(name.clone());
        let text = |key: &str| property.get(key).and_then(Value::as_str);
        let field = |path: &[String]| FieldSpec { gvk: gvk.clone(), path: path.join("/"), create: false };
        if text("x-kubernetes-annotation").is_some() {
            merge_one(&mut config.common_annotations, field(path))?;
        }
        if text("x-kubernetes-label-selector").is_some() {
            merge_one(&mut config.common_labels, field(path))?;
        }
        if text("x-kubernetes-identity").is_some() {
            merge_one(&mut config.name_prefix, field(path))?;
        }
        if let (Some(version), Some(kind)) =
            (text("x-kubernetes-object-ref-api-version"), text("x-kubernetes-object-ref-kind"))
        {
            let key = text("x-kubernetes-object-ref-name-key").unwrap_or("name");
            let mut named = path.clone();
            named.push(key.to_owned());
            config.add_name_reference(NameReference {
                gvk: Gvk::selector("", version, kind),
                fields: vec![field(&named)],
            })?;
        }
        if let Some(reference) = text("$ref") {
            collect(config, gvk, types, reference, path)?;
        }
        path.pop();
    }
    Ok(())
}
