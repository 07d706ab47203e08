//! Strategy of service accounts, whose secret references keep only their names.

use rhumb_api::core::v1::{ObjectReference, ServiceAccount};

use crate::context::Context;
use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

const MOUNTABLE_SECRETS: &str = "kubernetes.io/enforce-mountable-secrets";

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "ServiceAccount")
            .create(|account: &mut ServiceAccount, _: &Context| only_names(account))
            .update(|new, _, _| only_names(new))
            .warn_create(|account| warn(account, None))
            .warn_update(|new, old| warn(new, Some(old))),
    )?;
    Ok(())
}

fn only_names(account: &mut ServiceAccount) {
    for secret in &mut account.secrets {
        *secret = ObjectReference { name: std::mem::take(&mut secret.name), ..ObjectReference::default() };
    }
}

fn warn(new: &ServiceAccount, old: Option<&ServiceAccount>) -> Vec<String> {
    let enforces = |account: &ServiceAccount| account.metadata.annotations.contains_key(MOUNTABLE_SECRETS);
    if old.is_some_and(enforces) || !enforces(new) {
        return Vec::new();
    }
    let advice = "prefer separate namespaces to isolate access to mounted secrets";
    vec![format!("metadata.annotations[{MOUNTABLE_SECRETS}]: deprecated in v1.32+; {advice}")]
}
