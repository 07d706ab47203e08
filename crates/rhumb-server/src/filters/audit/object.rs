//! Objects as the log shows them: JSON, whatever they were sent as.

use std::io::Read;
use std::sync::{Arc, OnceLock};

use http::{HeaderMap, header};
use rhumb_codec::{Codecs, Format, json, yaml};
use rhumb_meta::Object;
use rhumb_meta::v1::{Status, Table};
use rhumb_schema::RawJson;
use serde_json::Value as Json;

use crate::base::request::header_text;
use crate::base::response;

/// Reads objects that are not sent as JSON. What is needed for that is made when the first one comes.
#[derive(Default)]
pub(super) struct Objects {
    codecs: OnceLock<Option<Codecs>>,
}

/// The format that headers say a body is in.
pub(super) fn format(headers: &HeaderMap) -> Option<Format> {
    let full = header_text(headers, header::CONTENT_TYPE);
    let media_type = full.split(';').next().unwrap_or_default().trim();
    Format::ALL.into_iter().find(|format| format.media_type() == media_type)
}

impl Objects {
    fn codecs(&self) -> Option<&Codecs> {
        let make = || rhumb_api::scheme().ok().map(|scheme| Codecs::new(Arc::new(scheme)));
        self.codecs.get_or_init(make).as_ref()
    }

    /// A body as JSON, if it is an object and has no more than so many bytes when it is unpacked.
    pub(super) fn to_json(&self, body: &[u8], headers: &HeaderMap, most: u64) -> Option<Vec<u8>> {
        let mut plain = Vec::new();
        let body = if header_text(headers, header::CONTENT_ENCODING) == "gzip" {
            let mut unpacked = flate2::read::GzDecoder::new(body).take(most.saturating_add(1));
            let length = unpacked.read_to_end(&mut plain).ok()?;
            if u64::try_from(length).is_ok_and(|length| length > most) {
                return None;
            }
            &plain
        } else {
            body
        };
        self.convert(body, format(headers)?)
    }

    /// Bytes of a format as JSON.
    pub(super) fn convert(&self, body: &[u8], format: Format) -> Option<Vec<u8>> {
        match format {
            Format::Json => is_json(body).then(|| compact(body)),
            // What has no type is written with sorted keys, which YAML has anyway.
            Format::Yaml => self.decoded(body).or_else(|| patch(body)),
            Format::Protobuf => self.decoded(body),
        }
    }

    fn decoded(&self, body: &[u8]) -> Option<Vec<u8>> {
        let decoded = self.codecs()?.decode(body, None).ok()?;
        encode(&*decoded.object)
    }

    /// An object without what says who manages its fields.
    pub(super) fn without_managed_fields(&self, text: Vec<u8>) -> Vec<u8> {
        let Some(mut object) = self.codecs().and_then(|codecs| codecs.decode(&text, None).ok()) else {
            return without_managed_fields_of_custom(text);
        };
        if let Some(table) = object.object.downcast_mut::<Table>() {
            for row in &mut table.rows {
                row.object = RawJson(self.without_managed_fields(std::mem::take(&mut row.object.0)));
            }
        } else if let Some(items) = object.object.take_items() {
            for mut item in items {
                item.edit_metadata(&mut |metadata| metadata.managed_fields.clear());
                // It came out of this list.
                let _ = object.object.push_item(item);
            }
        } else {
            object.object.edit_metadata(&mut |metadata| metadata.managed_fields.clear());
        }
        encode(&*object.object).unwrap_or(text)
    }
}

/// A patch as JSON, as it was sent but for what stands between its tokens.
pub(super) fn patch(body: &[u8]) -> Option<Vec<u8>> {
    if is_json(body) {
        return Some(compact(body));
    }
    let mut text = Vec::new();
    yaml::to_json(body, &yaml::ReadOptions::default(), &mut text).ok()?;
    Some(text)
}

/// The same for what has no Rust type. Such objects are written with sorted keys anyway.
fn without_managed_fields_of_custom(text: Vec<u8>) -> Vec<u8> {
    let Ok(mut tree) = serde_json::from_slice::<Json>(&text) else { return text };
    let clear = |object: &mut Json| {
        if let Some(metadata) = object.get_mut("metadata").and_then(Json::as_object_mut) {
            metadata.remove("managedFields");
        }
    };
    clear(&mut tree);
    for item in tree.get_mut("items").and_then(Json::as_array_mut).into_iter().flatten() {
        clear(item);
    }
    serde_json::to_vec(&tree).unwrap_or(text)
}

/// An object as JSON without the end of its line.
pub(super) fn encode(object: &dyn Object) -> Option<Vec<u8>> {
    let mut text = response::encode(object, Format::Json, false).ok()?;
    text.truncate(text.trim_ascii_end().len());
    Some(text)
}

/// A Status, if an object is one.
pub(super) fn status(text: &[u8]) -> Option<Status> {
    let (api_version, kind) = json::type_meta(text).ok()?;
    if api_version != "v1" || kind != "Status" {
        return None;
    }
    let mut status = Status::default();
    json::decode_into(text, &mut status, rhumb_codec::Strictness::Ignore).ok()?;
    Some(status)
}

fn is_json(text: &[u8]) -> bool {
    serde_json::from_slice::<Json>(text).is_ok()
}

/// JSON without what stands between its tokens.
fn compact(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for &byte in text {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            continue;
        } else {
            in_string = byte == b'"';
        }
        out.push(byte);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_tokens_goes() {
        let check = |text: &str, expected: &str| assert_eq!(compact(text.as_bytes()), expected.as_bytes());
        check(
            "{ \"a b\" : [ 1, 2 ],\n\t\"c\\\" d\": \"e \\\\\" }\n",
            "{\"a b\":[1,2],\"c\\\" d\":\"e \\\\\"}",
        );
        check("null", "null");
    }

    #[test]
    fn managed_fields_are_left_out_everywhere() {
        let objects = Objects::default();
        let check = |text: &str, expected: &str| {
            let ours = objects.without_managed_fields(text.as_bytes().to_vec());
            assert_eq!(String::from_utf8_lossy(&ours), expected);
        };
        let fields = r#""managedFields":[{"manager":"m"}]"#;
        check(
            &format!(
                r#"{{"kind":"ConfigMap","apiVersion":"v1","metadata":{{"name":"a",{fields}}},"data":{{"z":"b"}}}}"#
            ),
            r#"{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"z":"b"}}"#,
        );
        let list =
            r#"{"kind":"ConfigMapList","apiVersion":"v1","metadata":{},"items":[{"metadata":{"name":"a""#;
        check(&format!("{list},{fields}}}}}]}}"), &format!("{list}}}}}]}}"));
        check(
            &format!(r#"{{"apiVersion":"a.io/v1","kind":"A","metadata":{{{fields},"name":"a"}}}}"#),
            r#"{"apiVersion":"a.io/v1","kind":"A","metadata":{"name":"a"}}"#,
        );
    }

    #[test]
    fn a_status_is_known_by_its_kind() {
        let text = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","code":200}"#;
        assert_eq!(status(text).map(|status| status.code), Some(200));
        assert!(status(br#"{"kind":"Pod","apiVersion":"v1"}"#).is_none());
    }
}
