//! Strategies of `storage.k8s.io`.

use rhumb_api::storage::v1::{
    CSIDriver, CSIDriverSpec, CSINode, CSIStorageCapacity, StorageClass, VolumeAttachment,
    VolumeAttachmentSpec, VolumeAttachmentStatus, VolumeAttributesClass,
};
use rhumb_scheme::validation::FieldPath;

use crate::context::Context;
use crate::error::RegisterError;
use crate::facts::Generation;
use crate::node_labels::{deprecated, warn_selector};
use crate::parts::{count, fresh, has_spec, has_status, keep_spec_and_metadata, keep_status};
use crate::registry::StrategiesBuilder;
use crate::reset::{SPEC_AND_METADATA, STATUS};
use crate::strategy::{Part, Strategy};

has_spec!(CSIDriver: CSIDriverSpec);
has_status!(VolumeAttachment: VolumeAttachmentSpec, VolumeAttachmentStatus);

const GROUP: &str = "storage.k8s.io";
const VERSIONS: &[&str] = &["storage.k8s.io/v1"];

/// Registers the strategies of the group's kinds.
///
/// # Errors
/// If a kind has one already.
pub(crate) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder
        .add(
            Strategy::new(GROUP, "CSIDriver")
                .conditional_update()
                .generation(Generation::FromFirstChange)
                .create(|driver: &mut CSIDriver, _: &Context| {
                    driver.spec.prevent_pod_scheduling_if_missing = None;
                })
                .update(update_driver)
                .warn_create(warn_driver)
                .warn_update(|new, old| {
                    let changed = new.spec.token_requests != old.spec.token_requests;
                    if changed { warn_driver(new) } else { Vec::new() }
                }),
        )?
        .add(Strategy::<CSINode>::new(GROUP, "CSINode").conditional_update())?
        .add(
            Strategy::new(GROUP, "CSIStorageCapacity")
                .conditional_update()
                .warn_create(warn_capacity)
                .warn_update(|new, _| warn_capacity(new)),
        )?
        .add(
            Strategy::new(GROUP, "StorageClass")
                .warn_create(warn_class)
                .warn_update(|new, _| warn_class(new)),
        )?
        .add(
            Strategy::<VolumeAttachment>::new(GROUP, "VolumeAttachment")
                .conditional_update()
                .create(fresh)
                .update(keep_status)
                .resets(VERSIONS, STATUS)
                .on("status", Part::new(keep_spec_and_metadata).resets(VERSIONS, SPEC_AND_METADATA)),
        )?
        .add(Strategy::<VolumeAttributesClass>::new(GROUP, "VolumeAttributesClass"))?;
    Ok(())
}

fn update_driver(new: &mut CSIDriver, old: &CSIDriver, context: &Context) {
    if old.spec.prevent_pod_scheduling_if_missing.is_none() {
        new.spec.prevent_pod_scheduling_if_missing = None;
    }
    count(new, old, context);
}

fn warn_driver(driver: &CSIDriver) -> Vec<String> {
    let spec = &driver.spec;
    let warns = !spec.token_requests.is_empty() && spec.service_account_token_in_secrets.is_none();
    let warning = || {
        "spec.serviceAccountTokenInSecrets is unset; if supported by this CSI driver, set to true to prevent \
         possible logging of tokens in volume attributes"
            .to_owned()
    };
    warns.then(warning).into_iter().collect()
}

fn warn_capacity(capacity: &CSIStorageCapacity) -> Vec<String> {
    let topology = capacity.node_topology.as_deref();
    topology.map(|topology| warn_selector(topology, &FieldPath::new("nodeTopology"))).unwrap_or_default()
}

fn warn_class(class: &StorageClass) -> Vec<String> {
    let mut warnings = Vec::new();
    for (index, topology) in class.allowed_topologies.iter().enumerate() {
        let path = FieldPath::new("allowedTopologies").index(index).child("matchLabelExpressions");
        for (index, expression) in topology.match_label_expressions.iter().enumerate() {
            if let Some(message) = deprecated(&expression.key) {
                warnings.push(format!("{}: {message}", path.index(index).child("key")));
            }
        }
    }
    warnings
}
