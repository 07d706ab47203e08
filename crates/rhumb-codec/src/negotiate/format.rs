//! What else negotiation must know of a format.

use crate::Format;
use crate::framing::Framing;

impl Format {
    /// Returns the media type of a stream of objects, as errors list it; none if the format can't be streamed.
    pub const fn stream_media_type(self) -> Option<&'static str> {
        match self {
            Format::Json => Some("application/json;stream=watch"),
            Format::Yaml => None,
            Format::Protobuf => Some("application/vnd.kubernetes.protobuf;stream=watch"),
        }
    }

    /// Returns the `Content-Type` of the answer to a watch; none if the format can't be streamed. That of JSON has no
    /// parameter, for clients older than the parameter.
    pub const fn watch_content_type(self) -> Option<&'static str> {
        match self {
            Format::Json => Some("application/json"),
            other => other.stream_media_type(),
        }
    }

    /// Returns how a stream of objects is cut; none if the format can't be streamed.
    pub const fn framing(self) -> Option<Framing> {
        match self {
            Format::Json => Some(Framing::Json),
            Format::Yaml => None,
            Format::Protobuf => Some(Framing::LengthDelimited),
        }
    }

    /// Reports whether there is an indented form besides the usual one.
    pub const fn has_pretty(self) -> bool {
        matches!(self, Format::Json)
    }

    /// Reports whether people can read it.
    pub const fn is_text(self) -> bool {
        !matches!(self, Format::Protobuf)
    }
}
