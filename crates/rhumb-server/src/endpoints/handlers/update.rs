//! Update: changes objects by a whole new form; and the way that all changes take from the stored object to the
//! next one.

use std::sync::Arc;

use bytes::Bytes;
use rhumb_api::autoscaling::v1::Scale;
use rhumb_meta::v1::{Preconditions, StatusReason, UpdateOptions};
use rhumb_meta::{GroupKind, Object};
use rhumb_schema::budget;
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_store::{Key, Revision};

use super::create::{expect_version, make, take_place};
use crate::admission::Write;
use crate::authorization::{AskedResource, Attributes};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::{RequestContext, refuse, strictness};
use crate::endpoints::handlers::selection::parse_revision;
use crate::endpoints::handlers::{admit, escalation};
use crate::registry::managed_fields;
use crate::registry::storage::{Current, Written};

/// How often a change that doesn't say what it is based on is tried anew when others are faster.
pub(crate) const TRIES: usize = 64;

/// What a change makes of the stored object.
pub(crate) struct Changed {
    /// The new form in its hub version.
    pub(crate) hub: Box<dyn Object>,
    /// Whether nothing but what is stored now may be replaced, though the client named no revision.
    pub(crate) based_on_current: bool,
}

/// What plugins see of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// The object.
    Object,
    /// The object as a Scale, because it is one that was sent.
    Scale,
    /// Nothing: they have seen the request that the change is a part of.
    Nothing,
}

/// What a change is allowed to do.
pub(crate) struct Permit<'a> {
    /// The subresource that it comes through.
    pub(crate) subresource: Option<&'a str>,
    /// Whether everything is done but the last step.
    pub(crate) dry_run: bool,
    /// What must hold of the stored object.
    pub(crate) preconditions: Option<&'a Preconditions>,
    /// Whether the change makes an object that isn't there.
    pub(crate) creates: bool,
    /// What plugins see of it.
    pub(crate) seen: Seen,
}

impl<'a> Permit<'a> {
    fn write(&self, name: &'a str) -> Write<'a> {
        let subresource = match self.seen {
            Seen::Scale => "scale",
            _ => self.subresource.unwrap_or_default(),
        };
        Write::update(name, subresource, self.dry_run)
    }
}

/// The object after a change, and whether it was made by it.
pub(crate) struct Done {
    pub(crate) hub: Box<dyn Object>,
    pub(crate) created: bool,
}

/// Replaces an object by a body.
pub(crate) async fn update(
    call: &mut RequestContext<'_>,
    body: Bytes,
    subresource: Option<&str>,
) -> Outcome<Response> {
    let agreed = call.output()?;
    let options: UpdateOptions = call.options()?;
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::update_options(&options, &mut errors);
    refuse(&errors, "UpdateOptions")?;
    let format = call.input()?;
    let endpoint = Arc::clone(&call.endpoint);
    let incoming =
        endpoint.model.read(&endpoint.kind, &body, format, strictness(&options.field_validation))?;
    expect_version(call, &incoming.gvk)?;
    call.warnings.extend(incoming.warnings);
    let mut object = incoming.object;
    check_name(call, &mut *object)?;
    let manager = call.manager(&options.field_manager);
    let hub = endpoint.model.to_hub(object)?;
    let reset = managed_fields::asks_reset(&*hub, &body, format);
    let precondition = hub
        .metadata()
        .filter(|meta| !meta.uid.is_empty())
        .map(|meta| Preconditions { uid: Some(meta.uid.clone()), resource_version: None });
    let permit = Permit {
        subresource,
        dry_run: !options.dry_run.is_empty(),
        preconditions: precondition.as_ref(),
        creates: endpoint.model.facts().create_on_update,
        seen: Seen::Object,
    };
    let done = change(call, &permit, &mut |call, current| {
        let hub = match current {
            Some(current) => managed_fields::updated(
                call.fields(),
                hub.clone_object(),
                &*current.hub,
                &manager,
                subresource,
                reset,
            )?,
            None => managed_fields::created(call.fields(), hub.clone_object(), &manager)?,
        };
        Ok(Changed { hub, based_on_current: false })
    })
    .await?;
    call.present(if done.created { 201 } else { 200 }, done.hub, &agreed)
}

/// Refuses an object that is not the one of the path.
pub(crate) fn check_name(call: &mut RequestContext<'_>, object: &mut dyn Object) -> Outcome<()> {
    check_name_at(call, object, "")
}

/// The same for an object that a patch made. What is wrong with it is found later than in one that was sent.
pub(crate) fn check_patched(call: &mut RequestContext<'_>, object: &mut dyn Object) -> Outcome<()> {
    check_name_at(call, object, " after mutating admission happens")
}

fn check_name_at(call: &mut RequestContext<'_>, object: &mut dyn Object, when: &str) -> Outcome<()> {
    take_place(call, object, when).map_err(|failure| {
        let told = object.metadata().map(|meta| meta.namespace.clone()).unwrap_or_default();
        if told.is_empty() || told == call.path.namespace {
            return failure;
        }
        Failure::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        )
    })?;
    let told = object.metadata().map(|meta| meta.name.clone()).unwrap_or_default();
    if told.is_empty() {
        return Err(Failure::bad_request(format!(
            "the name of the object ({} based on URL) was undeterminable: name must be provided",
            call.path.name
        )));
    }
    if told != call.path.name {
        return Err(Failure::bad_request(format!(
            "the name of the object ({told}) does not match the name on the URL ({})",
            call.path.name
        )));
    }
    Ok(())
}

