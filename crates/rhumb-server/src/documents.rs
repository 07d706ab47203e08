//! Paths that are neither resources nor discovery: OpenAPI, and the list of paths itself.

use std::sync::Arc;

use http::request::Parts;

use crate::api::Api;
use crate::respond::{self, Answer};

/// Answers a request for anything that is no resource.
pub(crate) fn answer(_api: &Arc<Api>, _path: &str, _parts: &Parts) -> Answer {
    respond::no_such_path()
}
