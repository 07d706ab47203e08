//! Delete: one object at once, after a grace period or when its finalizers are done; and of all that match.

use crate::registry::finalizers::{FOREGROUND, ORPHAN};
use std::sync::Arc;

use bytes::Bytes;
use rhumb_codec::{Format, json};
use rhumb_meta::v1::{DeleteOptions, ListOptions, Status, StatusDetails, TypeMeta};
use rhumb_meta::{GroupResource, GroupVersionKind, Object, ObjectMeta, Time};
use rhumb_schema::budget;
use rhumb_scheme::validation::FieldErrors;
use rhumb_store::Revision;
use rhumb_strategy::GarbageCollection;

use super::list;
use super::update::TRIES;
use crate::admission::{Operation, Write};
use crate::base::failure::{Failure, Outcome};
use crate::base::go_names::SCHEME;
use crate::base::response::{self, Response};
use crate::endpoints::context::{RequestContext, refuse};
use crate::endpoints::handlers::admit;
use crate::registry::Storage;
use crate::registry::storage::{Current, Written};

/// What became of an object that was to be deleted.
pub(crate) struct Deleted {
    /// The object as it was last.
    pub(crate) hub: Box<dyn Object>,
    /// Whether it is gone.
    pub(crate) gone: bool,
}

/// Deletes an object.
pub(crate) async fn delete(call: &mut RequestContext<'_>, body: Bytes) -> Outcome<Response> {
    let agreed = call.output()?;
    let mut options = delete_options(call, &body)?;
    warn(call, &options);
    let name = call.path.name.clone();
    let deleted = delete_named(call, &name, &mut options).await?;
    let accepted = !deleted.gone && options.orphan_dependents == Some(false);
    let code = if accepted { 202 } else { 200 };
    if deleted.gone && !call.endpoint.returns_deleted {
        let meta = deleted.hub.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default();
        let status = Status {
            type_meta: TypeMeta { kind: "Status".to_owned(), api_version: "v1".to_owned() },
            status: "Success".to_owned(),
            details: Some(Box::new(StatusDetails {
                name: meta.name,
                group: call.endpoint.resource.group.to_string(),
                kind: call.endpoint.resource.resource.to_string(),
                uid: meta.uid,
                ..StatusDetails::default()
            })),
            ..Status::default()
        };
        return response::object(code, &status, agreed.format, agreed.pretty);
    }
    call.present(code, deleted.hub, &agreed)
}

/// Reads the options of a deletion: from the body if there is one, else from the query.
pub(crate) fn delete_options(call: &RequestContext<'_>, body: &[u8]) -> Outcome<DeleteOptions> {
    // What stands in the query counts only if there is no body.
    let mut options: DeleteOptions = if body.is_empty() {
        call.options()?
    } else {
        // Whatever formats objects have, options have all of them.
        let format = call.input_of(&Format::ALL)?;
        read_options(body, format)?
    };
    // Nothing that is stored here can't be read, and a Kubernetes that doesn't allow this looks away too.
    options.ignore_store_read_error_with_cluster_breaking_potential = None;
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::delete_options(&options, &mut errors);
    refuse(&errors, "DeleteOptions")?;
    Ok(options)
}

fn read_options(body: &[u8], format: Format) -> Outcome<DeleteOptions> {
    let mut options = DeleteOptions::default();
    if format == Format::Json
        && let Err(error) = json::whole_type_meta(body)
    {
        return Err(Failure::bad_request(rhumb_codec::CodecError::TypeMeta(error).to_string()));
    }
    let read = match format {
        Format::Json => json::decode_into(body, &mut options, rhumb_codec::Strictness::Ignore)
            .map(|_| ())
            .map_err(|error| error.to_string()),
        Format::Yaml => {
            let mut text = Vec::new();
            rhumb_codec::yaml::to_json(body, &rhumb_codec::yaml::ReadOptions::default(), &mut text)
                .map_err(|error| error.to_string())
                .and_then(|_| {
                    json::decode_into(&text, &mut options, rhumb_codec::Strictness::Ignore)
                        .map(|_| ())
                        .map_err(|error| error.to_string())
                })
        }
        Format::Protobuf => rhumb_codec::proto::open(body)
            .and_then(|envelope| rhumb_codec::proto::decode_into(envelope.raw, &mut options))
            .map_err(|error| error.to_string()),
    };
    read.map_err(Failure::bad_request)?;
    let (api_version, kind) = options.type_meta();
    let told = GroupVersionKind::from_api_version_and_kind(api_version, kind);
    if !told.kind.is_empty() && told.kind != "DeleteOptions" {
        let unknown = rhumb_scheme::NotRegistered::Kind(told, SCHEME.to_owned());
        return Err(Failure::bad_request(unknown.to_string()));
    }
    Ok(options)
}

