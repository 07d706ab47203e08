//! Whether a policy or binding is about a request: rules by operation and resource, and selectors of labels.
//!
//! With the match policy `Equivalent` a rule for one version of a resource also takes requests in others, whose
//! objects are then seen in the version of the rule.

use std::sync::Arc;

use rhumb_api::admissionregistration::v1::{MatchResources, NamedRuleWithOperations};
use rhumb_meta::GroupVersionKind;
use rhumb_meta::labels::Selector;
use rhumb_meta::v1::LabelSelector;

use crate::registry::Endpoint;

/// What a policy or binding is about.
#[derive(Debug)]
pub(super) struct Matching {
    /// Which namespaces it is about.
    pub(super) namespaces: Result<Selector, String>,
    /// Which objects it is about.
    pub(super) objects: Result<Selector, String>,
    rules: Vec<NamedRuleWithOperations>,
    excluded: Vec<NamedRuleWithOperations>,
    takes_equivalents: bool,
}

/// A request as rules see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'a> {
    pub(super) operation: &'a str,
    pub(super) group: &'a str,
    pub(super) version: &'a str,
    pub(super) resource: &'a str,
    pub(super) subresource: &'a str,
    /// The namespace; of a namespace its own name.
    pub(super) namespace: &'a str,
    pub(super) name: &'a str,
}

/// Another version of the requested resource, or another resource with the same objects.
pub(super) struct Equivalent {
    /// The resource.
    pub(super) endpoint: Arc<Endpoint>,
    /// The kind of its objects, or of what is below them.
    pub(super) kind: GroupVersionKind,
}

/// The resource that rules took a request for.
pub(super) enum Matched<'e> {
    /// The one that was requested.
    Requested,
    /// An equivalent one.
    Equivalent(&'e Equivalent),
}

fn selector(selector: Option<&LabelSelector>, what: &str) -> Result<Selector, String> {
    let Some(selector) = selector else {
        return Err(format!(
            "a nil {what} selector was passed, please ensure selectors are initialized properly"
        ));
    };
    selector.to_selector().map_err(|error| format!("Internal error occurred: {error}"))
}

impl Matching {
    /// What is said in the form of the API.
    pub(super) fn of(resources: &MatchResources) -> Self {
        Matching {
            namespaces: selector(resources.namespace_selector.as_deref(), "namespace"),
            objects: selector(resources.object_selector.as_deref(), "object"),
            rules: resources.resource_rules.clone(),
            excluded: resources.exclude_resource_rules.clone(),
            takes_equivalents: resources.match_policy.as_deref() == Some("Equivalent"),
        }
    }

    /// The resource that the rules take a request for, if any does.
    pub(super) fn resource<'e>(
        &self,
        target: &Target<'_>,
        equivalents: &dyn Fn() -> &'e [Equivalent],
    ) -> Option<Matched<'e>> {
        if self.find(&self.excluded, target, equivalents).is_some() {
            return None;
        }
        if self.rules.is_empty() {
            return Some(Matched::Requested);
        }
        self.find(&self.rules, target, equivalents)
    }

    fn find<'e>(
        &self,
        rules: &[NamedRuleWithOperations],
        target: &Target<'_>,
        equivalents: &dyn Fn() -> &'e [Equivalent],
    ) -> Option<Matched<'e>> {
        if rules.iter().any(|rule| takes(rule, target)) {
            return Some(Matched::Requested);
        }
        // What could take no resource at all takes no equivalent one.
        let mut rules = rules.iter().filter(|rule| self.takes_equivalents && takes_operation(rule, target));
        rules.find_map(|rule| {
            let mut others = equivalents().iter();
            others.find(|other| takes(rule, &other.target(target))).map(Matched::Equivalent)
        })
    }
}

impl Equivalent {
    fn target<'a>(&'a self, requested: &Target<'a>) -> Target<'a> {
        Target {
            group: &self.endpoint.resource.group,
            version: &self.endpoint.kind.version,
            resource: &self.endpoint.resource.resource,
            ..*requested
        }
    }
}

fn is_or_all(items: &[String], wanted: &str) -> bool {
    items.iter().any(|item| item == "*" || item == wanted)
}

fn takes_operation(rule: &NamedRuleWithOperations, target: &Target<'_>) -> bool {
    is_or_all(&rule.rule_with_operations.operations, target.operation)
}

