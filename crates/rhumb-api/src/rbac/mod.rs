//! The group `rbac.authorization.k8s.io`: roles and who has them.

mod defaults;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;

use rhumb_meta::{GroupVersion, INTERNAL};
use rhumb_scheme::{RegisterError, SchemeBuilder};

const GROUP: &str = "rbac.authorization.k8s.io";
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
            .register::<v1::ClusterRole>(gv)?
            .register::<v1::ClusterRoleBinding>(gv)?
            .register::<v1::ClusterRoleBindingList>(gv)?
            .register::<v1::ClusterRoleList>(gv)?
            .register::<v1::Role>(gv)?
            .register::<v1::RoleBinding>(gv)?
            .register::<v1::RoleBindingList>(gv)?
            .register::<v1::RoleList>(gv)?;
    }
    builder
        .register::<v1beta1::ClusterRole>(&V1BETA1)?
        .register::<v1beta1::ClusterRoleBinding>(&V1BETA1)?
        .register::<v1beta1::ClusterRoleBindingList>(&V1BETA1)?
        .register::<v1beta1::ClusterRoleList>(&V1BETA1)?
        .register::<v1beta1::Role>(&V1BETA1)?
        .register::<v1beta1::RoleBinding>(&V1BETA1)?
        .register::<v1beta1::RoleBindingList>(&V1BETA1)?
        .register::<v1beta1::RoleList>(&V1BETA1)?;
    builder
        .hub_conversion::<v1beta1::ClusterRoleBinding, v1::ClusterRoleBinding>()
        .hub_conversion::<v1beta1::ClusterRoleBindingList, v1::ClusterRoleBindingList>()
        .hub_conversion::<v1beta1::RoleBinding, v1::RoleBinding>()
        .hub_conversion::<v1beta1::RoleBindingList, v1::RoleBindingList>();
    builder
        .register::<v1alpha1::ClusterRole>(&V1ALPHA1)?
        .register::<v1alpha1::ClusterRoleBinding>(&V1ALPHA1)?
        .register::<v1alpha1::ClusterRoleBindingList>(&V1ALPHA1)?
        .register::<v1alpha1::ClusterRoleList>(&V1ALPHA1)?
        .register::<v1alpha1::Role>(&V1ALPHA1)?
        .register::<v1alpha1::RoleBinding>(&V1ALPHA1)?
        .register::<v1alpha1::RoleBindingList>(&V1ALPHA1)?
        .register::<v1alpha1::RoleList>(&V1ALPHA1)?;
    builder
        .hub_conversion::<v1alpha1::ClusterRole, v1::ClusterRole>()
        .hub_conversion::<v1alpha1::ClusterRoleBinding, v1::ClusterRoleBinding>()
        .hub_conversion::<v1alpha1::ClusterRoleBindingList, v1::ClusterRoleBindingList>()
        .hub_conversion::<v1alpha1::ClusterRoleList, v1::ClusterRoleList>()
        .hub_conversion::<v1alpha1::Role, v1::Role>()
        .hub_conversion::<v1alpha1::RoleBinding, v1::RoleBinding>()
        .hub_conversion::<v1alpha1::RoleBindingList, v1::RoleBindingList>()
        .hub_conversion::<v1alpha1::RoleList, v1::RoleList>();
    defaults::register(builder);
    for gv in [&V1, &V1BETA1, &V1ALPHA1] {
        crate::meta::add_to_group_version(builder, gv)?;
    }
    builder.version_priority(GROUP, crate::resources::versions_of(GROUP))?;
    Ok(())
}
