//! The group `auditregistration.k8s.io`: where audit events go.

pub mod v1alpha1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{ConvertError, RegisterError, SchemeBuilder};

const GROUP: &str = "auditregistration.k8s.io";
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1ALPHA1, &HUB] {
        builder.register::<v1alpha1::AuditSink>(gv)?.register::<v1alpha1::AuditSinkList>(gv)?;
    }
    builder.defaults(webhook).defaults(service).hub_form(service_form);
    crate::meta::add_to_group_version(builder, &V1ALPHA1)?;
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

fn webhook(webhook: &mut v1alpha1::Webhook) {
    let throttle = webhook.throttle.get_or_insert_default();
    throttle.qps.get_or_insert(10);
    throttle.burst.get_or_insert(15);
}

fn service(service: &mut v1alpha1::ServiceReference) {
    service.port.get_or_insert(443);
}

/// The hub knows no absent port.
fn service_form(service: &mut v1alpha1::ServiceReference) -> Result<(), ConvertError> {
    service.port.get_or_insert(0);
    Ok(())
}
