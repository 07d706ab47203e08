//! The built-in formats and their names.

/// Format of encoded objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `application/json`.
    Json,
    /// `application/yaml`.
    Yaml,
    /// `application/vnd.kubernetes.protobuf`.
    Protobuf,
}

impl Format {
    /// All formats, the default first.
    pub const ALL: [Format; 3] = [Format::Json, Format::Yaml, Format::Protobuf];

    /// Returns the media type.
    pub fn media_type(self) -> &'static str {
        match self {
            Format::Json => "application/json",
            Format::Yaml => "application/yaml",
            Format::Protobuf => "application/vnd.kubernetes.protobuf",
        }
    }

    /// Returns the format of a media type without parameters.
    pub fn from_media_type(media_type: &str) -> Option<Self> {
        Format::ALL.into_iter().find(|format| format.media_type() == media_type)
    }

    /// Returns the format of a file name extension.
    pub fn from_extension(extension: &str) -> Option<Self> {
        match extension {
            "json" => Some(Format::Json),
            "yaml" | "yml" => Some(Format::Yaml),
            "pb" => Some(Format::Protobuf),
            _ => None,
        }
    }

    /// Recognises the format of bytes: protobuf by its prefix, JSON by its opening brace, else YAML.
    pub fn recognize(data: &[u8]) -> Self {
        if data.starts_with(crate::proto::MAGIC) {
            Format::Protobuf
        } else if crate::yaml::is_json(data) {
            Format::Json
        } else {
            Format::Yaml
        }
    }
}
