//! Predicates: filters of changes. A predicate is any function of an [`Event`]; these are the usual ones.
//!
//! ```
//! use rhumb_api::core::v1::Pod;
//! use rhumb_client::controller::predicate;
//! use rhumb_client::informer::Event;
//! use std::sync::Arc;
//!
//! let matters = |event: &Event<Pod>| predicate::generation_changed(event) || predicate::labels_changed(event);
//! let pod = Arc::new(Pod::default());
//! assert!(!matters(&Event::Updated { old: pod.clone(), new: pod }));
//! ```

use rhumb_meta::{Object, ObjectMeta};

use crate::informer::Event;

/// Accepts creations, deletions and changes of the generation, that is, of the spec rather than of the status.
pub fn generation_changed<K: Object>(event: &Event<K>) -> bool {
    differs(event, |old, new| old.generation != new.generation)
}

/// Accepts changes of the resource version, that is, all changes but resyncs.
pub fn resource_version_changed<K: Object>(event: &Event<K>) -> bool {
    differs(event, |old, new| old.resource_version != new.resource_version)
}

/// Accepts changes of the labels.
pub fn labels_changed<K: Object>(event: &Event<K>) -> bool {
    differs(event, |old, new| old.labels != new.labels)
}

/// Accepts changes of the annotations.
pub fn annotations_changed<K: Object>(event: &Event<K>) -> bool {
    differs(event, |old, new| old.annotations != new.annotations)
}

fn differs<K: Object>(event: &Event<K>, differ: impl Fn(&ObjectMeta, &ObjectMeta) -> bool) -> bool {
    let Event::Updated { old, new } = event else { return true };
    match (old.metadata(), new.metadata()) {
        (Some(old), Some(new)) => differ(&old, &new),
        _ => true,
    }
}
