//! Field specs: fields of kinds that a transformer changes.

use crate::decode::decoded;
use crate::fault::{Outcome, fail};
use crate::id::{Gvk, ResId, split_api_version};
use crate::node::{Kind, Node};
use crate::scalar::Tag;

/// A field of some kinds.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldSpec {
    pub(crate) gvk: Gvk,
    /// The field's path, with slashes.
    pub(crate) path: String,
    /// Whether the field is made if it is missing.
    pub(crate) create: bool,
}

decoded!(FieldSpec as "FieldSpec", "types.FieldSpec" {
    "group" in "Gvk" => gvk.group,
    "version" in "Gvk" => gvk.version,
    "kind" in "Gvk" => gvk.kind,
    "path" => path,
    "create" => create,
});

impl FieldSpec {
    pub(crate) fn new(group: &str, version: &str, kind: &str, path: &str, create: bool) -> FieldSpec {
        FieldSpec { gvk: Gvk::selector(group, version, kind), path: path.to_owned(), create }
    }

    fn covers(&self, other: &FieldSpec) -> bool {
        self.gvk.is_selected(&other.gvk) && self.path == other.path
    }

    /// Reports whether it is for objects like this one.
    fn fits(&self, node: &Node) -> bool {
        let (group, version) = split_api_version(node.api_version());
        (self.gvk.kind.is_empty() || self.gvk.kind == node.kind())
            && (self.gvk.group.is_empty() || self.gvk.group == group)
            && (self.gvk.version.is_empty() || self.gvk.version == version)
    }

    /// Applies a change to every field that the path leads to.
    ///
    /// `create` is what a missing field is made as, if the spec says that it is made.
    pub(crate) fn apply(
        &self,
        node: &mut Node,
        create: Option<(Kind, Tag)>,
        set: &mut dyn FnMut(&mut Node) -> Outcome<()>,
    ) -> Outcome<()> {
        if !self.fits(node) {
            return Ok(());
        }
        let path = split_path(&self.path, '/');
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let result = Walk { create: create.filter(|_| self.create), set }.walk(node, &path);
        result.map_err(|error| {
            let gvk = Gvk { cluster_scoped: false, ..Gvk::of(node) };
            let id = ResId { gvk, name: node.name().to_owned(), namespace: node.namespace().to_owned() };
            error.under(format!("considering field '{}' of object {id}", self.path))
        })
    }
}

struct Walk<'s> {
    create: Option<(Kind, Tag)>,
    set: &'s mut dyn FnMut(&mut Node) -> Outcome<()>,
}

impl Walk<'_> {
    fn walk(&mut self, node: &mut Node, path: &[&str]) -> Outcome<()> {
        let Some((field, rest)) = path.split_first() else { return (self.set)(node) };
        if node.is_null() {
            return Ok(());
        }
        match node {
            Node::Sequence(items) => items.iter_mut().try_for_each(|item| {
                self.walk(item, path).map_err(|error| {
                    error.under(format!("visit traversal on path: {}", crate::fault::listed(path)))
                })
            }),
            Node::Mapping(_) => self.walk_field(node, field, rest),
            Node::Scalar(_) => fail("expected sequence or mapping node"),
        }
    }

    fn walk_field(&mut self, node: &mut Node, field: &str, rest: &[&str]) -> Outcome<()> {
        let name = field.strip_suffix("[]");
        let is_sequence = name.is_some();
        let name = name.unwrap_or(field);
        if name.is_empty() {
            return fail("cannot set or create an empty field name");
        }
        let kind = match self.create {
            _ if is_sequence => None,
            None => None,
            Some((kind, _)) if rest.is_empty() => Some(kind),
            Some(_) => Some(Kind::Mapping),
        };
        let value = match kind {
            None => node.get_mut(name),
            Some(kind) => node.get_or_create(name, kind)?,
        };
        let Some(value) = value else { return Ok(()) };
        if value.is_null() {
            if is_sequence {
                *value = Kind::Sequence.empty();
            } else if let Some(kind) = kind {
                *value = kind.empty();
            }
        }
        self.walk(value, rest)
    }
}

/// Cuts a path at a delimiter that has no backslash before it.
pub(crate) fn split_path(path: &str, delimiter: char) -> Vec<String> {
    let mut parts: Vec<&str> = path.split(delimiter).collect();
    if parts.len() > 1 && parts.first() == Some(&"") {
        parts.remove(0);
    }
    let mut result: Vec<String> = Vec::new();
    for part in parts {
        match result.last_mut() {
            Some(last) if last.ends_with('\\') => {
                last.pop();
                last.push(delimiter);
                last.push_str(part);
            }
            _ => result.push(part.to_owned()),
        }
    }
    result
}

/// Adds field specs to others, unless they are there.
pub(crate) fn merge_all(specs: &mut Vec<FieldSpec>, more: &[FieldSpec]) -> Outcome<()> {
    more.iter().try_for_each(|spec| merge_one(specs, spec.clone()))
}

/// Adds a field spec to others, unless it is there.
pub(crate) fn merge_one(specs: &mut Vec<FieldSpec>, spec: FieldSpec) -> Outcome<()> {
    match specs.iter().find(|known| known.covers(&spec)) {
        Some(known) if known.create != spec.create => fail("conflicting fieldspecs"),
        Some(_) => Ok(()),
        None => {
            specs.push(spec);
            Ok(())
        }
    }
}
