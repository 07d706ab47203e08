//! Defaults of the group.

use rhumb_scheme::SchemeBuilder;

use super::v1::{IngressClassParametersReference, NetworkPolicy, NetworkPolicyPort};
use super::v1beta1;

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder.defaults(policy).defaults(port).defaults(parameters).defaults(path_v1beta1);
}

fn policy(policy: &mut NetworkPolicy) {
    let spec = &mut policy.spec;
    fill_policy_types(&mut spec.policy_types, !spec.egress.is_empty());
}

/// A policy is about what comes in, and about what goes out if it has rules for that.
pub(crate) fn fill_policy_types(types: &mut Vec<String>, has_egress: bool) {
    if types.is_empty() {
        types.push("Ingress".to_owned());
        if has_egress {
            types.push("Egress".to_owned());
        }
    }
}

fn port(port: &mut NetworkPolicyPort) {
    port.protocol.get_or_insert_with(|| "TCP".to_owned());
}

fn parameters(parameters: &mut IngressClassParametersReference) {
    parameters.scope.get_or_insert_with(|| "Cluster".to_owned());
}

/// Since v1 the type must be said.
fn path_v1beta1(path: &mut v1beta1::HTTPIngressPath) {
    path.path_type.get_or_insert_with(|| "ImplementationSpecific".to_owned());
}
