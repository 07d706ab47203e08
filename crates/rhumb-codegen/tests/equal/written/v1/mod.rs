//! `stable.example.com/v1`.
// +k8s:deepcopy-gen=package

mod spec;
#[rustfmt::skip]
mod zz_generated_deepcopy;
#[rustfmt::skip]
mod zz_generated_schema;
#[rustfmt::skip]
mod zz_generated_object;
#[rustfmt::skip]
mod zz_generated_resource;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};

pub use spec::{Condition, CronTabSpec, Names, Policy, Target, Text};

/// Runs something from time to time.
#[derive(Default)]
// +rhumb:resource=group = "stable.example.com", version = "v1", namespaced
pub struct CronTab {
    /// The version and kind.
    // +rhumb:field=0, inline
    pub type_meta: TypeMeta,
    /// The object's metadata.
    // +rhumb:field=1
    pub metadata: ObjectMeta,
    /// What to run.
    // +rhumb:field=2
    pub spec: CronTabSpec,
    /// What came of it. It is written
    /// by the controller.
    // +rhumb:field=3
    pub conditions: Vec<Condition>,
}

/// A list of tabs.
#[derive(Default)]
pub struct CronTabList {
    /// The version and kind.
    // +rhumb:field=0, inline
    pub type_meta: TypeMeta,
    /// The list's metadata.
    // +rhumb:field=1
    pub metadata: ListMeta,
    /// The objects of the list.
    // +rhumb:field=2, required, not_null
    pub items: Vec<CronTab>,
}
