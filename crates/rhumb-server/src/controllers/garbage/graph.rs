//! Who belongs to whom. Only objects with owners and objects that wait for their dependents are in it: most
//! objects are neither, and cost nothing. Whether an owner is there is asked of the store when it matters, so
//! that owners need not be known beforehand.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use rhumb_meta::v1::OwnerReference;

use super::glance::{Glance, Leaving, Reference};

/// How many owners that went are remembered.
const REMEMBERED: usize = 500;

/// What is to be done about an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// Find out whether any owner is left, and delete it if not.
    Judge(Judgement),
    /// Take the object from its dependents' owners, then let it go.
    Orphan(Reference, Vec<Reference>),
    /// No dependent is in its way any more: let it go.
    Release(Reference),
    /// These dependents of it have to go first.
    Await(Vec<String>),
}

/// What is known of an object that may have lost its owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Judgement {
    /// The object.
    pub(super) reference: Reference,
    /// Whether it has dependents itself.
    pub(super) has_dependents: bool,
    /// Whether one of its dependents waits for dependents, which may be the object itself.
    pub(super) may_be_cycle: bool,
    /// The owners that were seen to go.
    pub(super) gone: HashSet<String>,
}

#[derive(Debug)]
struct Node {
    reference: Reference,
    owners: Vec<OwnerReference>,
    leaving: Leaving,
}

/// The owners that went last.
#[derive(Debug, Default)]
struct Gone {
    known: HashSet<String>,
    order: VecDeque<String>,
}

impl Gone {
    fn add(&mut self, uid: &str) {
        if self.known.insert(uid.to_owned()) {
            self.order.push_back(uid.to_owned());
        }
        if self.order.len() > REMEMBERED
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }
}

/// All that is known. Its methods say which objects have to be looked at because of what they were told.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: HashMap<String, Node>,
    /// The dependents of each owner, by UID.
    dependents: HashMap<String, BTreeSet<String>>,
    gone: Gone,
}

impl Graph {
    /// Takes in an object as it is now.
    pub(super) fn see(&mut self, seen: Glance) -> Vec<String> {
        let Glance { reference, owners, leaving } = seen;
        let uid = reference.uid.clone();
        let old = self.nodes.get(&uid);
        if old.is_none() && owners.is_empty() && matches!(leaving, Leaving::No | Leaving::Going) {
            return Vec::new();
        }
        let (old_owners, old_leaving) =
            old.map(|node| (node.owners.clone(), node.leaving)).unwrap_or_default();
        let mut affected = self.unblocked(&old_owners, &owners);
        let kept: HashSet<&str> = owners.iter().map(|owner| owner.uid.as_str()).collect();
        for owner in old_owners.iter().filter(|old| !kept.contains(old.uid.as_str())) {
            self.unlink(&owner.uid, &uid);
        }
        for owner in &owners {
            self.dependents.entry(owner.uid.clone()).or_default().insert(uid.clone());
        }
        if !owners.is_empty() && !same(&old_owners, &owners) {
            affected.push(uid.clone());
        }
        if leaving != old_leaving && matches!(leaving, Leaving::Orphaning | Leaving::Foreground) {
            if leaving == Leaving::Foreground {
                affected.extend(self.dependents_of(&uid).cloned());
            }
            affected.push(uid.clone());
        }
        if owners.is_empty() && matches!(leaving, Leaving::No | Leaving::Going) {
            self.nodes.remove(&uid);
        } else {
            self.nodes.insert(uid, Node { reference, owners, leaving });
        }
        affected
    }

    /// Takes in that an object is gone.
    pub(super) fn forget(&mut self, uid: &str) -> Vec<String> {
        let mut affected = Vec::new();
        if let Some(node) = self.nodes.remove(uid) {
            affected.extend(self.waiting(node.owners.iter().map(|owner| &owner.uid)));
            for owner in &node.owners {
                self.unlink(&owner.uid, uid);
            }
        }
        let orphans: Vec<String> = self.dependents_of(uid).cloned().collect();
        if !orphans.is_empty() {
            self.gone.add(uid);
        }
        affected.extend(orphans);
        affected
    }

    /// What is to be done about an object; nothing if it is not in here, or is going already.
    pub(super) fn work(&self, uid: &str) -> Option<Work> {
        let node = self.nodes.get(uid)?;
        let reference = node.reference.clone();
        let dependents = || self.dependents_of(uid).filter_map(|uid| self.nodes.get(uid));
        match node.leaving {
            Leaving::Going => None,
            Leaving::Orphaning => {
                Some(Work::Orphan(reference, dependents().map(|node| node.reference.clone()).collect()))
            }
            Leaving::Foreground => {
                let blocks = |node: &&Node| {
                    node.owners
                        .iter()
                        .any(|owner| owner.uid == uid && owner.block_owner_deletion == Some(true))
                };
                let blocking: Vec<&Node> = dependents().filter(blocks).collect();
                if blocking.is_empty() {
                    return Some(Work::Release(reference));
                }
                let moving = blocking.into_iter().filter(|node| node.leaving != Leaving::Foreground);
                Some(Work::Await(moving.map(|node| node.reference.uid.clone()).collect()))
            }
            Leaving::No if node.owners.is_empty() => None,
            Leaving::No => Some(Work::Judge(Judgement {
                reference,
                has_dependents: self.dependents_of(uid).next().is_some(),
                may_be_cycle: dependents().any(|node| node.leaving == Leaving::Foreground),
                gone: node
                    .owners
                    .iter()
                    .filter(|owner| self.gone.known.contains(&owner.uid))
                    .map(|owner| owner.uid.clone())
                    .collect(),
            })),
        }
    }

