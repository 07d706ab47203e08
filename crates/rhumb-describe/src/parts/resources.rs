//! Resource lists.

use std::collections::BTreeMap;

use rhumb_api::core::v1::ResourceRequirements;
use rhumb_meta::Quantity;

use crate::Lines;

/// Writes the limits and requests of a container or pod.
pub(crate) fn requirements(out: &mut Lines, level: usize, requirements: &ResourceRequirements) {
    for (title, list) in [("Limits", &requirements.limits), ("Requests", &requirements.requests)] {
        if !list.is_empty() {
            out.line(level, format_args!("{title}:"));
        }
        resource_list(out, level.saturating_add(1), list);
    }
}

/// Amounts, one per line.
pub(crate) fn resource_list(out: &mut Lines, level: usize, list: &BTreeMap<String, Quantity>) {
    for (name, quantity) in list {
        out.field(level, name, quantity);
    }
}

/// Returns an amount out of a list; zero if it isn't there.
pub(crate) fn quantity_in(list: &BTreeMap<String, Quantity>, name: &str) -> Quantity {
    list.get(name).cloned().unwrap_or_default()
}
