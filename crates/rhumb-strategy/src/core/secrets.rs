//! Strategy of secrets.

use rhumb_api::core::v1::Secret;

use super::key_pair;
use crate::context::Context;
use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "Secret")
            .update(keep_type)
            .warn_create(warn)
            .warn_update(|new, _: &Secret| warn(new)),
    )?;
    Ok(())
}

/// Clients from before there were types don't send one.
fn keep_type(new: &mut Secret, old: &Secret, _: &Context) {
    if new.type_.is_empty() {
        new.type_.clone_from(&old.type_);
    }
}

fn warn(secret: &Secret) -> Vec<String> {
    if secret.type_ != "kubernetes.io/tls" {
        return Vec::new();
    }
    let bytes = |key: &str| secret.data.get(key).map_or(&[][..], |bytes| &bytes.0);
    key_pair::fault(bytes("tls.crt"), bytes("tls.key")).into_iter().collect()
}
