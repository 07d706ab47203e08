//! Defaults of the group. Flow schemas, queues and exempt levels have the same ones in every version.

use rhumb_scheme::SchemeBuilder;

use super::v1::{
    ExemptPriorityLevelConfiguration, FlowSchemaSpec, LimitedPriorityLevelConfiguration, QueuingConfiguration,
};
use super::{shares, v1beta2, v1beta3};

/// The share of a level that asks for none.
const SHARES: i32 = 30;

/// Registers the functions.
pub(super) fn register(builder: &mut SchemeBuilder) {
    builder
        .defaults(flow_schema)
        .defaults(queuing)
        .defaults(exempt)
        .defaults(limited)
        .defaults(level_v1beta3)
        .defaults(limited_v1beta3)
        .defaults(limited_v1beta2);
}

fn flow_schema(spec: &mut FlowSchemaSpec) {
    fill(&mut spec.matching_precedence, 1000);
}

fn queuing(queuing: &mut QueuingConfiguration) {
    fill(&mut queuing.hand_size, 8);
    fill(&mut queuing.queues, 64);
    fill(&mut queuing.queue_length_limit, 50);
}

fn exempt(exempt: &mut ExemptPriorityLevelConfiguration) {
    exempt.nominal_concurrency_shares.get_or_insert(0);
    exempt.lendable_percent.get_or_insert(0);
}

fn limited(limited: &mut LimitedPriorityLevelConfiguration) {
    limited.nominal_concurrency_shares.get_or_insert(SHARES);
    limited.lendable_percent.get_or_insert(0);
}

/// Zero asks for the default, unless the annotation says that zero is meant. It takes the whole object to see that.
fn level_v1beta3(level: &mut v1beta3::PriorityLevelConfiguration) {
    if let Some(limited) = &mut level.spec.limited
        && !level.metadata.annotations.contains_key(shares::PRESERVE_ZERO)
    {
        fill(&mut limited.nominal_concurrency_shares, SHARES);
    }
}

fn limited_v1beta3(limited: &mut v1beta3::LimitedPriorityLevelConfiguration) {
    limited.lendable_percent.get_or_insert(0);
}

fn limited_v1beta2(limited: &mut v1beta2::LimitedPriorityLevelConfiguration) {
    fill(&mut limited.assured_concurrency_shares, SHARES);
    limited.lendable_percent.get_or_insert(0);
}

fn fill(field: &mut i32, default: i32) {
    if *field == 0 {
        *field = default;
    }
}
