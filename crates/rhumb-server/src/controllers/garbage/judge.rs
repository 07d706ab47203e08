//! What is done about an object, all of it decided on what the store has at that moment.

use crate::loopback::{Client, ObjectRef};
use std::collections::HashSet;

use rhumb_api::core::v1::{Event, EventSource, ObjectReference};
use rhumb_meta::v1::{DeleteOptions, OwnerReference, Preconditions};
use rhumb_meta::{Object, ObjectMeta};

use super::glance::{Reference, glance, kind_of};
use super::graph::{Judgement, Work};
use crate::base::failure::{Failure, Outcome};
use crate::registry::finalizers::{FOREGROUND, ORPHAN};

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
    let mut owners = Owners::default();
    for owner in &meta.owner_references {
        match find(inner, reference, owner).await? {
            Found::Unknown => return Ok(Verdict::Again),
            Found::Misplaced => {
                report_if_elsewhere(inner, reference, owner).await?;
                return Ok(Verdict::Done);
            }
            Found::Solid => owners.solid.push(owner.clone()),
            Found::Waiting => owners.waiting.push(owner.clone()),
            Found::Absent => {
                if !judgement.gone.contains(&owner.uid) {
                    report_if_elsewhere(inner, reference, owner).await?;
                }
                owners.absent.push(owner.clone());
            }
        }
    }
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
        inner.change(&place, None, &reference.uid, &mut edit).await?;
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
            meta = meta_of(&*inner.change(&place, None, &reference.uid, &mut edit).await?);
        }
        return delete(inner, &place, &meta, "Foreground").await;
    }
    let has = |name: &str| meta.finalizers.iter().any(|finalizer| finalizer == name);
    let policy = if has(ORPHAN) {
        "Orphan"
    } else if has(FOREGROUND) {
        "Foreground"
    } else {
        "Background"
    };
    delete(inner, &place, &meta, policy).await
}

/// What an owner is.
enum Found {
    Solid,
    Waiting,
    Absent,
    /// Its kind is not served.
    Unknown,
    /// It lives in a namespace, and its dependent in none.
    Misplaced,
}

async fn find(inner: &Client, dependent: &Reference, owner: &OwnerReference) -> Outcome<Found> {
    let Some(place) = ObjectRef::of_kind(inner.api(), &kind_of(owner), &dependent.namespace, &owner.name)
    else {
        return Ok(Found::Unknown);
    };
    if place.endpoint.namespaced && dependent.namespace.is_empty() {
        return Ok(Found::Misplaced);
    }
    let Some(found) = inner.get(&place).await? else { return Ok(Found::Absent) };
    let meta = meta_of(&*found);
    if meta.uid != owner.uid {
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

/// Tells about an owner that lives in another namespace than its dependent believes.
async fn report_if_elsewhere(inner: &Client, dependent: &Reference, owner: &OwnerReference) -> Outcome<()> {
    let Some(place) = ObjectRef::of_kind(inner.api(), &kind_of(owner), "", "") else { return Ok(()) };
    if !place.endpoint.namespaced {
        return Ok(());
    }
    let entries = inner.entries(&place.endpoint, "").await?;
    let elsewhere = entries
        .iter()
        .filter_map(|entry| glance(&entry.value))
        .any(|seen| seen.reference.uid == owner.uid && seen.reference.namespace != dependent.namespace);
    if !elsewhere {
        return Ok(());
    }
    let message = format!(
        "ownerRef [{}/{}, namespace: {}, name: {}, uid: {}] does not exist in namespace {:?}",
        owner.api_version, owner.kind, dependent.namespace, owner.name, owner.uid, dependent.namespace
    );
    tell(inner, dependent, "OwnerRefInvalidNamespace", message).await
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
