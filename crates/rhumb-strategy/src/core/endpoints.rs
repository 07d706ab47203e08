//! Strategy of endpoints.

use rhumb_api::core::v1::{EndpointAddress, Endpoints};
use rhumb_scheme::validation::FieldPath;

use crate::addresses::warn_ip;
use crate::error::RegisterError;
use crate::registry::StrategiesBuilder;
use crate::strategy::Strategy;

const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
const CONTROLLER: &str = "endpoint-controller";

pub(super) fn register(builder: &mut StrategiesBuilder) -> Result<(), RegisterError> {
    builder.add(
        Strategy::new("", "Endpoints")
            .create_on_update()
            .warn_create(warn)
            .warn_update(|new, _: &Endpoints| warn(new)),
    )?;
    Ok(())
}

/// Warns about addresses, except in objects of the controller, which can't choose them.
fn warn(endpoints: &Endpoints) -> Vec<String> {
    if endpoints.metadata.labels.get(MANAGED_BY).is_some_and(|manager| manager == CONTROLLER) {
        return Vec::new();
    }
    let mut warnings = Vec::new();
    let mut check = |addresses: &[EndpointAddress], path: FieldPath| {
        for (index, address) in addresses.iter().enumerate() {
            warnings.extend(warn_ip(&path.index(index).child("ip"), &address.ip));
        }
    };
    for (index, subset) in endpoints.subsets.iter().enumerate() {
        let path = FieldPath::new("subsets").index(index);
        check(&subset.addresses, path.child("addresses"));
        check(&subset.not_ready_addresses, path.child("notReadyAddresses"));
    }
    warnings
}
