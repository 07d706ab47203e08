//! Differences between a version and its hub, and the defaults of a kind, for `rhumb scheme show`.

use rhumb_meta::{GroupVersionKind, INTERNAL};
use rhumb_schema::{FieldDesc, StructDesc, to_tree};
use rhumb_scheme::Scheme;
use serde_json::Value as Json;

/// Lists fields that only this version or only its hub has. Fields in both are converted one by one; the conversion
/// function handles the rest.
pub(super) fn with_hub(scheme: &Scheme, gvk: &GroupVersionKind) -> Vec<String> {
    let hub = GroupVersionKind::new(gvk.group.clone(), INTERNAL, gvk.kind.clone());
    let mut lines = Vec::new();
    if let (Some(own), Some(hub)) = (scheme.known_type(gvk), scheme.known_type(&hub)) {
        differ(own.desc, hub.desc, "", &mut lines);
    }
    lines
}

fn differ(own: &'static StructDesc, hub: &'static StructDesc, path: &str, lines: &mut Vec<String>) {
    if std::ptr::eq(own, hub) {
        return;
    }
    let at = |field: &FieldDesc| {
        if path.is_empty() { field.json.to_owned() } else { format!("{path}.{}", field.json) }
    };
    for field in own.fields.iter().filter(|field| !field.inline) {
        match (hub.find(field.json), field.shape.element_struct()) {
            (None, _) => lines.push(format!("{}: only in this version", at(field))),
            (Some(other), Some(inner)) => match other.shape.element_struct() {
                Some(other) => differ(inner, other, &at(field), lines),
                None => lines.push(format!("{}: of another type in the hub", at(field))),
            },
            (Some(other), None) if other.shape.go_type() != field.shape.go_type() => {
                lines.push(format!("{}: of another type in the hub", at(field)));
            }
            _ => {}
        }
    }
    let only_hub = hub.fields.iter().filter(|field| !field.inline && own.find(field.json).is_none());
    lines.extend(only_hub.map(|field| format!("{}: only in the hub", at(field))));
}

/// Lists what defaulting sets in an empty object.
pub(super) fn defaults(scheme: &Scheme, gvk: &GroupVersionKind) -> Vec<String> {
    let Ok(mut object) = scheme.new_object(gvk) else { return Vec::new() };
    let before = to_tree(&*object);
    scheme.default(&mut *object);
    let mut lines = Vec::new();
    added(Some(&before), &to_tree(&*object), "", &mut lines);
    lines
}

fn added(before: Option<&Json>, after: &Json, path: &str, lines: &mut Vec<String>) {
    match after {
        Json::Object(map) => {
            for (key, value) in map {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                added(before.and_then(|before| before.get(key)), value, &below, lines);
            }
        }
        value if before != Some(value) => lines.push(format!("{path}: {value}")),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_deployment_differs_by_its_rollback_and_gets_defaults() {
        let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
        let gvk = GroupVersionKind::new_static("apps", "v1beta1", "Deployment");
        assert_eq!(with_hub(&scheme, &gvk), ["spec.rollbackTo: only in this version"]);
        assert!(defaults(&scheme, &gvk).contains(&"spec.replicas: 1".to_owned()));
    }

    #[test]
    fn a_renamed_field_stands_on_both_sides() {
        let scheme = rhumb_api::scheme().expect("the built-in scheme freezes");
        let gvk = GroupVersionKind::new_static(
            "flowcontrol.apiserver.k8s.io",
            "v1beta2",
            "PriorityLevelConfiguration",
        );
        let lines = with_hub(&scheme, &gvk);
        assert!(lines.contains(&"spec.limited.assuredConcurrencyShares: only in this version".to_owned()));
        assert!(lines.contains(&"spec.limited.nominalConcurrencyShares: only in the hub".to_owned()));
    }
}
