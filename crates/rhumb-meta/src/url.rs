//! URLs as Go parses them, with its errors, for validation of webhook addresses.
//!
//! Paths are checked but not kept, because no rule asks for them. What is wrong with an IPv6 address is told in
//! fewer ways than Go has.
//!
//! Escapes are written by the crate `percent-encoding`. They are read here, because it lets malformed ones pass,
//! which Go refuses and names.

use std::borrow::Cow;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rhumb_schema::text::quoted;

/// All but what never needs an escape.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// What Go escapes in names and passwords.
const USER: &AsciiSet =
    &RESERVED.remove(b'$').remove(b'&').remove(b'+').remove(b',').remove(b';').remove(b'=');
/// What Go escapes in paths.
const PATH: &AsciiSet = &USER.remove(b'/').remove(b':').remove(b'@');

/// Parts of a URL that validation needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Url {
    /// Scheme in lower case.
    pub scheme: String,
    /// The host, with its port.
    pub host: String,
    /// Name and password, escaped again.
    pub user: Option<String>,
    /// Query without the question mark.
    pub query: String,
    /// Fragment without the number sign.
    pub fragment: String,
}

/// Error of parsing a URL, in Go's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlError(String);

impl fmt::Display for UrlError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UrlError {}

impl Url {
    /// Reads a URL.
    ///
    /// # Errors
    /// If Go would not take it.
    pub fn parse(text: &str) -> Result<Url, UrlError> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let wrong = |text: &str, problem: String| UrlError(format!("parse {}: {problem}", quoted(text)));
        let mut url = parse(before, Place::Anywhere).map_err(|problem| wrong(before, problem))?;
        url.fragment = unescape_part(fragment, Part::Fragment).map_err(|problem| wrong(text, problem))?;
        Ok(url)
    }

    /// Reads a URL that stands in the first line of an HTTP request: one with a scheme, or an absolute path.
    ///
    /// # Errors
    /// If Go would not take it there.
    pub fn parse_request_uri(text: &str) -> Result<Url, UrlError> {
        let parsed = if text.is_empty() { Err("empty url".to_owned()) } else { parse(text, Place::Request) };
        parsed.map_err(|problem| UrlError(format!("parse {}: {problem}", quoted(text))))
    }

    /// Reports whether the text can stand in the first line of an HTTP request: a URL with a scheme, or an absolute
    /// path.
    pub fn is_request_uri(text: &str) -> bool {
        !text.is_empty() && parse(text, Place::Request).is_ok()
    }

    /// Reports whether it has a scheme and a host.
    pub fn is_absolute(&self) -> bool {
        !self.scheme.is_empty() && !self.host.is_empty()
    }
}

/// Context of a URL.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Anywhere,
    /// HTTP request: no relative URLs and no fragments.
    Request,
}

fn parse(text: &str, place: Place) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let mut url = Url::default();
    if text == "*" {
        return Ok(url);
    }
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    query.clone_into(&mut url.query);
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            // What follows the scheme has no structure.
            return Ok(url);
        }
        if place == Place::Request {
            return Err("invalid URI for request".to_owned());
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let mut path = rest;
    if let Some(below) = rest.strip_prefix("//")
        && (!scheme.is_empty() || place == Place::Anywhere && !rest.starts_with("///"))
    {
        let end = below.find('/').unwrap_or(below.len());
        let (authority, after) = below.split_at(end);
        path = after;
        (url.user, url.host) = split_authority(authority, &url.scheme)?;
    }
    unescape_part(path, Part::Path)?;
    Ok(url)
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (index, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if index > 0 => {}
            b':' if index == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok(text.split_once(':').unwrap_or_default()),
            _ => break,
        }
    }
    Ok(("", text))
}

fn split_authority(authority: &str, scheme: &str) -> Result<(Option<String>, String), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, host(authority, scheme)?));
    };
    let host = self::host(host, scheme)?;
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"-._:~!$&'()*+,;=%@".contains(&byte);
    if !user.bytes().all(legal) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let escaped = match user.split_once(':') {
        Some((name, password)) => format!("{}:{}", again(name)?, again(password)?),
        None => again(user)?,
    };
    Ok((Some(escaped), host))
}

