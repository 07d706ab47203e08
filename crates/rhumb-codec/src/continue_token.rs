//! Continue tokens, with which a client asks for the next part of a list, as Kubernetes forms them: a JSON object with
//! the revision and the key to go on from, in URL-safe base64 without padding. The key is relative to the prefix that
//! is listed, so a token can't lead out of it.

use std::borrow::Cow;
use std::fmt;

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use rhumb_schema::text::{Scanner, SyntaxError, unquote, write_str};

/// The only layout of tokens that there is.
const VERSION: &str = "meta.k8s.io/v1";

/// As of when a list is continued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContinueAt {
    /// At the revision of its beginning.
    Exact(u64),
    /// At the newest one: what a client gets along with the news that its token has expired.
    Newest,
}

/// Where a list is continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContinueToken {
    /// As of when.
    pub at: ContinueAt,
    /// The first key that may be in the next part.
    pub start: Bytes,
}

/// Why a token is refused. The texts are those of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContinueError {
    /// It has no revision.
    InvalidRevision,
    /// It has no key.
    EmptyStart,
    /// It is not a token, or its key is none: this is what is wrong with it.
    Invalid(String),
    /// It is of another layout.
    UnknownVersion(String),
    /// A token can't be made: the key doesn't begin with the prefix, or the revision is beyond what a token can say.
    NotWithin,
}

impl fmt::Display for ContinueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContinueError::InvalidRevision => f.write_str(
                "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
            ),
            ContinueError::EmptyStart => {
                f.write_str("continue key is not valid: encoded start key empty (version meta.k8s.io/v1)")
            }
            ContinueError::Invalid(what) => write!(f, "continue key is not valid: {what}"),
            ContinueError::UnknownVersion(version) => write!(
                f,
                "continue key is not valid: server does not recognize this encoded version {version}"
            ),
            ContinueError::NotWithin => {
                f.write_str("unable to encode next field: the key and key prefix do not match")
            }
        }
    }
}

impl std::error::Error for ContinueError {}

impl From<SyntaxError> for ContinueError {
    fn from(error: SyntaxError) -> Self {
        ContinueError::Invalid(error.to_string())
    }
}

