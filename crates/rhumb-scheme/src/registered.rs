//! Conversion of a field that is registered in the Scheme only: `#[convert(with = rhumb_scheme::registered)]`.

use crate::convert::{ConvertError, Scope};

/// Returns the hub's form of a value, by [`SchemeBuilder::value_conversion`](crate::SchemeBuilder::value_conversion).
///
/// # Errors
/// If no conversion is registered for the pair, or it fails.
pub fn to_hub<Own: 'static, Hub: 'static>(own: Own, scope: &Scope) -> Result<Hub, ConvertError> {
    scope.convert_value(own)
}

/// Returns the value of the hub's form, by [`SchemeBuilder::value_conversion`](crate::SchemeBuilder::value_conversion).
///
/// # Errors
/// If no conversion is registered for the pair, or it fails.
pub fn from_hub<Own: 'static, Hub: 'static>(hub: Hub, scope: &Scope) -> Result<Own, ConvertError> {
    scope.convert_value(hub)
}
