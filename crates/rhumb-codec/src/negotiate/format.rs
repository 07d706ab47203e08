//! Properties of formats for negotiation.

use crate::Format;
use crate::framing::Framing;

impl Format {
    /// Returns the media type of streams, as errors list it; none if the format can't be streamed.
    pub const fn stream_media_type(self) -> Option<&'static str> {
        match self {
            Format::Json => Some("application/json;stream=watch"),
            Format::Yaml => None,
            Format::Protobuf => Some("application/vnd.kubernetes.protobuf;stream=watch"),
        }
    }

    /// Returns the `Content-Type` of watches; none if the format can't be streamed. JSON has no parameter, for clients
    /// older than it.
    pub const fn watch_content_type(self) -> Option<&'static str> {
        match self {
            Format::Json => Some("application/json"),
            other => other.stream_media_type(),
        }
    }

    /// Returns the framing of streams; none if the format can't be streamed.
    pub const fn framing(self) -> Option<Framing> {
        match self {
            Format::Json => Some(Framing::Json),
            Format::Yaml => None,
            Format::Protobuf => Some(Framing::LengthDelimited),
        }
    }

    /// Reports whether the format has an indented form.
    pub const fn has_pretty(self) -> bool {
        matches!(self, Format::Json)
    }

    /// Reports whether the format is text.
    pub const fn is_text(self) -> bool {
        !matches!(self, Format::Protobuf)
    }
}