impl ContinueToken {
    /// The token, for a list of the keys with a prefix.
    ///
    /// # Errors
    /// If the key doesn't begin with the prefix.
    pub fn encode(&self, prefix: &[u8]) -> Result<String, ContinueError> {
        let start = self.start.strip_prefix(prefix).filter(|_| !prefix.is_empty());
        let start = String::from_utf8_lossy(start.ok_or(ContinueError::NotWithin)?);
        let revision = match self.at {
            ContinueAt::Exact(revision) => i64::try_from(revision).map_err(|_| ContinueError::NotWithin)?,
            ContinueAt::Newest => -1,
        };
        let mut json = format!(r#"{{"v":"{VERSION}","rv":{revision},"start":"#).into_bytes();
        write_str(&start, &mut json);
        json.push(b'}');
        Ok(URL_SAFE_NO_PAD.encode(json))
    }

    /// What a token says, for a list of the keys with a prefix.
    ///
    /// # Errors
    /// If it is not a token, or leads out of the prefix.
    pub fn decode(token: &str, prefix: &[u8]) -> Result<Self, ContinueError> {
        let parts = Parts::parse(&unpack(token)?)?;
        if parts.version != VERSION {
            return Err(ContinueError::UnknownVersion(parts.version));
        }
        if parts.revision == 0 {
            return Err(ContinueError::InvalidRevision);
        }
        if parts.start.is_empty() {
            return Err(ContinueError::EmptyStart);
        }
        let relative = parts.start.strip_prefix('/').unwrap_or(&parts.start);
        if !is_plain(relative) {
            return Err(ContinueError::Invalid(parts.start));
        }
        let at = u64::try_from(parts.revision).map_or(ContinueAt::Newest, ContinueAt::Exact);
        let start = Bytes::from([prefix, relative.as_bytes()].concat());
        Ok(ContinueToken { at, start })
    }
}

/// Whether a path below a root is written in the one shortest way: no step is empty or leads nowhere or up. The root
/// itself is.
fn is_plain(path: &str) -> bool {
    path.is_empty() || path.split('/').all(|step| !matches!(step, "" | "." | ".."))
}

/// The bytes of a token. Line breaks are passed over, and bits that don't fill a byte are not looked at.
fn unpack(token: &str) -> Result<Vec<u8>, ContinueError> {
    let illegal = |at: usize| ContinueError::Invalid(format!("illegal base64 data at input byte {at}"));
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let is_known = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') || is_break(byte);
    if let Some(at) = token.bytes().position(|byte| !is_known(&byte)) {
        return Err(illegal(at));
    }
    let digits: Vec<u8> = token.bytes().filter(|byte| !is_break(byte)).collect();
    if digits.len() % 4 == 1 {
        return Err(illegal(token.len().saturating_sub(1)));
    }
    let engine = GeneralPurpose::new(&alphabet::URL_SAFE, NO_PAD.with_decode_allow_trailing_bits(true));
    engine.decode(&digits).map_err(|_| illegal(token.len()))
}

/// The fields of a token. What is absent or null is empty.
#[derive(Debug, Default)]
struct Parts {
    version: String,
    revision: i64,
    start: String,
}

impl Parts {
    /// Reads the fields. The first one that is of another type is told of, after the text was read to its end.
    fn parse(json: &[u8]) -> Result<Self, ContinueError> {
        let mut parts = Parts::default();
        for (name, value) in fields(json)? {
            match name.to_ascii_lowercase().as_str() {
                "v" => set_text(&mut parts.version, "v", value)?,
                "start" => set_text(&mut parts.start, "start", value)?,
                "rv" => parts.set_revision(value)?,
                _ => {}
            }
        }
        Ok(parts)
    }

    fn set_revision(&mut self, value: &[u8]) -> Result<(), ContinueError> {
        match kind(value) {
            "null" => {}
            "number" => {
                let digits = String::from_utf8_lossy(value);
                let wrong = |_| mismatch(&format!("number {digits}"), "rv", "int64");
                self.revision = digits.parse().map_err(wrong)?;
            }
            other => return Err(mismatch(other, "rv", "int64")),
        }
        Ok(())
    }
}

fn set_text(field: &mut String, name: &str, value: &[u8]) -> Result<(), ContinueError> {
    match kind(value) {
        "null" => {}
        "string" => *field = unquote(value).unwrap_or_default().into_owned(),
        other => return Err(mismatch(other, name, "string")),
    }
    Ok(())
}

/// A field of a JSON object: its name, and its value as written.
type Field<'a> = (Cow<'a, str>, &'a [u8]);

/// The fields of the object that a text is; none if it is null.
fn fields(json: &[u8]) -> Result<Vec<Field<'_>>, ContinueError> {
    let mut scanner = Scanner::new(json);
    let mut fields = Vec::new();
    if scanner.peek() != Some(b'{') {
        let value = scanner.skip()?;
        scanner.end()?;
        return match kind(value) {
            "null" => Ok(fields),
            kind => Err(ContinueError::Invalid(format!(
                "json: cannot unmarshal {kind} into Go value of type storage.continueToken"
            ))),
        };
    }
    scanner.bump();
    while scanner.next_entry(fields.is_empty())? {
        fields.push((scanner.key()?, scanner.skip()?));
    }
    scanner.end()?;
    Ok(fields)
}

/// The type of a value, as Go calls it.
fn kind(value: &[u8]) -> &'static str {
    match value.first() {
        Some(b'{') => "object",
        Some(b'[') => "array",
        Some(b'"') => "string",
        Some(b't' | b'f') => "bool",
        Some(b'n') => "null",
        _ => "number",
    }
}

