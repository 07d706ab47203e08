//! URLs: `url`, `isURL` and the parts of one.

use std::any::Any;
use std::fmt::Write as _;
use std::sync::Arc;

use rhumb_cel::eval::Error;
use rhumb_cel::functions::Function;
use rhumb_cel::library::Library;
use rhumb_cel::types::Type;
use rhumb_cel::value::{Entries, Map, Opaque, Value};
use rhumb_meta::url::{Url, to_text, unescape, unescape_query};

use super::{opaque, text, wrap};

/// The library of URLs.
#[derive(Clone, Copy, Debug, Default)]
pub struct Urls;

/// A URL as a value.
#[derive(Debug)]
pub(crate) struct UrlValue {
    url: Url,
    /// The path as it was written.
    path: String,
    /// The whole as it was written.
    written: String,
}

impl UrlValue {
    /// Returns the type of URLs.
    pub(crate) fn type_() -> Type {
        Type::object("kubernetes.URL")
    }

    fn parse(written: &str) -> Result<Self, Error> {
        let wrong = |error: rhumb_meta::url::UrlError| {
            Error::new(format!("URL parse error during conversion from string: {error}"))
        };
        // A request's URL is absolute, and may have no fragment; what follows is read as one all the same.
        Url::parse_request_uri(written).map_err(wrong)?;
        let url = Url::parse(written).map_err(wrong)?;
        Ok(Self { path: path(written).to_owned(), url, written: written.to_owned() })
    }

    /// Returns the path with the escapes that it was written with, or those that it needs.
    fn escaped_path(&self) -> String {
        if self.path.bytes().all(may_stand_in_path) {
            return self.path.clone();
        }
        let mut escaped = String::with_capacity(self.path.len());
        for byte in unescape(&self.path).unwrap_or_default().iter() {
            if is_plain_in_path(*byte) {
                escaped.push(char::from(*byte));
            } else {
                // Writing to a text doesn't fail.
                let _ = write!(escaped, "%{byte:02X}");
            }
        }
        escaped
    }

    fn hostname(&self) -> &str {
        let host = self.url.host.as_str();
        match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((name, _)) => name,
            None => host.rsplit_once(':').map_or(host, |(name, _)| name),
        }
    }

    fn port(&self) -> &str {
        let host = self.url.host.as_str();
        let after = host.rfind(']').map_or(host, |end| host.get(end..).unwrap_or_default());
        after.rsplit_once(':').map_or("", |(_, port)| port)
    }
}

impl Opaque for UrlValue {
    fn type_(&self) -> Type {
        Self::type_()
    }

    fn equal(&self, other: &dyn Opaque) -> bool {
        other.as_any().downcast_ref::<Self>().is_some_and(|other| self.written == other.written)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Returns the path of a URL that is known to be one.
fn path(written: &str) -> &str {
    let before = |text: &'_ str, end: char| text.find(end).unwrap_or(text.len());
    let rest = written.get(..before(written, '#')).unwrap_or_default();
    let rest = rest.get(..before(rest, '?')).unwrap_or_default();
    let (scheme, rest) = match rest.split_once(':') {
        Some((scheme, rest)) if !scheme.contains('/') => (scheme, rest),
        _ => ("", rest),
    };
    match rest.strip_prefix("//") {
        Some(authority) if !scheme.is_empty() => authority.get(before(authority, '/')..).unwrap_or_default(),
        _ if rest.starts_with('/') => rest,
        // What has no structure has no path.
        _ => "",
    }
}

/// Reports whether a byte of a path needs no escape.
fn is_plain_in_path(byte: u8) -> bool {
    byte.is_ascii_alphanumeric()
        || matches!(byte, b'-' | b'_' | b'.' | b'~' | b'$' | b'&' | b'+' | b'/' | b':' | b'=' | b'@')
}

/// Reports whether a byte of a path as it was written may stay as it is.
fn may_stand_in_path(byte: u8) -> bool {
    is_plain_in_path(byte)
        || matches!(byte, b'!' | b'\'' | b'(' | b')' | b'*' | b',' | b';' | b'[' | b']' | b'%')
}

/// Returns the values of each key of a query. What can't be read is left out.
fn query<'a>(written: &str) -> Value<'a> {
    let mut values: Vec<(String, Vec<Value<'a>>)> = Vec::new();
    for part in written.split('&').filter(|part| !part.is_empty() && !part.contains(';')) {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        let (Ok(key), Ok(value)) = (unescape_query(key), unescape_query(value)) else { continue };
        let (key, value) = (to_text(key), Value::from(to_text(value)));
        match values.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value),
            None => values.push((key, vec![value])),
        }
    }
    let mut map = Entries::new();
    for (key, values) in values {
        map.insert(Value::from(key), Value::from(values));
    }
    Value::Map(Map::Shared(Arc::new(map)))
}

/// Declares a part of a URL that is a text.
fn part(name: &str, id: &str, get: fn(&UrlValue) -> String) -> Function {
    Function::member(name, id, vec![UrlValue::type_()], Type::String)
        .with(move |_, args| Ok(Value::from(get(opaque(args, 0)?))))
}

impl Library for Urls {
    fn name(&self) -> &str {
        "kubernetes.urls"
    }

    fn functions(&self) -> Vec<Function> {
        let url = UrlValue::type_;
        vec![
            Function::global("url", "string_to_url", vec![Type::String], url())
                .with(|_, args| UrlValue::parse(text(args, 0)?).map(wrap)),
            part("getScheme", "url_get_scheme", |url| url.url.scheme.clone()),
            part("getHost", "url_get_host", |url| url.url.host.clone()),
            part("getHostname", "url_get_hostname", |url| url.hostname().to_owned()),
            part("getPort", "url_get_port", |url| url.port().to_owned()),
            part("getEscapedPath", "url_get_escaped_path", UrlValue::escaped_path),
            Function::member(
                "getQuery",
                "url_get_query",
                vec![url()],
                Type::map(Type::String, Type::list(Type::String)),
            )
            .with(|_, args| Ok(query(&opaque::<UrlValue>(args, 0)?.url.query))),
            Function::global("isURL", "is_url_string", vec![Type::String], Type::Bool)
                .with(|_, args| Ok(Value::Bool(Url::is_request_uri(text(args, 0)?)))),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_and_escaped() {
        let check = |written: &str, expected: &str| {
            let url = UrlValue::parse(written).unwrap();
            assert_eq!(url.escaped_path(), expected, "{written}");
        };
        check("https://example.com/path", "/path");
        check("https://example.com/path with spaces/", "/path%20with%20spaces/");
        check("https://example.com", "");
        check("/a/b?c#d", "/a/b");
        check("https://user:pass@example.com:80/x%2Fy?q#f", "/x%2Fy");
    }

    #[test]
    fn hosts_have_names_and_ports() {
        let check = |written: &str, name: &str, port: &str| {
            let url = UrlValue::parse(written).unwrap();
            assert_eq!((url.hostname(), url.port()), (name, port), "{written}");
        };
        check("https://example.com:80/", "example.com", "80");
        check("https://[::1]:80/", "::1", "80");
        check("https://[::1]/", "::1", "");
        check("/path", "", "");
    }
}
