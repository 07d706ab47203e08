//! Evaluation of audit policies.

use super::read::{PolicyError, read};
use super::v1::{GroupResources, PolicyRule};
use super::{Level, Stages};

/// An audit policy.
#[derive(Clone, Default)]
pub struct Policy {
    pub(super) rules: Vec<Rule>,
    pub(super) omit_stages: Stages,
    pub(super) omit_managed_fields: bool,
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policy").field("rules", &self.rules.len()).finish_non_exhaustive()
    }
}

#[derive(Clone)]
pub(super) struct Rule {
    pub(super) decision: Decision,
    pub(super) fits: PolicyRule,
}

/// Audit decision for a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Decision {
    /// Audit level.
    pub level: Level,
    /// At which stages nothing is.
    pub omit_stages: Stages,
    /// Whether the managed fields of objects are left out.
    pub omit_managed_fields: bool,
}

/// Attributes of a request.
#[derive(Clone, Copy, Debug, Default)]
pub struct Facts<'a> {
    /// User; none if unknown.
    pub user: Option<&'a str>,
    /// The groups they are in.
    pub groups: &'a [String],
    /// The verb, in small letters.
    pub verb: &'a str,
    /// The path, without its query.
    pub path: &'a str,
    /// Resource, if the request has one.
    pub resource: Option<Resource<'a>>,
}

/// Requested resource. Missing parts are empty.
#[derive(Clone, Copy, Debug, Default)]
pub struct Resource<'a> {
    /// The group.
    pub group: &'a str,
    /// The resource's plural.
    pub resource: &'a str,
    /// The subresource.
    pub subresource: &'a str,
    /// The namespace.
    pub namespace: &'a str,
    /// The object's name.
    pub name: &'a str,
}

impl Policy {
    /// Reads a policy from YAML or JSON, with warnings about what it says that nobody understands.
    ///
    /// # Errors
    /// If it can't be read, or asks for something that is not possible.
    pub fn parse(text: &[u8]) -> Result<(Policy, Vec<String>), PolicyError> {
        read(text)
    }

    /// Returns the decision for a request.
    pub fn decide(&self, facts: &Facts<'_>) -> Decision {
        let rule = self.rules.iter().find(|rule| fits(&rule.fits, facts));
        rule.map_or(
            Decision {
                level: Level::None,
                omit_stages: self.omit_stages,
                omit_managed_fields: self.omit_managed_fields,
            },
            |rule| rule.decision,
        )
    }

    /// Returns the greatest level that any request can have.
    pub fn most(&self) -> Level {
        self.rules.iter().map(|rule| rule.decision.level).max().unwrap_or_default()
    }
}

/// Reports whether a list says nothing or names this.
fn names(list: &[String], wanted: &str) -> bool {
    list.is_empty() || list.iter().any(|item| item == wanted)
}

fn fits(rule: &PolicyRule, facts: &Facts<'_>) -> bool {
    let fits_user = rule.users.is_empty() || facts.user.is_some_and(|user| names(&rule.users, user));
    let fits_group = rule.user_groups.is_empty()
        || (facts.user.is_some() && facts.groups.iter().any(|group| names(&rule.user_groups, group)));
    if !fits_user || !fits_group || !names(&rule.verbs, facts.verb) {
        return false;
    }
    if !rule.namespaces.is_empty() || !rule.resources.is_empty() {
        return facts.resource.is_some_and(|resource| fits_resource(rule, &resource));
    }
    if !rule.non_resource_urls.is_empty() {
        return facts.resource.is_none()
            && rule.non_resource_urls.iter().any(|url| fits_path(url, facts.path));
    }
    true
}

fn fits_path(wanted: &str, path: &str) -> bool {
    wanted == "*"
        || wanted == path
        || (wanted.ends_with('*') && path.starts_with(wanted.trim_end_matches('*')))
}

fn fits_resource(rule: &PolicyRule, facts: &Resource<'_>) -> bool {
    names(&rule.namespaces, facts.namespace)
        && (rule.resources.is_empty() || rule.resources.iter().any(|wanted| is_among(wanted, facts)))
}

fn is_among(wanted: &GroupResources, facts: &Resource<'_>) -> bool {
    if wanted.group != facts.group && wanted.group != "*" {
        return false;
    }
    wanted.resources.is_empty()
        || (names(&wanted.resource_names, facts.name)
            && wanted.resources.iter().any(|name| fits_name(name, facts)))
}

fn fits_name(wanted: &str, facts: &Resource<'_>) -> bool {
    if wanted == "*" {
        return true;
    }
    match wanted.split_once('/') {
        None => wanted == facts.resource && facts.subresource.is_empty(),
        Some((resource, "*")) if resource == facts.resource => true,
        Some(("*", below)) => !facts.subresource.is_empty() && below == facts.subresource,
        Some((resource, below)) => {
            resource == facts.resource && !facts.subresource.is_empty() && below == facts.subresource
        }
    }
}
