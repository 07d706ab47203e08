//! The four types of patches.

use rhumb_meta::Object;
use rhumb_schema::to_tree;
use serde_json::Value as Json;

use crate::Error;
use crate::rest::{PatchKind, Request};

/// A patch with its type.
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
    /// Strategic merge patch: merges lists of built-in kinds by their keys. Not supported for custom resources.
    Strategic(Json),
    /// Server-side apply of all fields that the caller owns. The options must name the field manager. See
    /// [`Api::apply`](super::Api::apply).
    Apply(Json),
}

impl Patch {
    /// Creates an apply patch of an object.
    pub fn apply(object: &dyn Object) -> Self {
        Patch::Apply(to_tree(object))
    }

    /// Returns the type of the patch.
    pub fn kind(&self) -> PatchKind {
        match self {
            Patch::Json(_) => PatchKind::Json,
            Patch::Merge(_) => PatchKind::Merge,
            Patch::Strategic(_) => PatchKind::Strategic,
            Patch::Apply(_) => PatchKind::Apply,
        }
    }

    /// Returns the media type of the patch.
    pub fn content_type(&self) -> &'static str {
        self.kind().content_type()
    }

    /// Returns the body of the patch.
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
