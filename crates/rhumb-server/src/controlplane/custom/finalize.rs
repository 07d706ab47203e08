//! The end of a definition: its objects go first, with their finalizers done, and then it goes itself.

use super::status;
use crate::loopback::{Client, Loopback, ObjectRef, WeakLoopback};
use crate::registry::custom::Published;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::apiextensions::v1beta1::{CustomResourceDefinition, CustomResourceDefinitionCondition};
use rhumb_meta::v1::DeleteOptions;
use rhumb_store::cache::{At, ListOptions};

use crate::base::failure::{Failure, Outcome};
use crate::registry::custom::conditions::{self, CLEANUP, terminating};
use crate::registry::deadline::deadline;
use crate::registry::{Endpoint, Storage};

/// How often it is looked whether all objects are gone.
const LOOK: Duration = Duration::from_millis(50);
/// How often that is done before the definition says that they are not.
const LOOKS: usize = 1200;
/// How long it is waited after a failure.
const PAUSE: Duration = Duration::from_secs(1);

/// Removes the objects of a definition and then lets it go.
pub(crate) async fn run(api: WeakLoopback, name: String, uid: String) {
    loop {
        let Some(strong) = api.upgrade() else { return };
        if let Some(done) = nothing_left(&strong, &name, &uid).await {
            drop(strong);
            if finish(&api, &name, &uid, done).await {
                return;
            }
            tokio::time::sleep(PAUSE).await;
            continue;
        }
        match begin(&strong, &name, &uid).await {
            Ok(Some(objects)) => {
                drop(strong);
                if let Some(done) = remove(&api, &objects).await
                    && finish(&api, &name, &uid, done).await
                {
                    return;
                }
            }
            Ok(None) => return,
            Err(failure) if failure.is_not_found() => return,
            Err(_) => {}
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// What there is to remove.
enum Remains {
    /// The objects of an endpoint.
    Of(Arc<Endpoint>),
    /// None: the definition was never served.
    Nothing,
    /// None: nobody reaches what is defined in a built-in group. What lies in its place is not the definition's.
    BuiltIn,
}

/// What is said of a definition that has no objects, for which no removal has to begin.
async fn nothing_left(api: &Loopback, name: &str, uid: &str) -> Option<Removal> {
    let published = published(api, name).filter(|published| published.definition.uid == uid)?;
    let definition = &published.definition;
    if !definition.established || !definition.terminating || api.resources().is_built_in(&definition.group) {
        return None;
    }
    let prefix = published.endpoints.storage.prefix().clone();
    let is_empty = api.store().count(prefix).await.is_ok_and(|count| count == 0);
    is_empty.then(|| Removal { condition: removed(), complete: true })
}

/// Says that removal begins; `None` if there is nothing to do any more.
async fn begin(api: &Loopback, name: &str, uid: &str) -> Outcome<Option<Remains>> {
    let now = api.environment().time();
    let (mut established, mut is_meant) = (false, false);
    status::write(&Client::server(api), name, &mut |definition: &mut CustomResourceDefinition| {
        is_meant = ends(definition, uid);
        let found = definition.status.conditions.iter().find(|found| found.type_ == "Established");
        established = found.is_some_and(|found| found.status == "True");
        if is_meant {
            let message = "CustomResource deletion is in progress";
            conditions::set(definition, terminating("True", "InstanceDeletionInProgress", message), now);
        }
        is_meant
    })
    .await?;
    if !is_meant {
        return Ok(None);
    }
    if !established {
        return Ok(Some(Remains::Nothing));
    }
    if name.split_once('.').is_some_and(|(_, group)| api.resources().is_built_in(group)) {
        return Ok(Some(Remains::BuiltIn));
    }
    let published = published(api, name).filter(|published| published.definition.uid == uid);
    let endpoint = published.and_then(|published| {
        let endpoints = &published.endpoints;
        endpoints.all.get(endpoints.stored).cloned()
    });
    match endpoint {
        Some(endpoint) => Ok(Some(Remains::Of(endpoint))),
        None => Err(Failure::internal("the definition is not served")),
    }
}

fn ends(definition: &CustomResourceDefinition, uid: &str) -> bool {
    let meta = &definition.metadata;
    meta.uid == uid
        && meta.deletion_timestamp.is_some()
        && meta.finalizers.iter().any(|finalizer| finalizer == CLEANUP)
}

/// How the removal went.
struct Removal {
    condition: CustomResourceDefinitionCondition,
    complete: bool,
}

impl Removal {
    fn failed(reason: &str, message: &str) -> Self {
        Removal { condition: terminating("True", reason, message), complete: false }
    }
}

fn removed() -> CustomResourceDefinitionCondition {
    terminating("False", "InstanceDeletionCompleted", "removed all instances")
}

/// Removes objects and waits until they are gone; `None` if the server is.
async fn remove(api: &WeakLoopback, remains: &Remains) -> Option<Removal> {
    let endpoint = match remains {
        Remains::Of(endpoint) => endpoint,
        Remains::Nothing => {
            let condition = terminating("False", "NeverEstablished", "resource was never established");
            return Some(Removal { condition, complete: true });
        }
        Remains::BuiltIn => return Some(Removal { condition: removed(), complete: true }),
    };
    let Some(storage) = endpoint.storage.as_ref() else {
        return Some(Removal::failed("InstanceDeletionFailed", "could not list instances"));
    };
    for look in 0..LOOKS {
        let strong = api.upgrade()?;
        let keys = match objects(storage).await {
            Ok(keys) => keys,
            Err(failure) => {
                let message = format!("could not list instances: {failure}");
                return Some(Removal::failed("InstanceDeletionFailed", &message));
            }
        };
        if keys.is_empty() {
            return Some(Removal { condition: removed(), complete: true });
        }
        if look == 0
            && let Err(failure) = delete_all(&strong, endpoint, &keys).await
        {
            let message = format!("could not issue all deletes: {failure}");
            return Some(Removal::failed("InstanceDeletionFailed", &message));
        }
        drop(strong);
        if look > 0 {
            tokio::time::sleep(LOOK).await;
        }
    }
    let message = "could not confirm zero CustomResources remaining: context deadline exceeded";
    Some(Removal::failed("InstanceDeletionCheck", message))
}

/// The namespaces and names of all objects.
async fn objects(storage: &Storage) -> Outcome<Vec<(String, String)>> {
    let options = ListOptions { at: At::Newest, ..ListOptions::default() };
    let listing = storage.cache().list(&options, deadline()).await?;
    let place = |key: &[u8]| {
        let (namespace, name) = storage.place(key);
        (namespace.to_owned(), name.to_owned())
    };
    Ok(listing.items.map(|cached| place(cached.key())).collect())
}

async fn delete_all(api: &Loopback, endpoint: &Arc<Endpoint>, objects: &[(String, String)]) -> Outcome<()> {
    let client = Client::server(api);
    for (namespace, name) in objects {
        match client.delete(&ObjectRef::new(endpoint, namespace, name), DeleteOptions::default()).await {
            Ok(_) => {}
            Err(failure) if failure.is_not_found() => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(())
}

/// A definition that is served.
fn published(api: &Loopback, name: &str) -> Option<Arc<Published>> {
    api.resources().definitions.named(name).cloned()
}

/// Says how the removal went, and lets the definition go if nothing is left; false if all has to be done again.
async fn finish(api: &WeakLoopback, name: &str, uid: &str, removal: Removal) -> bool {
    let Some(api) = api.upgrade() else { return true };
    let now = api.environment().time();
    let written =
        status::write(&Client::server(&api), name, &mut |definition: &mut CustomResourceDefinition| {
            if !ends(definition, uid) {
                return false;
            }
            conditions::set(definition, removal.condition.clone(), now);
            if removal.complete {
                definition.metadata.finalizers.retain(|finalizer| finalizer != CLEANUP);
            }
            true
        })
        .await;
    match written {
        Ok(_) => removal.complete,
        Err(failure) => failure.is_not_found(),
    }
}
