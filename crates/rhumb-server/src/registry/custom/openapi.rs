//! What the documents have of definitions: written once for each, when somebody first asks, and kept compressed.
//!
//! A document is the server's own part of it with those of all definitions put in between, so that a change of a
//! definition leaves the work done for all others. What they are put together to is kept for each group
//! ([`told`](super::told)).

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::{Arc, OnceLock};
use std::thread;

use rhumb_meta::GroupVersion;
use rhumb_openapi::Form;
use rhumb_structural::openapi::{Dialect, Part, Resource};
use serde_json::Value as Json;

use super::pieces::{Document, NameHash, Piece};
use super::{KIND, Published};
use crate::registry::tree::tree_of;

/// How many definitions a thread writes at least.
const WORTH_A_THREAD: usize = 8;

impl Published {
    /// The definition in the version that clients write it in, without the schemas that they are not told of.
    fn tree(&self) -> Option<Json> {
        let source = &self.source;
        let (_, snapshot) = source.cache.snapshot()?;
        let cached = snapshot.get(&source.key)?;
        let mut tree = match as_written(cached.value()) {
            Some(tree) => tree,
            None => {
                let hub = source.model.load(cached.value(), cached.revision()).ok()?;
                tree_of(&*source.model.external(hub, &KIND).ok()?)
            }
        };
        let versions = tree.pointer_mut("/spec/versions").and_then(Json::as_array_mut);
        for version in versions.into_iter().flatten().filter_map(Json::as_object_mut) {
            let name = version.get("name").and_then(Json::as_str).unwrap_or_default();
            if self.definition.version(name).is_some_and(|version| !version.presentable) {
                version.remove("schema");
            }
        }
        Some(tree)
    }

    /// Whether discovery tells of it in a version.
    pub(crate) fn is_in(&self, place: &GroupVersion) -> bool {
        let definition = &self.definition;
        definition.established
            && definition.group == place.group
            && definition.version(&place.version).is_some_and(|version| version.served)
    }

    /// What changes when its pieces do, without making them.
    pub(crate) fn mark(&self) -> &str {
        &self.pieces.mark
    }

    fn slot(&self, document: Document<'_>) -> Option<&OnceLock<Option<Arc<Piece>>>> {
        match document {
            Document::V2(Form::Json) => Some(&self.pieces.json),
            Document::V2(Form::Protobuf) => Some(&self.pieces.protobuf),
            Document::V3(name) => {
                let at = self.definition.place_of(name)?;
                self.pieces.v3.get(at)
            }
        }
    }

    fn piece(&self, document: Document<'_>) -> Option<Arc<Piece>> {
        self.slot(document)?.get_or_init(|| self.make(document, |_| false).map(Arc::new)).clone()
    }

    fn make(&self, document: Document<'_>, is_taken: impl Fn(NameHash) -> bool) -> Option<Piece> {
        let mut tree = self.tree()?;
        let (mut part, mut is_there) = (Part::default(), false);
        let mut add = |version: &str, dialect| {
            let schema = take_schema(&mut tree, version);
            if let Some(resource) = Resource::of(&tree, version) {
                part.extend(resource.part_of(schema, dialect));
                is_there = true;
            }
        };
        match document {
            Document::V2(_) => {
                self.definition.served_versions().for_each(|version| add(version, Dialect::V2));
            }
            Document::V3(version) => add(version, Dialect::V3),
        }
        if is_there { Piece::of(part, document, is_taken) } else { None }
    }
}

/// Takes the schema of a version out of a definition.
fn take_schema(tree: &mut Json, version: &str) -> Option<Json> {
    let versions = tree.pointer_mut("/spec/versions")?.as_array_mut()?;
    let found = versions.iter_mut().find(|found| found["name"] == *version)?;
    let schema = found.pointer_mut("/schema/openAPIV3Schema")?.take();
    schema.is_object().then_some(schema)
}

/// The tree of a stored definition as clients write it, if that can be had without reading all of what it means: what
/// all versions share stands at the top of a stored one, and nothing that reading would add may be missing.
fn as_written(value: &[u8]) -> Option<Json> {
    let mut tree = rhumb_schema::text::parse_tree(value).ok()?;
    if tree["apiVersion"] != "apiextensions.k8s.io/v1beta1" {
        return None;
    }
    let spec = tree.get_mut("spec")?.as_object_mut()?;
    let names = spec.get("names")?;
    if names.get("singular").is_none()
        || names.get("listKind").is_none()
        || !spec.contains_key("preserveUnknownFields")
    {
        return None;
    }
    let shared = ["validation", "subresources", "selectableFields"].map(|name| spec.remove(name));
    let versions = spec.get_mut("versions")?.as_array_mut().filter(|versions| !versions.is_empty())?;
    let last = versions.len() - 1;
    for (name, mut value) in ["schema", "subresources", "selectableFields"].into_iter().zip(shared) {
        if value.is_none() {
            continue;
        }
        for (at, version) in versions.iter_mut().enumerate() {
            let given = if at == last { value.take() } else { value.clone() };
            version.as_object_mut()?.insert(name.to_owned(), given?);
        }
    }
    Some(tree)
}

/// The pieces of definitions for a document. What stands in one of them, or is taken already, is not in another.
pub(crate) fn gather(
    told: &[&Arc<Published>],
    document: Document<'_>,
    is_taken: impl Fn(NameHash) -> bool,
) -> Vec<Arc<Piece>> {
    let mut pieces: Vec<(usize, Arc<Piece>)> = Vec::with_capacity(told.len());
    for (at, published) in told.iter().enumerate() {
        pieces.extend(published.piece(document).map(|piece| (at, piece)));
    }
    let mut seen: HashSet<NameHash> = HashSet::new();
    let mut doubled = Vec::new();
    for (place, (_, piece)) in pieces.iter().enumerate() {
        let mut is_doubled = false;
        for name in piece.names() {
            is_doubled |= is_taken(name) || !seen.insert(name);
        }
        if is_doubled {
            doubled.push(place);
        }
    }
    if doubled.is_empty() {
        return pieces.into_iter().map(|(_, piece)| piece).collect();
    }
    let whole = pieces.iter().enumerate().filter(|(place, _)| !doubled.contains(place));
    let mut others: HashSet<NameHash> = whole.flat_map(|(_, (_, piece))| piece.names()).collect();
    for place in doubled {
        let Some((at, piece)) = pieces.get_mut(place) else { continue };
        let Some(published) = told.get(*at) else { continue };
        if let Some(rest) = published.make(document, |name| is_taken(name) || others.contains(&name)) {
            others.extend(rest.names());
            *piece = Arc::new(rest);
        }
    }
    pieces.into_iter().map(|(_, piece)| piece).collect()
}

/// Makes the pieces that are missing, on several threads if there are many. Answers with how many were.
pub(crate) fn make_all(told: &[&Arc<Published>], document: Document<'_>) -> usize {
    let is_missing =
        |published: &&&Arc<Published>| published.slot(document).is_some_and(|slot| slot.get().is_none());
    let missing: Vec<&Arc<Published>> = told.iter().filter(is_missing).copied().collect();
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let share = missing.len().div_ceil(threads).max(WORTH_A_THREAD);
    thread::scope(|scope| {
        for part in missing.chunks(share).skip(1) {
            scope.spawn(move || part.iter().for_each(|published| drop(published.piece(document))));
        }
        let first = missing.chunks(share).next().unwrap_or_default();
        first.iter().for_each(|published| drop(published.piece(document)));
    });
    missing.len()
}
