//! YAML as Kubernetes handles it.
//!
//! Kubernetes never decodes YAML into objects: it turns YAML into JSON text and decodes that, and writes YAML from
//! a generic JSON tree. This module is those two turns, equal to `sigs.k8s.io/yaml` (which is go-yaml v2 with a
//! JSON bridge) in what is accepted, what a scalar means, what is printed, and how errors read:
//!
//! - [`to_json`] reads one document and writes compact JSON, straight from the parser's events, with no tree.
//! - [`from_json_value`] writes a JSON value as YAML.
//! - [`to_tree`] reads one document into a tree that keeps how its scalars were written.
//! - [`Documents`] cuts a stream at its `---` lines, and [`is_json`] tells a JSON stream from a YAML one.
//!
//! The parser is our own. What Kubernetes accepts is what go-yaml v2 accepts, and go-yaml's error texts are
//! what people see; a YAML crate promises neither. Those there are also take longer than a manifest should: for
//! the 37 KB golden Pod, events alone cost 740 µs with `saphyr-parser`, 840 µs with `libyaml-safer` and 1.1 ms
//! with `granit-parser`, while [`to_json`] takes 280 µs for everything up to the JSON text.
//!
//! A caller that reports an error to a user puts `error converting YAML to JSON: ` before it where Kubernetes
//! does.

mod alias;
mod encoding;
mod errors;
mod fetch;
mod go_syntax;
mod json_text;
mod keys;
mod number;
mod order;
mod parse;
mod read;
mod resolve;
mod scan;
mod scan_scalar;
mod scan_tag;
mod split;
mod style;
#[cfg(test)]
mod tests;
mod tree;
mod write;

pub use errors::{DuplicateKey, YamlError};
pub use read::{DuplicateKeys, MAX_DEPTH, ReadOptions, Report, to_json};
pub use split::{Document, Documents, SplitError, is_json};
pub use tree::{Tree, TreeScalar, to_tree};
pub use write::from_json_value;
