//! What one rule of a role says: whether it allows a request, and whether it covers another rule. Nothing here
//! knows who has the role.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::rbac::v1::PolicyRule;
use rhumb_schema::text::quoted;

use super::atom::{Atom, EVERYTHING, is_path};
use super::attributes::{Asked, AskedResource, Attributes};
use super::comparison::{Comparison, TooMany};

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

/// How much memory a rule takes.
pub(super) fn size(rule: &PolicyRule) -> usize {
    let lists =
        [&rule.verbs, &rule.api_groups, &rule.resources, &rule.resource_names, &rule.non_resource_urls];
    let texts = lists.into_iter().flatten().map(|text| text.len() + size_of::<String>()).sum::<usize>();
    size_of::<PolicyRule>() + texts
}

/// How many things a rule stands for.
pub(crate) fn stands_for(rule: &PolicyRule) -> usize {
    let resources = rule.api_groups.len().saturating_mul(rule.resources.len());
    let named = resources.saturating_mul(rule.resource_names.len().max(1));
    rule.verbs.len().saturating_mul(named.saturating_add(rule.non_resource_urls.len()))
}

/// What rules grant that others don't, as rules for one thing each: for rules of which the granted ones are few.
pub(crate) fn lacking(owned: &[PolicyRule], granted: &[PolicyRule]) -> Vec<PolicyRule> {
    let mut comparison = Comparison::new(usize::MAX, usize::MAX);
    // Nothing ends it early.
    let _ = comparison.run(owned.iter(), granted);
    comparison.lacking.into_iter().map(Atom::rule).collect()
}

/// How many lines there are at most about what is missing; Kubernetes tells all.
const MOST_LINES: usize = 1000;
/// How long these lines are together at most.
const LONGEST: usize = 256 << 10;
/// How many missing things are looked for at most: their verbs alone make longer lines than are told.
const MOST_LACKING: usize = LONGEST / 3;
/// How many steps a comparison takes at most.
const MOST_STEPS: usize = 1 << 24;

/// What rules grant that a user's own rules don't, each line as it is told to the user, in order. None if
/// nothing is missing.
///
/// # Errors
/// If the rules stand for so many things that it would take too long to compare them.
pub(crate) fn missing<R: Borrow<PolicyRule>>(
    owned: &[R],
    granted: &[PolicyRule],
) -> Result<Option<Vec<String>>, TooMany> {
    let mut comparison = Comparison::new(MOST_STEPS, MOST_LACKING);
    match comparison.run(owned.iter().map(Borrow::borrow), granted) {
        Err(TooMany) if comparison.lacking.is_empty() => return Err(TooMany),
        // Something is missing, and there may be more.
        Err(TooMany) => comparison.is_cut = true,
        Ok(()) if comparison.lacking.is_empty() => return Ok(None),
        Ok(()) => {}
    }
    let is_cut = comparison.is_cut;
    // Rules for the same resource are told as one with several verbs.
    let mut together: BTreeMap<(&str, &str, Option<&str>), Vec<&str>> = BTreeMap::new();
    let mut paths = BTreeSet::new();
    for atom in comparison.lacking {
        match atom {
            Atom::Resource { group, resource, verb, name } => {
                together.entry((group, resource, name)).or_default().push(verb);
            }
            Atom::Path { path, verb } => {
                paths.insert((path, verb));
            }
        }
    }
    let mut lines = Lines { is_cut, ..Lines::default() };
    for (path, verb) in paths {
        lines.add(path.len() + verb.len(), || {
            format!("{{NonResourceURLs:[{}], Verbs:[{}]}}", quoted(path), quoted(verb))
        });
    }
    for ((group, resource, name), verbs) in together {
        let named = name.unwrap_or_default();
        let length = verbs.iter().map(|verb| verb.len() + 3).sum::<usize>() + group.len() + resource.len();
        lines.add(length + named.len(), || {
            let verbs: Vec<String> = verbs.iter().map(quoted).collect();
            let name = name.map(|name| format!(", ResourceNames:[{}]", quoted(name))).unwrap_or_default();
            format!(
                "{{APIGroups:[{}], Resources:[{}]{name}, Verbs:[{}]}}",
                quoted(group),
                quoted(resource),
                verbs.join(" ")
            )
        });
    }
    Ok(Some(lines.into_text()))
}

/// Lines of an error, of which there are only so many.
#[derive(Default)]
struct Lines {
    lines: BTreeSet<String>,
    size: usize,
    is_cut: bool,
}

impl Lines {
    /// Adds a line of about some length, if there is room for it.
    fn add(&mut self, length: usize, line: impl FnOnce() -> String) {
        // What surrounds the names is as long as this at least.
        self.size = self.size.saturating_add(length).saturating_add(30);
        if self.lines.len() >= MOST_LINES || self.size > LONGEST {
            self.is_cut = true;
        } else {
            self.lines.insert(line());
        }
    }

    fn into_text(self) -> Vec<String> {
        let more = self.is_cut.then(|| "and more that is not listed here".to_owned());
        self.lines.into_iter().chain(more).collect()
    }
}

#[cfg(test)]
mod tests;
