//! Strategies of the core group.

pub(crate) mod binding;
pub(crate) mod claims;
mod controllers;
mod endpoints;
mod key_pair;
mod namespaces;
mod nodes;
mod pods;
mod quotas;
mod secrets;
mod service_accounts;
mod service_types;
mod services;
mod volumes;

use rhumb_api::core::v1::{ConfigMap, Event};

use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

/// Versions of the group.
const V1: &[&str] = &["v1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(Strategy::<ConfigMap>::new("", "ConfigMap"))?.add(
        Strategy::<Event>::new("", "Event").also_in("events.k8s.io").create_on_update().never_an_owner(),
    )?;
    claims::register(builder)?;
    controllers::register(builder)?;
    endpoints::register(builder)?;
    namespaces::register(builder)?;
    nodes::register(builder)?;
    pods::register(builder)?;
    quotas::register(builder)?;
    secrets::register(builder)?;
    service_accounts::register(builder)?;
    services::register(builder)?;
    volumes::register(builder)
}