fn host(host: &str, scheme: &str) -> Result<String, String> {
    match host.rfind('[') {
        Some(0) => return literal_host(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    // Other schemes than those of HTTP may list hosts, each with a port.
    let colon = if matches!(scheme, "http" | "https") { host.find(':') } else { host.rfind(':') };
    check_port(colon.and_then(|colon| host.get(colon..)).unwrap_or_default())?;
    unescape_part(host, Part::Host)
}

/// Returns an IPv6 address in brackets, perhaps with a zone.
fn literal_host(host: &str) -> Result<String, String> {
    let (inside, port) = host.rsplit_once(']').ok_or_else(|| "missing ']' in host".to_owned())?;
    let inside = inside.strip_prefix('[').unwrap_or(inside);
    check_port(port)?;
    let (address, zone) = inside.split_at(inside.find("%25").unwrap_or(inside.len()));
    let address = unescape_part(address, Part::Host)?;
    let zone = unescape_part(zone, Part::Zone)?;
    if zone.is_empty() && address.parse::<Ipv4Addr>().is_ok() {
        return Err("invalid IP-literal".to_owned());
    }
    let problem = match address.parse::<Ipv6Addr>() {
        Err(_) => "unable to parse IP",
        Ok(_) if zone == "%" => "zone must be a non-empty string",
        Ok(_) => return Ok(format!("[{address}{zone}]{port}")),
    };
    Err(format!("invalid host: ParseAddr({}): {problem}", quoted(format!("{address}{zone}"))))
}

/// Validates a port: empty, or a colon and digits, which may be none.
fn check_port(port: &str) -> Result<(), String> {
    let digits = port.strip_prefix(':');
    if port.is_empty() || digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quoted(port)))
}

/// Escapes a name or password as Go prints it.
fn again(text: &str) -> Result<String, String> {
    Ok(utf8_percent_encode(&unescape_part(text, Part::User)?, USER).to_string())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    /// Zone of an IPv6 address, from the percent sign on.
    Zone,
    Path,
    User,
    Fragment,
}

/// Escapes what can't stand in a path.
pub fn escape_path(path: &str) -> String {
    utf8_percent_encode(path, PATH).to_string()
}

/// Escapes what can't stand in a key or value of a query. A blank becomes a plus.
pub fn escape_query(text: &str) -> String {
    utf8_percent_encode(text, RESERVED).map(|part| if part == "%20" { "+" } else { part }).collect()
}

/// Error: a percent sign without two hexadecimal digits, with up to two bytes after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EscapeError(pub Vec<u8>);

impl fmt::Display for EscapeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "invalid URL escape {}", quoted(&self.0))
    }
}

impl std::error::Error for EscapeError {}

/// Takes the percent-encoding off a text.
///
/// # Errors
/// If a percent sign stands for nothing.
pub fn unescape(text: &str) -> Result<Cow<'_, [u8]>, EscapeError> {
    if text.contains('%') {
        unescaped(text, b'+').map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(text.as_bytes()))
    }
}

/// Takes the percent-encoding off a key or value of a query, where a plus is a blank.
///
/// # Errors
/// If a percent sign stands for nothing.
pub fn unescape_query(text: &str) -> Result<Cow<'_, [u8]>, EscapeError> {
    if text.contains(['%', '+']) {
        unescaped(text, b' ').map(Cow::Owned)
    } else {
        Ok(Cow::Borrowed(text.as_bytes()))
    }
}

fn unescaped(text: &str, plus: u8) -> Result<Vec<u8>, EscapeError> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'%' => {
                out.push(escaped(after)?);
                rest = after.get(2..).unwrap_or_default();
            }
            b'+' => out.push(plus),
            byte => out.push(byte),
        }
    }
    Ok(out)
}

/// Converts bytes to text with U+FFFD for invalid UTF-8, as Go does.
pub fn to_text(bytes: Cow<'_, [u8]>) -> String {
    String::from_utf8(bytes.into_owned()).unwrap_or_else(|error| {
        let mut out = String::with_capacity(error.as_bytes().len());
        for chunk in error.as_bytes().utf8_chunks() {
            out.push_str(chunk.valid());
            out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
        }
        out
    })
}

/// Returns the byte that two digits behind a percent sign stand for.
fn escaped(after: &[u8]) -> Result<u8, EscapeError> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|value| u8::try_from(value).ok());
    match after {
        [high, low, ..] => digit(high).zip(digit(low)).map(|(high, low)| (high << 4) | low),
        _ => None,
    }
    .ok_or_else(|| malformed(after))
}

