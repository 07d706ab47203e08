//! Conversion of a field that is registered in the Scheme only: `#[convert(with = rhumb_scheme::registered)]`.

use crate::convert::{ConvertError, Scope};

/// Converts a value to the hub by [`SchemeBuilder::value_conversion`](crate::SchemeBuilder::value_conversion).
///
/// # Errors
/// If no conversion is registered for the pair, or it fails.
pub fn to_hub<Own: 'static, Hub: 'static>(own: Own, scope: &Scope) -> Result<Hub, ConvertError> {
    scope.convert_value(own)
}

/// Converts a value from the hub by [`SchemeBuilder::value_conversion`](crate::SchemeBuilder::value_conversion).
///
/// # Errors
/// If no conversion is registered for the pair, or it fails.
pub fn from_hub<Own: 'static, Hub: 'static>(hub: Hub, scope: &Scope) -> Result<Own, ConvertError> {
    scope.convert_value(hub)
}
