//! Strategy of namespaces: a label with the name, and a finalizer.

use rhumb_api::core::v1::{Namespace, NamespaceSpec, NamespaceStatus};

use super::V1;
use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(Namespace: NamespaceSpec, NamespaceStatus);

const FINALIZER: &str = "kubernetes";
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "Namespace")
            .create(create)
            .update(update)
            .canonicalize(|namespace: &mut Namespace| {
                let name = namespace.metadata.name.clone();
                namespace.metadata.labels.insert(NAME_LABEL.to_owned(), name);
            })
            .resets(V1, STATUS)
            .on("status", Part::new(keep_spec).resets(V1, SPEC))
            .on("finalize", Part::new(keep_status).resets(V1, STATUS)),
    )?;
    Ok(())
}

fn create(namespace: &mut Namespace, _: &Context) {
    namespace.status = NamespaceStatus { phase: "Active".to_owned(), ..NamespaceStatus::default() };
    if !namespace.spec.finalizers.iter().any(|finalizer| finalizer == FINALIZER) {
        namespace.spec.finalizers.push(FINALIZER.to_owned());
    }
}

fn update(new: &mut Namespace, old: &Namespace, context: &Context) {
    new.spec.finalizers.clone_from(&old.spec.finalizers);
    keep_status(new, old, context);
}
