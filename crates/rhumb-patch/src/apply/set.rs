//! Field sets.
//!
//! A set is a tree of sorted lists. A node says whether its own path is a member, and holds what lies below
//! it; a node that says neither does not exist, so that an empty set has no nodes. Being a member says
//! nothing about what lies below: `spec` and `spec.replicas` are two members.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::element::PathElement;

/// A set of paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet {
    pub(super) nodes: Vec<Node>,
}

/// A path element of members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) element: PathElement,
    pub(super) member: bool,
    pub(super) below: FieldSet,
}

/// Combined nodes of one path element.
#[derive(Default)]
struct Joined {
    member: bool,
    below: Vec<Node>,
}

impl Node {
    pub(super) fn is_idle(&self) -> bool {
        !self.member && self.below.is_empty()
    }
}

impl FieldSet {
    /// Creates an empty set.
    pub const fn new() -> Self {
        FieldSet { nodes: Vec::new() }
    }

    /// Creates a set of paths that consist of fields only: `&[&["metadata"], &["spec", "replicas"]]`.
    pub fn of_fields(paths: &[&[&str]]) -> Self {
        let mut set = FieldSet::new();
        for path in paths {
            set.insert(path.iter().map(|name| PathElement::field(name)));
        }
        set
    }

    /// Reports whether nothing is in it.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of paths.
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|node| usize::from(node.member) + node.below.len()).sum()
    }

    /// Returns the set of nodes that come in any order. Those of one step become one.
    pub(super) fn of_nodes(mut nodes: Vec<Node>) -> Self {
        nodes.retain(|node| !node.is_idle());
        if nodes.is_sorted_by(|one, next| one.element < next.element) {
            return FieldSet { nodes };
        }
        let mut joined: BTreeMap<PathElement, Joined> = BTreeMap::new();
        for node in nodes {
            let Joined { member, below } = joined.entry(node.element).or_default();
            *member |= node.member;
            if below.is_empty() {
                *below = node.below.nodes;
            } else {
                below.extend(node.below.nodes);
            }
        }
        let node =
            |(element, Joined { member, below })| Node { element, member, below: Self::of_nodes(below) };
        FieldSet { nodes: joined.into_iter().map(node).collect() }
    }

    /// Returns the union of several sets.
    pub(super) fn of_all<'s>(sets: impl IntoIterator<Item = &'s FieldSet>) -> Self {
        Self::of_nodes(sets.into_iter().flat_map(|set| &set.nodes).cloned().collect())
    }

    fn place(&self, element: &PathElement) -> Result<usize, usize> {
        // Sets are mostly made in order, so the end is the likely place.
        match self.nodes.last().map(|last| last.element.cmp(element)) {
            None | Some(Ordering::Less) => Err(self.nodes.len()),
            Some(_) => self.nodes.binary_search_by(|node| node.element.cmp(element)),
        }
    }

    pub(super) fn node(&self, element: &PathElement) -> Option<&Node> {
        self.nodes.get(self.place(element).ok()?)
    }

    pub(super) fn field(&self, name: &str) -> Option<&Node> {
        let place = self.nodes.binary_search_by(|node| match &node.element {
            PathElement::Field(field) => field.as_bytes().cmp(name.as_bytes()),
            _ => Ordering::Greater,
        });
        self.nodes.get(place.ok()?)
    }

    /// Returns the node of an element, made if there is none.
    pub(super) fn enter(&mut self, element: PathElement) -> Option<&mut Node> {
        let place = match self.place(&element) {
            Ok(place) => place,
            Err(place) => {
                self.nodes.insert(place, Node { element, member: false, below: FieldSet::new() });
                place
            }
        };
        self.nodes.get_mut(place)
    }

    /// Adds a path; those that lead to it are not added. The empty path stands for the whole object, which
    /// has no owner, and is passed over.
    pub fn insert(&mut self, path: impl IntoIterator<Item = PathElement>) {
        let mut path = path.into_iter().peekable();
        let mut set = self;
        while let Some(element) = path.next() {
            let Some(node) = set.enter(element) else { return };
            if path.peek().is_none() {
                node.member = true;
            }
            set = &mut node.below;
        }
    }

    /// Reports whether a path is in it.
    pub fn has(&self, path: &[PathElement]) -> bool {
        let Some((last, steps)) = path.split_last() else { return false };
        let mut set = self;
        for step in steps {
            let Some(node) = set.node(step) else { return false };
            set = &node.below;
        }
        set.node(last).is_some_and(|node| node.member)
    }

    /// Puts a node at its place, or its members into the one that is there.
    pub(super) fn put(&mut self, node: Node) {
        if node.is_idle() {
            return;
        }
        match self.place(&node.element) {
            Err(place) => self.nodes.insert(place, node),
            Ok(place) => {
                if let Some(known) = self.nodes.get_mut(place) {
                    known.member |= node.member;
                    known.below.unite(&node.below);
                }
            }
        }
    }

    /// Adds all that is in another set.
    pub fn unite(&mut self, other: &FieldSet) {
        if other.is_empty() {
            return;
        }
        if self.is_empty() {
            self.nodes.clone_from(&other.nodes);
            return;
        }
        let mut out = Vec::with_capacity(self.nodes.len() + other.nodes.len());
        let mut theirs = other.nodes.iter().peekable();
        for mut node in std::mem::take(&mut self.nodes) {
            while let Some(before) = theirs.next_if(|their| their.element < node.element) {
                out.push(before.clone());
            }
            if let Some(same) = theirs.next_if(|their| their.element == node.element) {
                node.member |= same.member;
                node.below.unite(&same.below);
            }
            out.push(node);
        }
        out.extend(theirs.cloned());
        self.nodes = out;
    }

    /// Drops all that is in another set. What lies below a dropped path stays.
    pub fn subtract(&mut self, other: &FieldSet) {
        self.drop_matching(other, &mut |node, their| {
            node.member &= !their.member;
            node.below.subtract(&their.below);
        });
    }

    /// Drops all that is in another set, and what lies below it.
    pub fn subtract_recursively(&mut self, other: &FieldSet) {
        self.drop_matching(other, &mut |node, their| {
            if their.member {
                node.member = false;
                node.below = FieldSet::new();
            } else {
                node.below.subtract_recursively(&their.below);
            }
        });
    }

    fn drop_matching(&mut self, other: &FieldSet, shrink: &mut dyn FnMut(&mut Node, &Node)) {
        if other.is_empty() || self.is_empty() {
            return;
        }
        let mut idle = false;
        let mut both = |node: &mut Node, their: &Node| {
            shrink(node, their);
            idle |= node.is_idle();
        };
        // The steps of the smaller set are looked for in the larger: many small ones may be held against one large.
        if self.nodes.len() < other.nodes.len() {
            for node in &mut self.nodes {
                if let Some(their) = other.node(&node.element) {
                    both(node, their);
                }
            }
        } else {
            for their in &other.nodes {
                if let Ok(place) = self.place(&their.element)
                    && let Some(node) = self.nodes.get_mut(place)
                {
                    both(node, their);
                }
            }
        }
        if idle {
            self.nodes.retain(|node| !node.is_idle());
        }
    }

    /// Returns the intersection.
    pub fn intersection(&self, other: &FieldSet) -> FieldSet {
        let mut out = FieldSet::new();
        let mut both = |node: &Node, same: &Node| {
            let (member, below) = (node.member && same.member, node.below.intersection(&same.below));
            if member || !below.is_empty() {
                out.nodes.push(Node { element: node.element.clone(), member, below });
            }
        };
        if self.nodes.len() < other.nodes.len() {
            for node in &self.nodes {
                if let Some(same) = other.node(&node.element) {
                    both(node, same);
                }
            }
        } else {
            for same in &other.nodes {
                if let Some(node) = self.node(&same.element) {
                    both(node, same);
                }
            }
        }
        out
    }

    /// Returns the difference: paths in this set and not in the other.
    pub fn difference(&self, other: &FieldSet) -> FieldSet {
        let mut out = self.clone();
        out.subtract(other);
        out
    }

    /// Returns the union.
    pub fn union(&self, other: &FieldSet) -> FieldSet {
        let mut out = self.clone();
        out.unite(other);
        out
    }

    /// Returns the paths that no other path goes on from.
    pub fn leaves(&self) -> FieldSet {
        let nodes = self.nodes.iter().map(|node| Node {
            element: node.element.clone(),
            member: node.member && node.below.is_empty(),
            below: node.below.leaves(),
        });
        FieldSet { nodes: nodes.collect() }
    }

    /// Returns all paths, shallow ones first on each level, as in Kubernetes' errors.
    pub fn paths(&self) -> Vec<Vec<PathElement>> {
        let mut out = Vec::new();
        self.collect(&mut Vec::new(), &mut out);
        out
    }

    fn collect(&self, prefix: &mut Vec<PathElement>, out: &mut Vec<Vec<PathElement>>) {
        for node in self.nodes.iter().filter(|node| node.member) {
            let mut path = prefix.clone();
            path.push(node.element.clone());
            out.push(path);
        }
        for node in self.nodes.iter().filter(|node| !node.below.is_empty()) {
            prefix.push(node.element.clone());
            node.below.collect(prefix, out);
            prefix.pop();
        }
    }
}
