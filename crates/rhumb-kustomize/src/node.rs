//! Trees of YAML documents.
//!
//! They keep more than JSON does (how a scalar was written, the order of keys), because transformations look
//! at texts and styles. [`Node::to_json`] settles what everything means.

use std::collections::BTreeMap;

use rhumb_codec::yaml::from_json_value;
use serde_json::{Map, Value};

use crate::fault::{Fault, Outcome, fail};
use crate::scalar::{Scalar, Tag, is_not_string_in_yaml_1_1};

/// A node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

/// Type of a node, for errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Scalar,
    Sequence,
    Mapping,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Scalar => "ScalarNode",
            Kind::Sequence => "SequenceNode",
            Kind::Mapping => "MappingNode",
        }
    }

    /// Creates an empty node of this kind.
    pub(crate) fn empty(self) -> Node {
        match self {
            Kind::Scalar => Node::Scalar(Scalar::unset("")),
            Kind::Sequence => Node::Sequence(Vec::new()),
            Kind::Mapping => Node::Mapping(Vec::new()),
        }
    }
}

impl Node {
    pub(crate) fn string(text: impl Into<String>) -> Node {
        Node::Scalar(Scalar::string(text))
    }

    pub(crate) fn unset(text: impl Into<String>) -> Node {
        Node::Scalar(Scalar::unset(text))
    }

    pub(crate) fn kind_of_node(&self) -> Kind {
        match self {
            Node::Scalar(_) => Kind::Scalar,
            Node::Sequence(_) => Kind::Sequence,
            Node::Mapping(_) => Kind::Mapping,
        }
    }

    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Node::Scalar(scalar) if scalar.is_null())
    }

    pub(crate) fn is_empty_mapping(&self) -> bool {
        matches!(self, Node::Mapping(entries) if entries.is_empty())
    }

    /// Null, or a collection without elements.
    pub(crate) fn is_null_or_empty(&self) -> bool {
        match self {
            Node::Scalar(scalar) => scalar.is_null(),
            Node::Sequence(items) => items.is_empty(),
            Node::Mapping(entries) => entries.is_empty(),
        }
    }

    /// Returns a scalar's text; collections have none.
    pub(crate) fn text(&self) -> &str {
        match self {
            Node::Scalar(scalar) => &scalar.text,
            _ => "",
        }
    }

    /// Returns a scalar's text, where null has none.
    pub(crate) fn value_text(&self) -> &str {
        if self.is_null() { "" } else { self.text() }
    }

    pub(crate) fn entries(&self) -> &[(String, Node)] {
        match self {
            Node::Mapping(entries) => entries,
            _ => &[],
        }
    }

    pub(crate) fn items(&self) -> &[Node] {
        match self {
            Node::Sequence(items) => items,
            _ => &[],
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        match self {
            Node::Mapping(entries) => {
                entries.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
            }
            _ => None,
        }
    }

    /// Follows keys through mappings.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key))
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let Node::Mapping(entries) = self else { return None };
        let at = entries.iter().position(|(name, _)| name == key)?;
        Some(entries.remove(at).1)
    }

    /// Returns the value under a key, made empty if it is missing.
    pub(crate) fn get_or_create(&mut self, key: &str, kind: Kind) -> Outcome<Option<&mut Node>> {
        self.expect(Kind::Mapping)?;
        let Node::Mapping(entries) = self else { return Ok(None) };
        let at = match entries.iter().position(|(name, _)| name == key) {
            Some(at) => at,
            None => {
                entries.push((key.to_owned(), kind.empty()));
                entries.len() - 1
            }
        };
        Ok(entries.get_mut(at).map(|(_, value)| value))
    }

    /// Returns an error unless the node is null or of this kind.
    pub(crate) fn expect(&self, kind: Kind) -> Outcome<()> {
        if self.is_null() || self.kind_of_node() == kind {
            return Ok(());
        }
        fail(format!(
            "wrong node kind: expected {} but got {}: node contents:\n{}",
            kind.name(),
            self.kind_of_node().name(),
            self.to_yaml_text()
        ))
    }

    /// Sets a field the way an edit does: the style of what was there stays, and null takes the field away.
    pub(crate) fn set_field(&mut self, key: &str, value: Node) -> Outcome<()> {
        if value.is_null() {
            self.expect(Kind::Mapping)?;
            self.remove(key);
            return Ok(());
        }
        self.put_field(key, value)
    }

    /// Like [`Node::set_field`], but null is kept.
    pub(crate) fn put_field(&mut self, key: &str, mut value: Node) -> Outcome<()> {
        self.expect(Kind::Mapping)?;
        if key.is_empty() {
            self.expect(Kind::Scalar)?;
        }
        let Node::Mapping(entries) = self else { return Ok(()) };
        protect(&mut value);
        match entries.iter_mut().find(|(name, _)| name == key) {
            Some((_, old)) => {
                take_style(&mut value, old);
                *old = value;
            }
            None => entries.push((key.to_owned(), value)),
        }
        Ok(())
    }

    /// Sets a scalar in place; its style stays.
    pub(crate) fn set_scalar(&mut self, value: Scalar) -> Outcome<()> {
        self.expect(Kind::Scalar)?;
        if value.is_null() {
            return Ok(());
        }
        let mut value = Node::Scalar(value);
        take_style(&mut value, self);
        *self = value;
        Ok(())
    }

    /// Converts the tree to JSON.
    pub(crate) fn to_json(&self) -> Outcome<Value> {
        match self {
            Node::Scalar(scalar) => scalar.meaning(),
            Node::Sequence(items) => {
                items.iter().map(Node::to_json).collect::<Outcome<Vec<_>>>().map(Value::Array)
            }
            Node::Mapping(entries) => {
                let mut map = Map::new();
                for (key, value) in entries {
                    if map.insert(key.clone(), value.to_json()?).is_some() {
                        let problem = format!("mapping key {} already defined", crate::fault::quote(key));
                        return fail(format!("yaml: unmarshal errors:\n  {problem}"));
                    }
                }
                Ok(Value::Object(map))
            }
        }
    }

    /// Returns a tree of a JSON value that went through Go's generic decoding, where all numbers are floats.
    pub(crate) fn from_json(value: &Value) -> Node {
        match value {
            Value::Null => Node::Scalar(Scalar::of("null", Tag::Null)),
            Value::Bool(value) => Node::Scalar(Scalar::of(value.to_string(), Tag::Bool)),
            Value::Number(number) => {
                let text = general_float(number.as_f64().unwrap_or(0.0));
                Node::Scalar(Scalar::read(text, false, None))
            }
            Value::String(text) => Node::string(text.as_str()),
            Value::Array(items) => Node::Sequence(items.iter().map(Node::from_json).collect()),
            Value::Object(map) => {
                Node::Mapping(map.iter().map(|(key, value)| (key.clone(), Node::from_json(value))).collect())
            }
        }
    }

    /// Returns the tree as YAML, for messages.
    pub(crate) fn to_yaml_text(&self) -> String {
        self.to_json().map(|json| yaml_text(&json)).unwrap_or_default()
    }
}

