//! Create: makes objects.

use std::collections::HashSet;

use bytes::Bytes;
use rhumb_meta::v1::{CreateOptions, OwnerReference, StatusReason};
use rhumb_meta::{GroupVersionKind, Object};
use rhumb_schema::budget;
use rhumb_scheme::validation::FieldErrors;

use crate::admission::Write;
use crate::base::failure::{Failure, Outcome};
use crate::base::go_names::no_conversion;
use crate::base::response::Response;
use crate::endpoints::context::{RequestContext, refuse, strictness};
use crate::endpoints::handlers::{admit, escalation};
use crate::registry::managed_fields;

/// How often another name is tried when one that was made up is taken.
const NAME_TRIES: usize = 8;
/// The longest part of a generated name that is the client's.
const LONGEST_PREFIX: usize = 63 - SUFFIX;
/// How long the random part is.
const SUFFIX: usize = 5;

/// Makes an object from a body.
pub(crate) async fn create(call: &mut RequestContext<'_>, body: Bytes) -> Outcome<Response> {
    let agreed = call.output()?;
    let options: CreateOptions = call.options()?;
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::create_options(&options, &mut errors);
    refuse(&errors, "CreateOptions")?;
    let format = call.input()?;
    let endpoint = std::sync::Arc::clone(&call.endpoint);
    let incoming =
        endpoint.model.read(&endpoint.kind, &body, format, strictness(&options.field_validation))?;
    expect_version(call, &incoming.gvk)?;
    call.warnings.extend(incoming.warnings);
    let mut object = incoming.object;
    take_namespace(call, &mut *object)?;
    let manager = call.manager(&options.field_manager);
    rhumb_strategy::wipe_system_metadata(&mut *object);
    let listed = managed_fields::listed(call.fields(), &mut *object, &manager);
    let hub = endpoint.model.to_hub(object)?;
    let hub = managed_fields::created_as(call.fields(), hub, &manager, listed)?;
    let made = make(call, hub, !options.dry_run.is_empty()).await?;
    call.present(201, made, &agreed)
}

/// Refuses an object of another kind or version than the path's.
pub(crate) fn expect_version(call: &RequestContext<'_>, told: &GroupVersionKind) -> Outcome<()> {
    let expected = &call.endpoint.kind;
    if told == expected {
        return Ok(());
    }
    if told.kind != expected.kind {
        return Err(no_conversion(told, expected));
    }
    Err(Failure::bad_request(format!(
        "the API version in the data ({}) does not match the expected API version ({})",
        told.group_version(),
        expected.group_version()
    )))
}

/// Puts an object into the namespace of the request, and drops owners that it names twice.
pub(crate) fn take_namespace(call: &mut RequestContext<'_>, object: &mut dyn Object) -> Outcome<()> {
    take_place(call, object, "")
}

