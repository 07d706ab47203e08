//! `stable.example.com/v1beta1`: the schedule was one text, and the deadline had another name.
// +k8s:deepcopy-gen=package
// +k8s:conversion-gen=super::v1
// +k8s:defaulter-gen=TypeMeta

#[rustfmt::skip]
pub(crate) mod zz_generated_conversion;
#[rustfmt::skip]
mod zz_generated_deepcopy;
#[rustfmt::skip]
pub(super) mod zz_generated_defaulter;
#[rustfmt::skip]
mod zz_generated_schema;
#[rustfmt::skip]
mod zz_generated_object;

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Quantity, Time};
use rhumb_schema::{ByteString, RawJson};

pub use super::v1::{Condition, Names, Policy, Text};

/// Runs something from time to time.
#[derive(Default)]
pub struct CronTab {
    // +rhumb:field=0, inline
    pub type_meta: TypeMeta,
    // +rhumb:field=1
    pub metadata: ObjectMeta,
    // +rhumb:field=2
    pub spec: CronTabSpec,
    // +rhumb:field=3
    pub conditions: Vec<Condition>,
}

/// A list of tabs.
#[derive(Default)]
pub struct CronTabList {
    // +rhumb:field=0, inline
    pub type_meta: TypeMeta,
    // +rhumb:field=1
    pub metadata: ListMeta,
    // +rhumb:field=2, required, not_null
    pub items: Vec<CronTab>,
}

/// What to run, and when.
#[derive(Default)]
// +rhumb:convert=lacks(bytes)
pub struct CronTabSpec {
    // +rhumb:field=1, required
    pub schedule: String,
    // +rhumb:field=2
    pub replicas: Option<i32>,
    // +rhumb:field=3
    pub suspend: bool,
    // +rhumb:field=4, json = "podIP"
    pub pod_ip: String,
    // +rhumb:field=5
    pub targets: Vec<Target>,
    // +rhumb:field=6
    // +rhumb:convert=rename = deadline_seconds
    pub timeout: Option<i64>,
    // +rhumb:field=7
    // +rhumb:convert=skip
    pub forgotten: bool,
    // +rhumb:field=8
    // +rhumb:convert=same
    pub labels: BTreeMap<String, String>,
    // +rhumb:field=9
    pub policy: Option<Box<Policy>>,
    // +rhumb:field=10
    pub port: Option<IntOrString>,
    // +rhumb:field=11
    pub memory: Option<Quantity>,
    // +rhumb:field=12
    pub since: Time,
    // +rhumb:field=13
    pub raw: RawJson,
    // +rhumb:field=14
    pub share: f64,
    // +rhumb:field=15
    pub names: Names,
    // +rhumb:field=16
    pub text: Text,
    // +rhumb:field=17
    pub by_name: BTreeMap<String, Target>,
    // +rhumb:field=18
    // +k8s:conversion-fn=drop
    pub old_bytes: ByteString,
}

/// Where to run.
#[derive(Default)]
pub struct Target {
    // +rhumb:field=1, required
    pub name: String,
    // +rhumb:field=2
    pub weight: i64,
}

pub(super) fn default_cron_tab_spec(spec: &mut CronTabSpec) {
    spec.timeout.get_or_insert(60);
}

mod cron_tab_spec_schedule {
    use rhumb_scheme::{ConvertError, Scope};

    pub(super) fn to_hub(own: String, _: &Scope) -> Result<Vec<String>, ConvertError> {
        Ok(own.split(';').map(str::to_owned).collect())
    }

    pub(super) fn from_hub(hub: Vec<String>, _: &Scope) -> Result<String, ConvertError> {
        Ok(hub.join(";"))
    }
}
