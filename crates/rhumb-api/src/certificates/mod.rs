//! The group `certificates.k8s.io`: requests for certificates and bundles of trusted ones.

mod defaults;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;
pub mod x509;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "certificates.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's for signing requests, those of v1beta1 for what v1 doesn't have.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::CertificateSigningRequest>(gv)?
            .register::<v1::CertificateSigningRequestList>(gv)?;
    }
    for gv in [&V1BETA1, &HUB] {
        builder
            .register::<v1beta1::ClusterTrustBundle>(gv)?
            .register::<v1beta1::ClusterTrustBundleList>(gv)?
            .register::<v1beta1::PodCertificateRequest>(gv)?
            .register::<v1beta1::PodCertificateRequestList>(gv)?;
    }
    builder
        .register::<v1beta1::CertificateSigningRequest>(&V1BETA1)?
        .register::<v1beta1::CertificateSigningRequestList>(&V1BETA1)?
        .register::<v1alpha1::ClusterTrustBundle>(&V1ALPHA1)?
        .register::<v1alpha1::ClusterTrustBundleList>(&V1ALPHA1)?
        .register::<v1alpha1::PodCertificateRequest>(&V1ALPHA1)?
        .register::<v1alpha1::PodCertificateRequestList>(&V1ALPHA1)?;
    builder
        .hub_conversion::<v1beta1::CertificateSigningRequest, v1::CertificateSigningRequest>()
        .hub_conversion::<v1beta1::CertificateSigningRequestList, v1::CertificateSigningRequestList>()
        .hub_conversion::<v1alpha1::PodCertificateRequest, v1beta1::PodCertificateRequest>()
        .hub_conversion::<v1alpha1::PodCertificateRequestList, v1beta1::PodCertificateRequestList>();
    defaults::register(builder);
    builder
        .field_labels(&V1.with_kind("CertificateSigningRequest"), signer_label)
        .field_labels(&V1BETA1.with_kind("CertificateSigningRequest"), signer_label)
        .field_labels(&V1BETA1.with_kind("ClusterTrustBundle"), signer_label)
        .field_labels(&V1ALPHA1.with_kind("ClusterTrustBundle"), signer_label)
        .field_labels(&V1BETA1.with_kind("PodCertificateRequest"), pod_label)
        .field_labels(&V1ALPHA1.with_kind("PodCertificateRequest"), pod_label);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// What requests and bundles can be selected by.
fn signer_label(label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        "metadata.name" | "spec.signerName" => Ok((label.to_owned(), value.to_owned())),
        _ => Err(format!("field label not supported: {label}")),
    }
}

/// What requests for pods can be selected by.
fn pod_label(label: &str, value: &str) -> Result<(String, String), String> {
    match label {
        "spec.podName" | "spec.nodeName" => Ok((label.to_owned(), value.to_owned())),
        _ => signer_label(label, value),
    }
}
