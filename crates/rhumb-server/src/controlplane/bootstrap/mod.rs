//! What a fresh server has: the namespaces and objects that clients count on. What is missing is made at
//! start, all of it in a few transactions that share one trip to the disk; what has to be as this release
//! wants it is brought up to date. When nothing is missing nothing is written.

pub(crate) mod access;
mod network;
mod objects;
mod registrations;

use crate::loopback::{Client, Loopback, ObjectRef};
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use rhumb_codec::Strictness;
use rhumb_meta::v1::{DeleteOptions, Preconditions};
use rhumb_meta::{Object, Time};
use rhumb_store::{Entry, Expected, Key, Outcome as Answered, Range, Transaction};
use serde_json::Value as Json;
use tokio::task::JoinSet;

use crate::base::failure::{Failure, Outcome};
use crate::registry::{Endpoint, managed_fields};

/// How many objects are written by one transaction. etcd takes 128 changes in one.
const TOGETHER: usize = 100;
/// How often it is tried anew when another server of the same store makes the same objects.
const TRIES: usize = 5;
/// The owner of the fields of most objects.
const MANAGER: &str = "kube-apiserver";

/// What becomes of an object that is there already.
#[derive(Clone, Copy)]
enum Upkeep {
    /// It stays as it is.
    Never,
    /// These fields are made what they should be, unless the annotation says that somebody else cares for the
    /// object.
    Fields { names: &'static [&'static str], unless: &'static str },
    /// What is missing is added, and nothing is taken away.
    Access,
}

/// What is done to an object that has just been made, at a time.
type Finish = Box<dyn Fn(&mut dyn Object, Time) + Send + Sync>;

/// An object that a server has.
struct Wanted {
    group: &'static str,
    resource: &'static str,
    namespace: &'static str,
    /// The object in version v1 of the group, without version and kind.
    tree: Json,
    manager: &'static str,
    upkeep: Upkeep,
    /// What other parts of the server do to it as soon as it is there.
    finish: Finish,
}

impl Wanted {
    fn new(group: &'static str, resource: &'static str, tree: Json) -> Self {
        Wanted {
            group,
            resource,
            namespace: "",
            tree,
            manager: MANAGER,
            upkeep: Upkeep::Never,
            finish: Box::new(|_, _| {}),
        }
    }

    fn name(&self) -> &str {
        self.tree.pointer("/metadata/name").and_then(Json::as_str).unwrap_or_default()
    }
}

/// What objects of a fresh server depend on.
pub(crate) struct Settings {
    /// Where clients reach the server.
    pub(crate) address: Option<(IpAddr, u16)>,
    /// The networks that services get their addresses from, the first one by default.
    pub(crate) service_networks: Vec<(IpAddr, u8)>,
    /// The certificate that the server checks those of clients by, for servers that extend this one.
    pub(crate) client_authority: String,
    /// What such servers must know of proxies in front, by the names that Kubernetes has for it.
    pub(crate) proxies: BTreeMap<String, String>,
}

/// Makes what is missing, and brings up to date what is not as it should be.
pub(crate) async fn run(api: &Loopback, settings: &Settings) -> Outcome<()> {
    let wanted = everything(api, settings)?;
    let mut known = read(api, &wanted).await?;
    for _ in 0..TRIES {
        if make_missing(api, &wanted, &known).await? {
            return keep_up(api, &wanted, &known).await;
        }
        known = read(api, &wanted).await?;
    }
    Err(Failure::internal("what a server begins with can't be written: another one is always faster"))
}

fn everything(api: &Loopback, settings: &Settings) -> Outcome<Vec<Wanted>> {
    let mut wanted = objects::namespaces();
    wanted.extend(objects::settings(api, settings));
    wanted.extend(objects::priorities());
    wanted.extend(objects::flows()?);
    wanted.extend(access::everything()?);
    wanted.extend(network::everything(settings));
    wanted.extend(registrations::everything(&api.registry().table));
    Ok(wanted)
}

/// The endpoint of an object; `None` if its resource is not served.
fn endpoint(api: &Loopback, wanted: &Wanted) -> Option<Arc<Endpoint>> {
    api.resources().find(wanted.group, "v1", wanted.resource).cloned()
}

/// What the store has at the places of the objects, and below.
async fn read(api: &Loopback, wanted: &[Wanted]) -> Outcome<HashMap<Key, Entry>> {
    let mut known = HashMap::new();
    let all = Range { limit: 1, ..Range::all(Key::from(format!("{}/", api.prefix()))) };
    if api.store().range(all).await?.entries.is_empty() {
        return Ok(known);
    }
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for object in wanted {
        let Some(endpoint) = endpoint(api, object) else { continue };
        let Some(storage) = &endpoint.storage else { continue };
        // There may be any number of these, so that one is asked for by name.
        if matches!(
            object.resource,
            "configmaps" | "services" | "endpoints" | "endpointslices" | "ipaddresses"
        ) {
            let (entry, _) = api.store().get(storage.key(object.namespace, object.name())?, None).await?;
            known.extend(entry.map(|entry| (entry.key.clone(), entry)));
        } else if !seen.contains(&(object.group, object.resource)) {
            seen.push((object.group, object.resource));
            let page = api.store().range(Range::all(storage.prefix().clone())).await?;
            known.extend(page.entries.into_iter().map(|entry| (entry.key.clone(), entry)));
        }
    }
    Ok(known)
}

