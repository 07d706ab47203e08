//! Usage of resource claims.
//!
//! Claims that the scheduler makes for pods which ask for devices like for any other resource are not charged
//! under the resource's name: the pod was.

use std::collections::BTreeMap;

use rhumb_api::resource::v1::ResourceClaim;

use super::arithmetic::count;
use crate::ResourceList;

const COUNT: &str = "count/resourceclaims.resource.k8s.io";
const BY_CLASS: &str = ".deviceclass.resource.k8s.io/devices";
const AS_RESOURCE: &str = "requests.deviceclass.resource.kubernetes.io/";
const MADE_FOR_POD: &str = "resource.kubernetes.io/extended-resource-claim";

/// Maximum number of devices of a claim, charged if it asks for all.
const MOST_DEVICES: i64 = 32;

pub(super) fn concerns(name: &str) -> bool {
    name == COUNT || name.ends_with(BY_CLASS)
}

pub(super) fn usage(claim: &ResourceClaim) -> ResourceList {
    let mut devices = BTreeMap::<&str, i64>::new();
    for request in &claim.spec.devices.requests {
        // Of several choices the worst counts, for each class.
        let mut most = BTreeMap::<&str, i64>::new();
        let choices = request.first_available.iter();
        let choices =
            choices.map(|choice| (&choice.device_class_name, &choice.allocation_mode, choice.count));
        let exact = request.exactly.iter().filter(|_| request.first_available.is_empty());
        let exact = exact.map(|exact| (&exact.device_class_name, &exact.allocation_mode, exact.count));
        for (class, mode, wanted) in choices.chain(exact) {
            let number = match mode.as_str() {
                "ExactCount" => wanted,
                "All" => MOST_DEVICES,
                _ => 0,
            };
            let most = most.entry(class).or_default();
            *most = number.max(*most);
        }
        for (class, number) in most {
            let sum = devices.entry(class).or_default();
            *sum = sum.saturating_add(number);
        }
    }
    let is_made_for_pod = claim.metadata.annotations.get(MADE_FOR_POD).is_some_and(|value| value == "true");
    let mut usage = ResourceList::from([(COUNT.to_owned(), count(1))]);
    for (class, number) in devices {
        let amount = count(usize::try_from(number).unwrap_or_default());
        if !is_made_for_pod && number > 0 {
            usage.insert(format!("{AS_RESOURCE}{class}"), amount.clone());
        }
        usage.insert(format!("{class}{BY_CLASS}"), amount);
    }
    usage
}
