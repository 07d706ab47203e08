//! Watches one object until a condition holds.

use std::time::Duration;

use rhumb_cli::Failure;
use rhumb_client::{Api, WatchEvent};
use rhumb_meta::GroupResource;
use rhumb_meta::v1::{ListOptions, Status};
use rhumb_scheme::Unstructured;
use tokio::time::{Instant, sleep, timeout_at};

/// Pause before a watch is restarted.
const PAUSE: Duration = Duration::from_millis(500);

/// State of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Seen<'a> {
    /// It exists.
    There(&'a Unstructured),
    /// It was deleted.
    Deleted,
    /// It doesn't exist.
    Missing,
}

/// Returns the server's word that there is no such object, for one that went away while it was followed.
pub(crate) fn not_found(resource: &GroupResource, name: &str) -> Failure {
    let status = Status {
        reason: "NotFound".to_owned(),
        message: format!("{resource} {name:?} not found"),
        ..Status::default()
    };
    Failure::from(rhumb_client::Error::Status(Box::new(status)))
}

/// Returns the deadline; `None` for no limit.
pub(crate) fn deadline(timeout: Duration) -> Option<Instant> {
    (!timeout.is_zero()).then(|| Instant::now().checked_add(timeout)).flatten()
}

/// Follows an object until `judge` has something to say about it. `None` if the time is over before that.
pub(crate) async fn until<T>(
    api: &Api<Unstructured>,
    name: &str,
    deadline: Option<Instant>,
    mut judge: impl FnMut(Seen<'_>) -> Result<Option<T>, Failure>,
) -> Result<Option<T>, Failure> {
    let selector = ListOptions { field_selector: format!("metadata.name={name}"), ..ListOptions::default() };
    let follow = async {
        loop {
            let list = api.list(&selector).await?;
            let seen = list.items.first().map_or(Seen::Missing, Seen::There);
            if let Some(verdict) = judge(seen)? {
                return Ok(verdict);
            }
            let options =
                ListOptions { resource_version: list.metadata.resource_version.clone(), ..selector.clone() };
            if let Ok(mut events) = api.watch(&options).await {
                while let Some(Ok(event)) = events.next().await {
                    let verdict = match &event {
                        WatchEvent::Added(object) | WatchEvent::Modified(object) => {
                            judge(Seen::There(object))?
                        }
                        WatchEvent::Deleted(_) => judge(Seen::Deleted)?,
                        _ => None,
                    };
                    if let Some(verdict) = verdict {
                        return Ok(verdict);
                    }
                }
            }
            sleep(PAUSE).await;
        }
    };
    match deadline {
        Some(deadline) => match timeout_at(deadline, follow).await {
            Ok(done) => done.map(Some),
            Err(_) => Ok(None),
        },
        None => follow.await.map(Some),
    }
}
