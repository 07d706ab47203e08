//! The group `scheduling.k8s.io`: the priority of pods and how they are scheduled together.

pub mod v1;
pub mod v1alpha1;
pub mod v1alpha2;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "scheduling.k8s.io";
const V1: GroupVersion = GroupVersion::new_static(GROUP, "v1");
const V1BETA1: GroupVersion = GroupVersion::new_static(GROUP, "v1beta1");
const V1ALPHA2: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha2");
const V1ALPHA1: GroupVersion = GroupVersion::new_static(GROUP, "v1alpha1");
const HUB: GroupVersion = GroupVersion::new_static(GROUP, INTERNAL);

/// Registers the group. The types of v1 and, for what only it has, of v1alpha2 are the hub's.
///
/// # Errors
/// If a kind has another type already.
pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    for gv in [&V1, &HUB] {
        builder.register::<v1::PriorityClass>(gv)?.register::<v1::PriorityClassList>(gv)?;
    }
    builder.register::<v1beta1::PriorityClass>(&V1BETA1)?.register::<v1beta1::PriorityClassList>(&V1BETA1)?;
    builder
        .register::<v1alpha1::PriorityClass>(&V1ALPHA1)?
        .register::<v1alpha1::PriorityClassList>(&V1ALPHA1)?
        .register::<v1alpha1::Workload>(&V1ALPHA1)?
        .register::<v1alpha1::WorkloadList>(&V1ALPHA1)?;
    for gv in [&V1ALPHA2, &HUB] {
        builder
            .register::<v1alpha2::PodGroup>(gv)?
            .register::<v1alpha2::PodGroupList>(gv)?
            .register::<v1alpha2::Workload>(gv)?
            .register::<v1alpha2::WorkloadList>(gv)?;
    }
    builder
        .hub_conversion::<v1alpha1::PriorityClass, v1::PriorityClass>()
        .hub_conversion::<v1alpha1::PriorityClassList, v1::PriorityClassList>()
        .hub_conversion::<v1alpha1::Workload, v1alpha2::Workload>()
        .hub_conversion::<v1alpha1::WorkloadList, v1alpha2::WorkloadList>();
    builder
        .defaults(|class: &mut v1::PriorityClass| preempt_by_default(&mut class.preemption_policy))
        .defaults(|class: &mut v1alpha1::PriorityClass| preempt_by_default(&mut class.preemption_policy));
    for gv in [&V1, &V1BETA1, &V1ALPHA2, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}

/// Pods push others aside unless their class says that they don't.
fn preempt_by_default(policy: &mut Option<String>) {
    policy.get_or_insert_with(|| "PreemptLowerPriority".to_owned());
}
