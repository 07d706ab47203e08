//! Updates name references after names have changed.

use std::collections::BTreeSet;

use crate::config::NameReference;
use crate::fault::{Outcome, fail};
use crate::fieldspec::FieldSpec;
use crate::id::{Gvk, ResId};
use crate::node::{Node, yaml_text};
use crate::resource::{Resource, Resources};
use crate::scalar::Scalar;

/// Criteria for referenced objects.
struct Candidate {
    at: usize,
    current: ResId,
    original: ResId,
    previous: Vec<ResId>,
}

/// Puts all names right.
pub(crate) fn fix(resources: &mut Resources, references: &[NameReference]) -> Outcome<()> {
    let candidates: Vec<Candidate> = resources
        .list
        .iter()
        .enumerate()
        .map(|(at, resource)| Candidate {
            at,
            current: resource.current_id(),
            original: resource.original_id(),
            previous: resource.previous_ids(),
        })
        .collect();
    // Names of objects don't change from here on, so that they can be looked at while fields are changed.
    let all = resources.clone();
    for reference in references {
        let is_target =
            |candidate: &&Candidate| candidate.previous.iter().any(|id| id.gvk.is_selected(&reference.gvk));
        // Without a renamed object of the kind there is nothing to put right.
        let targets: Vec<&Candidate> = candidates.iter().filter(is_target).collect();
        if targets.is_empty() {
            continue;
        }
        for (resource, own) in resources.list.iter_mut().zip(&candidates) {
            let mut fields =
                reference.fields.iter().filter(|field| own.original.gvk.is_selected(&field.gvk)).peekable();
            if fields.peek().is_none() {
                continue;
            }
            let reachable = reachable(resource, own, &targets)?;
            for field in fields {
                let fixer =
                    Fixer { all: &all.list, own, target: &reference.gvk, field, reachable: &reachable };
                resource.edit(|node| fixer.run(node))?;
            }
        }
    }
    Ok(())
}

/// Returns the objects that an object can mean: those without a namespace, those in its own, and what its subjects
/// name.
fn reachable<'c>(
    resource: &Resource,
    own: &Candidate,
    candidates: &[&'c Candidate],
) -> Outcome<Vec<&'c Candidate>> {
    if own.current.gvk.cluster_scoped {
        return Ok(candidates.to_vec());
    }
    let subjects = subject_namespaces(resource)?;
    let fits = |candidate: &&Candidate| {
        candidate.current.gvk.cluster_scoped
            || candidate.current.same_namespace(&own.current)
            || subjects.contains(&candidate.current.namespace)
    };
    Ok(candidates.iter().copied().filter(fits).collect())
}

fn subject_namespaces(resource: &Resource) -> Outcome<BTreeSet<String>> {
    let mut namespaces = BTreeSet::new();
    if resource.node().kind() != "RoleBinding" {
        return Ok(namespaces);
    }
    for subject in resource.node().get("subjects").map_or(&[][..], Node::items) {
        let (Some(namespace), Some(kind)) = (subject.get("namespace"), subject.get("kind")) else { continue };
        if kind.text() == "ServiceAccount" {
            if namespace.is_null() {
                return fail(format!(
                    "Invalid Input: namespace is blank for resource {}\n",
                    crate::fault::quote(&resource.current_id().to_string())
                ));
            }
            namespaces.insert(namespace.text().to_owned());
        }
    }
    Ok(namespaces)
}

struct Fixer<'a> {
    all: &'a [Resource],
    own: &'a Candidate,
    target: &'a Gvk,
    field: &'a FieldSpec,
    reachable: &'a [&'a Candidate],
}

impl<'a> Fixer<'a> {
    fn run(&self, node: &mut Node) -> Outcome<()> {
        let role = self.role(node);
        let field = FieldSpec { gvk: Gvk::of(node), ..self.field.clone() };
        field.apply(node, None, &mut |value| self.set(value, role.as_ref())).map_err(|error| {
            error.under(format!(
                "updating name reference in '{}' field of '{}'",
                self.field.path, self.own.current
            ))
        })
    }

    /// Returns the kind of role that a binding names.
    fn role(&self, node: &Node) -> Option<Gvk> {
        if !self.field.path.ends_with("roleRef/name") {
            return None;
        }
        let role = node.get("roleRef")?;
        Some(Gvk::selector(role.get("apiGroup")?.text(), "", role.get("kind")?.text()))
    }

