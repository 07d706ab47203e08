//! Writes of what the server says of a definition in its status.

use rhumb_api::apiextensions::v1beta1::CustomResourceDefinition;
use rhumb_meta::Object;

use crate::base::failure::{Failure, Outcome};
use crate::loopback::{Client, ObjectRef};
use crate::registry::custom::{GROUP, RESOURCE};

/// Changes the status of a definition. Nothing is written if nothing changes.
pub(super) async fn write(
    client: &Client,
    name: &str,
    edit: &mut (dyn FnMut(&mut CustomResourceDefinition) -> bool + Send),
) -> Outcome<Box<dyn Object>> {
    let resources = client.resources();
    let Some(endpoint) = resources.find(GROUP, "v1", RESOURCE) else {
        return Err(Failure::internal("definitions are not served"));
    };
    let definition = ObjectRef::new(endpoint, "", name);
    let mut changed = |hub: &mut dyn Object| match hub.downcast_mut::<CustomResourceDefinition>() {
        Some(definition) => edit(definition),
        None => false,
    };
    // The spec stays, so nobody's fields in it change; leaving it out saves looking at large schemas.
    client.change_status(&definition, &mut changed, &without_spec).await
}

/// What a definition says of itself beside its spec.
fn without_spec(object: &dyn Object) -> Option<Box<dyn Object>> {
    let definition = object.downcast_ref::<CustomResourceDefinition>()?;
    Some(Box::new(CustomResourceDefinition {
        type_meta: definition.type_meta.clone(),
        metadata: definition.metadata.clone(),
        status: definition.status.clone(),
        ..CustomResourceDefinition::default()
    }))
}