fn malformed(after: &[u8]) -> EscapeError {
    EscapeError([b"%", after.get(..after.len().min(2)).unwrap_or_default()].concat())
}

/// Takes the percent-encoding off a part of a URL, and checks what may stand in it.
fn unescape_part(text: &str, part: Part) -> Result<String, String> {
    if !matches!(part, Part::Host | Part::Zone) {
        let bytes = unescape(text).map_err(|error| error.to_string())?;
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            if byte < 0x80 && !stands_in_host(byte) {
                let character = quoted(char::from(byte).to_string());
                return Err(format!("invalid character {character} in host name"));
            }
            out.push(byte);
            continue;
        }
        let value = escaped(after).map_err(|error| error.to_string())?;
        // Only bytes beyond ASCII, and the percent sign of a zone, can be escaped in a host.
        let fits = match part {
            Part::Host => value >= 0x80 || value == b'%',
            _ => matches!(value, b'%' | b' ') || stands_in_host(value),
        };
        if !fits {
            return Err(malformed(after).to_string());
        }
        out.push(value);
        rest = after.get(2..).unwrap_or_default();
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn stands_in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

#[cfg(test)]
mod tests {
    use serde_json::Value as Json;

    use std::borrow::Cow;

    use super::{EscapeError, Url, escape_path, escape_query, to_text, unescape, unescape_query};

    #[test]
    fn requests_ask_for_paths_from_the_root() {
        for (text, expect) in [
            ("/a?b=c", Ok("b=c")),
            ("https://example.com/?d", Ok("d")),
            ("", Err("parse \"\": empty url")),
            ("../a", Err("parse \"../a\": invalid URI for request")),
        ] {
            let found = Url::parse_request_uri(text).map(|url| url.query).map_err(|error| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expect, "{text}");
        }
    }

    #[test]
    fn percent_signs_stand_for_bytes() {
        for (text, expect) in [
            ("/a%3Ab", Ok("/a:b")),
            ("%e2%82%AC", Ok("€")),
            ("a+b", Ok("a+b")),
            ("%2", Err("invalid URL escape \"%2\"")),
            ("%", Err("invalid URL escape \"%\"")),
            ("a%zzb", Err("invalid URL escape \"%zz\"")),
            ("%+1", Err("invalid URL escape \"%+1\"")),
        ] {
            let found = unescape(text).map(to_text).map_err(|error: EscapeError| error.to_string());
            assert_eq!(found.as_deref().map_err(String::as_str), expect, "{text}");
        }
        assert_eq!(unescape_query("a+b%2Bc"), Ok(Cow::Owned(b"a b+c".to_vec())));
        assert_eq!(unescape("%ff%fe"), Ok(Cow::Owned(vec![0xff, 0xfe])));
        assert_eq!(to_text(Cow::Borrowed(b"a\xff\xfe")), "a\u{fffd}\u{fffd}");
    }

    #[test]
    fn what_cannot_stand_in_a_url_is_escaped() {
        let text = "a-_.~ $&+,/:;=@%20\"\u{e4}";
        assert_eq!(escape_path(text), "a-_.~%20$&+,/:;=@%2520%22%C3%A4");
        assert_eq!(escape_query(text), "a-_.~+%24%26%2B%2C%2F%3A%3B%3D%40%2520%22%C3%A4");
    }

    #[test]
    fn urls_are_read_as_by_go() {
        let mut wrong = Vec::new();
        for line in include_str!("../tests/data/urls.jsonl").lines() {
            let row: Json = serde_json::from_str(line).expect("JSON");
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let ours = match Url::parse(&text("URL")) {
                Err(error) => [
                    error.to_string(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                    String::new(),
                ],
                Ok(url) => {
                    let user = url.user.map(|user| format!("@{user}")).unwrap_or_default();
                    [String::new(), url.scheme, url.host, user, url.query, url.fragment]
                }
            };
            let theirs = ["Error", "Scheme", "Host", "User", "Query", "Fragment"].map(text);
            if Url::is_request_uri(&text("URL")) != (row["Request"] == true) {
                wrong.push(format!("{}\n  as a request's it must be {}", row["URL"], row["Request"]));
            }
            if ours != theirs {
                wrong.push(format!("{}\n  ours   {ours:?}\n  theirs {theirs:?}", row["URL"]));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
