//! What is done about an object, all of it decided on what the store has at that moment.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use rhumb_api::core::v1::{Event, EventSource, ObjectReference};
use rhumb_meta::v1::{DeleteOptions, OwnerReference, Preconditions};
use rhumb_meta::{GroupResource, Object, ObjectMeta};
use rhumb_store::Key;

use super::glance::{Reference, glance, kind_of};
use super::graph::{Judgement, Work};
use crate::base::failure::{Failure, Outcome};
use crate::loopback::{Client, ObjectRef};
use crate::registry::Endpoint;
use crate::registry::finalizers::{FOREGROUND, ORPHAN};

/// How many objects are read at once to find owners in other namespaces.
const PAGE: usize = 500;
/// About how many of an object's owners in other namespaces there are events.
const MOST_TOLD: usize = 10;

/// What came of it.
#[derive(Debug)]
pub(super) enum Verdict {
    /// Nothing more is to be done until something changes.
    Done,
    /// The object is gone, whatever the watch has told so far.
    Gone,
    /// It has to be looked at again.
    Again,
}

/// Does what is to be done.
pub(super) async fn act(inner: &Client, work: Work) -> Verdict {
    let outcome = match work {
        Work::Judge(judgement) => judge(inner, &judgement).await,
        Work::Orphan(owner, dependents) => orphan(inner, &owner, &dependents).await,
        Work::Release(owner) => drop_finalizer(inner, &owner, FOREGROUND).await.map(|()| Verdict::Done),
        Work::Await(_) => Ok(Verdict::Done),
    };
    outcome.unwrap_or(Verdict::Again)
}

fn place_of(inner: &Client, reference: &Reference) -> Option<ObjectRef> {
    ObjectRef::of_kind(inner.api(), &reference.kind, &reference.namespace, &reference.name)
}

fn meta_of(object: &dyn Object) -> ObjectMeta {
    object.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default()
}

/// The owners of an object, sorted.
#[derive(Debug, Default)]
struct Owners {
    /// Those that are there.
    solid: Vec<OwnerReference>,
    /// Those that are not.
    absent: Vec<OwnerReference>,
    /// Those that wait for their dependents to go.
    waiting: Vec<OwnerReference>,
}

async fn judge(inner: &Client, judgement: &Judgement) -> Outcome<Verdict> {
    let reference = &judgement.reference;
    // Kinds come and go with their definitions; until this one is back, nothing is known.
    let Some(place) = place_of(inner, reference) else { return Ok(Verdict::Again) };
    let Some(found) = inner.get(&place).await? else { return Ok(Verdict::Gone) };
    let meta = meta_of(&*found);
    if meta.uid != reference.uid {
        return Ok(Verdict::Gone);
    }
    if meta.owner_references.is_empty() || meta.deletion_timestamp.is_some() {
        return Ok(Verdict::Done);
    }
    let places = match places_of(inner, reference, &meta.owner_references) {
        Ok(places) => places,
        // Nothing is read before all of the kinds are there: until then this is asked again and again.
        Err(Unplaced::Unknown) => return Ok(Verdict::Again),
        Err(Unplaced::Misplaced(owner)) => {
            report_elsewhere(inner, reference, std::slice::from_ref(owner)).await?;
            return Ok(Verdict::Done);
        }
    };
    let mut owners = Owners::default();
    for (owner, place) in meta.owner_references.iter().zip(&places) {
        match find(inner, place, &owner.uid).await? {
            Found::Solid => owners.solid.push(owner.clone()),
            Found::Waiting => owners.waiting.push(owner.clone()),
            Found::Absent => owners.absent.push(owner.clone()),
        }
    }
    let verdict = decide(inner, judgement, &place, meta, &owners).await?;
    // It is told once, and so when nothing is left to be tried again.
    owners.absent.retain(|owner| !judgement.gone.contains(&owner.uid));
    report_elsewhere(inner, reference, &owners.absent).await?;
    Ok(verdict)
}

