//! What a tab says, in a private module of the version.

use std::collections::BTreeMap;

use rhumb_meta::{IntOrString, Quantity, Time};
use rhumb_schema::{ByteString, RawJson};

/// The values that a policy has.
pub const POLICIES: &[&str] = &["Allow", "Forbid"];

/// What to run, and when.
#[derive(Default)]
pub struct CronTabSpec {
    /// The lines of the tab.
    // +rhumb:field=1, required, list = "atomic"
    pub schedule: Vec<String>,
    /// How many at a time.
    // +rhumb:field=2
    pub replicas: Option<i32>,
    // +rhumb:field=3
    pub suspend: bool,
    // +rhumb:field=4, json = "podIP", values = POLICIES, default = "Allow"
    pub pod_ip: String,
    // +rhumb:field=5, merge = "merge,retainKeys", merge_key = "name", keys("name")
    pub targets: Vec<Target>,
    // +rhumb:field=6, default = 30
    pub deadline_seconds: Option<i64>,
    // +rhumb:field=300, atomic
    pub labels: BTreeMap<String, String>,
    // +rhumb:field=8
    pub policy: Option<Box<Policy>>,
    // +rhumb:field=9
    pub port: Option<IntOrString>,
    // +rhumb:field=10
    pub memory: Option<Quantity>,
    // +rhumb:field=11, omitzero
    pub since: Time,
    // +rhumb:field=12
    pub raw: RawJson,
    // +rhumb:field=13
    pub bytes: ByteString,
    // +rhumb:field=14, required_omitempty
    pub share: f64,
    // +rhumb:field=15
    pub names: Names,
    // +rhumb:field=16
    pub text: Text,
    // +rhumb:field=17
    pub by_name: BTreeMap<String, Target>,
}

/// Where to run.
#[derive(Default)]
pub struct Target {
    // +rhumb:field=1, required
    pub name: String,
    // +rhumb:field=2, shown
    pub weight: i64,
}

/// What to do about a run that is still going on.
#[derive(Default)]
// +rhumb:schema=atomic
pub struct Policy {
    // +rhumb:field=1
    pub type_: String,
}

/// A list that is called otherwise.
#[derive(Default)]
// +rhumb:schema=transparent
pub struct Names {
    // +rhumb:field=1
    pub items: Vec<String>,
}

/// A truth value or texts.
#[derive(Default)]
// +rhumb:schema=union = "a truth value or texts"
pub struct Text {
    // +rhumb:field=1
    pub allows: bool,
    // +rhumb:field=2
    pub texts: Vec<String>,
}

/// Something that was seen.
#[derive(Default)]
pub struct Condition {
    // +rhumb:field=1, required
    pub type_: String,
    // +rhumb:field=2
    pub r#match: String,
}
