//! `stable.example.com/v1alpha1`: the image has its tag in it.
//!
//! One field here is two of the hub, which names can't say: the conversion of the spec is written by hand. What holds
//! it together is derived.

use rhumb_meta::{ListMeta, Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use crate::v1;
pub use crate::v1::CronTabStatus;
use crate::v1beta1::suspend;

/// Runs an image on a schedule.
// +kubebuilder:resource:shortName=ct,categories=all
// +kubebuilder:subresource:status
// +kubebuilder:unservedversion
// +kubebuilder:printcolumn:name=Schedule,type=string,JSONPath=.spec.cronSpec
// +kubebuilder:printcolumn:name=Suspended,type=boolean,JSONPath=.spec.suspend
// +kubebuilder:printcolumn:name=Ready,type=integer,JSONPath=.status.replicas
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp
#[derive(Clone, Default, Schema, Object, Resource, Convert)]
#[resource(group = "stable.example.com", version = "v1alpha1", namespaced)]
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
#[derive(Clone, Default, Schema)]
pub struct CronTabSpec {
    /// When it runs: the five fields of a crontab's line, as in `*/5 * * * *`.
    // +kubebuilder:validation:MinLength=1
    #[field(1, required)]
    pub cron_spec: String,
    /// The image that runs, with its tag behind a colon: `example.com/tick:7`.
    // +kubebuilder:validation:MinLength=1
    #[field(2, required)]
    pub image: String,
    /// How many run at the same time; 1 if nothing is said.
    // +kubebuilder:validation:Minimum=0
    #[field(3, default = 1)]
    pub replicas: Option<i32>,
    /// Nothing runs while this is true.
    #[field(4)]
    pub suspend: bool,
}

impl Convert<v1::CronTabSpec> for CronTabSpec {
    fn convert(self, scope: &Scope) -> Result<v1::CronTabSpec, ConvertError> {
        let CronTabSpec { cron_spec, image, replicas, suspend } = self;
        let (image, tag) = split(&image);
        let policy = suspend::to_hub(suspend, scope)?;
        Ok(v1::CronTabSpec { schedule: cron_spec, image, tag, replicas, policy })
    }
}

impl Convert<CronTabSpec> for v1::CronTabSpec {
    fn convert(self, scope: &Scope) -> Result<CronTabSpec, ConvertError> {
        let v1::CronTabSpec { schedule, image, tag, replicas, policy } = self;
        let image = if tag.is_empty() { image } else { format!("{image}:{tag}") };
        Ok(CronTabSpec { cron_spec: schedule, image, replicas, suspend: suspend::from_hub(policy, scope)? })
    }
}

/// An image and its tag. A colon before a slash belongs to the port of the image's registry.
fn split(image: &str) -> (String, String) {
    match image.rsplit_once(':') {
        Some((name, tag)) if !tag.contains('/') => (name.to_owned(), tag.to_owned()),
        _ => (image.to_owned(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_a_registry_is_no_tag() {
        for (image, expect) in [
            ("tick", ("tick", "")),
            ("tick:7", ("tick", "7")),
            ("localhost:5000/tick", ("localhost:5000/tick", "")),
            ("localhost:5000/tick:7", ("localhost:5000/tick", "7")),
        ] {
            let (name, tag) = split(image);
            assert_eq!((name.as_str(), tag.as_str()), expect);
        }
    }
}
