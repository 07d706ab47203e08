//! `events.k8s.io/v1beta1`: the events of v1, under the first version they had in this group.

pub use super::v1::{Event, EventList, EventSeries};
