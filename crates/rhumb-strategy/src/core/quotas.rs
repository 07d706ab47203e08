//! Strategies of resource quotas and limit ranges.

use rhumb_api::core::v1::{LimitRange, ResourceQuota, ResourceQuotaSpec, ResourceQuotaStatus};

use super::V1;
use crate::context::Context;
use crate::error::RegisterError;
use crate::parts::{fresh, has_status, keep_spec, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC, STATUS};
use crate::strategy::{Part, Strategy};

has_status!(ResourceQuota: ResourceQuotaSpec, ResourceQuotaStatus);

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new("", "ResourceQuota")
                .create(fresh)
                .update(keep_status)
                .warn_create(warn)
                .resets(V1, STATUS)
                .on("status", Part::new(keep_spec).resets(V1, SPEC)),
        )?
        .add(Strategy::new("", "LimitRange").create_on_update().create(name_range))?;
    Ok(())
}

/// Generates the name of a range without one, from the object's UID.
fn name_range(range: &mut LimitRange, _: &Context) {
    if range.metadata.name.is_empty() {
        range.metadata.name.clone_from(&range.metadata.uid);
    }
}

/// Warns of more than can ever be asked for, because the limits are lower.
fn warn(quota: &ResourceQuota) -> Vec<String> {
    let hard = &quota.spec.hard;
    let mut warnings = Vec::new();
    for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
        let long_name = format!("requests.{resource}");
        let short = matches!(resource, "cpu" | "memory").then(|| hard.get_key_value(resource)).flatten();
        let request = hard.get_key_value(&long_name).or(short);
        let limit = hard.get_key_value(&format!("limits.{resource}"));
        if let (Some((asked, request)), Some((bound, limit))) = (request, limit)
            && request > limit
        {
            warnings.push(format!("ResourceQuota {asked} ({request}) should be less than {bound} ({limit})"));
        }
    }
    warnings
}