/// Does what follows from what became of an object's owners.
async fn decide(
    inner: &Client,
    judgement: &Judgement,
    place: &ObjectRef,
    meta: ObjectMeta,
    owners: &Owners,
) -> Outcome<Verdict> {
    let reference = &judgement.reference;
    if !owners.solid.is_empty() {
        if owners.absent.is_empty() && owners.waiting.is_empty() {
            return Ok(Verdict::Done);
        }
        // An owner that waits for this object would wait for ever, because it stays.
        let lost: HashSet<&str> =
            owners.absent.iter().chain(&owners.waiting).map(|owner| owner.uid.as_str()).collect();
        let mut edit = |object: &mut dyn Object| {
            object.edit_metadata(&mut |meta| {
                meta.owner_references.retain(|owner| !lost.contains(owner.uid.as_str()));
            });
        };
        inner.change(place, None, &reference.uid, &mut edit).await?;
        return Ok(Verdict::Done);
    }
    if !owners.waiting.is_empty() && judgement.has_dependents {
        let mut meta = meta;
        if judgement.may_be_cycle {
            // Each would wait for the other; this one waits no longer.
            let mut edit = |object: &mut dyn Object| {
                object.edit_metadata(&mut |meta| {
                    for owner in meta
                        .owner_references
                        .iter_mut()
                        .filter(|owner| owner.block_owner_deletion == Some(true))
                    {
                        owner.block_owner_deletion = Some(false);
                    }
                });
            };
            meta = meta_of(&*inner.change(place, None, &reference.uid, &mut edit).await?);
        }
        return delete(inner, place, &meta, "Foreground").await;
    }
    let has = |name: &str| meta.finalizers.iter().any(|finalizer| finalizer == name);
    let policy = if has(ORPHAN) {
        "Orphan"
    } else if has(FOREGROUND) {
        "Foreground"
    } else {
        "Background"
    };
    delete(inner, place, &meta, policy).await
}

/// What an owner is.
enum Found {
    Solid,
    Waiting,
    Absent,
}

/// Why nobody can say where the owners of an object are.
enum Unplaced<'a> {
    /// The kind of one is not served.
    Unknown,
    /// One lives in a namespace, and its dependent in none.
    Misplaced(&'a OwnerReference),
}

/// Where the owners of an object are, if they are there.
fn places_of<'a>(
    inner: &Client,
    dependent: &Reference,
    owners: &'a [OwnerReference],
) -> Result<Vec<ObjectRef>, Unplaced<'a>> {
    let place = |owner: &'a OwnerReference| {
        let place = ObjectRef::of_kind(inner.api(), &kind_of(owner), &dependent.namespace, &owner.name);
        let place = place.ok_or(Unplaced::Unknown)?;
        let is_misplaced = place.endpoint.namespaced && dependent.namespace.is_empty();
        if is_misplaced { Err(Unplaced::Misplaced(owner)) } else { Ok(place) }
    };
    owners.iter().map(place).collect()
}

async fn find(inner: &Client, place: &ObjectRef, uid: &str) -> Outcome<Found> {
    let Some(found) = inner.get(place).await? else { return Ok(Found::Absent) };
    let meta = meta_of(&*found);
    if meta.uid != uid {
        return Ok(Found::Absent);
    }
    let waits = meta.deletion_timestamp.is_some() && meta.finalizers.iter().any(|name| name == FOREGROUND);
    Ok(if waits { Found::Waiting } else { Found::Solid })
}

/// Deletes an object as it was when it was judged. If it has changed meanwhile, but not its owners, it goes
/// as well.
async fn delete(inner: &Client, place: &ObjectRef, judged: &ObjectMeta, policy: &str) -> Outcome<Verdict> {
    let options = |revision: Option<String>| DeleteOptions {
        preconditions: Some(Box::new(Preconditions {
            uid: Some(judged.uid.clone()),
            resource_version: revision,
        })),
        propagation_policy: Some(policy.to_owned()),
        ..DeleteOptions::default()
    };
    let failure = match inner.delete(place, options(Some(judged.resource_version.clone()))).await {
        Ok(_) => return Ok(Verdict::Done),
        Err(failure) if failure.is_not_found() => return Ok(Verdict::Gone),
        Err(failure) => failure,
    };
    if !failure.is_conflict() {
        return Err(failure);
    }
    let Some(found) = inner.get(place).await? else { return Ok(Verdict::Gone) };
    let now = meta_of(&*found);
    let owned = |meta: &ObjectMeta| {
        meta.owner_references
            .iter()
            .map(|owner| (owner.uid.clone(), owner.block_owner_deletion))
            .collect::<Vec<_>>()
    };
    if now.uid != judged.uid {
        return Ok(Verdict::Gone);
    }
    if owned(&now) != owned(judged) {
        return Err(failure);
    }
    match inner.delete(place, options(None)).await {
        Ok(_) => Ok(Verdict::Done),
        Err(failure) if failure.is_not_found() => Ok(Verdict::Gone),
        Err(failure) => Err(failure),
    }
}

