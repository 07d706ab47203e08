//! The group `policy`: how far pods may be disrupted and what they may ask for.

pub mod v1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "policy";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's; the PodSecurityPolicy never came that far and is its own hub.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::Eviction>(gv)?
            .register::<v1::PodDisruptionBudget>(gv)?
            .register::<v1::PodDisruptionBudgetList>(gv)?;
    }
    builder
        .register::<v1beta1::Eviction>(&V1BETA1)?
        .register::<v1beta1::PodDisruptionBudget>(&V1BETA1)?
        .register::<v1beta1::PodDisruptionBudgetList>(&V1BETA1)?;
    for gv in [&V1BETA1, &HUB] {
        builder.register::<v1beta1::PodSecurityPolicy>(gv)?.register::<v1beta1::PodSecurityPolicyList>(gv)?;
    }
    builder
        .hub_conversion::<v1beta1::PodDisruptionBudget, v1::PodDisruptionBudget>()
        .hub_conversion::<v1beta1::PodDisruptionBudgetList, v1::PodDisruptionBudgetList>()
        .hub_form(v1beta1::hub_form)
        .defaults(pod_security_policy);
    for gv in [&V1, &V1BETA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// Policies from before the field existed stay as permissive as they were.
fn pod_security_policy(spec: &mut v1beta1::PodSecurityPolicySpec) {
    spec.allow_privilege_escalation.get_or_insert(true);
}
