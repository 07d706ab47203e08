//! Resource lists, and the resources of a whole pod.

use std::collections::BTreeMap;

use rhumb_api::core::v1::{Container, Pod, ResourceRequirements};
use rhumb_meta::Quantity;

/// Quantities by resource name.
pub type ResourceList = BTreeMap<String, Quantity>;

/// Adds amounts to others.
pub(crate) fn add(sum: &mut ResourceList, more: &ResourceList) {
    for (name, amount) in more {
        match sum.get_mut(name) {
            Some(value) => *value += amount,
            None => drop(sum.insert(name.clone(), amount.clone())),
        }
    }
}

/// Raises amounts to others that are greater.
pub(crate) fn raise(to: &mut ResourceList, other: &ResourceList) {
    for (name, amount) in other {
        if to.get(name).is_none_or(|value| amount > value) {
            to.insert(name.clone(), amount.clone());
        }
    }
}

/// Requests or limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Requests,
    Limits,
}

impl Side {
    pub(crate) fn of(self, resources: &ResourceRequirements) -> &ResourceList {
        match self {
            Side::Requests => &resources.requests,
            Side::Limits => &resources.limits,
        }
    }
}

/// Returns the sum of containers' resources, as selected by `of`.
///
/// Init containers run one after the other before the others, so the greatest counts; those that keep running
/// (sidecars) count with everything that starts after them.
pub(crate) fn of_containers<'a>(
    pod: &'a Pod,
    of: impl Fn(&'a Container) -> std::borrow::Cow<'a, ResourceList>,
) -> ResourceList {
    let mut sum = ResourceList::new();
    for container in &pod.spec.containers {
        add(&mut sum, &of(container));
    }
    let (mut sidecars, mut greatest) = (ResourceList::new(), ResourceList::new());
    for container in &pod.spec.init_containers {
        let wanted = of(container);
        if is_sidecar(container) {
            add(&mut sum, &wanted);
            add(&mut sidecars, &wanted);
            raise(&mut greatest, &sidecars);
        } else {
            let mut together = wanted.into_owned();
            add(&mut together, &sidecars);
            raise(&mut greatest, &together);
        }
    }
    raise(&mut sum, &greatest);
    sum
}

/// Reports whether an init container keeps running.
pub(crate) fn is_sidecar(container: &Container) -> bool {
    container.restart_policy.as_deref() == Some("Always")
}
