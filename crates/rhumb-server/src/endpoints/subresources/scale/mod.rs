//! How many copies of something there are to be: objects seen and changed as a Scale.

mod apply;

use bytes::Bytes;
use rhumb_api::autoscaling::v1::Scale;
use rhumb_codec::Format;
use rhumb_codec::negotiate::Negotiated;
use rhumb_meta::v1::{GetOptions, PatchOptions, Preconditions, UpdateOptions};
use rhumb_meta::{GroupKind, GroupVersionKind, Object};
use rhumb_patch::apply::sort_entries;
use rhumb_scheme::validation::{Context, FieldErrors};
use rhumb_store::cache::At;
use rhumb_validation::meta::PatchType;

use super::read_object;
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::{RequestContext, bare, refuse, strictness};
use crate::endpoints::handlers::patch::{Configuration, Form, Patch, form, unread};
use crate::endpoints::handlers::revision;
use crate::endpoints::handlers::update::{Changed, Permit, Seen, change, check_name};
use crate::registry::deadline::deadline;
use crate::registry::managed_fields;
use crate::registry::storage::Current;
use crate::registry::tree::tree_of;

/// Shows an object as a Scale.
pub(super) async fn get(call: &RequestContext<'_>, kind: &GroupVersionKind) -> Outcome<Response> {
    let agreed = call.output_of(&Format::ALL)?;
    call.refuse_export()?;
    let options: GetOptions = call.options()?;
    let storage = call.storage()?;
    let key = storage.key(&call.path.namespace, &call.path.name)?;
    let at = match options.resource_version.as_str() {
        "" => At::Newest,
        "0" => At::Any,
        text => At::NotOlderThan(revision(text)?),
    };
    let Some(cached) = storage.cache().get(&key, at, deadline()).await? else {
        return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
    };
    present(call, kind, &*storage.hub(&cached)?, &agreed)
}

/// Takes the number of a Scale.
pub(super) async fn update(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    body: Bytes,
) -> Outcome<Response> {
    let agreed = call.output_of(&Format::ALL)?;
    let options: UpdateOptions = call.options()?;
    let mut errors = FieldErrors::default();
    rhumb_validation::meta::update_options(&options, &mut errors);
    refuse(&errors, "UpdateOptions")?;
    let format = call.input()?;
    let strict = strictness(&options.field_validation);
    let mut object = read_object(call, &body, format, kind, &[], strict)?;
    check_name(call, &mut *object)?;
    let scale = scale_of(&*object)?;
    let manager = call.manager(&options.field_manager);
    let uid = Some(scale.metadata.uid.clone()).filter(|uid| !uid.is_empty());
    let meant = Preconditions { uid, ..Preconditions::default() };
    let permit = Permit { preconditions: Some(&meant), ..permit(!options.dry_run.is_empty()) };
    let done = change(call, &permit, &mut |call, current| {
        let current = existing(call, current)?;
        let hub = scaled(call, current, &scale)?;
        follow(call, hub, current, &manager, false)
    })
    .await?;
    present(call, kind, &*done.hub, &agreed)
}

/// Changes the Scale of an object by a patch.
pub(super) async fn patch(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    body: Bytes,
) -> Outcome<Response> {
    let form = form(call)?;
    let agreed = call.output_of(&Format::ALL)?;
    let options: PatchOptions = call.options()?;
    let mut errors = FieldErrors::default();
    let type_ = if form == Form::Apply { PatchType::Apply } else { PatchType::Other };
    rhumb_validation::meta::patch_options(&options, type_, &mut errors);
    refuse(&errors, "PatchOptions")?;
    let strict = strictness(&options.field_validation);
    let permit = permit(!options.dry_run.is_empty());
    let done = if form == Form::Apply {
        let config = Configuration::read(&body)?;
        let done = change(call, &permit, &mut |call, current| {
            let current = existing(call, current)?;
            let changed = apply::apply(call, current, kind, &config.tree, &options)?;
            config.refuse_doubled(strict)?;
            Ok(changed)
        })
        .await?;
        config.warn_of_doubled(call, strict);
        done
    } else {
        let manager = call.manager(&options.field_manager);
        let patch = Patch::read(form, &body, strict, call)?;
        change(call, &permit, &mut |call, current| {
            let current = existing(call, current)?;
            let mut tree = tree_of(&*external(call, kind, &*current.hub)?);
            let table = call.api.scheme.known_type(kind).map(|known| known.desc);
            patch.apply(call, &mut tree, table)?;
            let text = tree.to_string();
            let mut object = patch.checked(call, &text, strict, |call, gentle| {
                read_object(call, text.as_bytes(), Format::Json, kind, &[], gentle)
                    .map_err(|failure| unread(&text, &failure, str::to_owned))
            })?;
            check_name(call, &mut *object)?;
            let hub = scaled(call, current, &scale_of(&*object)?)?;
            follow(call, hub, current, &manager, !patch.names_revision())
        })
        .await?
    };
    present(call, kind, &*done.hub, &agreed)
}

