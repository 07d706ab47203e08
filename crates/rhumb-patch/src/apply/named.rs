//! Operations on field sets with a schema, without an object.

use super::element::PathElement;
use super::schema::{Form, Type};
use super::set::{FieldSet, Node};

impl Type<'_> {
    /// Returns the set with all named fields on the way to its members. Sets don't list structs themselves, yet what
    /// removes everything in a struct must remove the struct.
    pub(super) fn with_named_fields(&self, set: &FieldSet) -> FieldSet {
        named(Some(self), set)
    }

    /// Brings a set up to date with a schema by which something is now owned as a whole that was not: what
    /// lies below such a place becomes the place itself.
    pub(super) fn reconcile(&self, set: &mut FieldSet) {
        let atom = self.atom();
        match atom.preferred() {
            Some(Form::Map) => {
                let Some(map) = atom.map.filter(|map| !map.is_deduced()) else { return };
                for node in &mut set.nodes {
                    let ty = match &node.element {
                        PathElement::Field(name) => map.entry(name),
                        _ => map.element,
                    };
                    if let Some(ty) = ty {
                        ty.reconcile_node(node);
                    }
                }
            }
            Some(Form::List) => {
                let Some(list) = atom.list else { return };
                for node in &mut set.nodes {
                    list.element.reconcile_node(node);
                }
            }
            Some(Form::Scalar) | None => {}
        }
    }

    fn reconcile_node(&self, node: &mut Node) {
        if node.below.is_empty() {
            return;
        }
        let atom = self.atom();
        let atomic = match atom.preferred() {
            Some(Form::Map) => atom.map.is_some_and(|map| map.atomic && !map.is_deduced()),
            Some(Form::List) => atom.list.is_some_and(|list| list.is_atomic()),
            Some(Form::Scalar) | None => false,
        };
        if atomic {
            node.member = true;
            node.below = FieldSet::new();
        } else {
            self.reconcile(&mut node.below);
        }
    }
}

fn named(ty: Option<&Type<'_>>, set: &FieldSet) -> FieldSet {
    let atom = ty.map(Type::atom);
    let (map, list) = (atom.and_then(|atom| atom.map), atom.and_then(|atom| atom.list));
    let nodes = set.nodes.iter().map(|node| {
        let (mut is_field, mut ty) = (false, None);
        match (&node.element, map, list) {
            (PathElement::Field(name), Some(map), _) => {
                let field = map.field(name);
                is_field = field.is_some();
                ty = field.or(map.element);
            }
            (PathElement::Key(_), _, Some(list)) => ty = Some(list.element),
            _ => {}
        }
        Node {
            element: node.element.clone(),
            member: node.member || (is_field && !node.below.is_empty()),
            below: named(ty.as_ref(), &node.below),
        }
    });
    FieldSet { nodes: nodes.collect() }
}
