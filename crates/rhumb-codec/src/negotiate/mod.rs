//! Content negotiation of requests and responses.
//!
//! `Accept` is read the way Kubernetes reads it rather than the way the RFC says, because clients depend on
//! it; the parser says where the two differ. `Content-Type` is read strictly. What an endpoint can do for a
//! request beyond answering with its own kind (tables, bare metadata, watches) is asked of the [`Endpoint`].
//!
//! Only the first of several `Accept` headers counts, and the caller passes that one; an absent header is the
//! empty text.

mod accept;
mod content_type;
mod endpoint;
mod error;
mod format;
#[cfg(test)]
mod tests;

use std::borrow::Cow;

use rhumb_meta::GroupVersionKind;

use crate::{Format, query};

pub use endpoint::{DiscoveryEndpoint, Endpoint, PlainEndpoint, ResourceEndpoint};
pub use error::NegotiationError;

/// Maximum length of an `Accept` or `Content-Type` header.
pub const MAX_HEADER: usize = 8 * 1024;

/// Maximum number of media types in an `Accept` header.
pub const MAX_CLAUSES: usize = 64;

/// Result of negotiation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Negotiated {
    /// The format of the answer.
    pub format: Format,
    /// Whether it is written indented, for people.
    pub pretty: bool,
    /// The protocol of the stream that is wanted: `watch`, or empty for none.
    pub stream: String,
    /// The kind the answer is turned into, if it is not the endpoint's own.
    pub convert: Option<GroupVersionKind>,
    /// The version of the server's group that is wanted; empty for no wish.
    pub server_version: String,
    /// Whether fields that only the server sets were asked to be left out. Nothing heeds this any more.
    pub export: bool,
    /// Discovery profile: `local` for this server only; empty for all.
    pub profile: String,
    /// Names of parameters that mean nothing here, in the order they stood in.
    pub unrecognized: Vec<String>,
}

impl Negotiated {
    fn plain(format: Format) -> Self {
        Negotiated {
            format,
            pretty: false,
            stream: String::new(),
            convert: None,
            server_version: String::new(),
            export: false,
            profile: String::new(),
            unrecognized: Vec::new(),
        }
    }

    /// Returns the `Content-Type` with the kind of the response, which discovery uses.
    pub fn content_type_with_kind(&self) -> Cow<'static, str> {
        let plain = self.format.media_type();
        let Some(kind) = &self.convert else { return plain.into() };
        let mut text = plain.to_owned();
        for (key, value) in [(";g=", &kind.group), (";v=", &kind.version), (";as=", &kind.kind)] {
            if !value.is_empty() {
                text.push_str(key);
                text.push_str(value);
            }
        }
        text.into()
    }
}

/// Parts of a request that negotiation depends on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wishes<'a> {
    /// The first `Accept` header; empty if there is none.
    pub accept: &'a str,
    /// The query of the URL as it was sent, without the question mark.
    pub query: &'a str,
    /// The `User-Agent` header; empty if there is none.
    pub user_agent: &'a str,
}

/// Negotiates the response of a request.
///
/// # Errors
/// If none of the formats is acceptable to both sides.
pub fn output(
    wishes: Wishes<'_>,
    formats: &[Format],
    endpoint: &dyn Endpoint,
) -> Result<Negotiated, NegotiationError> {
    let mut agreed =
        accept(wishes.accept, formats, endpoint).ok_or_else(|| NegotiationError::not_acceptable(formats))?;
    agreed.pretty =
        (agreed.pretty || wants_pretty(wishes.query, wishes.user_agent)) && agreed.format.has_pretty();
    Ok(agreed)
}

/// Negotiates the response of a stream of objects, such as a watch.
///
/// # Errors
/// If none of the formats is acceptable to both sides, or if the one agreed on can't be streamed: there is no
/// second try with what the client likes less.
pub fn output_stream(
    header: &str,
    formats: &[Format],
    endpoint: &dyn Endpoint,
) -> Result<Negotiated, NegotiationError> {
    accept(header, formats, endpoint)
        .filter(|agreed| agreed.format.framing().is_some())
        .ok_or_else(|| NegotiationError::stream_not_acceptable(formats))
}

/// Finds the preferred clause of an `Accept` header that a format and the endpoint support.
///
/// An empty header takes the first format without asking the endpoint.
pub fn accept(header: &str, formats: &[Format], endpoint: &dyn Endpoint) -> Option<Negotiated> {
    if header.is_empty() {
        return formats.first().copied().map(Negotiated::plain);
    }
    let clauses = accept::parse(header)?;
    let mut tried = clauses.iter().flat_map(|clause| {
        let matching = formats.iter().filter(|format| clause.matches(format.media_type()));
        matching.map(move |format| (clause, *format))
    });
    tried.find_map(|(clause, format)| heed_parameters(&clause.parameters, format, endpoint))
}

/// Reads the parameters of a clause; none if the endpoint can't do what they ask for.
fn heed_parameters(
    parameters: &[(&str, &str)],
    format: Format,
    endpoint: &dyn Endpoint,
) -> Option<Negotiated> {
    let mut agreed = Negotiated::plain(format);
    for &(key, value) in parameters {
        match key {
            "as" => agreed.convert.get_or_insert_default().kind = value.to_owned().into(),
            "g" => agreed.convert.get_or_insert_default().group = value.to_owned().into(),
            "v" => agreed.convert.get_or_insert_default().version = value.to_owned().into(),
            "stream" => {
                if !value.is_empty() && (format.framing().is_none() || !endpoint.allows_stream(value)) {
                    return None;
                }
                value.clone_into(&mut agreed.stream);
            }
            "sv" => {
                if !value.is_empty() && !endpoint.allows_server_version(value) {
                    return None;
                }
                value.clone_into(&mut agreed.server_version);
            }
            "export" => agreed.export = value == "1",
            "pretty" => agreed.pretty = value == "1",
            "profile" => value.clone_into(&mut agreed.profile),
            unknown => agreed.unrecognized.push(unknown.to_owned()),
        }
    }
    endpoint.allows_transform(format, agreed.convert.as_ref()).then_some(agreed)
}

/// Reports whether an answer is indented though `Accept` doesn't say so: by the query, or else for programs that
/// people read the output of.
pub fn wants_pretty(raw_query: &str, user_agent: &str) -> bool {
    // The key must stand there unescaped, or the query isn't looked at.
    if raw_query.contains("pretty") {
        let parsed = query::parse(raw_query);
        match parsed.first("pretty") {
            None | Some("") => {}
            Some(value) => return matches!(value, "1" | "t" | "T" | "TRUE" | "true" | "True"),
        }
    }
    ["curl", "Wget", "Mozilla/5.0"].iter().any(|program| user_agent.starts_with(program))
}

/// Whether a body is an object or a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// One object.
    Single,
    /// A stream of objects.
    Stream,
}

/// Selects the format of a request body by its `Content-Type`; the first format without one.
///
/// # Errors
/// If the header is malformed or names no format of these.
pub fn input(content_type: &str, body: Body, formats: &[Format]) -> Result<Format, NegotiationError> {
    let found = if content_type.is_empty() {
        formats.first().copied()
    } else {
        let named = content_type::parse(content_type);
        named.and_then(|named| formats.iter().copied().find(|format| format.media_type() == named))
    };
    found.ok_or_else(|| match body {
        Body::Single => NegotiationError::unsupported(formats),
        Body::Stream => NegotiationError::stream_unsupported(formats),
    })
}
