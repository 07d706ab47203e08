//! Conversion of objects to and from Scale.

use std::fmt;

use rhumb_api::autoscaling::v1::{Scale, ScaleSpec, ScaleStatus};
use rhumb_meta::ObjectMeta;
use rhumb_meta::labels::LabelSelectorError;
use rhumb_meta::v1::LabelSelector;

/// How objects of a type are scaled.
#[derive(Clone, Debug)]
pub struct Scaling<T> {
    /// Shows an object as a Scale.
    pub get: fn(&T) -> Result<Scale, ScalingError>,
    /// Takes the wanted number and the resource version of a Scale.
    pub set: fn(&mut T, &Scale),
}

/// Error: the selector of an object can't be formatted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScalingError(LabelSelectorError);

impl fmt::Display for ScalingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl std::error::Error for ScalingError {}

/// Returns a Scale with the part of the metadata that it shows.
pub(crate) fn scale(metadata: &ObjectMeta, wanted: Option<i32>, there: i32, selector: String) -> Scale {
    let metadata = ObjectMeta {
        name: metadata.name.clone(),
        namespace: metadata.namespace.clone(),
        uid: metadata.uid.clone(),
        resource_version: metadata.resource_version.clone(),
        creation_timestamp: metadata.creation_timestamp,
        ..ObjectMeta::default()
    };
    Scale {
        metadata,
        spec: ScaleSpec { replicas: wanted.unwrap_or(0) },
        status: ScaleStatus { replicas: there, selector },
        ..Scale::default()
    }
}

/// Returns the text of a selector; an absent one has none.
pub(crate) fn selector_text(selector: Option<&LabelSelector>) -> Result<String, ScalingError> {
    let Some(selector) = selector else { return Ok(String::new()) };
    Ok(selector.to_selector().map_err(ScalingError)?.to_string())
}
