//! URLs as Go reads them, with the errors it gives: webhooks' addresses are told to people in these words.

use rhumb_schema::text::quoted;

/// The parts of a URL that rules ask for.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Url {
    pub(super) scheme: String,
    pub(super) host: String,
    /// Name and password, escaped again.
    pub(super) user: Option<String>,
    pub(super) query: String,
    pub(super) fragment: String,
}

impl Url {
    pub(super) fn parse(text: &str) -> Result<Url, String> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url = parse(before).map_err(|error| format!("parse {}: {error}", quoted(before)))?;
        url.fragment =
            unescape(fragment, Part::Fragment).map_err(|error| format!("parse {}: {error}", quoted(text)))?;
        Ok(url)
    }
}

fn parse(text: &str) -> Result<Url, String> {
    if text.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return Err("net/url: invalid control character in URL".to_owned());
    }
    let mut url = Url::default();
    let (scheme, rest) = split_scheme(text)?;
    url.scheme = scheme.to_ascii_lowercase();
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    query.clone_into(&mut url.query);
    if !rest.starts_with('/') {
        if !scheme.is_empty() {
            // What follows the scheme has no structure.
            return Ok(url);
        }
        if rest.split('/').next().is_some_and(|segment| segment.contains(':')) {
            return Err("first path segment in URL cannot contain colon".to_owned());
        }
    }
    let mut path = rest;
    if let Some(below) = rest.strip_prefix("//")
        && (!scheme.is_empty() || !rest.starts_with("///"))
    {
        let end = below.find('/').unwrap_or(below.len());
        let (authority, after) = below.split_at(end);
        path = after;
        (url.user, url.host) = split_authority(authority)?;
    }
    unescape(path, Part::Path)?;
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

fn split_authority(authority: &str) -> Result<(Option<String>, String), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, host(authority)?));
    };
    let host = self::host(host)?;
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

fn host(host: &str) -> Result<String, String> {
    let port = if host.starts_with('[') {
        let end = host.rfind(']').ok_or_else(|| "missing ']' in host".to_owned())?;
        host.get(end + 1..).unwrap_or_default()
    } else {
        host.rfind(':').and_then(|colon| host.get(colon..)).unwrap_or_default()
    };
    let digits = port.strip_prefix(':').unwrap_or(port);
    if !(port.is_empty() || port.starts_with(':') && digits.bytes().all(|byte| byte.is_ascii_digit())) {
        return Err(format!("invalid port {} after host", quoted(port)));
    }
    unescape(host, Part::Host)
}

/// Escapes a name or password as Go prints it.
fn again(text: &str) -> Result<String, String> {
    let mut out = String::new();
    for byte in unescape(text, Part::User)?.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~$&+,;=".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    Ok(out)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Host,
    Path,
    User,
    Fragment,
}

fn unescape(text: &str, part: Part) -> Result<String, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            if part == Part::Host && byte < 0x80 && !stands_in_host(byte) {
                let character = quoted(&char::from(byte).to_string());
                return Err(format!("invalid character {character} in host name"));
            }
            out.push(byte);
            continue;
        }
        let value = match after {
            [high, low, ..] => hex(*high).zip(hex(*low)).map(|(high, low)| (high << 4) | low),
            _ => None,
        };
        let shown = || {
            let end = after.len().min(2);
            let escape = [b"%", after.get(..end).unwrap_or_default()].concat();
            Err(format!("invalid URL escape {}", quoted(&escape)))
        };
        match value {
            None => return shown(),
            // Only bytes beyond ASCII, and the percent sign of a zone, can be escaped in a host.
            Some(value) if part == Part::Host && value < 0x80 && value != b'%' => return shown(),
            Some(value) => out.push(value),
        }
        rest = after.get(2..).unwrap_or_default();
    }
    Ok(String::from_utf8_lossy(&out).into_owned())
}

fn stands_in_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_.~!$&'()*+,;=:[]<>\"".contains(&byte)
}

fn hex(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}
