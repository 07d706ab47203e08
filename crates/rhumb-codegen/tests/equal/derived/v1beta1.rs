//! `stable.example.com/v1beta1`: the schedule was one text, and the deadline had another name.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{IntOrString, Object, Quantity, Time};
use rhumb_schema::{ByteString, RawJson, Schema};
use rhumb_scheme::Convert;

pub use super::v1::{Condition, Names, Policy, Text};

/// Runs something from time to time.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CronTab)]
pub struct CronTab {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: CronTabSpec,
    #[field(3)]
    pub conditions: Vec<Condition>,
}

/// A list of tabs.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = super::v1::CronTabList)]
pub struct CronTabList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<CronTab>,
}

/// What to run, and when.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::CronTabSpec, lacks(bytes))]
pub struct CronTabSpec {
    #[field(1, required)]
    #[convert(with = cron_tab_spec_schedule)]
    pub schedule: String,
    #[field(2)]
    pub replicas: Option<i32>,
    #[field(3)]
    pub suspend: bool,
    #[field(4, json = "podIP")]
    pub pod_ip: String,
    #[field(5)]
    pub targets: Vec<Target>,
    #[field(6)]
    #[convert(rename = deadline_seconds)]
    pub timeout: Option<i64>,
    #[field(7)]
    #[convert(skip)]
    pub forgotten: bool,
    #[field(8)]
    #[convert(same)]
    pub labels: BTreeMap<String, String>,
    #[field(9)]
    pub policy: Option<Box<Policy>>,
    #[field(10)]
    pub port: Option<IntOrString>,
    #[field(11)]
    pub memory: Option<Quantity>,
    #[field(12)]
    pub since: Time,
    #[field(13)]
    pub raw: RawJson,
    #[field(14)]
    pub share: f64,
    #[field(15)]
    pub names: Names,
    #[field(16)]
    pub text: Text,
    #[field(17)]
    pub by_name: BTreeMap<String, Target>,
    #[field(18)]
    #[convert(skip)]
    pub old_bytes: ByteString,
}

/// Where to run.
#[derive(Clone, Default, Schema, Convert)]
#[convert(hub = super::v1::Target)]
pub struct Target {
    #[field(1, required)]
    pub name: String,
    #[field(2)]
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
