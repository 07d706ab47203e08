//! A level's share of the server: it may be absent in v1, where that means 30, and must be there in older versions,
//! where zero means the same.

use rhumb_scheme::{ConvertError, Scope};

use super::v1::LimitedPriorityLevelConfiguration;

/// The annotation that says of an object in v1beta3 that its share is zero because someone wants it so.
pub(super) const PRESERVE_ZERO: &str = "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares";

pub(super) fn to_hub(shares: i32, _scope: &Scope) -> Result<Option<i32>, ConvertError> {
    Ok(Some(shares))
}

pub(super) fn from_hub(shares: Option<i32>, _scope: &Scope) -> Result<i32, ConvertError> {
    Ok(shares.unwrap_or_default())
}

/// The hub knows no absent share.
pub(super) fn hub_form(limited: &mut LimitedPriorityLevelConfiguration) -> Result<(), ConvertError> {
    limited.nominal_concurrency_shares.get_or_insert(0);
    Ok(())
}