/// What clients are told who delete jobs without saying what becomes of their pods.
const ORPHANED_PODS: &str = "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning";

/// Warns of what a deletion leaves behind.
fn warn(call: &mut RequestContext<'_>, options: &DeleteOptions) {
    let orphans = call.endpoint.model.facts().garbage_collection(&call.endpoint.place())
        == GarbageCollection::OrphanDependents;
    let silent = options.orphan_dependents.is_none() && options.propagation_policy.is_none();
    if orphans && silent && call.endpoint.kind.group == "batch" && call.endpoint.kind.kind == "Job" {
        call.warnings.push(ORPHANED_PODS.to_owned());
    }
}

/// Deletes the object of a name in the request's namespace.
pub(crate) async fn delete_named(
    call: &mut RequestContext<'_>,
    name: &str,
    options: &mut DeleteOptions,
) -> Outcome<Deleted> {
    delete_if(call, name, options, true).await
}

/// Deletes an object as a part of a request that plugins have seen.
pub(crate) async fn delete_seen(
    call: &mut RequestContext<'_>,
    name: &str,
    options: &mut DeleteOptions,
) -> Outcome<Deleted> {
    delete_if(call, name, options, false).await
}

async fn delete_if(
    call: &mut RequestContext<'_>,
    name: &str,
    options: &mut DeleteOptions,
    admitted: bool,
) -> Outcome<Deleted> {
    let storage = Arc::clone(call.storage()?);
    let key = storage.key(&call.path.namespace, name)?;
    let mut current = storage.current_for(&key, &call.offload).await?;
    for _ in 0..TRIES {
        let Some(old) = current else { return Err(Failure::not_found(&call.endpoint.resource, name)) };
        check(call, &*old.hub, options)?;
        if admitted {
            let asked = options.clone();
            let write = Write {
                operation: Operation::Delete,
                subresource: "",
                name,
                dry_run: !asked.dry_run.is_empty(),
                delete_options: Some(&asked),
            };
            admit::validate(call, write, Some(&*old.hub), None).await?;
        }
        let mut hub = old.hub.clone_object();
        let step = decide(call, &old, &mut *hub, options)?;
        let dry_run = !options.dry_run.is_empty();
        let gone = matches!(step, Step::Remove | Step::MarkAndRemove);
        let written = match step {
            Step::Nothing => return Ok(Deleted { hub, gone: false }),
            _ if dry_run => return Ok(Deleted { hub, gone }),
            Step::Remove => {
                let allocator = &call.api.allocator;
                allocator.remove(&call.endpoint, &storage, key.clone(), old.revision, &*old.hub).await?
            }
            Step::Mark | Step::MarkAndRemove => {
                let value = call.endpoint.model.store(hub.clone_object())?;
                storage.replace(key.clone(), old.revision, value).await?
            }
        };
        match written {
            Written::At(mut revision) => {
                if step == Step::MarkAndRemove {
                    let uid = hub.metadata().map(|meta| meta.uid.clone()).unwrap_or_default();
                    revision = remove_marked(&storage, &key, revision, &uid).await?;
                }
                hub.edit_metadata(&mut |meta| meta.resource_version = revision.to_string());
                return Ok(Deleted { hub, gone });
            }
            Written::Lost(newer) => {
                current = newer;
                budget::go_on();
            }
        }
    }
    Err(Failure::modified(&call.endpoint.resource, name))
}

/// Removes what was marked, whatever has been written to it since: nobody can keep it any more. If somebody else has
/// removed it already, another object may have its name by now, which stays.
async fn remove_marked(storage: &Storage, key: &Bytes, marked: Revision, uid: &str) -> Outcome<Revision> {
    let mut revision = marked;
    loop {
        match storage.remove(key.clone(), revision).await? {
            Written::At(removed) => return Ok(removed),
            Written::Lost(Some(newer)) if newer.hub.metadata().is_some_and(|meta| meta.uid == uid) => {
                revision = newer.revision;
            }
            Written::Lost(_) => return Ok(revision),
        }
    }
}

