//! JSON patches (RFC 6902) as Kubernetes applies them.
//!
//! Kubernetes is more lenient than the standard in places that clients rely on: replacing what is not there
//! adds it, what is missing counts as `null` in a test or a copy, and negative positions count from a list's
//! end. It is stricter in one that nobody can rely on: it compares scalars by their text, so that a test for
//! `<` fails; here values are compared.

mod container;
mod node;
mod operation;
mod sequence;

use rhumb_codec::Strictness;
use rhumb_codec::json::decode_into;
use rhumb_schema::text::{encode, parse_tree};
use rhumb_schema::{DecodeError, MAX_DEPTH, Problem, Schema, Segment, budget};
use serde_json::Value;

use crate::PatchError;
use crate::error::MAX_OPERATIONS;
use container::at;
use node::Node;
use operation::Operation;

/// Maximum number of bytes that all copies of a patch may add.
const MAX_COPIED: usize = 3 * 1024 * 1024;

/// The fields of an operation that the standard knows.
#[derive(Clone, Default, Schema)]
struct KnownFields {
    #[field(0)]
    op: String,
    #[field(0)]
    path: String,
    #[field(0)]
    from: String,
    #[field(0)]
    value: Value,
}

/// Reads a JSON patch for a server that looks for unknown and duplicate fields, and gives what it found.
///
/// # Errors
/// If the text is no list of operations.
pub fn check(patch: &[u8]) -> Result<Vec<String>, PatchError> {
    let mut operations: Vec<KnownFields> = Vec::new();
    match decode_into(patch, &mut operations, Strictness::Strict) {
        Ok(notes) => Ok(notes.into_found().into_iter().map(|note| format!("json patch {note}")).collect()),
        Err(error) => Err(PatchError::Decode(format!("error decoding patch: {}", decode_error(&error)))),
    }
}

/// Returns the error with the types' names in Kubernetes.
fn decode_error(error: &DecodeError) -> String {
    let Problem::Type(got, want) = &error.problem else { return error.to_string() };
    let field = error.path.iter().find_map(|segment| match segment {
        Segment::Field(_, name) => Some(*name),
        _ => None,
    });
    match field {
        Some(name) => {
            format!("json: cannot unmarshal {got} into Go struct field jsonPatchOp.{name} of type {want}")
        }
        None if error.path.is_empty() => {
            format!("json: cannot unmarshal {got} into Go value of type []handlers.jsonPatchOp")
        }
        None => format!("json: cannot unmarshal {got} into Go value of type handlers.jsonPatchOp"),
    }
}

/// Applies a JSON patch, which is given as text.
///
/// # Errors
/// If the text is no JSON patch, has too many operations, or one of them can't be done. The document is as it
/// was then.
pub fn apply(doc: &mut Value, patch: &[u8]) -> Result<(), PatchError> {
    let operations = decode(patch)?;
    if operations.len() > MAX_OPERATIONS {
        return Err(PatchError::TooManyOperations(operations.len()));
    }
    if !doc.is_object() && !doc.is_array() {
        let kind = crate::json_kind(doc);
        return failed(format!("json: cannot unmarshal {kind} into Go value of type jsonpatch.partialDoc"));
    }
    let mut work = Work { doc: Node::Closed(doc.clone()), copied: 0 };
    for operation in operations {
        if budget::is_stopped() {
            return Err(PatchError::Stopped);
        }
        work.perform(operation)?;
    }
    *doc = work.doc.into_value();
    Ok(())
}

fn decode(patch: &[u8]) -> Result<Vec<Operation>, PatchError> {
    let unfit = |value: &Value, want: &str| {
        PatchError::Decode(format!(
            "json: cannot unmarshal {} into Go value of type jsonpatch.{want}",
            crate::json_kind(value)
        ))
    };
    match parse_tree(patch).map_err(|error| PatchError::Decode(error.to_string()))? {
        Value::Null => Ok(Vec::new()),
        Value::Array(items) => {
            let operation = |item| match item {
                Value::Object(fields) => Ok(Operation(fields)),
                Value::Null => Ok(Operation::default()),
                other => Err(unfit(&other, "Operation")),
            };
            items.into_iter().map(operation).collect()
        }
        other => Err(unfit(&other, "Patch")),
    }
}

fn failed<T>(text: String) -> Result<T, PatchError> {
    Err(PatchError::Operation(text))
}

/// The document being patched.
struct Work {
    doc: Node,
    copied: usize,
}

impl Work {
    fn perform(&mut self, operation: Operation) -> Result<(), PatchError> {
        match operation.kind() {
            "add" => self.add(operation),
            "remove" => self.remove(&operation),
            "replace" => self.replace(operation),
            "move" => self.relocate(&operation),
            "test" => self.test(&operation),
            "copy" => self.copy(&operation),
            other => failed(format!("Unexpected kind: {other}")),
        }
    }

    fn add(&mut self, mut operation: Operation) -> Result<(), PatchError> {
        let Ok(path) = operation.path() else {
            return failed("add operation failed to decode path: missing value".to_owned());
        };
        let value = operation.take_value().unwrap_or_default();
        let added = at(&mut self.doc, &path, |container, key| {
            check_depth(&path, crate::depth(&value))?;
            container
                .add(key, Node::Closed(value))
                .or_else(|error| failed(format!("error in add for path: '{path}': {error}")))
        });
        let missing = || {
            failed(format!("add operation does not apply: doc is missing path: \"{path}\": missing value"))
        };
        added.unwrap_or_else(missing)
    }

