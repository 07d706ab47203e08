//! The kind in the template of `rhumb gen new-api`, used to encode its golden file in protobuf.

use anyhow::Result;
use rhumb_codec::{Strictness, json, proto};
use rhumb_meta::v1::Condition;
use rhumb_meta::{Object, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

/// Same fields and field numbers as the template.
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

/// Encodes a JSON object in protobuf.
pub(super) fn protobuf(text: &[u8]) -> Result<Vec<u8>> {
    let mut sample = Sample::default();
    json::decode_into(text, &mut sample, Strictness::Strict)?;
    let mut out = Vec::new();
    proto::encode(&sample, &mut out)?;
    Ok(out)
}
