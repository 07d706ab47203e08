//! DefaultStorageClass gives claims without a class the default one, DefaultIngressClass does so for Ingresses.

use rhumb_api::core::v1::PersistentVolumeClaim;
use rhumb_api::networking::v1::{Ingress, IngressClass};
use rhumb_api::storage::v1::StorageClass;
use rhumb_meta::{Object, ObjectMeta};

use super::storage::{CLAIMS, OLD_CLASS};
use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::Outcome;

/// What marks a class of volumes as the default one, now and long ago.
const DEFAULT_STORAGE: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

const NETWORKING: &str = "networking.k8s.io";
/// The annotation by which Ingresses named their class before they had a field for it.
const OLD_INGRESS_CLASS: &str = "kubernetes.io/ingress.class";
/// What marks a class of Ingresses as the default one.
const DEFAULT_INGRESS: [&str; 1] = ["ingressclass.kubernetes.io/is-default-class"];

pub(super) struct DefaultStorageClass;

impl Admission for DefaultStorageClass {
    fn name(&self) -> &str {
        "DefaultStorageClass"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is("", CLAIMS)
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(claim) = new.downcast_mut::<PersistentVolumeClaim>() else { return Ok(()) };
            let named = claim.metadata.annotations.contains_key(OLD_CLASS);
            if !named && claim.spec.storage_class_name.is_none() {
                claim.spec.storage_class_name = default_class(request).await?;
            }
            Ok(())
        })
    }
}

/// The name of the default class: the newest of those that say so, and the first by name of equally new ones.
async fn default_class(request: &Attributes<'_>) -> Outcome<Option<String>> {
    // Claims are rare, and a class is often made just before them.
    let all = request.cluster.newest(("storage.k8s.io", "v1", "storageclasses"), "").await?;
    let classes = all.iter().filter_map(|class| class.downcast_ref::<StorageClass>());
    Ok(default_of(classes.map(|class| &class.metadata), &DEFAULT_STORAGE))
}

/// The name of the newest class that one of some annotations marks as the default one, and of equally new ones the
/// first. They come in the order of their names.
pub(super) fn default_of<'a>(
    classes: impl Iterator<Item = &'a ObjectMeta>,
    annotations: &[&str],
) -> Option<String> {
    let is_default = |class: &&ObjectMeta| {
        annotations.iter().any(|key| class.annotations.get(*key).is_some_and(|value| value == "true"))
    };
    let newest = classes.filter(is_default).reduce(|best, class| {
        let made = |class: &ObjectMeta| class.creation_timestamp.unix_seconds();
        if made(class) > made(best) { class } else { best }
    });
    newest.map(|class| class.name.clone())
}

pub(super) struct DefaultIngressClass;

impl Admission for DefaultIngressClass {
    fn name(&self) -> &str {
        "DefaultIngressClass"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && request.is(NETWORKING, "ingresses")
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let Some(ingress) = new.downcast_mut::<Ingress>() else { return Ok(()) };
            let named = ingress.metadata.annotations.contains_key(OLD_INGRESS_CLASS);
            if !named && ingress.spec.ingress_class_name.is_none() {
                let all = request.cluster.newest((NETWORKING, "v1", "ingressclasses"), "").await?;
                let classes = all.iter().filter_map(|class| class.downcast_ref::<IngressClass>());
                ingress.spec.ingress_class_name =
                    default_of(classes.map(|class| &class.metadata), &DEFAULT_INGRESS);
            }
            Ok(())
        })
    }
}
