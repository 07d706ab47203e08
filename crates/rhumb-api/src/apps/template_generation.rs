//! The number that counted changes of a DaemonSet's template before there were revisions: a field in
//! `extensions/v1beta1`, an annotation in later versions.

use rhumb_meta::v1::ObjectMeta;
use rhumb_scheme::ConvertError;

use super::rollback::parse_int;

/// The annotation that keeps the number.
const TEMPLATE_GENERATION: &str = "deprecated.daemonset.template.generation";

/// The number that the annotation holds; 0 if there is none.
pub(super) fn read(metadata: &ObjectMeta) -> Result<i64, ConvertError> {
    metadata
        .annotations
        .get(TEMPLATE_GENERATION)
        .map_or(Ok(0), |text| parse_int(text).map_err(ConvertError::value))
}

/// Puts the number into the annotation.
pub(crate) fn write(metadata: &mut ObjectMeta, generation: i64) {
    metadata.annotations.insert(TEMPLATE_GENERATION.to_owned(), generation.to_string());
}

/// Takes the number out of the annotation.
pub(crate) fn take(metadata: &mut ObjectMeta) -> Result<i64, ConvertError> {
    let generation = read(metadata)?;
    metadata.annotations.remove(TEMPLATE_GENERATION);
    Ok(generation)
}
