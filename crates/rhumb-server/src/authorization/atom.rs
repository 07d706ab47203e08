//! Rules for a single thing, which other rules cover as a whole or not at all.

use rhumb_api::rbac::v1::PolicyRule;

/// Stands for everything in a list of a rule.
pub(super) const EVERYTHING: &str = "*";

/// Whether a rule's path, which may end in `*`, covers a path.
pub(super) fn is_path(told: &str, path: &str) -> bool {
    told == path || (told.ends_with('*') && path.starts_with(told.trim_end_matches('*')))
}

/// A rule for one verb, and one resource or one path: what is either covered as a whole or not at all.
#[derive(Clone, Copy, Debug)]
pub(super) enum Atom<'a> {
    Resource { group: &'a str, resource: &'a str, verb: &'a str, name: Option<&'a str> },
    Path { path: &'a str, verb: &'a str },
}

impl Atom<'_> {
    /// The rule.
    pub(super) fn rule(self) -> PolicyRule {
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
