//! A rollback that is still to be done: a field of the Deployment in v1beta1, an annotation in later versions.

use rhumb_meta::v1::ObjectMeta;
use rhumb_scheme::ConvertError;

/// The annotation that keeps the revision to roll back to.
const ROLLBACK_TO: &str = "deprecated.deployment.rollback.to";

/// Puts the revision into the annotation, and takes the annotation away if there is none.
pub(crate) fn write(metadata: &mut ObjectMeta, revision: Option<i64>) {
    match revision {
        Some(revision) => metadata.annotations.insert(ROLLBACK_TO.to_owned(), revision.to_string()),
        None => metadata.annotations.remove(ROLLBACK_TO),
    };
}

/// Takes the revision out of the annotation. An empty annotation says nothing.
pub(crate) fn take(metadata: &mut ObjectMeta) -> Result<Option<i64>, ConvertError> {
    let Some(text) = metadata.annotations.get(ROLLBACK_TO).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let revision = parse_int(text).map_err(|reason| {
        ConvertError::value(format!("failed to parse annotation[{ROLLBACK_TO}]={text} as int64: {reason}"))
    })?;
    metadata.annotations.remove(ROLLBACK_TO);
    Ok(Some(revision))
}

/// A 64-bit integer, or Go's words on why the text is none.
pub(super) fn parse_int(text: &str) -> Result<i64, String> {
    text.parse().map_err(|error: std::num::ParseIntError| {
        let reason = match error.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("strconv.ParseInt: parsing {text:?}: {reason}")
    })
}
