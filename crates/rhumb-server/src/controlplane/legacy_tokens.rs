//! Legacy tokens: notes in the labels of Secrets on which day their tokens were used last.

use rhumb_meta::Object;
use tokio::sync::mpsc;

use crate::authentication::service_accounts::UsedSecret;
use crate::authentication::service_accounts::legacy::LAST_USED;
use crate::base::failure::Outcome;
use crate::loopback::{Client, Loopback, ObjectRef};

/// Starts to note.
pub(crate) fn start(api: &Loopback, mut used: mpsc::Receiver<UsedSecret>) {
    let weak = api.downgrade();
    api.tasks().spawn(async move {
        while let Some(secret) = used.recv().await {
            let Some(api) = weak.upgrade() else { return };
            if let Err(error) = note(&api, &secret).await {
                tracing::warn!(%error, secret = secret.name, "the use of a token can't be noted");
            }
        }
    });
}

async fn note(api: &Loopback, secret: &UsedSecret) -> Outcome<()> {
    let resources = api.resources();
    let Some(endpoint) = resources.find("", "v1", "secrets") else { return Ok(()) };
    let mut label = |hub: &mut dyn Object| {
        hub.edit_metadata(&mut |meta| {
            meta.labels.insert(LAST_USED.to_owned(), secret.day.clone());
        });
    };
    let place = ObjectRef::new(endpoint, &secret.namespace, &secret.name);
    Client::server(api).change(&place, None, &secret.uid, &mut label).await.map(|_| ())
}