fn mismatch(found: &str, field: &str, wanted: &str) -> ContinueError {
    ContinueError::Invalid(format!(
        "json: cannot unmarshal {found} into Go struct field continueToken.{field} of type {wanted}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PODS: Bytes = Bytes::from_static(b"/registry/pods/");

    fn pack(json: &str) -> String {
        URL_SAFE_NO_PAD.encode(json)
    }

    #[test]
    fn is_written_as_kubernetes_writes_it() {
        let start = Bytes::from_static(b"/registry/pods/default/a<b\0");
        let token = ContinueToken { at: ContinueAt::Exact(27), start };
        let text = token.encode(&PODS).unwrap();
        let json = String::from_utf8(unpack(&text).unwrap()).unwrap();
        assert_eq!(json, r#"{"v":"meta.k8s.io/v1","rv":27,"start":"default/a\u003cb\u0000"}"#);
        assert_eq!(ContinueToken::decode(&text, &PODS), Ok(token));
    }

    #[test]
    fn goes_on_at_the_newest_revision_after_it_expired() {
        let start = Bytes::from_static(b"/registry/pods/default/a\0");
        let token = ContinueToken { at: ContinueAt::Newest, start };
        let text = token.encode(&PODS).unwrap();
        assert_eq!(text, pack(r#"{"v":"meta.k8s.io/v1","rv":-1,"start":"default/a\u0000"}"#));
        assert_eq!(ContinueToken::decode(&text, &PODS), Ok(token));
    }

    #[test]
    fn is_refused_with_the_words_of_kubernetes() {
        let check = |token: &str, words: &str| {
            let error = ContinueToken::decode(token, &PODS).unwrap_err();
            assert_eq!(error.to_string(), words, "{token}");
        };
        let json = |json: &str, words: &str| check(&pack(json), words);
        check("", "continue key is not valid: unexpected end of JSON input");
        check("ab=", "continue key is not valid: illegal base64 data at input byte 2");
        check("abcde", "continue key is not valid: illegal base64 data at input byte 4");
        json("x", "continue key is not valid: invalid character 'x' looking for beginning of value");
        json(r#"{"v""#, "continue key is not valid: unexpected end of JSON input");
        let unknown = "continue key is not valid: server does not recognize this encoded version";
        json("{}", &format!("{unknown} "));
        json(r#"{"v":"v2","rv":1,"start":"a"}"#, &format!("{unknown} v2"));
        json(
            r#"{"v":"meta.k8s.io/v1","start":"a"}"#,
            "continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        );
        json(
            r#"{"v":"meta.k8s.io/v1","rv":1}"#,
            "continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
        );
        json(
            r#"{"v":"meta.k8s.io/v1","rv":"1"}"#,
            "continue key is not valid: json: cannot unmarshal string into Go struct field continueToken.rv of \
             type int64",
        );
        for start in ["../a", "/../a", "a/..", "a/./b", "a//b", "a/", "/a/", "//", ".", ".."] {
            json(
                &format!(r#"{{"v":"meta.k8s.io/v1","rv":1,"start":"{start}"}}"#),
                &format!("continue key is not valid: {start}"),
            );
        }
    }

    #[test]
    fn keeps_within_its_prefix() {
        for (start, key) in
            [("/", "/registry/pods/"), ("/a/b", "/registry/pods/a/b"), ("a", "/registry/pods/a")]
        {
            let token = pack(&format!(r#"{{"v":"meta.k8s.io/v1","rv":1,"start":"{start}"}}"#));
            assert_eq!(ContinueToken::decode(&token, &PODS).unwrap().start, key);
        }
        let other = ContinueToken { at: ContinueAt::Newest, start: Bytes::from_static(b"/registry/nodes/a") };
        assert_eq!(other.encode(&PODS), Err(ContinueError::NotWithin));
    }
}
