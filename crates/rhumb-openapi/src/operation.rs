//! Operations on paths, independent of the document version.

use rhumb_meta::GroupVersionKind;
use rhumb_scheme::openapi::Model;

use crate::parameters::Parameter;

/// HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Put,
    Post,
    Delete,
    Options,
    Head,
    Patch,
}

impl Method {
    pub(crate) const ALL: [Method; 7] = [
        Method::Get,
        Method::Put,
        Method::Post,
        Method::Delete,
        Method::Options,
        Method::Head,
        Method::Patch,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Method::Get => "get",
            Method::Put => "put",
            Method::Post => "post",
            Method::Delete => "delete",
            Method::Options => "options",
            Method::Head => "head",
            Method::Patch => "patch",
        }
    }
}

/// An operation with its path.
pub(crate) struct Route {
    pub(crate) path: String,
    pub(crate) method: Method,
    pub(crate) operation: Operation,
}

/// An operation on a path.
#[derive(Default)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) description: String,
    /// Action and kind; none for paths that are not resources.
    pub(crate) action: Option<(&'static str, GroupVersionKind)>,
    pub(crate) consumes: Vec<&'static str>,
    pub(crate) produces: Vec<&'static str>,
    /// Path and query parameters.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    /// The answers that say something; "unauthorized" is everywhere.
    pub(crate) answers: Vec<(u16, Content)>,
}

/// Request body.
pub(crate) struct Body {
    pub(crate) content: Content,
    pub(crate) required: bool,
}

/// Content of a response or body.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// Something with a model.
    Model(Model),
    /// A model that no type stands behind, by its name.
    Fixed(&'static str),
    /// A text.
    Text,
}

/// Returns the description of a status code.
pub(crate) fn phrase(code: u16) -> &'static str {
    match code {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        _ => "Unauthorized",
    }
}
