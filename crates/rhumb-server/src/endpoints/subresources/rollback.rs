//! The old way of taking a Deployment back to an earlier state: a wish that its controller carries out.

use bytes::Bytes;
use rhumb_api::apps::v1beta1::DeploymentRollback;
use rhumb_meta::GroupVersionKind;
use rhumb_schema::text::quoted;

use super::{done, posted};
use crate::base::failure::{Failure, Outcome};
use crate::base::response::Response;
use crate::endpoints::context::RequestContext;
use crate::endpoints::handlers::admit;
use crate::endpoints::handlers::update::{Changed, Permit, Seen, change};

/// Where a Deployment keeps the wish.
const ANNOTATION: &str = "deprecated.deployment.rollback.to";

/// Asks for the Deployment of the path to be taken back.
pub(super) async fn post(
    call: &mut RequestContext<'_>,
    kind: &GroupVersionKind,
    body: Bytes,
) -> Outcome<Response> {
    let mut posted = posted(call, kind, &[], &body)?;
    let dry_run = !posted.options.dry_run.is_empty();
    admit::mutate_posted(call, &mut *posted.object, dry_run).await?;
    let Some(rollback) = posted.object.downcast_ref::<DeploymentRollback>().cloned() else {
        return Err(Failure::internal("no DeploymentRollback was posted"));
    };
    if rollback.name != call.path.name {
        return Err(Failure::bad_request("name in URL does not match name in DeploymentRollback object"));
    }
    admit::validate_posted(call, &rollback, dry_run).await?;
    let permit =
        Permit { subresource: None, dry_run, preconditions: None, creates: false, seen: Seen::Object };
    change(call, &permit, &mut |call, current| {
        let Some(current) = current else {
            return Err(Failure::not_found(&call.endpoint.resource, &call.path.name));
        };
        let mut hub = current.hub.clone_object();
        hub.edit_metadata(&mut |meta| {
            meta.annotations.extend(rollback.updated_annotations.clone());
            meta.annotations.insert(ANNOTATION.to_owned(), rollback.rollback_to.revision.to_string());
        });
        Ok(Changed { hub, based_on_current: true })
    })
    .await?;
    let name = quoted(&call.path.name);
    done(call, 200, &format!("rollback request for deployment {name} succeeded"))
}