/// Takes an object from the store, changes it, checks and stores it, until nobody else came between.
pub(crate) async fn change(
    call: &mut RequestContext<'_>,
    permit: &Permit<'_>,
    make_new: &mut (dyn FnMut(&mut RequestContext<'_>, Option<&Current>) -> Outcome<Changed> + Send),
) -> Outcome<Done> {
    let storage = Arc::clone(call.storage()?);
    let key = storage.key(&call.path.namespace, &call.path.name)?;
    let mut current = storage.current_for(&key, &call.offload).await?;
    for _ in 0..TRIES {
        let Some(old) = current else { return missing(call, permit, make_new).await };
        match step(call, permit, &key, &old, make_new).await? {
            Stepped::Done(hub) => return Ok(Done { hub, created: false }),
            Stepped::Again(newer) => {
                current = newer;
                budget::go_on();
            }
        }
    }
    Err(Failure::modified(&call.endpoint.resource, &call.path.name))
}

/// A change of what isn't there: it makes the object, where that is allowed.
async fn missing(
    call: &mut RequestContext<'_>,
    permit: &Permit<'_>,
    make_new: &mut (dyn FnMut(&mut RequestContext<'_>, Option<&Current>) -> Outcome<Changed> + Send),
) -> Outcome<Done> {
    if !permit.creates || permit.subresource.is_some() {
        return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
    }
    if let Some(uid) = permit.preconditions.and_then(|conditions| conditions.uid.as_ref()) {
        let why = format!("Precondition failed: UID in precondition: {uid}, UID in object meta: ");
        return Err(Failure::conflict(&call.endpoint.resource, &call.path.name, &why));
    }
    // Whoever may change objects may not therefore make them.
    let asked = AskedResource {
        group: &call.path.group,
        resource: &call.path.resource,
        subresource: "",
        namespace: &call.path.namespace,
        name: call.path.name.as_str().into(),
        fields: Vec::new(),
    };
    call.api.authorizer.allow(&Attributes::resource(call.user, "create", asked)).await?;
    let mut hub = make_new(call, None)?.hub;
    // A revision on something that isn't there can't be the newest one.
    if hub.metadata().is_some_and(|meta| !meta.resource_version.is_empty()) {
        return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
    }
    hub.edit_metadata(&mut |meta| meta.resource_version.clear());
    Ok(Done { hub: make(call, hub, permit.dry_run).await?, created: true })
}

enum Stepped {
    Done(Box<dyn Object>),
    /// Somebody was faster; what is there now.
    Again(Option<Current>),
}

async fn step(
    call: &mut RequestContext<'_>,
    permit: &Permit<'_>,
    key: &Key,
    old: &Current,
    make_new: &mut (dyn FnMut(&mut RequestContext<'_>, Option<&Current>) -> Outcome<Changed> + Send),
) -> Outcome<Stepped> {
    let endpoint = Arc::clone(&call.endpoint);
    let name = call.path.name.clone();
    check_preconditions(call, permit.preconditions, &*old.hub)?;
    let warned = call.warnings.len();
    let Changed { mut hub, based_on_current } = make_new(call, Some(old))?;
    mutate(call, permit, &*old.hub, &mut *hub).await?;
    escalation::check(call, &*hub, Some(&*old.hub)).await?;
    let mut told = hub.metadata().map(|meta| meta.resource_version.clone()).unwrap_or_default();
    if told == "0" {
        told.clear();
    }
    parse_revision(&told).map_err(|why| Failure::new(StatusReason::Unknown, why.to_string()))?;
    let conditional = !told.is_empty() && !based_on_current;
    if told.is_empty() && !endpoint.model.facts().unconditional_update && !based_on_current {
        let mut errors = FieldErrors::default();
        errors.invalid(
            &FieldPath::new("metadata").child("resourceVersion"),
            &0,
            "must be specified for an update",
        );
        let kind = GroupKind::new(endpoint.resource.group.clone(), endpoint.resource.resource.clone());
        return Err(errors.status(&kind, &name).into());
    }
    if !told.is_empty() && told != old.revision.to_string() {
        return Err(Failure::modified(&endpoint.resource, &name));
    }
    endpoint.model.begin_update(&mut *hub, &*old.hub);
    let allocator = Arc::clone(&call.api.allocator);
    let reservation = allocator.for_change(&endpoint, &mut *hub, &*old.hub, permit.dry_run).await?;
    let stored = store_changed(call, permit, key, old, hub, conditional).await;
    reservation.settle(matches!(stored, Ok(Stepped::Done(_)))).await;
    if matches!(stored, Ok(Stepped::Again(_))) {
        call.warnings.truncate(warned);
    }
    stored
}

/// Prepares, checks and stores the new form of an object that has its addresses and ports.
async fn store_changed(
    call: &mut RequestContext<'_>,
    permit: &Permit<'_>,
    key: &Key,
    old: &Current,
    mut hub: Box<dyn Object>,
    conditional: bool,
) -> Outcome<Stepped> {
    let endpoint = Arc::clone(&call.endpoint);
    let storage = Arc::clone(call.storage()?);
    let name = call.path.name.clone();
    let place = endpoint.place();
    let user = call.api.strategy_user(call.user);
    let context =
        rhumb_strategy::Context { now: call.api.environment.time(), request_version: &place, user: &user };
    endpoint.model.prepare_update(&mut *hub, &*old.hub, permit.subresource, &context);
    hub.edit_metadata(&mut |meta| meta.resource_version = old.revision.to_string());
    let mut errors = endpoint.model.validate_update(&*hub, &*old.hub, permit.subresource, &place);
    call.warnings.extend(errors.take_warnings());
    if !errors.is_empty() {
        return Err(Failure::invalid(&endpoint.kind, &name, &errors));
    }
    // These are told to who is refused by a plugin, too.
    let warnings = endpoint.model.warnings(&*hub, Some(&*old.hub), permit.subresource);
    call.warnings.extend(warnings);
    validate(call, permit, &*old.hub, &*hub).await?;
    endpoint.model.canonicalize(&mut *hub);
    let (value, mut hub) = endpoint.model.keep(hub)?;
    let carry = |hub: &mut dyn Object, revision: Revision| {
        hub.edit_metadata(&mut |meta| meta.resource_version = revision.to_string());
    };
    if permit.dry_run || value == old.value {
        carry(&mut *hub, old.revision);
        return Ok(Stepped::Done(hub));
    }
    // With its last finalizer gone, an object that was to be deleted goes.
    let vanishes = hub.metadata().is_some_and(|meta| {
        meta.deletion_timestamp.is_some()
            && meta.finalizers.is_empty()
            && meta.deletion_grace_period_seconds.unwrap_or(0) == 0
    }) && !endpoint.model.keeps_when_deleted(&*hub);
    let written = if vanishes {
        let allocator = &call.api.allocator;
        allocator.remove(&endpoint, &storage, key.clone(), old.revision, &*hub).await?
    } else {
        storage.announce(key, &value, &*hub);
        storage.replace(key.clone(), old.revision, value).await?
    };
    match written {
        Written::At(revision) => {
            carry(&mut *hub, revision);
            Ok(Stepped::Done(hub))
        }
        Written::Lost(_) if conditional => Err(Failure::modified(&endpoint.resource, &name)),
        Written::Lost(newer) => Ok(Stepped::Again(newer)),
    }
}

/// An object as a Scale.
fn as_scale(call: &RequestContext<'_>, hub: &dyn Object) -> Outcome<Scale> {
    let scale = call.endpoint.model.scale(hub);
    scale.unwrap_or_else(|| Err(Failure::internal("the kind can't be scaled")))
}

/// Lets plugins change what is to become of an object.
async fn mutate(
    call: &mut RequestContext<'_>,
    permit: &Permit<'_>,
    old: &dyn Object,
    hub: &mut dyn Object,
) -> Outcome<()> {
    let name = call.path.name.clone();
    let write = permit.write(&name);
    match permit.seen {
        Seen::Object => admit::mutate(call, write, Some(old), hub).await,
        Seen::Nothing => Ok(()),
        Seen::Scale => {
            let (old, mut new) = (as_scale(call, old)?, as_scale(call, hub)?);
            let wanted = new.spec.replicas;
            admit::mutate(call, write, Some(&old), &mut new).await?;
            if new.spec.replicas != wanted {
                call.endpoint.model.set_scale(hub, &new);
            }
            Ok(())
        }
    }
}

/// Lets plugins look at what an object is to become.
async fn validate(
    call: &mut RequestContext<'_>,
    permit: &Permit<'_>,
    old: &dyn Object,
    hub: &dyn Object,
) -> Outcome<()> {
    let name = call.path.name.clone();
    let write = permit.write(&name);
    match permit.seen {
        Seen::Object => admit::validate(call, write, Some(old), Some(hub)).await,
        Seen::Nothing => Ok(()),
        Seen::Scale => {
            let (old, new) = (as_scale(call, old)?, as_scale(call, hub)?);
            admit::validate(call, write, Some(&old), Some(&new)).await
        }
    }
}

/// Refuses a change of an object that is not the one meant.
pub(crate) fn check_preconditions(
    call: &RequestContext<'_>,
    preconditions: Option<&Preconditions>,
    old: &dyn Object,
) -> Outcome<()> {
    let (Some(wanted), Some(meta)) = (preconditions, old.metadata()) else { return Ok(()) };
    let conflict = |why: String| Err(Failure::conflict(&call.endpoint.resource, &call.path.name, &why));
    if let Some(uid) = wanted.uid.as_ref().filter(|uid| **uid != meta.uid) {
        let key = call.storage()?.key(&call.path.namespace, &call.path.name)?;
        return conflict(format!(
            "StorageError: invalid object, Code: 4, Key: {}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
            String::from_utf8_lossy(&key),
            meta.uid
        ));
    }
    if let Some(revision) = wanted.resource_version.as_ref().filter(|told| **told != meta.resource_version) {
        return conflict(format!(
            "Precondition failed: ResourceVersion in precondition: {revision}, ResourceVersion in object meta: {}",
            meta.resource_version
        ));
    }
    Ok(())
}

/// Makes another object of one in its hub form, again and again until nobody else came between.
pub(crate) async fn remake(
    call: &mut RequestContext<'_>,
    subresource: Option<&str>,
    uid: Option<&str>,
    manager: &str,
    remade: &mut (dyn FnMut(Box<dyn Object>) -> Outcome<Box<dyn Object>> + Send),
) -> Outcome<Box<dyn Object>> {
    let preconditions = Preconditions { uid: uid.map(str::to_owned), resource_version: None };
    let permit = Permit {
        subresource,
        dry_run: false,
        preconditions: Some(&preconditions),
        creates: false,
        seen: Seen::Object,
    };
    let done = change(call, &permit, &mut |call, current| {
        let current = current.ok_or_else(|| Failure::not_found(&call.endpoint.resource, &call.path.name))?;
        let hub = remade(current.hub.clone_object())?;
        let hub = managed_fields::updated(call.fields(), hub, &*current.hub, manager, subresource, false)?;
        Ok(Changed { hub, based_on_current: true })
    })
    .await?;
    Ok(done.hub)
}