/// The same for an object that is seen at some time, which the warning about owners tells.
pub(crate) fn take_place(call: &mut RequestContext<'_>, object: &mut dyn Object, when: &str) -> Outcome<()> {
    let wanted = if call.endpoint.namespaced { call.path.namespace.clone() } else { String::new() };
    let told = object.metadata().map(|meta| meta.namespace.clone()).unwrap_or_default();
    // A namespace on something that lives in none is dropped silently. One that the path leaves empty is found missing
    // when the object is checked.
    let is_dropped = !call.endpoint.namespaced || call.path.leaves_namespace_empty;
    if !is_dropped && !told.is_empty() && told != wanted {
        return Err(Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    if !is_dropped && wanted.is_empty() {
        return Err(Failure::bad_request("an empty namespace may not be set during creation"));
    }
    let mut doubled = Vec::new();
    object.edit_metadata(&mut |meta| {
        meta.namespace.clone_from(&wanted);
        doubled = single_owners(&mut meta.owner_references);
    });
    if !doubled.is_empty() {
        call.warnings.push(format!(
            ".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner references in 1.20+, \
             and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: {}",
            doubled.join(", ")
        ));
    }
    Ok(())
}

/// Leaves each owner once, and returns the UIDs of those that were there again.
fn single_owners(owners: &mut Vec<OwnerReference>) -> Vec<String> {
    if owners.len() < 2 {
        return Vec::new();
    }
    let mut doubled = Vec::new();
    let mut seen = HashSet::with_capacity(owners.len());
    let repeated: Vec<bool> = owners
        .iter()
        .map(|owner| {
            let flags = (owner.controller, owner.block_owner_deletion);
            !seen.insert((&owner.api_version, &owner.kind, &owner.name, &owner.uid, flags))
        })
        .collect();
    drop(seen);
    let mut repeated = repeated.into_iter();
    owners.retain_mut(|owner| {
        let is_repeated = repeated.next().unwrap_or(false);
        if is_repeated {
            doubled.push(std::mem::take(&mut owner.uid));
        }
        !is_repeated
    });
    doubled
}

/// Makes an object in hub form: admits, prepares, checks and stores it.
pub(crate) async fn make(
    call: &mut RequestContext<'_>,
    mut hub: Box<dyn Object>,
    dry_run: bool,
) -> Outcome<Box<dyn Object>> {
    let given = hub.metadata().map(|meta| meta.name.clone()).unwrap_or_default();
    if let Some(why) = call.endpoint.model.creation_refused() {
        return Err(Failure::forbidden(&call.endpoint.resource, &given, why));
    }
    admit::mutate(call, Write::create(&given, dry_run), None, &mut *hub).await?;
    let generated = hub.metadata().is_some_and(|meta| meta.name.is_empty() && !meta.generate_name.is_empty());
    let tries = if generated { NAME_TRIES } else { 1 };
    let namespace = hub.metadata().map(|meta| meta.namespace.clone()).unwrap_or_default();
    let mut name = String::new();
    let mut hub = Some(hub);
    for left in (0..tries).rev() {
        // The last try needs no copy.
        let copy = if left == 0 { hub.take() } else { hub.clone() };
        let Some(object) = copy else { break };
        if let Some(made) = attempt(call, object, dry_run, &mut name).await? {
            return Ok(made);
        }
        budget::go_on();
    }
    match generated {
        true => Err(Failure::name_not_found_in_time(&call.endpoint.resource, &name)),
        false => Err(taken(call, &namespace, &name).await),
    }
}

/// Why a name can't be had: there is an object of it, and it may be on its way out.
async fn taken(call: &RequestContext<'_>, namespace: &str, name: &str) -> Failure {
    let mut failure = Failure::already_exists(&call.endpoint.resource, name);
    if let Ok(storage) = call.storage()
        && let Ok(key) = storage.key(namespace, name)
        && let Ok(Some(there)) = storage.current_for(&key, &call.offload).await
        && there.hub.metadata().is_some_and(|meta| meta.deletion_timestamp.is_some())
    {
        failure.0.message = format!("object is being deleted: {}", failure.0.message);
    }
    failure
}

/// Tries to store an object; `None` if its name is taken.
async fn attempt(
    call: &mut RequestContext<'_>,
    mut object: Box<dyn Object>,
    dry_run: bool,
    tried: &mut String,
) -> Outcome<Option<Box<dyn Object>>> {
    let endpoint = std::sync::Arc::clone(&call.endpoint);
    let environment = &call.api.environment;
    let (now, uid) = (environment.time(), environment.uid());
    object.edit_metadata(&mut |meta| {
        meta.uid.clone_from(&uid);
        meta.creation_timestamp = now;
        meta.deletion_timestamp = None;
        meta.deletion_grace_period_seconds = None;
        meta.self_link.clear();
        if meta.name.is_empty() && !meta.generate_name.is_empty() {
            let prefix: String = meta.generate_name.chars().take(LONGEST_PREFIX).collect();
            meta.name = format!("{prefix}{}", environment.suffix(SUFFIX));
        }
    });
    let name = object.metadata().map(|meta| meta.name.clone()).unwrap_or_default();
    tried.clone_from(&name);
    escalation::check(call, &*object, None).await?;
    let place = endpoint.place();
    let user = call.api.strategy_user(call.user);
    let context = rhumb_strategy::Context { now, request_version: &place, user: &user };
    endpoint.model.begin_create(&mut *object);
    let reservation = call.api.allocator.for_new(&endpoint, &mut *object, dry_run).await?;
    let stored = store_new(call, object, &context, dry_run).await;
    reservation.settle(matches!(stored, Ok(Some(_)))).await;
    stored
}

/// Prepares, checks and stores an object that has its addresses and ports; `None` if its name is taken.
async fn store_new(
    call: &mut RequestContext<'_>,
    mut object: Box<dyn Object>,
    context: &rhumb_strategy::Context<'_>,
    dry_run: bool,
) -> Outcome<Option<Box<dyn Object>>> {
    let endpoint = std::sync::Arc::clone(&call.endpoint);
    let storage = std::sync::Arc::clone(call.storage()?);
    let place = endpoint.place();
    let name = object.metadata().map(|meta| meta.name.clone()).unwrap_or_default();
    let early = endpoint.model.prepare_create(&mut *object, context);
    let errors = endpoint.model.validate_create(&*object, &place);
    if !errors.is_empty() {
        return Err(Failure::invalid(&endpoint.kind, &name, &errors));
    }
    let mut warnings = early;
    warnings.extend(endpoint.model.warnings(&*object, None, None));
    let admitted = admit::validate(call, Write::create(&name, dry_run), None, Some(&*object)).await;
    if let Err(refusal) = admitted {
        call.warnings.extend(warnings);
        return Err(refusal);
    }
    // Only the store asks for this, and a dry run doesn't come that far.
    if !dry_run && object.metadata().is_some_and(|meta| !meta.resource_version.is_empty()) {
        let why = "resourceVersion should not be set on objects to be created";
        return Err(Failure::new(StatusReason::Unknown, why));
    }
    endpoint.model.canonicalize(&mut *object);
    let namespace = object.metadata().map(|meta| meta.namespace.clone()).unwrap_or_default();
    let key = storage.key(&namespace, &name)?;
    if dry_run {
        let exists = storage.has(&key).await?;
        call.warnings.extend(warnings);
        return Ok((!exists).then_some(object));
    }
    // The answer is what readers will see: stored objects get their defaults once more.
    let (value, mut kept) = endpoint.model.keep(object)?;
    storage.announce(&key, &value, &*kept);
    let Some(revision) = storage.create(key, value).await? else { return Ok(None) };
    kept.edit_metadata(&mut |meta| meta.resource_version = revision.to_string());
    call.warnings.extend(warnings);
    Ok(Some(kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(uid: &str, controller: Option<bool>) -> OwnerReference {
        OwnerReference { uid: uid.to_owned(), controller, ..OwnerReference::default() }
    }

    #[test]
    fn owners_are_left_once_in_their_order_and_only_equal_ones_go() {
        let (plain, controlling) = (owner("a", None), owner("a", Some(true)));
        let mut owners =
            vec![plain.clone(), owner("b", None), controlling.clone(), plain.clone(), plain.clone()];
        assert_eq!(single_owners(&mut owners), ["a", "a"]);
        assert_eq!(owners, [plain, owner("b", None), controlling]);
    }
}
