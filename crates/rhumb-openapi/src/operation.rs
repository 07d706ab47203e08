//! What can be asked for at a path, in words that belong to neither version of the documents.

use rhumb_meta::GroupVersionKind;
use rhumb_scheme::openapi::Model;

use crate::parameters::Parameter;

/// A method of HTTP, as documents write it.
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

/// An operation and where it is found.
pub(crate) struct Route {
    pub(crate) path: String,
    pub(crate) method: Method,
    pub(crate) operation: Operation,
}

/// One thing that can be done at a path.
#[derive(Default)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) description: String,
    /// What is done, and to which kind; places that are no resources have neither.
    pub(crate) action: Option<(&'static str, GroupVersionKind)>,
    pub(crate) consumes: Vec<&'static str>,
    pub(crate) produces: Vec<&'static str>,
    /// Those of the path and the query.
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) body: Option<Body>,
    /// The answers that say something; "unauthorized" is everywhere.
    pub(crate) answers: Vec<(u16, Content)>,
}

/// What a request sends.
pub(crate) struct Body {
    pub(crate) content: Content,
    pub(crate) required: bool,
}

/// What an answer or a body holds.
#[derive(Clone, Copy)]
pub(crate) enum Content {
    /// Something with a model.
    Model(Model),
    /// A model that no type stands behind, by its name.
    Fixed(&'static str),
    /// A text.
    Text,
}

/// Returns what an answer of this code means.
pub(crate) fn phrase(code: u16) -> &'static str {
    match code {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        _ => "Unauthorized",
    }
}
