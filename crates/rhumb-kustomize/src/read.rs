//! Reads objects from files.

use rhumb_codec::yaml::{Tree, to_tree};

use crate::fault::{Fault, Outcome, fail};
use crate::node::Node;
use crate::resource::Resource;
use crate::scalar::{Scalar, Tag};

/// Maximum nesting depth of documents, since trees are walked recursively.
const MAX_DEPTH: usize = 400;

/// Reads one document, which may be missing.
pub(crate) fn parse(text: &[u8]) -> Outcome<Option<Node>> {
    let tree = to_tree(text, MAX_DEPTH).map_err(|error| Fault(error.to_string()))?;
    tree.map(from_tree).transpose()
}

fn from_tree(tree: Tree) -> Outcome<Node> {
    match tree {
        Tree::Scalar(scalar) => Ok(Node::Scalar(Scalar::read(scalar.text, scalar.quoted, scalar.tag))),
        Tree::Sequence(items) => items.into_iter().map(from_tree).collect::<Outcome<_>>().map(Node::Sequence),
        Tree::Mapping(entries) => mapping(entries),
    }
}

fn mapping(entries: Vec<(Tree, Tree)>) -> Outcome<Node> {
    let mut fields = Vec::with_capacity(entries.len());
    let mut merged = None;
    for (key, value) in entries {
        let Tree::Scalar(key) = key else { return fail("yaml: invalid map key: a collection") };
        let key = Scalar::read(key.text, key.quoted, key.tag);
        let value = from_tree(value)?;
        if key.tag != Tag::Merge {
            fields.push((key.text, value));
        } else if merged.replace(value).is_some() {
            return fail("duplicate merge key");
        }
    }
    if let Some(value) = merged {
        for source in merge_sources(value)? {
            for (key, value) in source {
                if !fields.iter().any(|(name, _)| *name == key) {
                    fields.push((key, value));
                }
            }
        }
    }
    Ok(Node::Mapping(fields))
}

/// Returns the mappings that a merge key brings in, the strongest first.
fn merge_sources(value: Node) -> Outcome<Vec<Vec<(String, Node)>>> {
    match value {
        Node::Mapping(entries) => Ok(vec![entries]),
        Node::Sequence(items) => {
            let mut sources = Vec::new();
            for item in items {
                match item {
                    Node::Mapping(entries) => sources.push(entries),
                    Node::Sequence(_) => return fail("invalid map merge: received a nested sequence"),
                    Node::Scalar(_) => {
                        return fail("map merge requires map or sequence of maps as the value");
                    }
                }
            }
            Ok(sources)
        }
        Node::Scalar(_) => fail("map merge requires map or sequence of maps as the value"),
    }
}

/// Cuts a file at the lines that begin with `---`.
fn documents(text: &[u8]) -> Outcome<Vec<&[u8]>> {
    let mut documents = Vec::new();
    let mut start = 0;
    let mut at = 0;
    while let Some(found) = find(text, b"\n---", at) {
        let line = text.get(found + 4..).unwrap_or_default();
        let Some(end) = line.iter().position(|byte| *byte == b'\n') else { break };
        let rest = String::from_utf8_lossy(line.get(..end).unwrap_or_default()).trim().to_owned();
        if !rest.is_empty() && !rest.starts_with('#') {
            return fail(format!("invalid document separator: ---{rest}"));
        }
        // The line break belongs to the document before.
        documents.push(text.get(start..=found).unwrap_or_default());
        start = found + 4 + end + 1;
        at = start;
    }
    documents.push(text.get(start..).unwrap_or_default());
    Ok(documents)
}

fn find(text: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    rest.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}

/// Reads the nodes of a file; a lone `List` gives its items.
fn nodes(text: &[u8]) -> Outcome<Vec<Node>> {
    let unix;
    let text = if find(text, b"\r\n", 0).is_some() {
        unix = without_carriage_returns(text);
        &unix[..]
    } else {
        text
    };
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let documents = documents(text)?;
    let is_alone = documents.len() == 1;
    let mut nodes = Vec::new();
    for document in documents {
        let Some(node) = parse(document).map_err(|error| error.under("MalformedYAMLError"))? else {
            continue;
        };
        if node.is_null() {
            continue;
        }
        let is_list = matches!(node.kind(), "List" | "ResourceList");
        if is_alone && is_list && (node.get("items").is_some() || node.get("functionConfig").is_some()) {
            let items = node.get("items").map_or(&[][..], Node::items);
            nodes.extend(items.iter().cloned());
            continue;
        }
        nodes.push(node);
    }
    Ok(nodes)
}

fn without_carriage_returns(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.iter().peekable();
    while let Some(byte) = bytes.next() {
        if *byte == b'\r' && bytes.peek() == Some(&&b'\n') {
            continue;
        }
        out.push(*byte);
    }
    out
}

/// Reads the objects of a file, with lists taken apart.
pub(crate) fn objects(text: &[u8]) -> Outcome<Vec<Resource>> {
    let mut waiting: std::collections::VecDeque<Node> = good(nodes(text)?)?.into();
    let mut objects = Vec::new();
    while let Some(node) = waiting.pop_front() {
        let kind = node.kind().to_owned();
        let items = if kind.ends_with("List") { node.get("items") } else { None };
        match items {
            None => objects.push(Resource::new(node)),
            Some(items) if items.is_null() => {}
            Some(Node::Sequence(items)) => {
                // The items go through JSON, where a number has no spelling of its own.
                let items = items.iter().map(|item| item.to_json().map(|json| Node::from_json(&json)));
                waiting.extend(good(items.collect::<Outcome<_>>()?)?);
            }
            Some(other) => {
                let found = match other {
                    Node::Mapping(_) => "map[string]interface {}",
                    _ => "string",
                };
                return fail(format!("expected array in {kind}/items, but found {found}"));
            }
        }
    }
    Ok(objects)
}

/// Leaves out empty nodes, and objects to those that are no objects.
fn good(nodes: Vec<Node>) -> Outcome<Vec<Node>> {
    let mut good = Vec::with_capacity(nodes.len());
    for node in nodes {
        if !node.is_null_or_empty() {
            check_metadata(&node)?;
            good.push(node);
        }
    }
    Ok(good)
}

/// Validates an object's required metadata.
pub(crate) fn check_metadata(node: &Node) -> Outcome<()> {
    let text = |key: &str| node.get(key).filter(|value| !value.is_null_or_empty()).map_or("", Node::text);
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let (labels, annotations) = (node.labels(), node.annotations());
    let says_nothing = api_version.is_empty()
        && kind.is_empty()
        && node.name().is_empty()
        && node.namespace().is_empty()
        && labels.is_empty()
        && annotations.is_empty();
    if says_nothing {
        return fail("missing Resource metadata");
    }
    let shown = || {
        let map = |map: &std::collections::BTreeMap<String, String>| {
            let entries: Vec<String> = map.iter().map(|(key, value)| format!("{key}:{value}")).collect();
            format!("map[{}]", entries.join(" "))
        };
        format!(
            "{{{{{api_version} {kind}}} {{{{{} {}}} {} {}}}}}",
            node.name(),
            node.namespace(),
            map(&labels),
            map(&annotations)
        )
    };
    if kind.is_empty() {
        return fail(format!("missing kind in object {}", shown()));
    }
    if node.name().is_empty() && !kind.ends_with("List") {
        return fail(format!("missing metadata.name in object {}", shown()));
    }
    Ok(())
}