    fn set(&self, value: &mut Node, role: Option<&Gvk>) -> Outcome<()> {
        if value.is_null() {
            return Ok(());
        }
        match value {
            Node::Scalar(_) => self.set_scalar(value, role),
            Node::Mapping(_) => self.set_mapping(value, role),
            Node::Sequence(items) => items.iter_mut().try_for_each(|item| match item {
                item if item.is_null() => Ok(()),
                Node::Scalar(_) => self.set_scalar(item, role),
                Node::Mapping(_) => self.set_mapping(item, role),
                Node::Sequence(_) => fail("a list is expected to be either a string or a map of string"),
            }),
        }
    }

    fn set_scalar(&self, value: &mut Node, role: Option<&Gvk>) -> Outcome<()> {
        let name = value.text().to_owned();
        let same = |one: &Candidate, other: &Candidate| one.current.name == other.current.name;
        match self.choose(&name, self.reachable.to_vec(), role, same)? {
            Some(chosen) if chosen.current.name != name => {
                value.set_scalar(Scalar::unset(chosen.current.name.as_str()))
            }
            _ => Ok(()),
        }
    }

    fn set_mapping(&self, value: &mut Node, role: Option<&Gvk>) -> Outcome<()> {
        let Some(name) = value.get("name") else { return fail("path config error; no 'name' field in node") };
        let name = name.text().to_owned();
        let candidates = match value.get("namespace").map(Node::text) {
            None => self.reachable.to_vec(),
            Some(namespace) => {
                let in_namespace = |id: fn(&Candidate) -> &ResId| -> Vec<&'a Candidate> {
                    let fits = |candidate: &&&Candidate| {
                        namespace != crate::id::NOT_A_NAMESPACE
                            && id(candidate).effective_namespace() == namespace
                    };
                    self.reachable.iter().filter(fits).copied().collect()
                };
                let original = in_namespace(|candidate| &candidate.original);
                if original.is_empty() { in_namespace(|candidate| &candidate.current) } else { original }
            }
        };
        let same = |one: &Candidate, other: &Candidate| {
            one.current.name == other.current.name && one.current.namespace == other.current.namespace
        };
        let Some(chosen) = self.choose(&name, candidates, role, same)? else { return Ok(()) };
        if chosen.current.name != name || !chosen.current.namespace.is_empty() {
            value.set_field("name", Node::unset(chosen.current.name.as_str()))?;
        }
        if !chosen.current.namespace.is_empty() {
            value.set_field("namespace", Node::unset(chosen.current.namespace.as_str()))?;
        }
        Ok(())
    }

    /// Returns the object that a name means.
    fn choose(
        &self,
        name: &str,
        mut candidates: Vec<&'a Candidate>,
        role: Option<&Gvk>,
        same: impl Fn(&Candidate, &Candidate) -> bool,
    ) -> Outcome<Option<&'a Candidate>> {
        let was =
            |candidate: &Candidate, gvk: &Gvk| candidate.previous.iter().any(|id| id.gvk.is_selected(gvk));
        let own = &self.own.current;
        candidates.retain(|candidate| {
            candidate.previous.iter().any(|id| id.name == name)
                && was(candidate, self.target)
                && role.is_none_or(|role| was(candidate, role))
                && (own.gvk.cluster_scoped
                    || candidate.current.gvk.cluster_scoped
                    || candidate.current.gvk.kind == "ServiceAccount"
                    || own.same_namespace(&candidate.current))
        });
        if let [one] = candidates.as_slice() {
            return Ok(Some(one));
        }
        let referrer = self.all.get(self.own.at);
        let in_context =
            |candidate: &Candidate, empty_fits: bool| match (self.all.get(candidate.at), referrer) {
                (Some(candidate), Some(referrer)) => candidate.same_context(referrer, empty_fits),
                _ => false,
            };
        candidates.retain(|candidate| in_context(candidate, true));
        if candidates.len() > 1 {
            candidates.retain(|candidate| in_context(candidate, false));
        }
        let Some(first) = candidates.first() else { return Ok(None) };
        if candidates.iter().all(|candidate| same(first, candidate)) {
            return Ok(Some(first));
        }
        let ids: Vec<String> = candidates.iter().map(|candidate| candidate.current.to_string()).collect();
        let yaml = |at: usize| self.all.get(at).map(|one| yaml_text(&one.with_history())).unwrap_or_default();
        let mut details =
            format!("\n**** Too many possible referral targets to referrer:\n{}\n", yaml(self.own.at));
        for (number, candidate) in candidates.iter().enumerate() {
            details.push_str(&format!("--- possible referral {number}:\n{}\n", yaml(candidate.at)));
        }
        fail(format!("found multiple possible referrals: {}\n{details}", ids.join(", ")))
    }
}
