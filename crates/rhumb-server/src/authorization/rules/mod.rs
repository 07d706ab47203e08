//! What one rule of a role says: whether it allows a request, and whether it covers another rule. Nothing here
//! knows who has the role.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::rbac::v1::PolicyRule;
use rhumb_schema::text::quoted;

use super::attributes::{Asked, AskedResource, Attributes};

const EVERYTHING: &str = "*";

/// Whether a rule allows what is asked.
pub(crate) fn allows(rule: &PolicyRule, wanted: &Attributes<'_>) -> bool {
    has_or_all(&rule.verbs, &wanted.verb)
        && match &wanted.asked {
            Asked::Resource(asked) => {
                has_or_all(&rule.api_groups, asked.group)
                    && rule.resources.iter().any(|told| is_resource(told, asked))
                    && (rule.resource_names.is_empty() || has(&rule.resource_names, &asked.name))
            }
            Asked::Path(path) => rule.non_resource_urls.iter().any(|told| told == "*" || is_path(told, path)),
        }
}

fn has(list: &[String], wanted: &str) -> bool {
    list.iter().any(|one| one == wanted)
}

fn has_or_all(list: &[String], wanted: &str) -> bool {
    list.iter().any(|one| one == EVERYTHING || one == wanted)
}

/// Whether a rule's resource, such as `pods`, `pods/log`, `*/scale` or `*`, is the one that is asked for.
fn is_resource(told: &str, asked: &AskedResource<'_>) -> bool {
    if told == EVERYTHING {
        return true;
    }
    if asked.subresource.is_empty() {
        return told == asked.resource;
    }
    let above = told.strip_suffix(asked.subresource).and_then(|rest| rest.strip_suffix('/'));
    above.is_some_and(|above| above == EVERYTHING || above == asked.resource)
}

/// Whether a rule's path, which may end in `*`, covers a path.
fn is_path(told: &str, path: &str) -> bool {
    told == path || (told.ends_with('*') && path.starts_with(told.trim_end_matches('*')))
}

/// A rule for one verb, and one resource or one path: what is either covered as a whole or not at all.
#[derive(Clone, Copy, Debug)]
enum Atom<'a> {
    Resource { group: &'a str, resource: &'a str, verb: &'a str, name: Option<&'a str> },
    Path { path: &'a str, verb: &'a str },
}

impl Atom<'_> {
    fn rule(self) -> PolicyRule {
        let one = |text: &str| vec![text.to_owned()];
        match self {
            Atom::Resource { group, resource, verb, name } => PolicyRule {
                verbs: one(verb),
                api_groups: one(group),
                resources: one(resource),
                resource_names: name.map(one).unwrap_or_default(),
                ..PolicyRule::default()
            },
            Atom::Path { path, verb } => {
                PolicyRule { verbs: one(verb), non_resource_urls: one(path), ..PolicyRule::default() }
            }
        }
    }
}

fn atoms(rule: &PolicyRule) -> Vec<Atom<'_>> {
    let mut atoms = Vec::new();
    for group in &rule.api_groups {
        for resource in &rule.resources {
            for verb in &rule.verbs {
                if rule.resource_names.is_empty() {
                    atoms.push(Atom::Resource { group, resource, verb, name: None });
                }
                for name in &rule.resource_names {
                    atoms.push(Atom::Resource { group, resource, verb, name: Some(name) });
                }
            }
        }
    }
    for path in &rule.non_resource_urls {
        atoms.extend(rule.verbs.iter().map(|verb| Atom::Path { path, verb }));
    }
    atoms
}

/// Whether a rule grants all that an atom does.
fn covers(owned: &PolicyRule, atom: Atom<'_>) -> bool {
    match atom {
        Atom::Resource { group, resource, verb, name } => {
            has_or_all(&owned.verbs, verb)
                && has_or_all(&owned.api_groups, group)
                && owned.resources.iter().any(|told| covers_resource(told, resource))
                && (owned.resource_names.is_empty()
                    || name.is_some_and(|name| has(&owned.resource_names, name)))
        }
        // A rule for paths is one without names, even if it has names for its resources.
        Atom::Path { path, verb } => {
            has_or_all(&owned.verbs, verb)
                && owned.resource_names.is_empty()
                && owned.non_resource_urls.iter().any(|told| is_path(told, path))
        }
    }
}

fn covers_resource(told: &str, wanted: &str) -> bool {
    if told == EVERYTHING || told == wanted {
        return true;
    }
    match (told.strip_prefix("*/"), wanted.split_once('/')) {
        (Some(below), Some((_, part))) => below == part,
        _ => false,
    }
}

/// What rules grant that others don't, as rules for one thing each.
pub(crate) fn lacking(owned: &[PolicyRule], granted: &[PolicyRule]) -> Vec<PolicyRule> {
    let wanted = granted.iter().flat_map(atoms);
    let lacking = wanted.filter(|atom| !owned.iter().any(|rule| covers(rule, *atom)));
    lacking.map(Atom::rule).collect()
}

/// What rules grant that a user's own rules don't, each line as it is told to the user, in order. None if
/// nothing is missing.
pub(crate) fn missing(owned: &[Cow<'_, PolicyRule>], granted: &[PolicyRule]) -> Option<Vec<String>> {
    let wanted = granted.iter().flat_map(atoms);
    let lacking: Vec<Atom<'_>> =
        wanted.filter(|atom| !owned.iter().any(|rule| covers(rule, *atom))).collect();
    if lacking.is_empty() {
        return None;
    }
    // Rules for the same resource are told as one with several verbs.
    let mut together: BTreeMap<(&str, &str, Option<&str>), Vec<&str>> = BTreeMap::new();
    let mut lines = BTreeSet::new();
    for atom in lacking {
        match atom {
            Atom::Resource { group, resource, verb, name } => {
                together.entry((group, resource, name)).or_default().push(verb);
            }
            Atom::Path { path, verb } => {
                lines.insert(format!("{{NonResourceURLs:[{}], Verbs:[{}]}}", quoted(path), quoted(verb)));
            }
        }
    }
    for ((group, resource, name), verbs) in together {
        let verbs: Vec<String> = verbs.iter().map(quoted).collect();
        let name = name.map(|name| format!(", ResourceNames:[{}]", quoted(name))).unwrap_or_default();
        lines.insert(format!(
            "{{APIGroups:[{}], Resources:[{}]{name}, Verbs:[{}]}}",
            quoted(group),
            quoted(resource),
            verbs.join(" ")
        ));
    }
    Some(lines.into_iter().collect())
}

#[cfg(test)]
mod tests;
