//! `harbor.example.com/v1`.

use std::collections::BTreeMap;

use rhumb_meta::v1::Condition;
use rhumb_meta::{Duration, IntOrString, ListMeta, Object, ObjectMeta, Quantity, Resource, Time, TypeMeta};
use rhumb_schema::{ByteString, RawJson, Schema};

/// What a berth may be built for.
pub const PURPOSES: &[&str] = &["Cargo", "Passengers", "Repair"];

/// A place where a ship lies.
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=bt;brt,categories=all,singular=berth
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.cranes,statuspath=.status.cranes,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Length",type=integer,format=int64,JSONPath=`.spec.length`,description="in meters"
// +kubebuilder:printcolumn:name=Age,type=date,JSONPath=.metadata.creationTimestamp,priority=1
// +kubebuilder:selectablefield:JSONPath=.spec.quay
// +kubebuilder:metadata:annotations="example.com/owner=harbor, master",labels=tier=sea
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'void'",message="a berth has a name"
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "harbor.example.com", version = "v1", namespaced)]
pub struct Berth {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What it should be.
    #[field(2, required)]
    pub spec: BerthSpec,
    /// What it is.
    #[field(3)]
    pub status: BerthStatus,
}

/// A list of berths.
#[derive(Clone, Default, Schema, Object)]
pub struct BerthList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The berths.
    #[field(2, required, not_null)]
    pub items: Vec<Berth>,
}

/// What a berth should be.
// +kubebuilder:validation:XValidation:rule="self.length>=oldSelf.length",message="shrinks",reason=FieldValueForbidden
// +kubebuilder:validation:XValidation:rule="self.quay != 'pilot'",message="a quay can't steer",fieldPath=.quay
// +kubebuilder:validation:AtMostOneOf=tender;pilot
#[derive(Clone, Default, Schema)]
pub struct BerthSpec {
    /// Where it is.
    // +kubebuilder:validation:Pattern=`^[a-z]+(-[a-z]+)*$`
    // +kubebuilder:validation:MinLength=1
    // +kubebuilder:validation:MaxLength=63
    #[field(1, required)]
    pub quay: String,
    /// How long it is, in meters.
    // +kubebuilder:validation:Minimum=1
    // +kubebuilder:validation:Maximum=400
    #[field(2, required)]
    pub length: i64,
    /// How deep the water is.
    // +kubebuilder:validation:Minimum=0.5
    // +kubebuilder:validation:ExclusiveMinimum=true
    // +kubebuilder:validation:MultipleOf=0.5
    #[field(3)]
    pub depth: Option<f64>,
    /// How many cranes stand there.
    #[field(4, default = 1)]
    pub cranes: Option<i32>,
    /// What it is built for.
    #[field(5, values = PURPOSES, default = "Cargo")]
    pub purpose: String,
    /// What may be unloaded there.
    // +kubebuilder:validation:MaxItems=8
    // +kubebuilder:validation:items:Enum=Grain;Coal;Oil
    // +kubebuilder:validation:items:MaxLength=16
    #[field(6, list = "set")]
    pub goods: Vec<String>,
    /// The moorings, by their numbers.
    // +kubebuilder:validation:MinItems=1
    #[field(7, keys("number"))]
    pub moorings: Vec<Mooring>,
    /// What it is called elsewhere.
    // +mapType=atomic
    // +kubebuilder:validation:MaxProperties=4
    #[field(8)]
    pub names: BTreeMap<String, String>,
    /// What can be lifted at once.
    // +kubebuilder:default="20"
    #[field(9)]
    pub load: Option<Quantity>,
    /// A radio channel, by number or by name.
    #[field(10)]
    pub channel: Option<IntOrString>,
    /// When it opens.
    // +nullable
    #[field(11)]
    pub opens: Option<Time>,
    /// How long a ship may lie there.
    #[field(12)]
    pub stay: Option<Duration>,
    /// The plan, as a drawing.
    #[field(13)]
    pub plan: ByteString,
    /// Something to put there as it stands.
    // +kubebuilder:validation:EmbeddedResource
    // +kubebuilder:pruning:PreserveUnknownFields
    #[field(14)]
    pub template: RawJson,
    /// Whatever someone wants to note.
    #[field(0)]
    pub notes: serde_json::Value,
    /// A boat that comes along.
    #[field(15)]
    pub tender: Option<Box<Tender>>,
    /// Who steers.
    // +kubebuilder:validation:Enum={"Harbor", "Ship"}
    // +kubebuilder:example=Ship
    #[field(16)]
    pub pilot: String,
    /// The berths that this one is made of.
    // +kubebuilder:validation:Schemaless
    // +kubebuilder:pruning:PreserveUnknownFields
    #[field(17, list = "atomic")]
    pub parts: Vec<BerthSpec>,
    /// What ships are asked on arrival.
    // +kubebuilder:default:={{question: "Who?", answers: {me, you}}}
    #[field(18, list = "atomic")]
    pub questions: Vec<Question>,
}

/// Where a rope goes.
#[derive(Clone, Default, Schema)]
pub struct Mooring {
    /// Its number on the quay.
    #[field(1, required)]
    pub number: i32,
    /// What it bears.
    // +required
    #[field(2)]
    pub load: Quantity,
}

/// A boat.
// +structType=atomic
#[derive(Clone, Default, Schema)]
pub struct Tender {
    /// What it is called.
    // +kubebuilder:validation:MinLength=2
    #[field(1, required)]
    pub name: Name,
}

/// A name as it is painted on a ship.
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MaxLength=32
pub type Name = String;

/// A question with its answers.
#[derive(Clone, Default, Schema)]
pub struct Question {
    /// What is asked.
    #[field(1, required)]
    pub question: String,
    /// What may be answered.
    #[field(2, list = "atomic")]
    pub answers: Vec<String>,
}

/// What a berth is.
#[derive(Clone, Default, Schema)]
pub struct BerthStatus {
    /// How many cranes work.
    #[field(1)]
    pub cranes: i32,
    /// Which cranes belong to it.
    #[field(2)]
    pub selector: String,
    /// Whether it is as it should be.
    #[field(3, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<Condition>,
}
