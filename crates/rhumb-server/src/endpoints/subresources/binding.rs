//! Pods get their nodes: by what is posted to them, or in the old way to a resource of its own.

use std::sync::Arc;

use bytes::Bytes;
use rhumb_api::core::v1::{Binding, Pod};
use rhumb_meta::{GroupResource, GroupVersionKind};
use rhumb_schema::text::quoted;

use super::{Posted, done, posted};
use crate::admission::Write;
use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::admit;
use crate::endpoints::handlers::update::TRIES;
use crate::registry::storage::{Current, Written};

fn binding_of(posted: &Posted) -> Outcome<Binding> {
    posted.object.downcast_ref::<Binding>().cloned().ok_or_else(|| Failure::internal("no Binding was posted"))
}

/// Binds the pod of the path.
pub(super) async fn post(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    body: Bytes,
) -> Outcome<Response> {
    let mut posted = posted(call, kind, &[], &body)?;
    let dry_run = !posted.options.dry_run.is_empty();
    admit::mutate_posted(call, &mut *posted.object, dry_run).await?;
    let binding = binding_of(&posted)?;
    if binding.metadata.name != call.path.name {
        return Err(Failure::bad_request("name in URL does not match name in Binding object"));
    }
    refuse(&binding)?;
    admit::validate_posted(call, &*posted.object, dry_run).await?;
    bind(call, &binding, dry_run).await
}

/// Binds the pod that the binding names, in the old way.
pub(super) async fn post_old(call: &mut RequestContext<'_>, body: Bytes) -> Outcome<Response> {
    let kind = call.endpoint.kind.clone();
    let mut posted = posted(call, &kind, &[], &body)?;
    let dry_run = !posted.options.dry_run.is_empty();
    let name = binding_of(&posted)?.metadata.name;
    admit::mutate(call, Write::create(&name, dry_run), None, &mut *posted.object).await?;
    let binding = binding_of(&posted)?;
    refuse(&binding)?;
    admit::validate(call, Write::create(&name, dry_run), None, Some(&*posted.object)).await?;
    let resources = call.api.resources();
    let pods = resources.find("", "v1", "pods").ok_or_else(|| Failure::internal("there are no pods"))?;
    call.endpoint = Arc::clone(pods);
    call.path.name.clone_from(&binding.metadata.name);
    bind(call, &binding, dry_run).await
}

/// Refuses a binding that is wrong, whatever the pod is.
fn refuse(binding: &Binding) -> Outcome<()> {
    match problems(binding).as_slice() {
        [] => Ok(()),
        [one] => Err(Failure::unexplained(one.clone())),
        all => Err(Failure::unexplained(format!("[{}]", all.join(", ")))),
    }
}

async fn bind(call: &mut RequestContext<'_>, binding: &Binding, dry_run: bool) -> Outcome<Response> {
    let name = call.path.name.clone();
    let storage = Arc::clone(call.storage()?);
    let key = storage.key(&call.path.namespace, &name)?;
    let mut current = storage.current(&key).await?;
    for _ in 0..TRIES {
        let Some(old) = current else { return Err(Failure::not_found(&call.endpoint.resource, &name)) };
        check(call, binding, &old, &String::from_utf8_lossy(&key))?;
        let mut hub = old.hub.clone_object();
        let pod = hub.downcast_mut::<Pod>().ok_or_else(|| Failure::internal("it is no pod"))?;
        rhumb_strategy::bind(pod, binding, call.api.environment.time()).map_err(|error| {
            let resource = GroupResource::new_static("", "pods/binding");
            Failure::conflict(&resource, &name, &error.to_string())
        })?;
        if dry_run {
            return done(call, 201, "");
        }
        let value = call.endpoint.model.store(hub)?;
        match storage.replace(key.clone(), old.revision, value).await? {
            Written::At(_) => return done(call, 201, ""),
            Written::Lost(newer) => current = newer,
        }
    }
    Err(Failure::modified(&call.endpoint.resource, &name))
}

/// What is wrong with a binding.
fn problems(binding: &Binding) -> Vec<String> {
    let mut problems = Vec::new();
    let target = &binding.target;
    if !matches!(target.kind.as_str(), "" | "Node") {
        let kind = quoted(&target.kind);
        problems
            .push(format!("target.kind: Unsupported value: {kind}: supported values: \"Node\", \"<empty>\""));
    }
    if target.name.is_empty() {
        problems.push("target.name: Required value".to_owned());
    }
    problems
}

/// Refuses a binding that is for another pod of the name, or for another state of it.
fn check(call: &RequestContext<'_>, binding: &Binding, old: &Current, key: &str) -> Outcome<()> {
    let meta = old.hub.metadata().map(std::borrow::Cow::into_owned).unwrap_or_default();
    let wanted = &binding.metadata;
    let found = [
        ("UID", &wanted.uid, &meta.uid),
        ("ResourceVersion", &wanted.resource_version, &meta.resource_version),
    ];
    for (what, told, is) in found {
        if !told.is_empty() && told != is {
            let why = format!(
                "StorageError: invalid object, Code: 4, Key: {key}, ResourceVersion: 0, AdditionalErrorMsg: \
                 Precondition failed: {what} in precondition: {told}, {what} in object meta: {is}"
            );
            return Err(Failure::conflict(&call.endpoint.resource, &meta.name, &why));
        }
    }
    Ok(())
}
