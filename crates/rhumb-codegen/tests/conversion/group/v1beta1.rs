//! A version with the image and its tag in one field, `suspend` in the spec itself, and the limit as a text.

// +k8s:conversion-gen=super::v1

#[rustfmt::skip]
mod zz_generated_conversion;

/// What is to run, and when.
// +rhumb:convert=lacks(image, policy)
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Spec {
    /// When it runs.
    pub(crate) schedule: String,
    /// The image that runs, with its tag behind a colon.
    pub(crate) source: String,
    /// Nothing runs while this is true.
    pub(crate) suspend: bool,
    /// How many may run.
    pub(crate) limit: String,
}

/// `source` is the hub's `image`, and `tag`.
mod spec_source {
    use rhumb_scheme::{ConvertError, Scope};

    use crate::group::v1;

    pub(super) fn to_hub(own: String, hub: &mut v1::Spec, _: &Scope) -> Result<(), ConvertError> {
        hub.image = own.split(':').next().unwrap_or_default().to_owned();
        Ok(())
    }

    pub(super) fn from_hub(hub: &v1::Spec, _: &Scope) -> Result<String, ConvertError> {
        Ok(hub.image.clone())
    }
}

/// The hub's `tag` is behind the colon of `source`.
mod spec_tag {
    use rhumb_scheme::{ConvertError, Scope};

    use super::Spec;

    pub(super) fn to_hub(own: &Spec, _: &Scope) -> Result<String, ConvertError> {
        Ok(own.source.split_once(':').map(|(_, tag)| tag.to_owned()).unwrap_or_default())
    }

    pub(super) fn from_hub(hub: String, own: &mut Spec, _: &Scope) -> Result<(), ConvertError> {
        if !hub.is_empty() {
            own.source = format!("{}:{hub}", own.source);
        }
        Ok(())
    }
}

/// `suspend` stands in the hub's `policy`.
mod suspend {
    use rhumb_scheme::{ConvertError, Scope};

    use crate::group::v1;

    pub(super) fn to_hub(own: bool, hub: &mut v1::Spec, _: &Scope) -> Result<(), ConvertError> {
        hub.policy.suspend = own;
        Ok(())
    }

    pub(super) fn from_hub(hub: &v1::Spec, _: &Scope) -> Result<bool, ConvertError> {
        Ok(hub.policy.suspend)
    }
}

/// The limit is a number in the hub.
mod spec_limit {
    use rhumb_scheme::{ConvertError, Scope};

    pub(super) fn to_hub(own: String, _: &Scope) -> Result<i32, ConvertError> {
        if own.is_empty() {
            return Ok(0);
        }
        own.parse().map_err(|error| ConvertError::value(format!("{own:?}: {error}")))
    }

    pub(super) fn from_hub(hub: i32, _: &Scope) -> Result<String, ConvertError> {
        Ok(hub.to_string())
    }
}
