//! The roles that Kubernetes has for itself, for users and for its parts, and who gets them.

use rhumb_api::rbac::v1::PolicyRule;
use serde_json::{Value as Json, json};

use super::{Upkeep, Wanted, annotation, read_file};
use crate::authorization::lacking;
use crate::base::failure::Outcome;

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

/// Whether somebody else cares for a stored role or binding.
fn is_taken_over(stored: &Json) -> bool {
    annotation(stored, AUTOUPDATE) == Some("false")
}

/// Whether a stored binding is for another role. That can't be changed, so that it has to be made anew.
pub(super) fn is_another(stored: &Json, wanted: &Json) -> bool {
    wanted.get("roleRef").is_some()
        && stored.get("roleRef") != wanted.get("roleRef")
        && !is_taken_over(stored)
}

/// Adds to a stored role or binding what it lacks; false if it has all. What others added stays.
pub(super) fn complete(stored: &mut Json, wanted: &Json) -> bool {
    if is_taken_over(stored) {
        return false;
    }
    let mut changed = false;
    for map in ["labels", "annotations"] {
        let names = wanted.pointer(&format!("/metadata/{map}")).and_then(Json::as_object);
        for (name, value) in names.into_iter().flatten() {
            let Some(Json::Object(meta)) = stored.get_mut("metadata") else { continue };
            if let Json::Object(known) = meta.entry(map).or_insert_with(|| json!({}))
                && !known.contains_key(name)
            {
                known.insert(name.clone(), value.clone());
                changed = true;
            }
        }
    }
    changed |= extend(stored, "subjects", wanted.get("subjects"));
    let missing = lacking(&rules(stored), &rules(wanted));
    changed |= extend(stored, "rules", Some(&missing.iter().map(tree).collect()));
    let Json::Object(fields) = stored else { return changed };
    match wanted.get("aggregationRule") {
        Some(rule) => {
            let known = fields.entry("aggregationRule").or_insert_with(|| json!({}));
            changed |= extend(known, "clusterRoleSelectors", rule.get("clusterRoleSelectors"));
        }
        // What gathers rules of others would grant more than it should.
        None => changed |= fields.remove("aggregationRule").is_some(),
    }
    changed
}

/// The rules of a role.
fn rules(role: &Json) -> Vec<PolicyRule> {
    let read = |rule: &Json| {
        let list = |name: &str| {
            let texts = rule.get(name).and_then(Json::as_array).into_iter().flatten();
            texts.filter_map(Json::as_str).map(str::to_owned).collect()
        };
        PolicyRule {
            verbs: list("verbs"),
            api_groups: list("apiGroups"),
            resources: list("resources"),
            resource_names: list("resourceNames"),
            non_resource_urls: list("nonResourceURLs"),
        }
    };
    role.get("rules").and_then(Json::as_array).into_iter().flatten().map(read).collect()
}

/// A rule as a tree: only what it has.
pub(crate) fn tree(rule: &PolicyRule) -> Json {
    let fields = [
        ("verbs", &rule.verbs),
        ("apiGroups", &rule.api_groups),
        ("resources", &rule.resources),
        ("resourceNames", &rule.resource_names),
        ("nonResourceURLs", &rule.non_resource_urls),
    ];
    fields.into_iter().filter(|(_, list)| !list.is_empty()).map(|(name, list)| (name, json!(list))).collect()
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

    fn role(verbs: &[&str]) -> Json {
        json!([{"apiGroups": [""], "resources": ["pods"], "verbs": verbs}])
    }

    #[test]
    fn what_is_missing_is_added_and_the_rest_stays() {
        let labels = json!({"x": "y", "z": "1"});
        let wanted = json!({"metadata": {"name": "a", "labels": labels}, "rules": role(&["get", "list"])});
        let mut stored = json!({"metadata": {"name": "a", "labels": {"z": "2"}}, "rules": role(&["list"])});
        assert!(complete(&mut stored, &wanted));
        assert_eq!(stored["rules"], json!([role(&["list"])[0], role(&["get"])[0]]));
        assert_eq!(stored["metadata"]["labels"], json!({"x": "y", "z": "2"}));
        assert!(!complete(&mut stored, &wanted));
    }

    #[test]
    fn nothing_is_missing_where_more_is_granted() {
        let wanted = json!({"metadata": {}, "rules": role(&["get", "list"])});
        let mut stored =
            json!({"metadata": {}, "rules": [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}]});
        assert!(!complete(&mut stored, &wanted));
        stored["aggregationRule"] = json!({"clusterRoleSelectors": [{}]});
        assert!(complete(&mut stored, &wanted) && stored.get("aggregationRule").is_none());
    }

    #[test]
    fn a_binding_for_another_role_is_none() {
        let binding = |name: &str| json!({"metadata": {}, "roleRef": {"name": name}});
        assert!(is_another(&binding("a"), &binding("b")) && !is_another(&binding("a"), &binding("a")));
        assert!(!is_another(&json!({"metadata": {}}), &json!({"metadata": {}})));
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
