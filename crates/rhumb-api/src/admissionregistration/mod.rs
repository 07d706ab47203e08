//! The group `admissionregistration.k8s.io`: which webhooks and policies see a request before it is stored.

mod defaults;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{ConvertError, RegisterError, SchemeBuilder};

const GROUP: &str = "admissionregistration.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder
            .register::<v1::MutatingAdmissionPolicy>(gv)?
            .register::<v1::MutatingAdmissionPolicyBinding>(gv)?
            .register::<v1::MutatingAdmissionPolicyBindingList>(gv)?
            .register::<v1::MutatingAdmissionPolicyList>(gv)?
            .register::<v1::MutatingWebhookConfiguration>(gv)?
            .register::<v1::MutatingWebhookConfigurationList>(gv)?
            .register::<v1::ValidatingAdmissionPolicy>(gv)?
            .register::<v1::ValidatingAdmissionPolicyBinding>(gv)?
            .register::<v1::ValidatingAdmissionPolicyBindingList>(gv)?
            .register::<v1::ValidatingAdmissionPolicyList>(gv)?
            .register::<v1::ValidatingWebhookConfiguration>(gv)?
            .register::<v1::ValidatingWebhookConfigurationList>(gv)?;
    }
    builder
        .register::<v1beta1::MutatingAdmissionPolicy>(&V1BETA1)?
        .register::<v1beta1::MutatingAdmissionPolicyBinding>(&V1BETA1)?
        .register::<v1beta1::MutatingAdmissionPolicyBindingList>(&V1BETA1)?
        .register::<v1beta1::MutatingAdmissionPolicyList>(&V1BETA1)?
        .register::<v1beta1::MutatingWebhookConfiguration>(&V1BETA1)?
        .register::<v1beta1::MutatingWebhookConfigurationList>(&V1BETA1)?
        .register::<v1beta1::ValidatingAdmissionPolicy>(&V1BETA1)?
        .register::<v1beta1::ValidatingAdmissionPolicyBinding>(&V1BETA1)?
        .register::<v1beta1::ValidatingAdmissionPolicyBindingList>(&V1BETA1)?
        .register::<v1beta1::ValidatingAdmissionPolicyList>(&V1BETA1)?
        .register::<v1beta1::ValidatingWebhookConfiguration>(&V1BETA1)?
        .register::<v1beta1::ValidatingWebhookConfigurationList>(&V1BETA1)?;
    builder
        .hub_conversion::<v1beta1::MutatingAdmissionPolicy, v1::MutatingAdmissionPolicy>()
        .hub_conversion::<v1beta1::MutatingAdmissionPolicyBinding, v1::MutatingAdmissionPolicyBinding>()
        .hub_conversion::<v1beta1::MutatingAdmissionPolicyBindingList, v1::MutatingAdmissionPolicyBindingList>()
        .hub_conversion::<v1beta1::MutatingAdmissionPolicyList, v1::MutatingAdmissionPolicyList>()
        .hub_conversion::<v1beta1::MutatingWebhookConfiguration, v1::MutatingWebhookConfiguration>()
        .hub_conversion::<v1beta1::MutatingWebhookConfigurationList, v1::MutatingWebhookConfigurationList>()
        .hub_conversion::<v1beta1::ValidatingAdmissionPolicy, v1::ValidatingAdmissionPolicy>()
        .hub_conversion::<v1beta1::ValidatingAdmissionPolicyBinding, v1::ValidatingAdmissionPolicyBinding>()
        .hub_conversion::<v1beta1::ValidatingAdmissionPolicyBindingList, v1::ValidatingAdmissionPolicyBindingList>()
        .hub_conversion::<v1beta1::ValidatingAdmissionPolicyList, v1::ValidatingAdmissionPolicyList>()
        .hub_conversion::<v1beta1::ValidatingWebhookConfiguration, v1::ValidatingWebhookConfiguration>()
        .hub_conversion::<v1beta1::ValidatingWebhookConfigurationList, v1::ValidatingWebhookConfigurationList>();
    builder
        .register::<v1alpha1::MutatingAdmissionPolicy>(&V1ALPHA1)?
        .register::<v1alpha1::MutatingAdmissionPolicyBinding>(&V1ALPHA1)?
        .register::<v1alpha1::MutatingAdmissionPolicyBindingList>(&V1ALPHA1)?
        .register::<v1alpha1::MutatingAdmissionPolicyList>(&V1ALPHA1)?
        .register::<v1alpha1::ValidatingAdmissionPolicy>(&V1ALPHA1)?
        .register::<v1alpha1::ValidatingAdmissionPolicyBinding>(&V1ALPHA1)?
        .register::<v1alpha1::ValidatingAdmissionPolicyBindingList>(&V1ALPHA1)?
        .register::<v1alpha1::ValidatingAdmissionPolicyList>(&V1ALPHA1)?;
    builder
        .hub_conversion::<v1alpha1::MutatingAdmissionPolicy, v1::MutatingAdmissionPolicy>()
        .hub_conversion::<v1alpha1::MutatingAdmissionPolicyBinding, v1::MutatingAdmissionPolicyBinding>()
        .hub_conversion::<v1alpha1::MutatingAdmissionPolicyBindingList, v1::MutatingAdmissionPolicyBindingList>()
        .hub_conversion::<v1alpha1::MutatingAdmissionPolicyList, v1::MutatingAdmissionPolicyList>()
        .hub_conversion::<v1alpha1::ValidatingAdmissionPolicy, v1::ValidatingAdmissionPolicy>()
        .hub_conversion::<v1alpha1::ValidatingAdmissionPolicyBinding, v1::ValidatingAdmissionPolicyBinding>()
        .hub_conversion::<v1alpha1::ValidatingAdmissionPolicyBindingList, v1::ValidatingAdmissionPolicyBindingList>()
        .hub_conversion::<v1alpha1::ValidatingAdmissionPolicyList, v1::ValidatingAdmissionPolicyList>();
    defaults::register(builder);
    builder.hub_form(service_form);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// The hub knows no absent port.
fn service_form(service: &mut v1::ServiceReference) -> Result<(), ConvertError> {
    service.port.get_or_insert(0);
    Ok(())
}