fn permit(dry_run: bool) -> Permit<'static> {
    Permit { subresource: None, dry_run, preconditions: None, creates: false, seen: Seen::Scale }
}

fn existing<'a>(call: &RequestContext<'_>, current: Option<&'a Current>) -> Outcome<&'a Current> {
    current.ok_or_else(|| Failure::not_found(&call.endpoint.resource, &call.path.name))
}

fn scale_of(object: &dyn Object) -> Outcome<Scale> {
    object.downcast_ref::<Scale>().cloned().ok_or_else(|| Failure::internal("it is no Scale"))
}

fn shown(call: &RequestContext<'_>, hub: &dyn Object) -> Outcome<Scale> {
    match call.endpoint.model.scale(hub) {
        Some(Ok(scale)) => Ok(scale),
        Some(Err(failure)) => Err(Failure::bad_request(failure.to_string())),
        None => Err(Failure::internal("the kind can't be scaled")),
    }
}

/// An object as a Scale of a version.
fn external(
    call: &RequestContext<'_>,
    kind: &GroupVersionKind,
    hub: &dyn Object,
) -> Outcome<Box<dyn Object>> {
    in_version(call, kind, shown(call, hub)?)
}

/// A Scale in one of its versions.
fn in_version(call: &RequestContext<'_>, kind: &GroupVersionKind, scale: Scale) -> Outcome<Box<dyn Object>> {
    let mut object =
        call.api.scheme.move_to_version(Box::new(scale), &kind.group_version()).map_err(Failure::internal)?;
    object.set_gvk(kind);
    Ok(object)
}

fn present(
    call: &RequestContext<'_>,
    kind: &GroupVersionKind,
    hub: &dyn Object,
    agreed: &Negotiated,
) -> Outcome<Response> {
    let object = external(call, kind, hub)?;
    match &agreed.convert {
        None => response::object(200, &*object, agreed.format, agreed.pretty),
        Some(target) if target.kind == "Table" => {
            let options = call.table_options()?;
            let now = call.api.environment.time();
            let mut table = call
                .api
                .printers
                .table(&call.api.scheme, &*object, &options, now)
                .map_err(Failure::internal)?;
            let meta = object.metadata();
            table.metadata.resource_version =
                meta.map(|meta| meta.resource_version.clone()).unwrap_or_default();
            table.type_meta.api_version = target.api_version();
            if call.endpoint.model.is_custom() {
                // Tables of custom kinds tell more of their columns than those of others.
                for column in &mut table.column_definitions {
                    match column.name.as_str() {
                        "Name" => column.format = "name".to_owned(),
                        "Age" => column.type_ = "date".to_owned(),
                        _ => {}
                    }
                }
            }
            response::object(200, &table, agreed.format, agreed.pretty)
        }
        Some(target) => response::object(200, &bare(&*object, target), agreed.format, agreed.pretty),
    }
}

/// The object with the number of a Scale.
fn scaled(call: &RequestContext<'_>, current: &Current, scale: &Scale) -> Outcome<Box<dyn Object>> {
    let place = call.endpoint.place();
    let errors = call.api.scheme.validate_create(scale, &Context::new(&place));
    // Custom kinds have rules of their own for the number, which come with those of the object.
    if !errors.is_empty() && !call.endpoint.model.is_custom() {
        return Err(errors.status(&GroupKind::new("autoscaling", "Scale"), &scale.metadata.name).into());
    }
    expect_uid(call, current, &scale.metadata.uid)?;
    let mut hub = current.hub.clone_object();
    if !call.endpoint.model.set_scale(&mut *hub, scale) {
        return Err(Failure::internal("the kind can't be scaled"));
    }
    Ok(hub)
}

/// Refuses a Scale of another object than the one that has its name.
fn expect_uid(call: &RequestContext<'_>, current: &Current, wanted: &str) -> Outcome<()> {
    let uid = current.hub.metadata().map(|meta| meta.uid.clone()).unwrap_or_default();
    if wanted.is_empty() || wanted == uid {
        return Ok(());
    }
    let mut resource = call.endpoint.resource.clone();
    resource.resource = format!("{}/scale", resource.resource).into();
    let why = format!("Precondition failed: UID in precondition: {wanted}, UID in object meta: {uid}");
    Err(Failure::conflict(&resource, &call.path.name, &why))
}

/// Notes who scaled. Entries for scaling carry no time, because they are made from those of the Scale.
fn follow(
    call: &RequestContext<'_>,
    hub: Box<dyn Object>,
    current: &Current,
    manager: &str,
    based_on_current: bool,
) -> Outcome<Changed> {
    let hub = managed_fields::updated(call.fields(), hub, &*current.hub, manager, Some("scale"), false)?;
    Ok(Changed { hub: timeless(hub), based_on_current })
}

fn timeless(mut hub: Box<dyn Object>) -> Box<dyn Object> {
    hub.edit_metadata(&mut |meta| {
        let of_scale = meta.managed_fields.iter_mut().filter(|entry| entry.subresource == "scale");
        of_scale.for_each(|entry| entry.time = None);
        sort_entries(&mut meta.managed_fields);
    });
    hub
}