    fn dependents_of(&self, uid: &str) -> impl Iterator<Item = &String> {
        self.dependents.get(uid).into_iter().flatten()
    }

    fn unlink(&mut self, owner: &str, dependent: &str) {
        if let Some(all) = self.dependents.get_mut(owner) {
            all.remove(dependent);
            if all.is_empty() {
                self.dependents.remove(owner);
            }
        }
    }

    /// Those of some owners that wait for their dependents.
    fn waiting<'a>(&self, owners: impl Iterator<Item = &'a String>) -> Vec<String> {
        let waits =
            |uid: &&String| self.nodes.get(*uid).is_some_and(|node| node.leaving == Leaving::Foreground);
        owners.filter(waits).cloned().collect()
    }

    /// Owners that wait, and that an object no longer blocks.
    fn unblocked(&self, old: &[OwnerReference], new: &[OwnerReference]) -> Vec<String> {
        let blocks = |owner: &OwnerReference| owner.block_owner_deletion == Some(true);
        let still: HashSet<&str> =
            new.iter().filter(|owner| blocks(owner)).map(|owner| owner.uid.as_str()).collect();
        let freed = old.iter().filter(|owner| blocks(owner) && !still.contains(owner.uid.as_str()));
        self.waiting(freed.map(|owner| &owner.uid))
    }
}

fn same(old: &[OwnerReference], new: &[OwnerReference]) -> bool {
    let facts = |owner: &OwnerReference| {
        (owner.uid.clone(), owner.name.clone(), owner.kind.clone(), owner.api_version.clone())
    };
    old.len() == new.len() && old.iter().map(facts).eq(new.iter().map(facts))
}

#[cfg(test)]
mod tests {
    use rhumb_meta::GroupVersionKind;

    use super::*;

    fn glance(uid: &str, owners: &[(&str, bool)], leaving: Leaving) -> Glance {
        let owner = |(uid, block): &(&str, bool)| OwnerReference {
            uid: (*uid).to_owned(),
            name: (*uid).to_owned(),
            block_owner_deletion: block.then_some(true),
            ..OwnerReference::default()
        };
        Glance {
            reference: Reference {
                kind: GroupVersionKind::new("", "v1", "ConfigMap"),
                namespace: "default".to_owned(),
                name: uid.to_owned(),
                uid: uid.to_owned(),
            },
            owners: owners.iter().map(owner).collect(),
            leaving,
        }
    }

    #[test]
    fn objects_without_owners_cost_nothing() {
        let mut graph = Graph::default();
        assert!(graph.see(glance("a", &[], Leaving::No)).is_empty());
        assert!(graph.nodes.is_empty() && graph.dependents.is_empty());
        graph.see(glance("b", &[("a", false)], Leaving::No));
        graph.see(glance("b", &[], Leaving::No));
        assert!(graph.nodes.is_empty() && graph.dependents.is_empty());
    }

    #[test]
    fn dependents_are_looked_at_when_they_come_and_when_their_owner_goes() {
        let mut graph = Graph::default();
        assert_eq!(graph.see(glance("b", &[("a", false)], Leaving::No)), ["b"]);
        assert!(graph.see(glance("b", &[("a", false)], Leaving::No)).is_empty());
        assert_eq!(graph.forget("a"), ["b"]);
        let Some(Work::Judge(judgement)) = graph.work("b") else { panic!("it is to be judged") };
        assert_eq!(judgement.gone, HashSet::from(["a".to_owned()]));
    }

    #[test]
    fn so_many_owners_that_went_are_remembered() {
        let mut gone = Gone::default();
        (0..REMEMBERED + 10).for_each(|number| gone.add(&number.to_string()));
        gone.add("20");
        assert_eq!((gone.known.len(), gone.order.len()), (REMEMBERED, REMEMBERED));
        assert!(!gone.known.contains("9") && gone.known.contains("10"));
    }

    #[test]
    fn an_owner_in_the_foreground_waits_for_those_that_block_it() {
        let mut graph = Graph::default();
        graph.see(glance("b", &[("a", true)], Leaving::No));
        graph.see(glance("c", &[("a", false)], Leaving::No));
        assert_eq!(graph.see(glance("a", &[], Leaving::Foreground)), ["b", "c", "a"]);
        assert_eq!(graph.work("a"), Some(Work::Await(vec!["b".to_owned()])));
        assert_eq!(graph.forget("b"), ["a"]);
        assert!(matches!(graph.work("a"), Some(Work::Release(_))));
        assert_eq!(graph.forget("a"), ["c"]);
    }

    #[test]
    fn an_owner_is_released_when_a_dependent_no_longer_blocks_it() {
        let mut graph = Graph::default();
        graph.see(glance("b", &[("a", true)], Leaving::No));
        graph.see(glance("a", &[], Leaving::Foreground));
        assert_eq!(graph.see(glance("b", &[("a", false)], Leaving::No)), ["a"]);
    }
}
