//! All roles and bindings at a moment, found by who has them. A snapshot never changes: a change makes a new
//! one, which shares everything that stayed as it was.

use super::binding::{Binding, SubjectKind};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use rhumb_api::rbac::v1::{PolicyRule, RoleRef};
use rhumb_schema::text::quoted;

use super::attributes::{Attributes, Decision, Grant};
use super::rules;
use crate::base::identity::User;

/// The rules of a role.
pub(crate) type Rules = Arc<Vec<PolicyRule>>;

/// Bindings of one namespace, or those that hold everywhere.
#[derive(Clone, Debug, Default)]
struct Bindings {
    all: BTreeMap<String, Arc<Binding>>,
    by_user: HashMap<String, Vec<Arc<Binding>>>,
    by_group: HashMap<String, Vec<Arc<Binding>>>,
}

impl Bindings {
    fn insert(&mut self, binding: Arc<Binding>) {
        self.remove(&binding.name);
        for subject in &binding.subjects {
            let Some((kind, name)) = binding.known_by(subject) else { continue };
            let held = self.index(kind).entry(name.into_owned()).or_default();
            // A subject that is named again comes right behind the first time.
            if !held.last().is_some_and(|known| Arc::ptr_eq(known, &binding)) {
                held.push(Arc::clone(&binding));
            }
        }
        self.all.insert(binding.name.clone(), binding);
    }

    fn remove(&mut self, name: &str) {
        let Some(binding) = self.all.remove(name) else { return };
        let subjects: HashSet<_> =
            binding.subjects.iter().filter_map(|subject| binding.known_by(subject)).collect();
        for (kind, name) in subjects {
            let index = self.index(kind);
            if let Some(held) = index.get_mut(name.as_ref()) {
                held.retain(|known| !Arc::ptr_eq(known, &binding));
                if held.is_empty() {
                    index.remove(name.as_ref());
                }
            }
        }
    }

    fn index(&mut self, kind: SubjectKind) -> &mut HashMap<String, Vec<Arc<Binding>>> {
        match kind {
            SubjectKind::User => &mut self.by_user,
            SubjectKind::Group => &mut self.by_group,
        }
    }

    /// The bindings that a user has, by name.
    fn of(&self, user: &User) -> Vec<&Arc<Binding>> {
        let groups = user.groups.iter().filter_map(|group| self.by_group.get(group));
        let mut found: Vec<_> = self.by_user.get(&user.name).into_iter().chain(groups).flatten().collect();
        found.sort_unstable_by(|one, other| one.name.cmp(&other.name));
        found.dedup_by(|one, other| Arc::ptr_eq(one, other));
        found
    }
}

/// What a namespace has.
#[derive(Clone, Debug, Default)]
struct Space {
    roles: HashMap<String, Rules>,
    bindings: Bindings,
}

/// All roles and bindings at a moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Snapshot {
    roles: Arc<HashMap<String, Rules>>,
    bindings: Arc<Bindings>,
    spaces: Arc<HashMap<String, Arc<Space>>>,
}

/// The rules of a role that a user has and where they come from, or why they are not known.
enum Met<'s> {
    Rules(&'s Arc<Binding>, &'s Rules),
    Unknown(String),
}

/// Up to how many bindings of a user it costs less to look at a role again than to know that it was looked at.
const FEW: usize = 16;
/// How many problems are told of at most.
const MOST_PROBLEMS: usize = 1000;

/// Roles that were looked at.
#[derive(Default)]
struct Visited(HashSet<*const Vec<PolicyRule>>);

impl Visited {
    /// Whether a role comes for the first time to somebody with so many bindings.
    fn is_first(&mut self, rules: &Rules, bindings: usize) -> bool {
        bindings <= FEW || self.0.insert(Arc::as_ptr(rules))
    }
}

impl Snapshot {
    /// What a user may do.
    pub(crate) fn decide(&self, wanted: &Attributes<'_>) -> Decision {
        let (mut granted, mut problems) = (None, Problems::default());
        let mut visited = Visited::default();
        self.visit(wanted.user, wanted.namespace(), &mut |count, met| {
            match met {
                Met::Rules(binding, rules) => {
                    if visited.is_first(rules, count) && rules.iter().any(|rule| rules::allows(rule, wanted))
                    {
                        granted = Some(Arc::clone(binding));
                        return ControlFlow::Break(());
                    }
                }
                Met::Unknown(why) => problems.add(why),
            }
            ControlFlow::Continue(())
        });
        match granted {
            Some(binding) => {
                let subject = binding.subject_of(wanted.user).unwrap_or_default();
                Decision::Allowed(Grant::Rule(binding, subject))
            }
            None => match problems.in_one() {
                none if none.is_empty() => Decision::Refused(none),
                told => Decision::Refused(format!("RBAC: {told}")),
            },
        }
    }

    /// The rules of all roles that a user has in a namespace, those of a role as often as it is bound to the user, and
    /// what is not known about them.
    pub(crate) fn roles_of(&self, user: &User, namespace: &str) -> (Vec<&Rules>, Problems) {
        let (mut found, mut problems) = (Vec::new(), Problems::default());
        self.visit(user, namespace, &mut |_, met| {
            match met {
                Met::Rules(_, rules) => found.push(rules),
                Met::Unknown(why) => problems.add(why),
            }
            ControlFlow::Continue(())
        });
        (found, problems)
    }

