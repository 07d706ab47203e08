//! Devices and claims to them: `resource.k8s.io`.

use super::{Group, Resource, Subresource};
use Subresource as Sub;

const ALL_BUT_ALPHA: &[&str] = &["v1", "v1beta2", "v1beta1"];

pub(super) const RESOURCE: Group = Group {
    name: "resource.k8s.io",
    versions: &["v1", "v1beta2", "v1beta1", "v1alpha3", "v1alpha2", "v1alpha1"],
    resources: &[
        Resource::cluster("deviceclasses", "DeviceClass").returning_deleted().versions(ALL_BUT_ALPHA),
        Resource::cluster("devicetaintrules", "DeviceTaintRule")
            .returning_deleted()
            .versions(&["v1beta2", "v1alpha3"])
            .stored_in("v1alpha3")
            .with(&[Sub::STATUS]),
        Resource::namespaced("resourceclaims", "ResourceClaim")
            .returning_deleted()
            .versions(ALL_BUT_ALPHA)
            .with(&[Sub::STATUS]),
        Resource::namespaced("resourceclaimtemplates", "ResourceClaimTemplate")
            .returning_deleted()
            .versions(ALL_BUT_ALPHA),
        Resource::cluster("resourcepoolstatusrequests", "ResourcePoolStatusRequest")
            .returning_deleted()
            .versions(&["v1alpha3"])
            .with(&[Sub::STATUS]),
        Resource::cluster("resourceslices", "ResourceSlice")
            .returning_deleted()
            .versions(ALL_BUT_ALPHA)
            .fields(&["spec.driver", "spec.nodeName"]),
    ],
};
