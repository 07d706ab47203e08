//! The roles that Kubernetes has for itself, for users and for its parts, and who gets them.

use serde_json::{Value as Json, json};

use super::{Upkeep, Wanted, annotation, read_file};
use crate::failure::Outcome;

const GROUP: &str = "rbac.authorization.k8s.io";
const AUTOUPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";
const BOOTSTRAPPING: &str = "kubernetes.io/bootstrapping";

/// All roles and bindings.
pub(super) fn everything() -> Outcome<Vec<Wanted>> {
    let mut file = read_file(include_str!("access.json"))?;
    let mut wanted = Vec::new();
    for resource in ["clusterroles", "clusterrolebindings", "roles", "rolebindings"] {
        for mut tree in file.remove(resource).unwrap_or_default() {
            spell_out(&mut tree);
            let namespace = match tree.pointer("/metadata/namespace").and_then(Json::as_str) {
                Some("kube-system") => "kube-system",
                Some("kube-public") => "kube-public",
                _ => "",
            };
            wanted.push(Wanted { namespace, upkeep: Upkeep::Access, ..Wanted::new(GROUP, resource, tree) });
        }
    }
    Ok(wanted)
}

/// Adds what the file leaves out because all objects have it.
fn spell_out(tree: &mut Json) {
    if let Some(Json::Object(meta)) = tree.get_mut("metadata") {
        meta.insert("annotations".to_owned(), json!({AUTOUPDATE: "true"}));
        let labels = meta.entry("labels").or_insert_with(|| json!({}));
        if let Json::Object(labels) = labels {
            labels.insert(BOOTSTRAPPING.to_owned(), "rbac-defaults".into());
        }
    }
    if let Some(Json::Object(role)) = tree.get_mut("roleRef") {
        role.insert("apiGroup".to_owned(), GROUP.into());
    }
    for subject in tree.get_mut("subjects").and_then(Json::as_array_mut).into_iter().flatten() {
        let is_account = subject.get("kind").and_then(Json::as_str) == Some("ServiceAccount");
        if let (Json::Object(subject), false) = (subject, is_account) {
            subject.insert("apiGroup".to_owned(), GROUP.into());
        }
    }
}

/// Adds to a stored role or binding what it lacks; false if it has all. What others added stays.
pub(super) fn complete(stored: &mut Json, wanted: &Json) -> bool {
    if annotation(stored, AUTOUPDATE) == Some("false") {
        return false;
    }
    let mut changed = false;
    for map in ["labels", "annotations"] {
        let names = wanted.pointer(&format!("/metadata/{map}")).and_then(Json::as_object);
        for (name, value) in names.into_iter().flatten() {
            let Some(Json::Object(meta)) = stored.get_mut("metadata") else { continue };
            if let Json::Object(known) = meta.entry(map).or_insert_with(|| json!({}))
                && known.get(name) != Some(value)
            {
                known.insert(name.clone(), value.clone());
                changed = true;
            }
        }
    }
    for list in ["rules", "subjects"] {
        changed |= extend(stored, list, wanted.get(list));
    }
    if let Some(rule) = wanted.get("aggregationRule")
        && let Json::Object(fields) = stored
    {
        let known = fields.entry("aggregationRule").or_insert_with(|| json!({}));
        changed |= extend(known, "clusterRoleSelectors", rule.get("clusterRoleSelectors"));
    }
    changed
}

/// Adds the elements to a list that it lacks.
fn extend(tree: &mut Json, list: &str, wanted: Option<&Json>) -> bool {
    let (Json::Object(fields), Some(Json::Array(wanted))) = (tree, wanted) else { return false };
    let known = fields.entry(list).or_insert_with(|| json!([]));
    if known.is_null() {
        *known = json!([]);
    }
    let Json::Array(known) = known else { return false };
    let missing: Vec<Json> = wanted.iter().filter(|element| !known.contains(element)).cloned().collect();
    let changed = !missing.is_empty();
    known.extend(missing);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_added_and_the_rest_stays() {
        let wanted = json!({"metadata": {"name": "a", "labels": {"x": "y"}}, "rules": [{"verbs": ["get"]}]});
        let mut stored = json!({"metadata": {"name": "a"}, "rules": [{"verbs": ["list"]}]});
        assert!(complete(&mut stored, &wanted));
        assert_eq!(stored["rules"], json!([{"verbs": ["list"]}, {"verbs": ["get"]}]));
        assert_eq!(stored["metadata"]["labels"]["x"], "y");
        assert!(!complete(&mut stored, &wanted));
    }

    #[test]
    fn what_its_owner_has_taken_over_is_left_alone() {
        let wanted = json!({"metadata": {}, "rules": [{"verbs": ["get"]}]});
        let mut stored = json!({"metadata": {"annotations": {AUTOUPDATE: "false"}}, "rules": []});
        assert!(!complete(&mut stored, &wanted));
    }

    #[test]
    fn the_file_can_be_read() {
        assert_eq!(everything().map(|all| all.len()).ok(), Some(69 + 50 + 7 + 7));
    }
}
