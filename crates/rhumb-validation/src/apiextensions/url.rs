//! URLs as Go reads them, as far as rules on them go.

use rhumb_schema::text::quoted;

/// The parts of a URL that rules look at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Url {
    pub(crate) scheme: String,
    /// User and password, as they are printed.
    pub(crate) user: Option<String>,
    pub(crate) host: String,
    pub(crate) query: String,
    pub(crate) fragment: String,
}

impl Url {
    /// Reads a URL; an error is in Go's words.
    pub(crate) fn parse(text: &str) -> Result<Url, String> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let fail = |problem: String| format!("parse {}: {problem}", quoted(before));
        if before.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
            return Err(fail("net/url: invalid control character in URL".to_owned()));
        }
        let (scheme, rest) = split_scheme(before).map_err(|problem| fail(problem.to_owned()))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut url = Url {
            scheme: scheme.to_ascii_lowercase(),
            query: query.to_owned(),
            fragment: fragment.to_owned(),
            ..Url::default()
        };
        if !rest.starts_with('/') {
            let segment = rest.split('/').next().unwrap_or_default();
            if scheme.is_empty() && segment.contains(':') {
                return Err(fail("first path segment in URL cannot contain colon".to_owned()));
            }
            return Ok(url);
        }
        let mut path = rest;
        if let Some(authority) = rest.strip_prefix("//")
            && (!scheme.is_empty() || !rest.starts_with("///"))
        {
            let end = authority.find('/').unwrap_or(authority.len());
            path = authority.get(end..).unwrap_or_default();
            url.authority(authority.get(..end).unwrap_or_default()).map_err(fail)?;
        }
        check_escapes(path).map_err(fail)?;
        Ok(url)
    }

    /// Whether it has a scheme and a host.
    pub(crate) fn is_absolute(&self) -> bool {
        !self.scheme.is_empty() && !self.host.is_empty()
    }

    fn authority(&mut self, authority: &str) -> Result<(), String> {
        let host = match authority.rsplit_once('@') {
            None => authority,
            Some((user, host)) => {
                let is_fine =
                    |letter: char| letter.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(letter);
                if !user.chars().all(is_fine) {
                    return Err("net/url: invalid userinfo".to_owned());
                }
                self.user = Some(user.to_owned());
                host
            }
        };
        let port = if let Some(inner) = host.strip_prefix('[') {
            match inner.rfind(']') {
                None => return Err("missing ']' in host".to_owned()),
                Some(end) => inner.get(end + 1..).unwrap_or_default(),
            }
        } else {
            host.rfind(':').and_then(|at| host.get(at..)).unwrap_or_default()
        };
        let is_port = port.is_empty()
            || port.strip_prefix(':').is_some_and(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_port {
            return Err(format!("invalid port {} after host", quoted(port)));
        }
        let is_bad = |letter: &char| letter.is_ascii() && " \"<>\\^`{|}".contains(*letter);
        if let Some(bad) = host.chars().find(is_bad) {
            return Err(format!("invalid character {} in host name", quoted(bad.to_string())));
        }
        check_escapes(host)?;
        host.clone_into(&mut self.host);
        Ok(())
    }
}

fn split_scheme(text: &str) -> Result<(&str, &str), &'static str> {
    for (at, letter) in text.char_indices() {
        match letter {
            'a'..='z' | 'A'..='Z' => {}
            '0'..='9' | '+' | '-' | '.' if at > 0 => {}
            ':' if at == 0 => return Err("missing protocol scheme"),
            ':' => {
                return Ok(text
                    .split_at_checked(at)
                    .map_or(("", text), |(a, b)| (a, b.get(1..).unwrap_or_default())));
            }
            _ => break,
        }
    }
    Ok(("", text))
}

fn check_escapes(text: &str) -> Result<(), String> {
    for (at, _) in text.match_indices('%') {
        let bytes = text.as_bytes().get(at..(at + 3).min(text.len())).unwrap_or_default();
        if bytes.len() < 3 || !bytes.iter().skip(1).all(u8::is_ascii_hexdigit) {
            return Err(format!("invalid URL escape {}", quoted(String::from_utf8_lossy(bytes).as_ref())));
        }
    }
    Ok(())
}
