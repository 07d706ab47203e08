//! Our answers to reviews and requests for tokens, compared with those of a real API server.
//!
//! These are answered and never stored, so that the rules which hold for the metadata of stored objects don't hold for
//! them; `tests/reviews` has their cases apart from the others, in the same form.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use rhumb_codec::{Codecs, yaml};
use rhumb_meta::GroupKind;
use rhumb_scheme::ToInternal;
use rhumb_scheme::validation::Context;
use serde_json::Value as Json;

/// Compares the answers to a file of cases. Some endpoints name no kind when they refuse.
fn check(file: &str, names_kind: bool) {
    let codecs = Codecs::new(Arc::new(rhumb_validation::scheme().expect("the scheme")));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reviews").join(file);
    let mut json = Vec::new();
    let text = fs::read(path.with_extension("yaml")).expect("cases");
    yaml::to_json(&text, &yaml::ReadOptions::default(), &mut json).expect("YAML");
    let cases: Vec<Json> = serde_json::from_slice(&json).expect("a list of cases");
    let answers = fs::read_to_string(path.with_extension("answers.json")).expect("answers");
    let answers: Json = serde_json::from_str(&answers).expect("JSON");
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case["case"].as_str().expect("a name");
        let answer = &answers[name];
        let sent = if case["post"].is_null() { &case["create"] } else { &case["post"] };
        let decoded = codecs.decode_to(sent.to_string().as_bytes(), None, &ToInternal).expect("an object");
        let version = decoded.gvk.group_version();
        let errors = codecs.scheme().validate_create(&*decoded.object, &Context::new(&version));
        let kind = if names_kind { decoded.gvk.kind.clone() } else { "".into() };
        let status = errors.status(&GroupKind { group: decoded.gvk.group.clone(), kind }, "");
        let ours = if errors.is_empty() { "" } else { &status.message };
        let served = answer["message"].as_str().unwrap_or_default();
        if ours != served || errors.is_empty() != (answer["code"] == 201) {
            wrong.push(format!("{name}\n    ours:   {ours}\n    server: {served}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(!cases.is_empty());
}

#[test]
fn access() {
    check("access", false);
}

#[test]
fn tokens() {
    check("tokens", true);
}
