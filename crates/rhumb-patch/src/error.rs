//! Errors of making and applying patches, with the server's response.

use std::fmt;

use rhumb_meta::v1::StatusReason;

/// Message when a valid patch doesn't fit the object.
const REJECTED: &str = "the server rejected our request due to an error in our request";

/// Maximum number of operations of a JSON patch.
pub(crate) const MAX_OPERATIONS: usize = 10_000;

/// Error of making or applying a patch.
///
/// `Display` gives the message of the Status that a Kubernetes server answers with. Where that says next to
/// nothing, [`PatchError::detail`] says what was wrong, in the words of the tools that work without a server.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PatchError {
    /// The patch can't be read, in these words.
    Decode(String),
    /// A merge patch is neither an object nor a list.
    InvalidMergePatch,
    /// The document of a merge patch is not an object.
    InvalidDocument,
    /// A JSON patch has this many operations, which is too many.
    TooManyOperations(usize),
    /// An operation of a JSON patch can't be done, for this reason.
    Operation(String),
    /// A list of what to delete from a list of scalars is malformed.
    PrimitiveList,
    /// A list of keys to retain is malformed, or lacks a key that the patch has.
    RetainKeys,
    /// A list of the elements' order is malformed.
    SetElementOrder,
    /// Strategic merge patches need to know the kind's fields.
    Unsupported,
    /// A list to be merged has lists in it.
    ListOfLists,
    /// The result would be nested deeper than any reader allows.
    Depth,
    /// The work was to end before the patch was applied. Nobody waits for the outcome.
    Stopped,
    /// Two trees don't go together under the field tables, for this reason.
    Unmergeable(String),
    /// The patch, as it is shown here, changes what must stay.
    Precondition(String),
    /// The patch would undo what others changed.
    Conflict {
        /// The patch as YAML.
        patch: String,
        /// The others' changes as YAML.
        changes: String,
    },
}

impl PatchError {
    /// Returns the reason in the Status.
    pub fn reason(&self) -> StatusReason {
        match self {
            PatchError::Decode(_)
            | PatchError::InvalidMergePatch
            | PatchError::PrimitiveList
            | PatchError::RetainKeys
            | PatchError::SetElementOrder
            | PatchError::Unsupported => StatusReason::BadRequest,
            PatchError::Operation(_) | PatchError::ListOfLists | PatchError::Depth => StatusReason::Invalid,
            PatchError::TooManyOperations(_) => StatusReason::RequestEntityTooLarge,
            PatchError::Stopped => StatusReason::Timeout,
            PatchError::InvalidDocument
            | PatchError::Unmergeable(_)
            | PatchError::Precondition(_)
            | PatchError::Conflict { .. } => StatusReason::Unknown,
        }
    }

    /// Returns the HTTP status.
    pub fn code(&self) -> u16 {
        self.reason().code()
    }

    /// Returns the error text for use without a server.
    pub fn detail(&self) -> String {
        match self {
            PatchError::Operation(text) => text.clone(),
            PatchError::ListOfLists => "lists of lists are not supported".to_owned(),
            PatchError::Depth => "exceeded max depth".to_owned(),
            other => other.to_string(),
        }
    }
}

impl fmt::Display for PatchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PatchError::Decode(text) | PatchError::Unmergeable(text) => f.write_str(text),
            PatchError::InvalidMergePatch => f.write_str("Invalid JSON Patch"),
            PatchError::InvalidDocument => f.write_str("Invalid JSON Document"),
            PatchError::TooManyOperations(got) => write!(
                f,
                "Request entity too large: The allowed maximum operations in a JSON patch is \
                 {MAX_OPERATIONS}, got {got}"
            ),
            PatchError::Operation(_) | PatchError::ListOfLists | PatchError::Depth => f.write_str(REJECTED),
            PatchError::PrimitiveList => f.write_str("invalid patch format of primitive list"),
            PatchError::RetainKeys => f.write_str("invalid patch format of retainKeys"),
            PatchError::SetElementOrder => f.write_str("invalid patch format of setElementOrder list"),
            PatchError::Unsupported => f.write_str("strategic merge patch format is not supported"),
            PatchError::Stopped => f.write_str("the patch was not applied in time"),
            PatchError::Precondition(patch) => write!(f, "precondition failed for: {patch}"),
            PatchError::Conflict { patch, changes } => {
                write!(
                    f,
                    "patch:\n{patch}\nconflicts with changes made from original to current:\n{changes}\n"
                )
            }
        }
    }
}

impl std::error::Error for PatchError {}
