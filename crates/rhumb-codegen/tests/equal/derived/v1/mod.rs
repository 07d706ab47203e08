//! `stable.example.com/v1`.

mod spec;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Resource};
use rhumb_schema::Schema;

pub use spec::{Condition, CronTabSpec, Names, Policy, Target, Text};

/// Runs something from time to time.
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "stable.example.com", version = "v1", namespaced)]
pub struct CronTab {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What to run.
    #[field(2)]
    pub spec: CronTabSpec,
    /// What came of it. It is written
    /// by the controller.
    #[field(3)]
    pub conditions: Vec<Condition>,
}

/// A list of tabs.
#[derive(Clone, Default, Schema, Object)]
pub struct CronTabList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<CronTab>,
}