/// Makes the objects that are not known; false if another server has made some of them meanwhile.
async fn make_missing(api: &Loopback, wanted: &[Wanted], known: &HashMap<Key, Entry>) -> Outcome<bool> {
    let mut transactions = vec![Transaction::default()];
    for object in wanted {
        let Some(endpoint) = endpoint(api, object) else { continue };
        let Some(storage) = &endpoint.storage else { continue };
        if known.contains_key(&storage.key(object.namespace, object.name())?) {
            continue;
        }
        let inner = Client::server(api).managing_as(object.manager);
        let external =
            endpoint.model.read_tree(&endpoint.kind, tree(&endpoint, object), Strictness::Ignore)?;
        let prepared = inner.prepared(&endpoint, object.namespace, external.object, &*object.finish);
        let (key, value) = prepared.map_err(|failure| {
            Failure::internal(format!("{} {}: {failure}", object.resource, object.name()))
        })?;
        if transactions.last().is_none_or(|last| last.changes.len() >= TOGETHER) {
            transactions.push(Transaction::default());
        }
        if let Some(last) = transactions.pop() {
            transactions.push(last.expect(key.clone(), Expected::Absent).put(key, value, None));
        }
    }
    let mut writing = JoinSet::new();
    for transaction in transactions.into_iter().filter(|transaction| !transaction.changes.is_empty()) {
        let store = Arc::clone(api.store());
        writing.spawn(async move { store.commit(transaction).await });
    }
    let mut all = true;
    while let Some(written) = writing.join_next().await {
        all &= matches!(written.map_err(Failure::internal)??, Answered::Committed(_));
    }
    Ok(all)
}

/// The tree of an object with version and kind.
fn tree(endpoint: &Endpoint, wanted: &Wanted) -> Json {
    let mut tree = wanted.tree.clone();
    if let Json::Object(fields) = &mut tree {
        fields.insert("apiVersion".to_owned(), endpoint.kind.api_version().into());
        fields.insert("kind".to_owned(), endpoint.kind.kind.to_string().into());
    }
    tree
}

/// Brings objects up to date that were there before.
async fn keep_up(api: &Loopback, wanted: &[Wanted], known: &HashMap<Key, Entry>) -> Outcome<()> {
    for object in wanted {
        if matches!(object.upkeep, Upkeep::Never) {
            continue;
        }
        let Some(endpoint) = endpoint(api, object) else { continue };
        let Some(storage) = &endpoint.storage else { continue };
        let Some(entry) = known.get(&storage.key(object.namespace, object.name())?) else { continue };
        // What can't be read is for people to look at, and no reason not to start.
        let Ok(hub) = endpoint.model.load(&entry.value, entry.modified) else { continue };
        let mut now = managed_fields::tree(&endpoint, &*hub)?;
        let uid = hub.metadata().map(|meta| meta.uid.clone()).unwrap_or_default();
        let place = ObjectRef::new(&endpoint, object.namespace, object.name());
        if matches!(object.upkeep, Upkeep::Access) && access::is_another(&now, &object.tree) {
            make_anew(api, &place, uid, object).await?;
            continue;
        }
        if !mend(object, &mut now) {
            continue;
        }
        let mut remade = |hub: Box<dyn Object>| {
            let mut tree = managed_fields::tree(&endpoint, &*hub)?;
            mend(object, &mut tree);
            let external = endpoint.model.read_tree(&endpoint.kind, tree, Strictness::Ignore)?.object;
            endpoint.model.to_hub(external)
        };
        let inner = Client::server(api).managing_as(object.manager);
        inner.remake(&place, None, Some(&uid), &mut remade).await?;
    }
    registrations::drop_old(api, known).await
}

/// Replaces an object that can't be made what it should be.
async fn make_anew(api: &Loopback, place: &ObjectRef, uid: String, wanted: &Wanted) -> Outcome<()> {
    let inner = Client::server(api).managing_as(wanted.manager);
    let preconditions = Preconditions { uid: Some(uid), resource_version: None };
    let options = DeleteOptions { preconditions: Some(Box::new(preconditions)), ..DeleteOptions::default() };
    inner.delete(place, options).await?;
    let endpoint = &place.endpoint;
    let external = endpoint.model.read_tree(&endpoint.kind, tree(endpoint, wanted), Strictness::Ignore)?;
    inner.create(endpoint, wanted.namespace, external.object).await.map(|_| ())
}

/// Makes a stored object what it should be; false if it was.
fn mend(wanted: &Wanted, tree: &mut Json) -> bool {
    match wanted.upkeep {
        Upkeep::Never => false,
        Upkeep::Access => access::complete(tree, &wanted.tree),
        Upkeep::Fields { names, unless } => {
            if annotation(tree, unless) == Some("false") {
                return false;
            }
            let mut changed = false;
            for name in names {
                let should = wanted.tree.get(name).cloned().unwrap_or_default();
                if tree.get(name).unwrap_or(&Json::Null) != &should
                    && let Json::Object(fields) = tree
                {
                    fields.insert((*name).to_owned(), should);
                    changed = true;
                }
            }
            changed
        }
    }
}

fn annotation<'a>(tree: &'a Json, name: &str) -> Option<&'a str> {
    tree.pointer("/metadata/annotations")?.get(name)?.as_str()
}

/// The objects of a file: by resource, each without version and kind.
fn read_file(text: &str) -> Outcome<HashMap<String, Vec<Json>>> {
    serde_json::from_str(text).map_err(Failure::internal)
}
