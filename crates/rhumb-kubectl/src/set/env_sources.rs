//! Resolution of environment variable sources.

use std::collections::HashMap;

use rhumb_cli::resource::Info;
use rhumb_meta::{GroupVersionResource, Quantity, validation};
use rhumb_schema::text::decode_base64;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value};

use crate::typed;

/// Says what a reference refers to.
pub(super) fn described(from: &Value) -> String {
    let text = |path: &[&str]| at(from, path);
    if from.get("configMapKeyRef").is_some() {
        format!("configmap {}, key {}", text(&["configMapKeyRef", "name"]), text(&["configMapKeyRef", "key"]))
    } else if from.get("secretKeyRef").is_some() {
        format!("secret {}, key {}", text(&["secretKeyRef", "name"]), text(&["secretKeyRef", "key"]))
    } else if from.get("fieldRef").is_some() {
        format!("field path {}", text(&["fieldRef", "fieldPath"]))
    } else if from.get("resourceFieldRef").is_some() {
        let container = match text(&["resourceFieldRef", "containerName"]) {
            "" => String::new(),
            name => format!("{name}/"),
        };
        format!("resource field {container}{}", text(&["resourceFieldRef", "resource"]))
    } else {
        "invalid valueFrom".to_owned()
    }
}

fn at<'a>(value: &'a Value, path: &[&str]) -> &'a str {
    path.iter().try_fold(value, |value, field| value.get(field)).and_then(Value::as_str).unwrap_or_default()
}

/// Resolves references, requesting each object once.
pub(super) struct Resolver {
    namespace: String,
    known: HashMap<(&'static str, String), Unstructured>,
}

impl Resolver {
    /// Creates a resolver for a namespace.
    pub(super) fn new(namespace: String) -> Self {
        Resolver { namespace, known: HashMap::new() }
    }

    /// Resolves a reference.
    pub(super) async fn value(
        &mut self,
        info: &Info,
        object: &Unstructured,
        container: &Map<String, Value>,
        from: &Value,
    ) -> Result<String, String> {
        if let Some(reference) = from.get("secretKeyRef") {
            let (name, key) = (at(reference, &["name"]), at(reference, &["key"]));
            let secret = self.object(info, "secrets", name).await?;
            let value = secret.get(&["data", key]).and_then(Value::as_str);
            let value = value.ok_or_else(|| format!("key {key} not found in secret {name}"))?;
            let value = decode_base64(value).unwrap_or_default();
            return Ok(String::from_utf8_lossy(&value).into_owned());
        }
        if let Some(reference) = from.get("configMapKeyRef") {
            let (name, key) = (at(reference, &["name"]), at(reference, &["key"]));
            let map = self.object(info, "configmaps", name).await?;
            let value = map.get(&["data", key]).and_then(Value::as_str);
            return value
                .map(str::to_owned)
                .ok_or_else(|| format!("key {key} not found in config map {name}"));
        }
        if let Some(reference) = from.get("fieldRef") {
            return field(object, at(reference, &["fieldPath"]));
        }
        match from.get("resourceFieldRef") {
            Some(reference) => amount(container, reference),
            None => Err("invalid valueFrom".to_owned()),
        }
    }

    async fn object(
        &mut self,
        info: &Info,
        resource: &'static str,
        name: &str,
    ) -> Result<&Unstructured, String> {
        let key = (resource, name.to_owned());
        if !self.known.contains_key(&key) {
            let client = info.client().map_err(|failure| failure.bare())?;
            let api = client.dynamic(&GroupVersionResource::new_static("", "v1", resource));
            let object = api.namespace(&self.namespace).get(name).await;
            let object = object.map_err(|error| rhumb_cli::Failure::from(error).bare())?;
            self.known.insert(key.clone(), object);
        }
        self.known.get(&key).ok_or_else(String::new)
    }
}

/// Returns a field of an object's metadata.
fn field(object: &Unstructured, path: &str) -> Result<String, String> {
    let map = |name: &str| object.get(&["metadata", name]).and_then(Value::as_object);
    let subscripted = path.strip_suffix("']").and_then(|path| path.split_once("['"));
    if let Some((map_path, key)) = subscripted.filter(|(map_path, _)| !map_path.is_empty()) {
        let (name, checked) = match map_path {
            "metadata.annotations" => ("annotations", key.to_lowercase()),
            "metadata.labels" => ("labels", key.to_owned()),
            _ => return Err(format!("fieldPath {path:?} does not support subscript")),
        };
        let wrong = validation::is_qualified_name(&checked);
        if !wrong.is_empty() {
            return Err(format!("invalid key subscript in {path}: {}", wrong.join(";")));
        }
        let value = map(name).and_then(|map| map.get(key)).and_then(Value::as_str);
        return Ok(value.unwrap_or_default().to_owned());
    }
    match path {
        "metadata.annotations" => Ok(lines(map("annotations"))),
        "metadata.labels" => Ok(lines(map("labels"))),
        "metadata.name" => Ok(typed::text(object, &["metadata", "name"]).to_owned()),
        "metadata.namespace" => Ok(typed::text(object, &["metadata", "namespace"]).to_owned()),
        "metadata.uid" => Ok(typed::text(object, &["metadata", "uid"]).to_owned()),
        _ => Err(format!("unsupported fieldPath: {path}")),
    }
}

fn lines(map: Option<&Map<String, Value>>) -> String {
    let lines = map.into_iter().flatten();
    let lines: Vec<String> =
        lines.map(|(key, value)| format!("{key}={:?}", value.as_str().unwrap_or_default())).collect();
    lines.join("\n")
}

/// Returns a container's request or limit in units of the divisor, rounded up.
fn amount(container: &Map<String, Value>, reference: &Value) -> Result<String, String> {
    let resource = at(reference, &["resource"]);
    let unsupported = || format!("Unsupported container resource : {resource}");
    let (list, name) = resource.split_once('.').ok_or_else(unsupported)?;
    let known = matches!(name, "cpu" | "memory" | "ephemeral-storage") || name.starts_with("hugepages-");
    if !known || !matches!(list, "limits" | "requests") {
        return Err(unsupported());
    }
    let parse = |value: Option<&Value>| -> Option<Quantity> { value?.as_str()?.parse().ok() };
    let amount = container.get("resources").and_then(|resources| parse(resources.get(list)?.get(name)));
    let divisor = parse(reference.get("divisor")).filter(|divisor| !divisor.is_zero());
    let measure = |quantity: &Quantity| match name {
        "cpu" => quantity.milli_value(),
        _ => quantity.value(),
    };
    let one = if name == "cpu" { 1000 } else { 1 };
    let (amount, divisor) = (amount.map_or(0, |q| measure(&q)), divisor.map_or(one, |q| measure(&q)).max(1));
    Ok(((amount as f64 / divisor as f64).ceil() as i64).to_string())
}
