//! Reading bodies, whatever their kind: what they say they are, and why they can't be read.

use rhumb_codec::{CodecError, Format};
use rhumb_meta::GroupVersionKind;

use crate::base::failure::Failure;

/// Why a body is not the object that was expected.
pub(crate) fn unreadable(
    expected: &GroupVersionKind,
    body: &[u8],
    error: &CodecError,
    text_kind: Option<&GroupVersionKind>,
) -> Failure {
    let reason = error.to_string();
    match text_kind.filter(|kind| !kind.kind.is_empty()) {
        Some(kind) => Failure::bad_request(format!(
            "{} in version {} cannot be handled as a {}: {reason}",
            kind.kind,
            rhumb_schema::text::quoted(kind.version.as_bytes()),
            expected.kind
        )),
        None => Failure::bad_request(format!(
            "the object provided is unrecognized (must be of type {}): {reason} ({})",
            expected.kind,
            summary(body)
        )),
    }
}

/// The beginning of a body, for a message.
fn summary(body: &[u8]) -> String {
    const SHOWN: usize = 30;
    let part = body.get(..SHOWN).unwrap_or(body);
    let more = if body.len() > SHOWN { " ..." } else { "" };
    match body.first() {
        None => "<empty>".to_owned(),
        Some(b'{') => format!("{}{more}", String::from_utf8_lossy(part)),
        Some(_) => {
            let hex: String = part.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{hex}{more}")
        }
    }
}

/// The kind that a body says it has, as far as it can be read.
pub(crate) fn told_kind(body: &[u8], format: Format) -> Option<GroupVersionKind> {
    let text;
    let (api_version, kind) = match format {
        Format::Json => rhumb_codec::json::type_meta(body).ok()?,
        Format::Yaml => {
            let mut json = Vec::new();
            rhumb_codec::yaml::to_json(body, &rhumb_codec::yaml::ReadOptions::default(), &mut json).ok()?;
            text = json;
            rhumb_codec::json::type_meta(&text).ok()?
        }
        Format::Protobuf => {
            let envelope = rhumb_codec::proto::open(body).ok()?;
            (envelope.api_version.to_owned(), envelope.kind.to_owned())
        }
    };
    Some(GroupVersionKind::from_api_version_and_kind(&api_version, &kind))
}

/// The kind with what was not told taken from the one that is expected.
pub(crate) fn completed(
    told: Option<GroupVersionKind>,
    expected: &GroupVersionKind,
) -> Option<GroupVersionKind> {
    let mut told = told?;
    if told.kind.is_empty() {
        told.kind = expected.kind.clone();
    }
    if told.version.is_empty() && told.group.is_empty() {
        told.group = expected.group.clone();
        told.version = expected.version.clone();
    }
    Some(told)
}

/// The complaints of a YAML reader one by one; any other complaint is one already.
pub(crate) fn lines(warning: &str) -> Vec<String> {
    match warning.strip_prefix("yaml: unmarshal errors:\n") {
        Some(rest) => rest.lines().map(|line| line.trim().to_owned()).collect(),
        None => vec![warning.to_owned()],
    }
}