fn takes(named: &NamedRuleWithOperations, target: &Target<'_>) -> bool {
    let rule = &named.rule_with_operations.rule;
    takes_operation(named, target)
        && is_or_all(&rule.api_groups, target.group)
        && is_or_all(&rule.api_versions, target.version)
        && rule.resources.iter().any(|text| takes_resource(text, target))
        && takes_scope(rule.scope.as_deref(), target)
        && (named.resource_names.is_empty() || named.resource_names.iter().any(|name| name == target.name))
}

fn takes_resource(text: &str, target: &Target<'_>) -> bool {
    let (resource, subresource) = text.split_once('/').unwrap_or((text, ""));
    (resource == "*" || resource == target.resource)
        && (subresource == "*" || subresource == target.subresource)
}

fn takes_scope(scope: Option<&str>, target: &Target<'_>) -> bool {
    // Namespaces themselves are in none, whatever is said of the request.
    let is_namespace = (target.group, target.version, target.resource) == ("", "v1", "namespaces");
    let is_namespaced = !is_namespace && !target.namespace.is_empty();
    match scope {
        None | Some("*") => true,
        Some("Namespaced") => is_namespaced,
        Some("Cluster") => !is_namespaced,
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use rhumb_api::admissionregistration::v1::{Rule, RuleWithOperations};

    use super::*;

    const SCALE: Target<'_> = Target {
        operation: "UPDATE",
        group: "apps",
        version: "v1",
        resource: "deployments",
        subresource: "scale",
        namespace: "default",
        name: "web",
    };

    fn rule(
        operations: &[&str],
        groups: &[&str],
        versions: &[&str],
        resources: &[&str],
    ) -> NamedRuleWithOperations {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let rule = Rule {
            api_groups: texts(groups),
            api_versions: texts(versions),
            resources: texts(resources),
            scope: None,
        };
        let rule_with_operations = RuleWithOperations { operations: texts(operations), rule };
        NamedRuleWithOperations { resource_names: Vec::new(), rule_with_operations }
    }

    #[test]
    fn rules_take_what_they_name() {
        let check = |resources: &[&str], expected: bool| {
            assert_eq!(
                takes(&rule(&["UPDATE"], &["apps"], &["v1"], resources), &SCALE),
                expected,
                "{resources:?}"
            );
        };
        check(&["deployments/scale"], true);
        check(&["deployments/*"], true);
        check(&["*/scale"], true);
        check(&["*/*"], true);
        check(&["deployments"], false);
        check(&["*"], false);
        check(&["deployments/status", "pods", "deployments/scale"], true);
        for (operations, group, version) in [("CREATE", "apps", "v1"), ("*", "", "v1"), ("*", "apps", "v2")] {
            assert!(!takes(&rule(&[operations], &[group], &[version], &["*/*"]), &SCALE));
        }
        assert!(takes(&rule(&["*"], &["*"], &["*"], &["*/*"]), &SCALE));
    }

    #[test]
    fn rules_may_name_objects_and_scopes() {
        let mut named = rule(&["*"], &["*"], &["*"], &["*/*"]);
        named.resource_names = vec!["other".to_owned()];
        assert!(!takes(&named, &SCALE));
        named.resource_names.push("web".to_owned());
        assert!(takes(&named, &SCALE));
        let namespace =
            Target { group: "", resource: "namespaces", subresource: "", namespace: "web", ..SCALE };
        let node = Target { resource: "nodes", namespace: "", ..namespace };
        for (scope, taken) in
            [("Namespaced", [true, false, false]), ("Cluster", [false, true, true]), ("*", [true; 3])]
        {
            assert_eq!(
                [SCALE, namespace, node].map(|target| takes_scope(Some(scope), &target)),
                taken,
                "{scope}"
            );
        }
    }

    #[test]
    fn what_is_excluded_is_not_taken() {
        let all = rule(&["*"], &["*"], &["*"], &["*/*"]);
        let resources = MatchResources {
            resource_rules: vec![all],
            exclude_resource_rules: vec![rule(&["UPDATE"], &["apps"], &["*"], &["deployments/scale"])],
            ..MatchResources::default()
        };
        let matching = Matching::of(&resources);
        let none: &dyn Fn() -> &'static [Equivalent] = &|| &[];
        assert!(matching.resource(&SCALE, none).is_none());
        let create = Target { operation: "CREATE", ..SCALE };
        assert!(matches!(matching.resource(&create, none), Some(Matched::Requested)));
        let wrong = matching.namespaces.expect_err("there is no selector");
        assert_eq!(
            wrong,
            "a nil namespace selector was passed, please ensure selectors are initialized properly"
        );
    }
}
