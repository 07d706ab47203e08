//! Strategies of `node.k8s.io`.

use rhumb_api::node::v1::RuntimeClass;

use crate::error::RegisterError;
use crate::node_labels::deprecated;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("node.k8s.io", "RuntimeClass")
            .create_on_update()
            .conditional_update()
            .warn_create(warn)
            .warn_update(|new, _: &RuntimeClass| warn(new)),
    )?;
    Ok(())
}

fn warn(class: &RuntimeClass) -> Vec<String> {
    let labels = class.scheduling.iter().flat_map(|scheduling| scheduling.node_selector.keys());
    let messages = labels.filter_map(|label| deprecated(label));
    messages.map(|message| format!("scheduling.nodeSelector: {message}")).collect()
}
