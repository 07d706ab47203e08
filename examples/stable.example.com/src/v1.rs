//! `stable.example.com/v1`, which is the hub too.

use rhumb_meta::v1::Condition;
use rhumb_meta::{ListMeta, Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;

/// Runs an image on a schedule.
// +kubebuilder:resource:shortName=ct,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:storageversion
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.schedule
// +kubebuilder:printcolumn:name=Suspended,type=boolean,JSONPath=.spec.policy.suspend
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "stable.example.com", version = "v1", namespaced)]
pub struct CronTab {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What is to run, and when.
    // +kubebuilder:validation:Required
    #[field(2)]
    pub spec: CronTabSpec,
    /// What was found to run.
    #[field(3)]
    pub status: CronTabStatus,
}

/// A list of CronTabs.
#[derive(Clone, Default, Schema, Object)]
pub struct CronTabList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The CronTabs.
    #[field(2, required, not_null)]
    pub items: Vec<CronTab>,
}

/// What is to run, and when.
#[derive(Clone, Default, Schema)]
pub struct CronTabSpec {
    /// When it runs: the five fields of a crontab's line, as in `*/5 * * * *`.
    // +kubebuilder:validation:MinLength=1
    #[field(1, required)]
    pub schedule: String,
    /// The image that runs, without its tag.
    // +kubebuilder:validation:MinLength=1
    #[field(2, required)]
    pub image: String,
    /// Which build of the image runs. Without one it is the newest.
    #[field(3)]
    pub tag: String,
    /// How many run at the same time; 1 if nothing is said.
    // +kubebuilder:validation:Minimum=0
    #[field(4, default = 1)]
    pub replicas: Option<i32>,
    /// Under which conditions it runs.
    #[field(5)]
    pub policy: CronTabPolicy,
}

/// Under which conditions something runs.
#[derive(Clone, Default, Schema)]
pub struct CronTabPolicy {
    /// Nothing runs while this is true.
    #[field(1)]
    pub suspend: bool,
}

/// What was found to run.
#[derive(Clone, Default, Schema)]
pub struct CronTabStatus {
    /// The generation of the object that this is about.
    #[field(1)]
    pub observed_generation: i64,
    /// How many are ready to run.
    #[field(2)]
    pub replicas: i32,
    /// Whether it is as it should be: `Ready` says so.
    #[field(3, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
