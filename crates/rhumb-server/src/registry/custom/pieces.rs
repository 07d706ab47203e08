//! Pieces that documents of OpenAPI have of a definition.

use std::hash::{DefaultHasher, Hasher};
use std::sync::{Arc, OnceLock};

use rhumb_openapi::{Form, Section, entries};
use rhumb_structural::openapi::Part;
use serde_json::Value as Json;

use super::definition::Definition;
use crate::base::compress::Block;

/// A document that definitions have a piece of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document<'a> {
    /// The one of OpenAPI 2.
    V2(Form),
    /// That of OpenAPI 3 for a version.
    V3(&'a str),
}

/// What a document has of a definition.
#[derive(Debug)]
pub(crate) struct Piece {
    /// The names of its paths and models.
    names: Box<[NameHash]>,
    /// The entries of its paths.
    pub(crate) paths: Block,
    /// The entries of its models.
    pub(crate) models: Block,
    /// The models that it refers to.
    pub(crate) references: Box<[String]>,
}

/// What stands for a name of a path or model. There are many, and all that is asked of them is which are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NameHash(u64);

impl NameHash {
    /// That of a name.
    pub(crate) fn of(name: &str) -> Self {
        let mut hasher = DefaultHasher::new();
        hasher.write(name.as_bytes());
        NameHash(hasher.finish())
    }
}

impl Piece {
    /// The names of its paths and models.
    pub(crate) fn names(&self) -> impl Iterator<Item = NameHash> {
        self.names.iter().copied()
    }

    /// The entries of some versions, without those of names that others have.
    pub(super) fn of(
        mut part: Part,
        document: Document<'_>,
        is_taken: impl Fn(NameHash) -> bool,
    ) -> Option<Self> {
        part.paths.retain(|name, _| !is_taken(NameHash::of(name)));
        part.models.retain(|name, _| !is_taken(NameHash::of(name)));
        let (form, references) = match document {
            Document::V2(form) => (form, Default::default()),
            Document::V3(_) => (Form::Json, part.references()),
        };
        let block =
            |section, all: &serde_json::Map<String, Json>| Block::of(&entries(form, section, all.iter()));
        Some(Piece {
            paths: block(Section::Paths, &part.paths).ok()?,
            models: block(Section::Definitions, &part.models).ok()?,
            names: part.paths.keys().chain(part.models.keys()).map(|name| NameHash::of(name)).collect(),
            references: references.into_iter().collect(),
        })
    }
}

/// The pieces of a definition, each made when it is first asked for.
#[derive(Debug)]
pub(crate) struct Pieces {
    /// What they are made of.
    pub(super) mark: String,
    pub(super) json: OnceLock<Option<Arc<Piece>>>,
    pub(super) protobuf: OnceLock<Option<Arc<Piece>>>,
    /// By version.
    pub(super) v3: Vec<OnceLock<Option<Arc<Piece>>>>,
}

impl Pieces {
    /// Those of a definition, of which none is made.
    pub(crate) fn new(definition: &Definition) -> Self {
        Pieces {
            mark: format!("{} {} {:?}", definition.uid, definition.generation, definition.accepted),
            json: OnceLock::new(),
            protobuf: OnceLock::new(),
            v3: definition.versions.iter().map(|_| OnceLock::new()).collect(),
        }
    }
}