/// Returns a JSON value as YAML.
pub(crate) fn yaml_text(value: &Value) -> String {
    let mut out = Vec::new();
    from_json_value(value, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Quotes a plain string that readers of YAML 1.1 would misread.
fn protect(value: &mut Node) {
    if let Node::Scalar(scalar) = value
        && scalar.is_string()
        && !scalar.quoted
        && !scalar.tagged
        && is_not_string_in_yaml_1_1(&scalar.text)
    {
        scalar.quoted = true;
    }
}

fn take_style(value: &mut Node, old: &Node) {
    if let Node::Scalar(scalar) = value {
        (scalar.quoted, scalar.tagged) = match old {
            Node::Scalar(old) => (old.quoted, old.tagged),
            _ => (false, false),
        };
    }
}

/// Formats a float as Go's `%g` with the shortest precision writes it.
fn general_float(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if !(-4..6).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.unsigned_abs());
    }
    format!("{value}")
}

// Access to what every object has.

impl Node {
    /// Returns the text of a field at the top.
    fn top_text(&self, key: &str) -> &str {
        self.get(key).map_or("", Node::text)
    }

    pub(crate) fn kind(&self) -> &str {
        self.top_text("kind")
    }

    pub(crate) fn api_version(&self) -> &str {
        self.top_text("apiVersion")
    }

    fn metadata(&self) -> Option<&Node> {
        self.get("metadata").filter(|node| !node.is_null_or_empty())
    }

    fn metadata_text(&self, key: &str) -> &str {
        let value = self.metadata().and_then(|metadata| metadata.get(key));
        value.filter(|value| !value.is_null_or_empty()).map_or("", Node::text)
    }

    pub(crate) fn name(&self) -> &str {
        self.metadata_text("name")
    }

    pub(crate) fn namespace(&self) -> &str {
        self.metadata_text("namespace")
    }

    pub(crate) fn labels(&self) -> BTreeMap<String, String> {
        self.metadata_map("labels")
    }

    pub(crate) fn annotations(&self) -> BTreeMap<String, String> {
        self.metadata_map("annotations")
    }

    fn metadata_map(&self, field: &str) -> BTreeMap<String, String> {
        let map = self.metadata().and_then(|metadata| metadata.get(field));
        let entries = map.map_or(&[][..], Node::entries);
        entries.iter().map(|(key, value)| (key.clone(), value.text().to_owned())).collect()
    }

    pub(crate) fn set_labels(&mut self, labels: &BTreeMap<String, String>) -> Outcome<()> {
        self.set_metadata_map("labels", labels)
    }

    pub(crate) fn set_annotations(&mut self, annotations: &BTreeMap<String, String>) -> Outcome<()> {
        self.set_metadata_map("annotations", annotations)
    }

    fn set_metadata_map(&mut self, field: &str, map: &BTreeMap<String, String>) -> Outcome<()> {
        let Some(metadata) = self.get_or_create("metadata", Kind::Mapping)? else { return Ok(()) };
        metadata.expect(Kind::Mapping)?;
        metadata.remove(field);
        if map.is_empty() {
            return Ok(());
        }
        let entries = map.iter().map(|(key, value)| (key.clone(), Node::string(value.as_str()))).collect();
        if let Node::Mapping(fields) = metadata {
            fields.push((field.to_owned(), Node::Mapping(entries)));
        }
        Ok(())
    }

    pub(crate) fn set_top(&mut self, key: &str, text: &str) -> Outcome<()> {
        self.set_field(key, Node::unset(text))
    }

    pub(crate) fn set_name(&mut self, name: &str) -> Outcome<()> {
        self.set_metadata_text("name", name)
    }

    pub(crate) fn set_namespace(&mut self, namespace: &str) -> Outcome<()> {
        if namespace.is_empty() {
            if let Some(metadata) = self.get_mut("metadata") {
                metadata.expect(Kind::Mapping)?;
                metadata.remove("namespace");
            }
            return Ok(());
        }
        self.set_metadata_text("namespace", namespace)
    }

    fn set_metadata_text(&mut self, key: &str, text: &str) -> Outcome<()> {
        match self.get_or_create("metadata", Kind::Mapping)? {
            Some(metadata) => metadata.set_field(key, Node::unset(text)),
            None => Err(Fault::from("an object must be a mapping")),
        }
    }
}