    /// The rules that a user has in a namespace, each role's once, and what is not known about them.
    pub(crate) fn rules_of(&self, user: &User, namespace: &str) -> (Vec<&PolicyRule>, Problems) {
        let (roles, problems) = self.roles_of(user, namespace);
        let mut visited = Visited::default();
        let roles = roles.into_iter().filter(|rules| visited.is_first(rules, usize::MAX));
        (roles.flat_map(|rules| rules.iter()).collect(), problems)
    }

    /// The rules of the role that a binding in a namespace names, or why they are not known.
    pub(crate) fn referred(&self, role: &RoleRef, namespace: &str) -> Result<&Rules, String> {
        let (found, kind) = match role.kind.as_str() {
            "Role" => (self.spaces.get(namespace).and_then(|space| space.roles.get(&role.name)), "role"),
            "ClusterRole" => (self.roles.get(&role.name), "clusterrole"),
            other => return Err(format!("unsupported role reference kind: {}", quoted(other))),
        };
        found.ok_or_else(|| format!("{kind}.rbac.authorization.k8s.io {} not found", quoted(&role.name)))
    }

    /// Shows the roles that a user has in a namespace, with how many bindings of the user there are where they come
    /// from.
    fn visit<'s>(
        &'s self,
        user: &User,
        namespace: &str,
        see: &mut dyn FnMut(usize, Met<'s>) -> ControlFlow<()>,
    ) {
        let space = self.spaces.get(namespace).filter(|_| !namespace.is_empty());
        for bindings in std::iter::once(&*self.bindings).chain(space.map(|space| &space.bindings)) {
            let all = bindings.of(user);
            let count = all.len();
            for binding in all {
                let seen = match self.referred(&binding.role, &binding.namespace) {
                    Ok(rules) => see(count, Met::Rules(binding, rules)),
                    Err(why) => see(count, Met::Unknown(why)),
                };
                if seen.is_break() {
                    return;
                }
            }
        }
    }

    /// Takes a role in; its namespace is empty if it is a cluster role.
    pub(crate) fn put_role(&mut self, namespace: &str, name: &str, rules: Vec<PolicyRule>) {
        let rules = Arc::new(rules);
        match namespace {
            "" => Arc::make_mut(&mut self.roles).insert(name.to_owned(), rules),
            _ => self.space(namespace).roles.insert(name.to_owned(), rules),
        };
    }

    /// Takes a binding in.
    pub(crate) fn put_binding(&mut self, binding: Binding) {
        match binding.namespace.as_str() {
            "" => Arc::make_mut(&mut self.bindings).insert(Arc::new(binding)),
            namespace => self.space(namespace).bindings.insert(Arc::new(binding)),
        }
    }

    /// Forgets a role.
    pub(crate) fn drop_role(&mut self, namespace: &str, name: &str) {
        match namespace {
            "" => {
                Arc::make_mut(&mut self.roles).remove(name);
            }
            _ => {
                self.space(namespace).roles.remove(name);
                self.tidy(namespace);
            }
        }
    }

    /// Forgets a binding.
    pub(crate) fn drop_binding(&mut self, namespace: &str, name: &str) {
        match namespace {
            "" => Arc::make_mut(&mut self.bindings).remove(name),
            _ => {
                self.space(namespace).bindings.remove(name);
                self.tidy(namespace);
            }
        }
    }

    /// Forgets all cluster roles or all roles in namespaces.
    pub(crate) fn clear_roles(&mut self, namespaced: bool) {
        if !namespaced {
            self.roles = Arc::default();
            return;
        }
        for space in Arc::make_mut(&mut self.spaces).values_mut() {
            Arc::make_mut(space).roles.clear();
        }
    }

    /// Forgets all bindings that hold everywhere or all in namespaces.
    pub(crate) fn clear_bindings(&mut self, namespaced: bool) {
        if !namespaced {
            self.bindings = Arc::default();
            return;
        }
        for space in Arc::make_mut(&mut self.spaces).values_mut() {
            Arc::make_mut(space).bindings = Bindings::default();
        }
    }

    fn space(&mut self, namespace: &str) -> &mut Space {
        let spaces = Arc::make_mut(&mut self.spaces);
        Arc::make_mut(spaces.entry(namespace.to_owned()).or_default())
    }

    /// Forgets a namespace that has nothing any more.
    fn tidy(&mut self, namespace: &str) {
        let is_empty = |space: &Arc<Space>| space.roles.is_empty() && space.bindings.all.is_empty();
        if self.spaces.get(namespace).is_some_and(is_empty) {
            Arc::make_mut(&mut self.spaces).remove(namespace);
        }
    }
}

/// What is not known, each problem once and only so many of them.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    told: Vec<String>,
    known: HashSet<String>,
}

impl Problems {
    /// Adds a problem.
    pub(crate) fn add(&mut self, problem: String) {
        if self.told.len() < MOST_PROBLEMS && !self.known.contains(&problem) {
            self.known.insert(problem.clone());
            self.told.push(problem);
        }
    }

    /// Adds those of others.
    pub(crate) fn append(&mut self, others: Problems) {
        others.told.into_iter().for_each(|problem| self.add(problem));
    }

    /// All of them as one text; empty if there are none.
    pub(crate) fn in_one(&self) -> String {
        match self.told.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            several => format!("[{}]", several.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests;
