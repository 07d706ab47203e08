//! Destination of events.

use rhumb_meta::Object;
use rhumb_meta::v1::{CreateOptions, PatchOptions};
use serde_json::Value as Json;

use crate::api::Readable;
use crate::{Api, Error, Patch};

/// Accepts events: a server, through `client.resource::<Event>()`, or a test.
pub trait EventSink<E: Object>: Send + Sync + 'static {
    /// Creates an event in its namespace.
    fn create(&self, event: &E) -> impl Future<Output = Result<(), Error>> + Send;

    /// Changes an event by a strategic merge patch.
    fn patch(
        &self,
        namespace: &str,
        name: &str,
        patch: &Json,
    ) -> impl Future<Output = Result<(), Error>> + Send;
}

impl<E: Readable> EventSink<E> for Api<E> {
    async fn create(&self, event: &E) -> Result<(), Error> {
        let namespace = event.metadata().map(|metadata| metadata.namespace.clone()).unwrap_or_default();
        let api = self.clone().namespace(&namespace);
        api.create(event, &CreateOptions::default()).await.map(|_| ())
    }

    async fn patch(&self, namespace: &str, name: &str, patch: &Json) -> Result<(), Error> {
        let api = self.clone().namespace(namespace);
        api.patch(name, &Patch::Strategic(patch.clone()), &PatchOptions::default()).await.map(|_| ())
    }
}