/// What a deletion does with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// It is being deleted already.
    Nothing,
    /// It is marked, and goes later.
    Mark,
    /// It is marked and goes at once. Those who watch see both, as they do when it was given time.
    MarkAndRemove,
    /// It goes.
    Remove,
}

fn decide(
    call: &RequestContext<'_>,
    old: &Current,
    hub: &mut dyn Object,
    options: &mut DeleteOptions,
) -> Outcome<Step> {
    let now = call.api.environment.time();
    let before = old.hub.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default();
    let mut graceful = Grace::None;
    if call.endpoint.model.facts().graceful_deletion {
        graceful = grace(call, hub, &before, options, now);
    }
    if graceful == Grace::Pending {
        // What was to go at once is there still only if a server ended between the two steps.
        let is_left = before.deletion_grace_period_seconds == Some(0) && before.finalizers.is_empty();
        return Ok(if is_left { Step::Remove } else { Step::Nothing });
    }
    let finalizers = finalizers(call, &before, options);
    let changed = finalizers != before.finalizers;
    let kept = call.endpoint.model.keeps_when_deleted(hub);
    if graceful == Grace::None && finalizers.is_empty() && !kept {
        return Ok(Step::Remove);
    }
    hub.edit_metadata(&mut |meta| {
        meta.finalizers.clone_from(&finalizers);
        if kept {
            // Nothing but the time is set in what stays by itself.
            meta.deletion_timestamp.get_or_insert(now);
        } else if graceful == Grace::None {
            mark(meta, now);
        }
    });
    call.endpoint.model.mark_deleted(hub, now);
    let seconds = hub.metadata().and_then(|meta| meta.deletion_grace_period_seconds).unwrap_or(0);
    if graceful == Grace::Given && finalizers.is_empty() && seconds == 0 && !kept {
        return Ok(Step::MarkAndRemove);
    }
    if before.deletion_timestamp.is_some() && !changed && graceful == Grace::None {
        return Ok(Step::Nothing);
    }
    Ok(Step::Mark)
}

fn check(call: &RequestContext<'_>, old: &dyn Object, options: &DeleteOptions) -> Outcome<()> {
    let (Some(wanted), Some(meta)) = (&options.preconditions, old.metadata()) else { return Ok(()) };
    if call.endpoint.resource == GroupResource::new_static("", "namespaces") {
        let differs = |wanted: &Option<String>, has: &String, what: &str| {
            let told = wanted.as_ref().filter(|told| *told != has)?;
            Some(format!("Precondition failed: {what} in precondition: {told}, {what} in object meta: {has}"))
        };
        let why = differs(&wanted.uid, &meta.uid, "UID")
            .or_else(|| differs(&wanted.resource_version, &meta.resource_version, "ResourceVersion"));
        return match why {
            Some(why) => Err(Failure::conflict(&call.endpoint.resource, &meta.name, &why)),
            None => Ok(()),
        };
    }
    // The kind is named by the group that has it first.
    let group = match call.api.scheme.object_kind(old) {
        Ok(kind) => kind.group,
        Err(_) => call.endpoint.kind.group.clone(),
    };
    let resource = GroupResource::new(group, call.endpoint.kind.kind.clone());
    let conflict = |why: String| Err(Failure::conflict(&resource, &meta.name, &why));
    if let Some(uid) = wanted.uid.as_ref().filter(|uid| **uid != meta.uid) {
        return conflict(format!(
            "the UID in the precondition ({uid}) does not match the UID in record ({}). The object might have been deleted and then recreated",
            meta.uid
        ));
    }
    if let Some(told) = wanted.resource_version.as_ref().filter(|told| **told != meta.resource_version) {
        return conflict(format!(
            "the ResourceVersion in the precondition ({told}) does not match the ResourceVersion in record ({}). The object might have been modified",
            meta.resource_version
        ));
    }
    Ok(())
}

