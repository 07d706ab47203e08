//! Admission of what handlers write: shows it to the plugins, and keeps what they note for the response and the audit
//! log.

use parking_lot::Mutex;
use rhumb_meta::Object;

use crate::admission::{Attributes, Cluster, Notes, Operation, Write};
use crate::base::failure::Outcome;
use crate::endpoints::context::RequestContext;

fn attributes<'a>(call: &'a RequestContext<'_>, write: &Write<'a>) -> Attributes<'a> {
    Attributes {
        operation: write.operation,
        kind: &call.endpoint.kind,
        resource: &call.endpoint.resource,
        subresource: write.subresource,
        namespace: if call.endpoint.namespaced { &call.path.namespace } else { "" },
        name: write.name,
        user: call.user,
        dry_run: write.dry_run,
        cluster: Cluster::of(&call.api.admission, call.api),
        query: call.query,
        delete_options: write.delete_options,
        charged: !call.held.is_empty(),
        endpoint: &call.endpoint,
        offload: &call.offload,
        notes: Mutex::default(),
    }
}

/// Lets all plugins change a new object. What they note is lost with a refusal.
pub(crate) async fn mutate(
    call: &mut RequestContext<'_>,
    write: Write<'_>,
    old: Option<&dyn Object>,
    new: &mut dyn Object,
) -> Outcome<()> {
    let request = attributes(call, &write);
    call.api.admission.mutate(&request, old, new).await?;
    let notes = request.notes.into_inner();
    keep(call, notes);
    Ok(())
}

/// Lets all plugins look at what is to be stored or deleted. Warnings are told with a refusal, too.
pub(crate) async fn validate(
    call: &mut RequestContext<'_>,
    write: Write<'_>,
    old: Option<&dyn Object>,
    new: Option<&dyn Object>,
) -> Outcome<()> {
    let request = attributes(call, &write);
    let outcome = call.api.admission.validate(&request, old, new).await;
    let notes = request.notes.into_inner();
    keep(call, notes);
    outcome
}

fn keep(call: &mut RequestContext<'_>, notes: Notes) {
    call.warnings.extend(notes.warnings);
    call.annotations.extend(notes.annotations);
    call.held.extend(notes.held);
}

/// Lets all plugins change what is posted to something below an object.
pub(crate) async fn mutate_posted(
    call: &mut RequestContext<'_>,
    object: &mut dyn Object,
    dry_run: bool,
) -> Outcome<()> {
    let (subresource, name) = (call.path.subresource.clone(), call.path.name.clone());
    mutate(call, Write { subresource: &subresource, ..Write::create(&name, dry_run) }, None, object).await
}

/// Lets all plugins look at what is posted to something below an object, once it was found to be right.
pub(crate) async fn validate_posted(
    call: &mut RequestContext<'_>,
    object: &dyn Object,
    dry_run: bool,
) -> Outcome<()> {
    let (subresource, name) = (call.path.subresource.clone(), call.path.name.clone());
    let write = Write { subresource: &subresource, ..Write::create(&name, dry_run) };
    validate(call, write, None, Some(object)).await
}

/// Lets plugins see what somebody wants who connects with something below an object.
pub(crate) async fn connect(call: &mut RequestContext<'_>, object: &mut dyn Object) -> Outcome<()> {
    let (subresource, name) = (call.path.subresource.clone(), call.path.name.clone());
    let operation = Operation::Connect;
    let write = Write { operation, subresource: &subresource, ..Write::create(&name, false) };
    mutate(call, write, None, object).await?;
    validate(call, write, None, Some(object)).await
}
