//! Which objects belong to which nodes: pods by their place, what pods name by them, volumes by claims, and the
//! secrets of volumes by those.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// A kind of objects that nodes have a part in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Kind {
    Account,
    Attachment,
    Claim,
    ConfigMap,
    Pod,
    ResourceClaim,
    ResourceSlice,
    Secret,
    Volume,
}

/// An object. Its namespace is empty if it has none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Thing {
    kind: Kind,
    namespace: Box<str>,
    name: Box<str>,
}

impl Thing {
    pub(super) fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        Thing { kind, namespace: namespace.into(), name: name.into() }
    }
}

/// What is known of an object that belongs to a node: the node, and what else belongs to it thereby.
#[derive(Debug, PartialEq, Eq)]
struct Placed {
    node: Arc<str>,
    needs: Vec<Thing>,
}

/// What is known of a volume.
#[derive(Debug)]
struct Bound {
    claim: Thing,
    secrets: Vec<Thing>,
}

/// All that is known.
#[derive(Debug, Default)]
pub(super) struct Graph {
    placed: HashMap<Thing, Placed>,
    /// The nodes that need an object, and how many pods each of them needs it for.
    wanted: HashMap<Thing, BTreeMap<Arc<str>, usize>>,
    volumes: HashMap<Thing, Bound>,
    /// The volumes that need a secret.
    behind: HashMap<Thing, BTreeSet<Thing>>,
}

impl Graph {
    /// Notes that an object belongs to a node, and what the node needs for it.
    pub(super) fn place(&mut self, thing: Thing, node: &str, needs: Vec<Thing>) {
        let placed = Placed { node: node.into(), needs };
        if self.placed.get(&thing) == Some(&placed) {
            return;
        }
        self.remove(&thing);
        for need in &placed.needs {
            let nodes = self.wanted.entry(need.clone()).or_default();
            *nodes.entry(Arc::clone(&placed.node)).or_default() += 1;
        }
        self.placed.insert(thing, placed);
    }

    /// Notes the claim that a volume is bound to, and the secrets that it needs.
    pub(super) fn bind(&mut self, volume: Thing, claim: Thing, secrets: Vec<Thing>) {
        self.remove(&volume);
        for secret in &secrets {
            self.behind.entry(secret.clone()).or_default().insert(volume.clone());
        }
        self.volumes.insert(volume, Bound { claim, secrets });
    }

    /// Forgets an object.
    pub(super) fn remove(&mut self, thing: &Thing) {
        if let Some(placed) = self.placed.remove(thing) {
            for need in &placed.needs {
                self.unwant(need, &placed.node);
            }
        }
        if let Some(bound) = self.volumes.remove(thing) {
            for secret in &bound.secrets {
                if let Some(volumes) = self.behind.get_mut(secret) {
                    volumes.remove(thing);
                    if volumes.is_empty() {
                        self.behind.remove(secret);
                    }
                }
            }
        }
    }

    fn unwant(&mut self, need: &Thing, node: &Arc<str>) {
        let Some(nodes) = self.wanted.get_mut(need) else { return };
        if let Some(count) = nodes.get_mut(node) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                nodes.remove(node);
            }
        }
        if nodes.is_empty() {
            self.wanted.remove(need);
        }
    }

    /// Forgets all objects of a kind.
    pub(super) fn clear(&mut self, kind: Kind) {
        let placed = self.placed.keys().chain(self.volumes.keys());
        let gone: Vec<Thing> = placed.filter(|thing| thing.kind == kind).cloned().collect();
        gone.iter().for_each(|thing| self.remove(thing));
    }

    /// Whether an object belongs to a node.
    pub(super) fn belongs(&self, thing: &Thing, node: &str) -> bool {
        let is_wanted = |thing: &Thing| self.wanted.get(thing).is_some_and(|nodes| nodes.contains_key(node));
        if self.placed.get(thing).is_some_and(|placed| *placed.node == *node) || is_wanted(thing) {
            return true;
        }
        let is_bound = |volume: &Thing| self.volumes.get(volume).is_some_and(|bound| is_wanted(&bound.claim));
        is_bound(thing) || self.behind.get(thing).is_some_and(|volumes| volumes.iter().any(is_bound))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thing(kind: Kind, name: &str) -> Thing {
        Thing::new(kind, "a", name)
    }

    #[test]
    fn a_pod_brings_what_it_names_to_its_node() {
        let mut graph = Graph::default();
        let (pod, secret) = (thing(Kind::Pod, "p"), thing(Kind::Secret, "s"));
        graph.place(pod.clone(), "n", vec![secret.clone()]);
        graph.place(thing(Kind::Pod, "q"), "n", vec![secret.clone()]);
        assert!(graph.belongs(&pod, "n") && graph.belongs(&secret, "n"));
        assert!(!graph.belongs(&pod, "m") && !graph.belongs(&thing(Kind::ConfigMap, "s"), "n"));
        graph.remove(&pod);
        assert!(!graph.belongs(&pod, "n") && graph.belongs(&secret, "n"));
        graph.clear(Kind::Pod);
        assert!(!graph.belongs(&secret, "n") && graph.wanted.is_empty() && graph.placed.is_empty());
    }

    #[test]
    fn a_volume_brings_its_secrets_to_the_nodes_of_its_claim() {
        let mut graph = Graph::default();
        let (claim, secret) = (thing(Kind::Claim, "c"), Thing::new(Kind::Secret, "other", "s"));
        let volume = Thing::new(Kind::Volume, "", "v");
        graph.bind(volume.clone(), claim.clone(), vec![secret.clone()]);
        assert!(!graph.belongs(&volume, "n") && !graph.belongs(&secret, "n"));
        graph.place(thing(Kind::Pod, "p"), "n", vec![claim]);
        assert!(graph.belongs(&volume, "n") && graph.belongs(&secret, "n"));
        graph.remove(&volume);
        assert!(!graph.belongs(&volume, "n") && !graph.belongs(&secret, "n") && graph.behind.is_empty());
    }
}
