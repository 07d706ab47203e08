//! PersistentVolumeClaimResize lets only those claims grow whose class can do that; StorageObjectInUseProtection keeps
//! volumes, claims and their classes until nobody uses them.

use crate::registry::finalizers::{CLAIM_FINALIZER, CLASS_FINALIZER, VOLUME_FINALIZER};
use rhumb_api::core::v1::PersistentVolumeClaim;
use rhumb_api::storage::v1::StorageClass;
use rhumb_meta::Object;

use super::{Admission, Attributes, Deciding, Operation};
use crate::base::failure::Outcome;

pub(super) const CLAIMS: &str = "persistentvolumeclaims";
/// The annotation by which claims named their class before they had a field for it.
pub(super) const OLD_CLASS: &str = "volume.beta.kubernetes.io/storage-class";
pub(super) struct PersistentVolumeClaimResize;

impl Admission for PersistentVolumeClaimResize {
    fn name(&self) -> &str {
        "PersistentVolumeClaimResize"
    }

    fn concerns(&self, request: &Attributes<'_>) -> bool {
        request.operation == Operation::Update && request.is("", CLAIMS) && request.subresource.is_empty()
    }

    fn validate<'a>(
        &'a self,
        request: &'a Attributes<'_>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Deciding<'a> {
        Box::pin(async move {
            let claim = |object: Option<&'a dyn Object>| object?.downcast_ref::<PersistentVolumeClaim>();
            let (Some(before), Some(claim)) = (claim(old), claim(new)) else { return Ok(()) };
            let size = |claim: &PersistentVolumeClaim| {
                claim.spec.resources.requests.get("storage").cloned().unwrap_or_default()
            };
            if size(claim) <= size(before) {
                return Ok(());
            }
            if before.status.phase != "Bound" {
                return Err(request.forbidden(new, "Only bound persistent volume claims can be expanded"));
            }
            if !can_grow(request, claim).await? {
                let why = "only dynamically provisioned pvc can be resized and the storageclass that provisions \
                           the pvc must support resize";
                return Err(request.forbidden(new, why));
            }
            Ok(())
        })
    }
}

/// Whether the class of a claim lets it grow.
async fn can_grow(request: &Attributes<'_>, claim: &PersistentVolumeClaim) -> Outcome<bool> {
    let named = claim.metadata.annotations.get(OLD_CLASS).or(claim.spec.storage_class_name.as_ref());
    let Some(name) = named.filter(|name| !name.is_empty()) else { return Ok(false) };
    let found = request.cluster.get(("storage.k8s.io", "v1", "storageclasses"), "", name).await?;
    let class = found.as_ref().and_then(|found| found.downcast_ref::<StorageClass>());
    Ok(class.is_some_and(|class| class.allow_volume_expansion == Some(true)))
}

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
