//! What holds between objects when they are written: namespaces must be there, and some must stay.

use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_api::core::v1::Namespace;
use rhumb_meta::v1::{DeleteOptions, StatusCause, StatusDetails};
use rhumb_meta::{GroupResource, Object};
use rhumb_store::cache::At;

use crate::api::Api;
use crate::call::Call;
use crate::failure::{Failure, Outcome};
use crate::resource::Endpoint;
use crate::verbs::deadline_of;

/// The namespaces that can't be deleted.
const IMMORTAL: &[&str] = &["default", "kube-public", "kube-system"];

fn namespaces() -> GroupResource {
    GroupResource::new_static("", "namespaces")
}

/// Whether a resource is the namespaces themselves.
fn is_namespaces(endpoint: &Endpoint) -> bool {
    endpoint.resource == namespaces()
}

impl Api {
    /// A namespace as it is now.
    pub(crate) async fn namespace(&self, name: &str) -> Outcome<Option<Box<dyn Object>>> {
        let resources = self.resources();
        let Some(storage) = resources.find("", "v1", "namespaces").and_then(|found| found.storage.as_ref())
        else {
            return Ok(None);
        };
        let key = storage.key("", name)?;
        // What was made a moment ago may not have reached the cache; only then is it worth waiting.
        for at in [At::Any, At::Newest] {
            if let Some(cached) = storage.cache().get(&key, at, deadline_of(storage.cache(), at)).await? {
                return storage.hub(&cached).map(Some);
            }
        }
        Ok(None)
    }

    /// Refuses a new object that has no place.
    pub(crate) async fn admit_create(&self, call: &Call<'_>, object: &dyn Object) -> Outcome<()> {
        if let Some(why) = call.endpoint.model.creation_refused() {
            let name = object.metadata().map(|meta| meta.name.clone()).unwrap_or_default();
            return Err(Failure::forbidden(&call.endpoint.resource, &name, why));
        }
        if !call.endpoint.namespaced || call.endpoint.storage.is_none() {
            return Ok(());
        }
        let (name, place) = match object.metadata() {
            Some(meta) => (meta.name.clone(), meta.namespace.clone()),
            None => return Ok(()),
        };
        let Some(namespace) = self.namespace(&place).await? else {
            return Err(Failure::not_found(&namespaces(), &place));
        };
        let terminating = namespace
            .downcast_ref::<Namespace>()
            .is_some_and(|namespace| namespace.status.phase.as_str() == "Terminating");
        if terminating {
            let why =
                format!("unable to create new content in namespace {place} because it is being terminated");
            let mut failure = Failure::forbidden(&call.endpoint.resource, &name, &why);
            let cause = StatusCause {
                reason: "NamespaceTerminating".to_owned(),
                message: format!("namespace {place} is being terminated"),
                field: "metadata.namespace".to_owned(),
            };
            failure.0.details.get_or_insert_with(|| Box::new(StatusDetails::default())).causes.push(cause);
            return Err(failure);
        }
        Ok(())
    }

    /// Refuses the deletion of what everything else stands on.
    pub(crate) fn admit_delete(&self, call: &Call<'_>, name: &str, _options: &DeleteOptions) -> Outcome<()> {
        if is_namespaces(&call.endpoint) && IMMORTAL.contains(&name) {
            return Err(Failure::forbidden(&namespaces(), name, "this namespace may not be deleted"));
        }
        Ok(())
    }

    /// Whether an object stays though nothing in its metadata keeps it.
    pub(crate) fn keeps_when_deleted(&self, _: &Endpoint, object: &dyn Object) -> bool {
        // A definition is marked first, whatever finalizers it has.
        object.downcast_ref::<Namespace>().is_some_and(|namespace| !namespace.spec.finalizers.is_empty())
            || object
                .downcast_ref::<CustomResourceDefinition>()
                .is_some_and(|definition| definition.metadata.deletion_timestamp.is_none())
    }

    /// Shows in an object that it is going.
    pub(crate) fn mark_deleted(&self, _: &Endpoint, object: &mut dyn Object) {
        if let Some(namespace) = object.downcast_mut::<Namespace>() {
            namespace.status.phase = "Terminating".to_owned();
            namespace.metadata.deletion_grace_period_seconds = None;
        }
        if let Some(definition) = object.downcast_mut::<CustomResourceDefinition>() {
            crate::custom::mark_deleted(definition, self.environment.time());
        }
    }
}
