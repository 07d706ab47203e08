//! Patches: what to change of an object, in four forms.

use rhumb_meta::Object;
use rhumb_schema::to_tree;
use serde_json::Value as Json;

use crate::Error;
use crate::rest::{PatchKind, Request};

/// What to change of an object.
///
/// ```
/// use rhumb_client::Patch;
/// use serde_json::json;
///
/// let scale = Patch::Merge(json!({"spec": {"replicas": 3}}));
/// let first = Patch::Json(json!([{"op": "add", "path": "/metadata/labels/app", "value": "web"}]));
/// assert_eq!(scale.content_type(), "application/merge-patch+json");
/// assert_eq!(first.content_type(), "application/json-patch+json");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Patch {
    /// A list of operations, one after the other (RFC 6902).
    Json(Json),
    /// The fields that change; `null` removes one, a list is replaced as a whole (RFC 7386).
    Merge(Json),
    /// The same, but lists of built-in kinds are merged by their keys. Custom resources don't know it.
    Strategic(Json),
    /// All that is wanted of the object, for server-side apply. The options must name the field manager.
    /// [`Api::apply`](super::Api::apply) is the shorter way.
    Apply(Json),
}

impl Patch {
    /// Creates a patch that lets the server apply an object as it is written.
    pub fn apply(object: &dyn Object) -> Self {
        Patch::Apply(to_tree(object))
    }

    /// Returns which form it has.
    pub fn kind(&self) -> PatchKind {
        match self {
            Patch::Json(_) => PatchKind::Json,
            Patch::Merge(_) => PatchKind::Merge,
            Patch::Strategic(_) => PatchKind::Strategic,
            Patch::Apply(_) => PatchKind::Apply,
        }
    }

    /// Returns the media type that tells the server which form it is.
    pub fn content_type(&self) -> &'static str {
        self.kind().content_type()
    }

    /// Returns what it says.
    pub fn tree(&self) -> &Json {
        match self {
            Patch::Json(tree) | Patch::Merge(tree) | Patch::Strategic(tree) | Patch::Apply(tree) => tree,
        }
    }

    pub(super) fn put_into(&self, request: Request) -> Result<Request, Error> {
        let bytes = serde_json::to_vec(self.tree()).map_err(|error| Error::Request(error.to_string()))?;
        Ok(request.body(self.content_type(), bytes))
    }
}
