//! Validation of the `flowcontrol.apiserver.k8s.io` group.

mod flow_schema;
mod mandatory;
mod policy_rules;
mod priority_level;

use rhumb_scheme::{RegisterError, SchemeBuilder};

/// The name that both the schema and the level have whose requests nothing holds up.
const EXEMPT: &str = "exempt";
/// The name that both the schema and the level have which take what no others do.
const CATCH_ALL: &str = "catch-all";

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    flow_schema::register(builder)?;
    priority_level::register(builder)
}
