//! What clients read when an object can't be decoded, or has fields it should not have: the texts of Kubernetes, word
//! for word. Each row of the table was run through Kubernetes' own serializers.

use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{Codecs, Format, Strictness};
use serde_json::Value;

struct Row {
    name: String,
    format: Format,
    input: Vec<u8>,
    strictness: Strictness,
    error: Option<String>,
    warnings: Vec<String>,
}

fn row(value: &Value) -> Row {
    let text = |key: &str| value[key].as_str().unwrap_or_default();
    Row {
        name: format!("{} ({}, {})", text("name"), text("format"), text("strictness")),
        format: match text("format") {
            "json" => Format::Json,
            "yaml" => Format::Yaml,
            "protobuf" => Format::Protobuf,
            other => panic!("no format {other}"),
        },
        input: match value["base64"].as_bool() {
            Some(true) => rhumb_schema::text::decode_base64(text("input")).expect("base64"),
            _ => text("input").as_bytes().to_vec(),
        },
        strictness: match text("strictness") {
            "ignore" => Strictness::Ignore,
            "warn" => Strictness::Warn,
            "strict" => Strictness::Strict,
            other => panic!("no strictness {other}"),
        },
        error: value["error"].as_str().map(str::to_owned),
        warnings: value["warnings"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
    }
}

#[test]
fn errors_and_warnings_read_as_in_kubernetes() {
    let table = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/decode_errors.json");
    let table: Value = serde_json::from_slice(&std::fs::read(table).expect("the table can be read"))
        .expect("the table is JSON");
    let rows: Vec<Row> = table.as_array().expect("the table is a list").iter().map(row).collect();
    assert!(rows.len() > 700, "only {} rows", rows.len());
    let codecs = Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes")));
    let mut failures = Vec::new();
    for row in rows {
        let codecs = codecs.clone().with_strictness(row.strictness);
        let decoded = codecs.serializer(row.format, false).decode(&row.input, None, codecs.scheme());
        let got = match decoded {
            Ok(decoded) => (None, decoded.warnings),
            Err(error) => (Some(error.to_string()), Vec::new()),
        };
        let want = (row.error, row.warnings);
        if got != want {
            failures.push(format!("{}\n  got  {got:?}\n  want {want:?}", row.name));
        }
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
