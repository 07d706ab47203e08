//! What handlers tell the audit log, which the filters keep.

use std::sync::Arc;

use bytes::Bytes;
use rhumb_api::resources::Verb;

use crate::endpoints::context::RequestContext;

/// Records one request in the audit log.
pub(crate) trait Recorder: Send + Sync {
    /// Takes a piece of the request's body.
    fn body(&self, piece: &Bytes);

    /// Notes what the client sent, and what handlers noted who worked on it.
    fn handled(&self, call: &RequestContext<'_>, verb: Verb);
}

/// The recorder of a request that is audited, among its extensions.
#[derive(Clone)]
pub(crate) struct Audited(pub(crate) Arc<dyn Recorder>);