/// Lets the dependents of an object go, and then the object.
async fn orphan(inner: &Client, owner: &Reference, dependents: &[Reference]) -> Outcome<Verdict> {
    for dependent in dependents {
        let Some(place) = place_of(inner, dependent) else { continue };
        let mut edit = |object: &mut dyn Object| {
            object.edit_metadata(&mut |meta| meta.owner_references.retain(|known| known.uid != owner.uid));
        };
        unless_gone(inner.change(&place, None, &dependent.uid, &mut edit).await)?;
    }
    drop_finalizer(inner, owner, ORPHAN).await.map(|()| Verdict::Done)
}

async fn drop_finalizer(inner: &Client, object: &Reference, name: &str) -> Outcome<()> {
    let Some(place) = place_of(inner, object) else {
        return Err(Failure::internal("the kind is not served"));
    };
    let mut edit = |object: &mut dyn Object| {
        object.edit_metadata(&mut |meta| meta.finalizers.retain(|finalizer| finalizer != name));
    };
    unless_gone(inner.change(&place, None, &object.uid, &mut edit).await)
}

/// An object that is gone, or another one of its name, needs no change.
fn unless_gone(outcome: Outcome<Box<dyn Object>>) -> Outcome<()> {
    match outcome {
        Err(failure) if !failure.is_not_found() && !failure.is_conflict() => Err(failure),
        _ => Ok(()),
    }
}

/// Tells about owners that live in another namespace than their dependent believes.
async fn report_elsewhere(inner: &Client, dependent: &Reference, owners: &[OwnerReference]) -> Outcome<()> {
    // All owners of a resource are looked for at once, however they name its kind.
    let mut by_resource: HashMap<GroupResource, (Arc<Endpoint>, HashMap<&str, &OwnerReference>)> =
        HashMap::new();
    for owner in owners {
        let place = ObjectRef::of_kind(inner.api(), &kind_of(owner), "", "");
        let Some(ObjectRef { endpoint, .. }) = place.filter(|place| place.endpoint.namespaced) else {
            continue;
        };
        let (_, wanted) =
            by_resource.entry(endpoint.resource.clone()).or_insert_with(|| (endpoint, HashMap::new()));
        wanted.insert(&owner.uid, owner);
    }
    let mut elsewhere = Vec::new();
    for (endpoint, mut wanted) in by_resource.into_values() {
        let mut start = Key::new();
        loop {
            let Some(page) = inner.page(&endpoint, start, PAGE).await? else { break };
            for seen in page.entries.iter().filter_map(|entry| glance(&entry.value)) {
                if seen.reference.namespace != dependent.namespace {
                    elsewhere.extend(wanted.remove(seen.reference.uid.as_str()));
                }
            }
            let Some(last) = page.entries.last().filter(|_| page.more && !wanted.is_empty()) else { break };
            start = after(&last.key);
            // Others want to work, too.
            tokio::task::yield_now().await;
        }
    }
    for owner in elsewhere.into_iter().take(MOST_TOLD) {
        let message = format!(
            "ownerRef [{}/{}, namespace: {}, name: {}, uid: {}] does not exist in namespace {:?}",
            owner.api_version, owner.kind, dependent.namespace, owner.name, owner.uid, dependent.namespace
        );
        tell(inner, dependent, "OwnerRefInvalidNamespace", message).await?;
    }
    Ok(())
}

/// The first key behind another one.
fn after(key: &Key) -> Key {
    let mut next = key.to_vec();
    next.push(0);
    next.into()
}

/// Writes an event about an object.
async fn tell(inner: &Client, about: &Reference, reason: &str, message: String) -> Outcome<()> {
    const SOURCE: &str = "garbage-collector-controller";
    let resources = inner.api().resources();
    let Some(endpoint) = resources.find("", "v1", "events") else { return Ok(()) };
    let environment = inner.api().environment();
    let (seconds, nanos) = environment.now();
    let stamp = i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let namespace = if about.namespace.is_empty() { "default" } else { &about.namespace };
    let event = Event {
        metadata: ObjectMeta {
            name: format!("{}.{stamp:x}", about.name),
            namespace: namespace.to_owned(),
            ..ObjectMeta::default()
        },
        involved_object: ObjectReference {
            kind: about.kind.kind.to_string(),
            api_version: about.kind.api_version(),
            namespace: about.namespace.clone(),
            name: about.name.clone(),
            uid: about.uid.clone(),
            ..ObjectReference::default()
        },
        reason: reason.to_owned(),
        message,
        source: EventSource { component: SOURCE.to_owned(), ..EventSource::default() },
        reporting_component: SOURCE.to_owned(),
        first_timestamp: environment.time(),
        last_timestamp: environment.time(),
        count: 1,
        type_: "Warning".to_owned(),
        ..Event::default()
    };
    inner.create(endpoint, namespace, Box::new(event)).await.map(|_| ())
}
