//! Where events go.

use rhumb_meta::Object;
use serde_json::Value as Json;

use crate::Error;

/// Takes events in: a server, or a test.
pub trait EventSink<E: Object>: Send + Sync + 'static {
    /// Creates an event in its namespace.
    fn create(&self, event: &E) -> impl Future<Output = Result<(), Error>> + Send;

    /// Changes an event by a strategic merge patch.
    fn patch(&self, namespace: &str, name: &str, patch: &Json) -> impl Future<Output = Result<(), Error>> + Send;
}
