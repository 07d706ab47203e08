//! The kind that `rhumb gen new-api` lays out, as a type: what makes the protobuf of its golden file.

use anyhow::Result;
use rhumb_codec::{Strictness, json, proto};
use rhumb_meta::v1::Condition;
use rhumb_meta::{Object, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// The fields are those of the template, with the same numbers.
#[derive(Clone, Default, Schema, Object)]
struct Sample {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
    #[field(2)]
    spec: SampleSpec,
    #[field(3)]
    status: SampleStatus,
}

#[derive(Clone, Default, Schema)]
struct SampleSpec {
    #[field(1, required)]
    text: String,
    #[field(2, default = 1)]
    replicas: Option<i32>,
    #[field(3)]
    title: String,
}

#[derive(Clone, Default, Schema)]
struct SampleStatus {
    #[field(1)]
    observed_generation: i64,
    #[field(2, keys("type"), merge = "merge", merge_key = "type")]
    conditions: Vec<Condition>,
}

/// The protobuf of an object in JSON.
pub(super) fn protobuf(text: &[u8]) -> Result<Vec<u8>> {
    let mut sample = Sample::default();
    json::decode_into(text, &mut sample, Strictness::Strict)?;
    let mut out = Vec::new();
    proto::encode(&sample, &mut out)?;
    Ok(out)
}
