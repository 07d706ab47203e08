//! Defaults of the group. In v1 nothing has one; in v1beta1 the signer is told from the request itself.

use rhumb_scheme::SchemeBuilder;

use super::v1beta1::{CertificateSigningRequestCondition, CertificateSigningRequestSpec};
use super::x509::Pkcs10;

/// Signs what kubelets show to the API server.
const KUBELET_CLIENT: &str = "kubernetes.io/kube-apiserver-client-kubelet";
/// Signs what kubelets show to their clients.
const KUBELET_SERVING: &str = "kubernetes.io/kubelet-serving";
/// Of requests that no signer was named for, and that tell none.
const LEGACY_UNKNOWN: &str = "kubernetes.io/legacy-unknown";

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(signing_request).defaults(condition);
}

fn signing_request(spec: &mut CertificateSigningRequestSpec) {
    if spec.usages.is_empty() {
        spec.usages = vec!["digital signature".to_owned(), "key encipherment".to_owned()];
    }
    if spec.signer_name.is_none() {
        spec.signer_name = Some(signer(spec).to_owned());
    }
}

fn condition(condition: &mut CertificateSigningRequestCondition) {
    if condition.status.is_empty() {
        "True".clone_into(&mut condition.status);
    }
}

fn signer(spec: &CertificateSigningRequestSpec) -> &'static str {
    match Pkcs10::from_pem(&spec.request.0) {
        Ok(request)
            if is_kubelet(&request, &spec.usages, "client auth") && !request.has_alternative_names() =>
        {
            KUBELET_CLIENT
        }
        Ok(request)
            if is_kubelet(&request, &spec.usages, "server auth")
                && (request.dns_names > 0 || request.ip_addresses > 0)
                && request.email_addresses == 0
                && request.uris == 0 =>
        {
            KUBELET_SERVING
        }
        _ => LEGACY_UNKNOWN,
    }
}

/// Whether a request is a node's, with the usages of one that wants a certificate for `purpose`.
fn is_kubelet(request: &Pkcs10, usages: &[String], purpose: &str) -> bool {
    let allowed = ["digital signature", "key encipherment", purpose];
    let has = |usage: &str| usages.iter().any(|given| given == usage);
    request.organizations == ["system:nodes"]
        && request.common_name.starts_with("system:node:")
        && usages.iter().all(|usage| allowed.contains(&usage.as_str()))
        // Keys that can't encipher come without that usage.
        && has("digital signature")
        && has(purpose)
}
