//! What a tab says, in a private module of the version.

use std::collections::BTreeMap;

use rhumb_meta::{IntOrString, Quantity, Time};
use rhumb_schema::{ByteString, RawJson, Schema};

/// The values that a policy has.
pub const POLICIES: &[&str] = &["Allow", "Forbid"];

/// What to run, and when.
#[derive(Clone, Default, Schema)]
pub struct CronTabSpec {
    /// The lines of the tab.
    #[field(1, required, list = "atomic")]
    pub schedule: Vec<String>,
    /// How many at a time.
    #[field(2)]
    pub replicas: Option<i32>,
    #[field(3)]
    pub suspend: bool,
    #[field(4, json = "podIP", values = POLICIES, default = "Allow")]
    pub pod_ip: String,
    #[field(5, merge = "merge,retainKeys", merge_key = "name", keys("name"))]
    pub targets: Vec<Target>,
    #[field(6, default = 30)]
    pub deadline_seconds: Option<i64>,
    #[field(300, atomic)]
    pub labels: BTreeMap<String, String>,
    #[field(8)]
    pub policy: Option<Box<Policy>>,
    #[field(9)]
    pub port: Option<IntOrString>,
    #[field(10)]
    pub memory: Option<Quantity>,
    #[field(11, omitzero)]
    pub since: Time,
    #[field(12)]
    pub raw: RawJson,
    #[field(13)]
    pub bytes: ByteString,
    #[field(14, required_omitempty)]
    pub share: f64,
    #[field(15)]
    pub names: Names,
    #[field(16)]
    pub text: Text,
    #[field(17)]
    pub by_name: BTreeMap<String, Target>,
}

/// Where to run.
#[derive(Clone, Default, Schema)]
pub struct Target {
    #[field(1, required)]
    pub name: String,
    #[field(2, shown)]
    pub weight: i64,
}

/// What to do about a run that is still going on.
#[derive(Clone, Default, Schema)]
#[schema(atomic)]
pub struct Policy {
    #[field(1)]
    pub type_: String,
}

/// A list that is called otherwise.
#[derive(Clone, Default, Schema)]
#[schema(transparent)]
pub struct Names {
    #[field(1)]
    pub items: Vec<String>,
}

/// A truth value or texts.
#[derive(Clone, Default, Schema)]
#[schema(union = "a truth value or texts")]
pub struct Text {
    #[field(1)]
    pub allows: bool,
    #[field(2)]
    pub texts: Vec<String>,
}

/// Something that was seen.
#[derive(Clone, Default, Schema)]
pub struct Condition {
    #[field(1, required)]
    pub type_: String,
    #[field(2)]
    pub r#match: String,
}
