//! `stable.example.com/v1beta1`: the schedule is called `cronSpec`, and `suspend` stands in the spec itself.
//!
//! Both differences are between one field here and one of the hub, so that the conversion is derived.

use rhumb_meta::{ListMeta, Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::Convert;

use crate::v1;
pub use crate::v1::CronTabStatus;

/// Runs an image on a schedule.
// +kubebuilder:resource:shortName=ct,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:unservedversion
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
// +kubebuilder:printcolumn:name=Suspended,type=boolean,JSONPath=.spec.suspend
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
#[derive(Clone, Default, Schema, Object, Resource, Convert)]
#[resource(group = "stable.example.com", version = "v1beta1", namespaced)]
#[convert(hub = v1::CronTab)]
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
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::CronTabList)]
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
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = v1::CronTabSpec)]
pub struct CronTabSpec {
    /// When it runs: the five fields of a crontab's line, as in `*/5 * * * *`.
    // +kubebuilder:validation:MinLength=1
    #[field(1, required)]
    #[convert(rename = schedule)]
    pub cron_spec: String,
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
    /// Nothing runs while this is true.
    #[field(5)]
    #[convert(rename = policy, with = suspend)]
    pub suspend: bool,
}

/// `spec.suspend` is the hub's `spec.policy.suspend`.
pub(crate) mod suspend {
    use rhumb_scheme::{ConvertError, Scope};

    use crate::v1::CronTabPolicy;

    pub(crate) fn to_hub(suspend: bool, _: &Scope) -> Result<CronTabPolicy, ConvertError> {
        Ok(CronTabPolicy { suspend })
    }

    pub(crate) fn from_hub(policy: CronTabPolicy, _: &Scope) -> Result<bool, ConvertError> {
        // Taken apart, so that a new field of the policy asks what becomes of it here.
        let CronTabPolicy { suspend } = policy;
        Ok(suspend)
    }
}
