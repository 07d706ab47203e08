//! JSON schemas have fields that are one of several forms: a schema or a truth value, a schema or a list.

use std::sync::Arc;

use rhumb_codec::{Codecs, Format, Strictness, json};
use rhumb_meta::GroupVersionKind;

const HEAD: &str = concat!(
    r#"{"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1","#,
    r#""metadata":{},"spec":{"group":"","names":{"plural":"","kind":""},"#,
    r#""scope":"","validation":{"openAPIV3Schema":"#,
);
const TAIL: &str =
    r#"}},"status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}}"#;

fn codecs() -> Codecs {
    Codecs::new(Arc::new(rhumb_api::scheme().expect("the built-in scheme freezes")))
}

/// A schema within a definition, read and written again in a format.
fn through(schema: &str, format: Format) -> Result<String, String> {
    let codecs = codecs();
    let definition = format!("{HEAD}{schema}{TAIL}");
    let read = |format: Format, bytes: &[u8]| {
        codecs
            .serializer(format, false)
            .decode(bytes, None, codecs.scheme())
            .map(|decoded| decoded.object)
            .map_err(|error| error.to_string())
    };
    let object = read(Format::Json, definition.as_bytes())?;
    let mut bytes = Vec::new();
    codecs.serializer(format, false).encode(&*object, &mut bytes).map_err(|error| error.to_string())?;
    let again = read(format, &bytes)?;
    let mut text = Vec::new();
    codecs.serializer(Format::Json, false).encode(&*again, &mut text).map_err(|error| error.to_string())?;
    let text = String::from_utf8(text).map_err(|error| error.to_string())?;
    let schema = text.trim_end().strip_prefix(HEAD).and_then(|rest| rest.strip_suffix(TAIL));
    Ok(schema.unwrap_or(&text).to_owned())
}

#[test]
fn every_form_survives_every_format() {
    for schema in [
        r#"{"additionalProperties":true}"#,
        r#"{"additionalProperties":false}"#,
        r#"{"additionalProperties":{}}"#,
        r#"{"additionalProperties":{"type":"string"},"additionalItems":{"additionalItems":false}}"#,
        r#"{"items":{}}"#,
        r#"{"items":{"type":"array","items":{"items":[{}]}}}"#,
        r#"{"items":[{"type":"string"},{}]}"#,
        r#"{"dependencies":{"a":{"type":"string"},"b":["c","d"],"e":null}}"#,
        r#"{"default":{"b":1,"a":[1.5,null]},"enum":[null,"x",1,{},[]],"example":false}"#,
        r#"{"$schema":"a","$ref":"b","x-kubernetes-preserve-unknown-fields":true}"#,
    ] {
        for format in Format::ALL {
            let expected = match (schema.contains("\"b\":1,\"a\""), format) {
                // What was YAML has its keys in order.
                (true, Format::Yaml) => schema.replace(r#""b":1,"a":[1.5,null]"#, r#""a":[1.5,null],"b":1"#),
                _ => schema.to_owned(),
            };
            assert_eq!(through(schema, format), Ok(expected), "{format:?}");
        }
    }
}

#[test]
fn other_forms_are_errors_or_nothing_as_in_kubernetes() {
    for (schema, expected) in [
        (r#"{"items":"x"}"#, Ok(r#"{"items":null}"#)),
        (r#"{"items":null}"#, Ok("{}")),
        (r#"{"items":[]}"#, Ok(r#"{"items":null}"#)),
        (r#"{"dependencies":{"a":5,"b":[]}}"#, Ok(r#"{"dependencies":{"a":null,"b":null}}"#)),
        (r#"{"default":null,"example":null}"#, Ok("{}")),
        (r#"{"additionalProperties":"x"}"#, Err("boolean or JSON schema expected")),
        (r#"{"additionalItems":1}"#, Err("boolean or JSON schema expected")),
        (
            r#"{"properties":{"a":{"items":{"maxLength":"x"}}}}"#,
            Err("json: cannot unmarshal string into Go struct field JSONSchemaProps.maxLength of type int64"),
        ),
    ] {
        let got = through(schema, Format::Protobuf);
        match expected {
            Ok(text) => assert_eq!(got.as_deref(), Ok(text), "{schema}"),
            Err(text) => {
                let error = got.err().unwrap_or_default();
                assert!(error.contains(text), "{schema}: {error}");
            }
        }
    }
}

#[test]
fn unknown_fields_within_other_forms_go_unnoticed() {
    let gvk = GroupVersionKind::new("apiextensions.k8s.io", "v1beta1", "CustomResourceDefinition");
    let mut object = codecs().scheme().new_object(&gvk).expect("a known kind");
    let schema =
        r#"{"typo":1,"properties":{"a":{"typo":1,"items":{"typo":1,"properties":{"b":{"typo":1}}}}}}"#;
    let definition = format!("{HEAD}{schema}{TAIL}");
    let notes = json::decode_into(definition.as_bytes(), &mut *object, Strictness::Warn).expect("decodes");
    assert_eq!(
        notes.found(),
        [
            r#"unknown field "spec.validation.openAPIV3Schema.typo""#,
            r#"unknown field "spec.validation.openAPIV3Schema.properties.a.typo""#,
        ]
    );
}
