//! What a real API server said, read from `answers`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::Codecs;
use rhumb_meta::Object;
use rhumb_scheme::ToInternal;
use serde_json::Value as Json;

/// The answers to a topic's cases.
pub(crate) fn answers(topic: &str) -> Vec<Json> {
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/replay/answers").join(format!("{topic}.json"));
    serde_json::from_slice(&fs::read(path).expect("the answers")).expect("a list")
}

/// Reads objects with their defaults, in their hub form.
pub(crate) struct Reader(Codecs);

impl Reader {
    pub(crate) fn new() -> Self {
        Reader(Codecs::new(Arc::new(rhumb_api::scheme().expect("the scheme"))))
    }

    pub(crate) fn read(&self, tree: &Json) -> Box<dyn Object> {
        let decoded = self.0.decode_to(tree.to_string().as_bytes(), None, &ToInternal);
        decoded.unwrap_or_else(|error| panic!("{tree} can't be read: {error}")).object
    }
}

/// A tree's text, empty if it is none.
pub(crate) fn text(tree: &Json) -> &str {
    tree.as_str().unwrap_or_default()
}

/// The items of a list, none if it is none.
pub(crate) fn items(tree: &Json) -> impl Iterator<Item = &Json> {
    tree.as_array().into_iter().flatten()
}