    fn remove(&mut self, operation: &Operation) -> Result<(), PatchError> {
        let Ok(path) = operation.path() else {
            return failed("remove operation failed to decode path: missing value".to_owned());
        };
        match at(&mut self.doc, &path, |container, key| container.take(key)) {
            Some(Ok(_)) => Ok(()),
            Some(Err(error)) => failed(format!("error in remove for path: '{path}': {error}")),
            None => failed(format!(
                "remove operation does not apply: doc is missing path: \"{path}\": missing value"
            )),
        }
    }

    fn replace(&mut self, mut operation: Operation) -> Result<(), PatchError> {
        let path = operation
            .path()
            .or_else(|error| failed(format!("replace operation failed to decode path: {error}")))?;
        let value = operation.take_value().unwrap_or_default();
        check_depth(&path, crate::depth(&value))?;
        if path.is_empty() {
            if !value.is_object() && !value.is_array() {
                // The words end in Go's complaint about an error that isn't there.
                return failed("replace operation value must be object or array: %!w(<nil>)".to_owned());
            }
            self.doc = Node::Closed(value);
            return Ok(());
        }
        match at(&mut self.doc, &path, |container, key| container.set(key, Node::Closed(value))) {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) => {
                failed(format!("replace operation does not apply: doc is missing key: {path}: missing value"))
            }
            None => failed(format!(
                "replace operation does not apply: doc is missing path: {path}: missing value"
            )),
        }
    }

    fn relocate(&mut self, operation: &Operation) -> Result<(), PatchError> {
        let from = operation
            .from()
            .or_else(|error| failed(format!("move operation failed to decode from: {error}")))?;
        let taken = at(&mut self.doc, &from, |container, key| {
            container.take(key).or_else(|error| failed(format!("error in move for path: '{key}': {error}")))
        });
        let missing = || {
            failed(format!("move operation does not apply: doc is missing from path: {from}: missing value"))
        };
        let mut node = taken.unwrap_or_else(missing)?;
        let path = operation
            .path()
            .or_else(|error| failed(format!("move operation failed to decode path: {error}")))?;
        let moved = at(&mut self.doc, &path, |container, key| {
            check_depth(&path, node.measure())?;
            container
                .add(key, node)
                .or_else(|error| failed(format!("error in move for path: '{path}': {error}")))
        });
        let missing = || {
            failed(format!(
                "move operation does not apply: doc is missing destination path: {path}: missing value"
            ))
        };
        moved.unwrap_or_else(missing)
    }

    fn copy(&mut self, operation: &Operation) -> Result<(), PatchError> {
        let from = operation
            .from()
            .or_else(|error| failed(format!("copy operation failed to decode from: {error}")))?;
        // The copy is made before its place is looked for, and paid for after, as errors come in that order.
        let found = at(&mut self.doc, &from, |container, key| {
            container.entry(key).map(|node| node.map(Node::to_value).unwrap_or_default())
        });
        let value = match found {
            Some(Ok(value)) => value,
            Some(Err(error)) => return failed(format!("error in copy for from: '{from}': {error}")),
            None => {
                return failed(format!(
                    "copy operation does not apply: doc is missing from path: {from}: missing value"
                ));
            }
        };
        let Ok(path) = operation.path() else {
            return failed("copy operation failed to decode path: missing value".to_owned());
        };
        let copied = &mut self.copied;
        let put = at(&mut self.doc, &path, |container, key| {
            if !value.is_null() {
                let mut text = Vec::new();
                encode(&value, &mut text);
                *copied = copied.saturating_add(text.len());
                if !budget::take(text.len()) {
                    return Err(PatchError::Stopped);
                }
            }
            if *copied > MAX_COPIED {
                return failed(format!(
                    "Unable to complete the copy, the accumulated size increase of copy is {copied}, \
                     exceeding the limit {MAX_COPIED}"
                ));
            }
            check_depth(&path, crate::depth(&value))?;
            container
                .add(key, Node::Closed(value))
                .or_else(|error| failed(format!("error while adding value during copy: {error}")))
        });
        let missing = || {
            failed(format!(
                "copy operation does not apply: doc is missing destination path: {path}: missing value"
            ))
        };
        put.unwrap_or_else(missing)
    }

    fn test(&mut self, operation: &Operation) -> Result<(), PatchError> {
        let path = operation
            .path()
            .or_else(|error| failed(format!("test operation failed to decode path: {error}")))?;
        let wanted = operation.value();
        let found = if path.is_empty() {
            Some(Ok(wanted.is_some_and(|wanted| self.doc.equals(wanted))))
        } else {
            at(&mut self.doc, &path, |container, key| {
                container.entry(key).map(|node| match node {
                    None | Some(Node::Closed(Value::Null)) => wanted.is_none_or(Value::is_null),
                    Some(node) => wanted.is_some_and(|wanted| node.equals(wanted)),
                })
            })
        };
        match found {
            Some(Ok(true)) => Ok(()),
            Some(Ok(false)) => failed(format!("testing value {path} failed: test failed")),
            Some(Err(error)) => failed(format!("error in test for path: '{path}': {error}")),
            None => failed(format!("test operation does not apply: is missing path: {path}: missing value")),
        }
    }
}

/// Checks the depth of the document, which a patch can increase by copying it into itself.
fn check_depth(path: &str, depth: usize) -> Result<(), PatchError> {
    let above = path.matches('/').count();
    if above.saturating_add(depth) > MAX_DEPTH { Err(PatchError::Depth) } else { Ok(()) }
}
