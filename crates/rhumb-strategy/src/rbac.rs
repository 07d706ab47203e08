//! Strategies of `rbac.authorization.k8s.io`. Escalation checks are done elsewhere.

use rhumb_api::rbac::v1::{ClusterRole, ClusterRoleBinding, Role, RoleBinding};

use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

const GROUP: &str = "rbac.authorization.k8s.io";

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(Strategy::<Role>::new(GROUP, "Role").create_on_update())?
        .add(Strategy::<RoleBinding>::new(GROUP, "RoleBinding").create_on_update())?
        .add(Strategy::<ClusterRole>::new(GROUP, "ClusterRole").create_on_update())?
        .add(Strategy::<ClusterRoleBinding>::new(GROUP, "ClusterRoleBinding").create_on_update())?;
    Ok(())
}
