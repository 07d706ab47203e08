//! YAML trees that keep how scalars were written.
//!
//! Tools that edit manifests must know more than what a document means: whether a scalar was quoted or tagged
//! decides what it means after its text was changed. Aliases are replaced by what they stand for, up to a
//! bound on the tree's size; merge keys (`<<`) are left to the caller.

use std::collections::HashMap;

use super::encoding::decode;
use super::errors::YamlError;
use super::parse::{Event, Parser};
use super::resolve::Tag;
use super::scan::MAX_INPUT;

/// Maximum number of nodes.
const MAX_NODES: usize = 2_000_000;

/// A node of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tree {
    /// A single value.
    Scalar(TreeScalar),
    /// A list.
    Sequence(Vec<Tree>),
    /// Keys and values, in the order they were written.
    Mapping(Vec<(Tree, Tree)>),
}

/// A scalar as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeScalar {
    /// The text, with quotes and escapes taken away.
    pub text: String,
    /// Whether it was written with quotes or as a block.
    pub quoted: bool,
    /// The tag written before it, in its short form.
    pub tag: Option<&'static str>,
}

/// Parses the first document of `yaml`; `None` if there is none.
///
/// # Errors
/// If the text is no YAML, an alias has no anchor or contains itself, or nesting goes beyond `max_depth`.
pub fn to_tree(yaml: &[u8], max_depth: usize) -> Result<Option<Tree>, YamlError> {
    let input = decode(yaml)?;
    if input.len() > MAX_INPUT {
        return Err(YamlError::Content("document is too large".to_owned()));
    }
    let mut builder = Builder { open: Vec::new(), anchors: HashMap::new(), nodes: 0 };
    let mut parser = Parser::new(&input, max_depth);
    loop {
        let event = parser.next().map_err(|fault| builder.place(fault.into()))?;
        let done = match event {
            Event::NoDocument => return Ok(None),
            Event::DocumentEnd => return Ok(None),
            Event::Scalar => {
                let node = &parser.node;
                let text = String::from_utf8_lossy(parser.scanner.text(node.text)).into_owned();
                let quoted = !node.implicit && node.tag == Tag::None;
                let scalar = TreeScalar { text, quoted, tag: short(node.tag) };
                let anchor = node.anchor.and_then(|name| input.get(name.range())).map(<[u8]>::to_vec);
                builder.add(Tree::Scalar(scalar), anchor)?
            }
            Event::Alias => {
                let name = input.get(parser.node.text.range()).unwrap_or_default();
                let shown = String::from_utf8_lossy(name);
                let tree = match builder.anchors.get(name) {
                    None => {
                        return Err(YamlError::Content(format!("unknown anchor '{shown}' referenced")));
                    }
                    Some(None) => {
                        return Err(YamlError::Content(format!("anchor '{shown}' value contains itself")));
                    }
                    Some(Some((tree, size))) => {
                        builder.nodes = builder.nodes.saturating_add(*size);
                        if builder.nodes > MAX_NODES {
                            return Err(YamlError::Content(
                                "document contains excessive aliasing".to_owned(),
                            ));
                        }
                        tree.clone()
                    }
                };
                builder.add(tree, None)?
            }
            start @ (Event::SequenceStart | Event::MappingStart) => {
                let anchor = parser.node.anchor.and_then(|name| input.get(name.range())).map(<[u8]>::to_vec);
                builder.open(start == Event::MappingStart, anchor, parser.node.line);
                None
            }
            Event::SequenceEnd | Event::MappingEnd => builder.close()?,
        };
        if done.is_some() {
            // What follows the root must still be the end of the document.
            parser.next().map_err(|fault| builder.place(fault.into()))?;
            return Ok(done);
        }
    }
}

fn short(tag: Tag) -> Option<&'static str> {
    match tag {
        Tag::None | Tag::NonSpecific => None,
        Tag::Str => Some("!!str"),
        Tag::Bool => Some("!!bool"),
        Tag::Int => Some("!!int"),
        Tag::Float => Some("!!float"),
        Tag::Null => Some("!!null"),
        Tag::Timestamp => Some("!!timestamp"),
        Tag::Binary => Some("!!binary"),
        Tag::Merge => Some("!!merge"),
        Tag::Other => Some("!"),
    }
}

/// An open collection.
struct Open {
    is_mapping: bool,
    items: Vec<Tree>,
    anchor: Option<Vec<u8>>,
    /// Number of nodes before it.
    before: usize,
    /// The line it starts on, counted from zero.
    line: usize,
}

struct Builder {
    open: Vec<Open>,
    /// Nodes of anchors with their sizes; `None` while incomplete.
    anchors: HashMap<Vec<u8>, Option<(Tree, usize)>>,
    nodes: usize,
}

impl Builder {
    /// Names the line as go-yaml v3 does, whose trees these are: what does not fit into a collection is
    /// reported at the beginning of the collection.
    fn place(&self, error: YamlError) -> YamlError {
        match (error, self.open.last()) {
            (YamlError::Syntax { problem, .. }, Some(open))
                if open.line > 0 && problem.starts_with("did not find expected") =>
            {
                YamlError::Syntax { line: Some(open.line), problem }
            }
            (error, _) => error,
        }
    }

    fn open(&mut self, is_mapping: bool, anchor: Option<Vec<u8>>, line: usize) {
        if let Some(name) = &anchor {
            self.anchors.insert(name.clone(), None);
        }
        self.open.push(Open { is_mapping, items: Vec::new(), anchor, before: self.nodes, line });
        self.nodes = self.nodes.saturating_add(1);
    }

    /// Ends the innermost collection; gives the root when it was that.
    fn close(&mut self) -> Result<Option<Tree>, YamlError> {
        let Some(open) = self.open.pop() else { return Ok(None) };
        let size = self.nodes.saturating_sub(open.before);
        let tree = if open.is_mapping {
            let mut items = open.items.into_iter();
            let mut entries = Vec::new();
            while let (Some(key), Some(value)) = (items.next(), items.next()) {
                entries.push((key, value));
            }
            Tree::Mapping(entries)
        } else {
            Tree::Sequence(open.items)
        };
        if let Some(name) = open.anchor {
            self.anchors.insert(name, Some((tree.clone(), size)));
        }
        Ok(self.put(tree))
    }

    /// Adds a whole node; gives it back when it is the root.
    fn add(&mut self, tree: Tree, anchor: Option<Vec<u8>>) -> Result<Option<Tree>, YamlError> {
        self.nodes = self.nodes.saturating_add(1);
        if self.nodes > MAX_NODES {
            return Err(YamlError::Content("document has too many nodes".to_owned()));
        }
        if let Some(name) = anchor {
            self.anchors.insert(name, Some((tree.clone(), 1)));
        }
        Ok(self.put(tree))
    }

    fn put(&mut self, tree: Tree) -> Option<Tree> {
        match self.open.last_mut() {
            None => Some(tree),
            Some(open) => {
                open.items.push(tree);
                None
            }
        }
    }
}
