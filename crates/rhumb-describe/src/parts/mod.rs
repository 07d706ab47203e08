//! Common parts of descriptions.

mod conditions;
mod containers;
mod endpoints;
mod environment;
mod events;
mod labels;
mod probes;
mod qos;
mod resources;
mod scheduling;
mod selectors;
mod sorting;
mod template;

pub use events::{Events, events};
pub use labels::{annotations, labels};
pub use template::pod_template;

pub(crate) use conditions::{brief_conditions, conditions_with_times};
pub(crate) use containers::containers;
pub(crate) use endpoints::endpoints_text;
pub(crate) use environment::resolve_for;
pub(crate) use labels::{
    LONGEST_ANNOTATION, controller_text, indented_labels, shortened, truth, truth_or_unset,
};
pub(crate) use probes::join_host_port;
pub(crate) use qos::qos_class;
pub(crate) use resources::{quantity_in, requirements, resource_list};
pub(crate) use scheduling::{pod_names, scheduling_group, spread_constraints, taints, tolerations};
pub(crate) use selectors::{selector, selector_or_none};
pub(crate) use sorting::sorted_as_go;
