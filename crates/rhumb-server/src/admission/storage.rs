//! DefaultStorageClass gives claims without a class the default one; StorageObjectInUseProtection keeps volumes,
//! claims and their classes until nobody uses them.

use rhumb_api::core::v1::PersistentVolumeClaim;
use rhumb_api::storage::v1::StorageClass;
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding, Operation};
use crate::failure::Outcome;

const CLAIMS: &str = "persistentvolumeclaims";
/// The annotation by which claims named their class before they had a field for it.
const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
/// What marks a class as the default one, now and long ago.
const DEFAULT: [&str; 2] =
    ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];

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
    let is_default = |class: &&StorageClass| {
        DEFAULT.iter().any(|key| class.metadata.annotations.get(*key).is_some_and(|value| value == "true"))
    };
    // They come in the order of their names, and the first of equal ones is kept.
    let newest = classes.filter(is_default).reduce(|best, class| {
        let made = |class: &StorageClass| class.metadata.creation_timestamp.unix_seconds();
        if made(class) > made(best) { class } else { best }
    });
    Ok(newest.map(|class| class.metadata.name.clone()))
}

/// What keeps a claim that is used.
pub(crate) const CLAIM_FINALIZER: &str = "kubernetes.io/pvc-protection";
/// What keeps a volume that is used.
pub(crate) const VOLUME_FINALIZER: &str = "kubernetes.io/pv-protection";
/// What keeps a class of volume attributes that is used.
pub(crate) const CLASS_FINALIZER: &str = "kubernetes.io/vac-protection";

pub(super) struct StorageObjectInUseProtection;

/// The finalizer that objects of a resource get.
fn finalizer(request: &Attributes<'_>) -> Option<&'static str> {
    if request.is("", "persistentvolumes") {
        return Some(VOLUME_FINALIZER);
    }
    if request.is("", CLAIMS) {
        return Some(CLAIM_FINALIZER);
    }
    request.is("storage.k8s.io", "volumeattributesclasses").then_some(CLASS_FINALIZER)
}

impl Admission for StorageObjectInUseProtection {
    fn name(&self) -> &str {
        "StorageObjectInUseProtection"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Create && finalizer(request).is_some()
    }

    fn mutate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        _: Option<&'a dyn Object>,
        new: &'a mut dyn Object,
    ) -> Deciding<'a> {
        if let Some(finalizer) = finalizer(request) {
            new.edit_metadata(&mut |meta| {
                if !meta.finalizers.iter().any(|known| known == finalizer) {
                    meta.finalizers.push(finalizer.to_owned());
                }
            });
        }
        Box::pin(std::future::ready(Ok(())))
    }
}