/// Sets the time of deletion, unless it is set.
fn mark(meta: &mut ObjectMeta, now: Time) {
    if meta.deletion_timestamp.is_none() {
        meta.deletion_timestamp = Some(now);
        if meta.generation > 0 {
            meta.generation = meta.generation.saturating_add(1);
        }
    }
    if meta.deletion_grace_period_seconds.is_none() {
        meta.deletion_grace_period_seconds = Some(0);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grace {
    /// The object gets no time.
    None,
    /// It has been given some by this request.
    Given,
    /// It was given some before.
    Pending,
}

/// Gives an object time to shut down.
fn grace(
    call: &RequestContext<'_>,
    hub: &mut dyn Object,
    before: &ObjectMeta,
    options: &mut DeleteOptions,
    now: Time,
) -> Grace {
    if let Some(due) = &before.deletion_timestamp {
        let Some(had) = before.deletion_grace_period_seconds else { return Grace::None };
        let Some(wanted) = options.grace_period_seconds else {
            options.grace_period_seconds = Some(had);
            return Grace::Pending;
        };
        // The time can only become shorter.
        if wanted >= had {
            return Grace::Pending;
        }
        let due = Time::from_unix(due.unix_seconds().saturating_sub(had).saturating_add(wanted), 0);
        hub.edit_metadata(&mut |meta| {
            meta.deletion_timestamp = Some(due);
            meta.deletion_grace_period_seconds = Some(wanted);
        });
        return Grace::Given;
    }
    if !call.endpoint.model.check_graceful_delete(hub, options) {
        return Grace::None;
    }
    let Some(seconds) = options.grace_period_seconds else { return Grace::None };
    let due = Time::from_unix(now.unix_seconds().saturating_add(seconds), 0);
    hub.edit_metadata(&mut |meta| {
        meta.deletion_timestamp = Some(due);
        meta.deletion_grace_period_seconds = Some(seconds);
        if meta.generation > 0 {
            meta.generation = meta.generation.saturating_add(1);
        }
    });
    Grace::Given
}

/// The finalizers with those that the wanted propagation needs.
fn finalizers(call: &RequestContext<'_>, meta: &ObjectMeta, options: &DeleteOptions) -> Vec<String> {
    let default = call.endpoint.model.facts().garbage_collection(&call.endpoint.place());
    if default == GarbageCollection::Unsupported {
        return meta.finalizers.clone();
    }
    let has = |name: &str| meta.finalizers.iter().any(|finalizer| finalizer == name);
    let policy = options.propagation_policy.as_deref();
    let orphan = match (options.orphan_dependents, policy) {
        (Some(orphan), _) => orphan,
        (None, Some(policy)) => policy == "Orphan",
        (None, None) if has(ORPHAN) => true,
        (None, None) if has(FOREGROUND) => false,
        (None, None) => default == GarbageCollection::OrphanDependents,
    };
    let foreground = match (options.orphan_dependents, policy) {
        (Some(_), _) => false,
        (None, Some(policy)) => policy == "Foreground",
        (None, None) => has(FOREGROUND) && !has(ORPHAN),
    };
    let mut all: Vec<String> =
        meta.finalizers.iter().filter(|name| *name != ORPHAN && *name != FOREGROUND).cloned().collect();
    if orphan {
        all.push(ORPHAN.to_owned());
    }
    if foreground {
        all.push(FOREGROUND.to_owned());
    }
    // The order of what was there before stays if nothing is added or removed.
    let adds = orphan && !has(ORPHAN) || foreground && !has(FOREGROUND);
    if all.len() == meta.finalizers.len() && !adds {
        return meta.finalizers.clone();
    }
    all
}

/// Deletes all objects that match.
pub(crate) async fn delete_collection(call: &mut RequestContext<'_>, body: Bytes) -> Outcome<Response> {
    let agreed = call.output()?;
    let options = delete_options(call, &body)?;
    warn(call, &options);
    let mut which: ListOptions = call.options()?;
    crate::endpoints::handlers::selection::check(&which, false)?;
    // What is deleted is found page by page, and pages are of the revision that was asked for.
    if which.resource_version_match.is_empty() && !matches!(which.resource_version.as_str(), "" | "0") {
        which.resource_version_match = "Exact".to_owned();
    }
    let (listing, meta) = list::find(call, &which).await?;
    let storage = Arc::clone(call.storage()?);
    let found: Vec<_> = listing.items.collect();
    call.offload.of(found.len() * list::EACH).await;
    let namespace = call.path.namespace.clone();
    for cached in &found {
        let (place, name) = storage.place(cached.key());
        call.path.namespace = place.to_owned();
        match delete_named(call, name, &mut options.clone()).await {
            Ok(_) => {}
            // Somebody else has deleted it.
            Err(failure) if failure.is_not_found() => {}
            Err(failure) => return Err(failure),
        }
        budget::go_on();
    }
    call.path.namespace = namespace;
    list::present(call, Box::new(found.into_iter()), meta, &agreed)
}
