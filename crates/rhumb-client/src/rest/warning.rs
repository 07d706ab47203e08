//! `Warning` headers of responses.

use std::sync::Arc;

use http::HeaderMap;
use http::header::WARNING;
use parking_lot::Mutex;

use super::encoded_word;
use crate::config::WarningHandler;

/// A warning of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// Warning code; Kubernetes sends 299.
    pub code: u16,
    /// Warning agent; `-` if unknown.
    pub agent: String,
    /// Warning text.
    pub text: String,
}

/// Collects warnings until they are taken.
#[derive(Clone, Debug, Default)]
pub struct WarningCollector(Arc<Mutex<Vec<Warning>>>);

impl WarningCollector {
    /// Takes the collected warnings, oldest first.
    pub fn take(&self) -> Vec<Warning> {
        std::mem::take(&mut *self.0.lock())
    }
}

impl WarningHandler for WarningCollector {
    fn warning(&self, code: u16, agent: &str, text: &str) {
        self.0.lock().push(Warning { code, agent: agent.to_owned(), text: text.to_owned() });
    }
}

/// Returns the warnings in an answer's headers. What is malformed ends its header.
pub(crate) fn parse(headers: &HeaderMap) -> Vec<Warning> {
    let mut found = Vec::new();
    for value in headers.get_all(WARNING) {
        // Go passes over what is not UTF-8, and so does this.
        let Ok(mut rest) = std::str::from_utf8(value.as_bytes()) else { continue };
        while !rest.is_empty() {
            let Some((warning, after)) = parse_one(rest) else { break };
            found.push(warning);
            rest = after;
        }
    }
    found
}

/// Parses `code agent "text" "date"` with an optional date, up to the next comma.
fn parse_one(header: &str) -> Option<(Warning, &str)> {
    let mut parts = header.trim().splitn(3, ' ');
    let (code, agent, rest) = (parts.next()?, parts.next()?, parts.next()?);
    if code.len() != 3 || !code.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if agent.is_empty() || agent.contains(char::is_control) {
        return None;
    }
    let (text, mut rest) = quoted(rest)?;
    let text = encoded_word::decode(&text).unwrap_or(text);
    if text.contains(char::is_control) {
        return None;
    }
    if let Some(date) = rest.strip_prefix('"') {
        let (_, after) = date.split_once('"')?;
        rest = after.trim();
    }
    if !rest.is_empty() {
        rest = rest.strip_prefix(',')?.trim();
    }
    Some((Warning { code: code.parse().ok()?, agent: agent.to_owned(), text }, rest))
}

/// Parses a quoted string with backslash escapes, and returns the rest.
fn quoted(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix('"')?;
    let mut out = String::new();
    let mut escaped = false;
    for (position, character) in text.char_indices() {
        match character {
            '"' if !escaped => return Some((out, text.get(position + 1..)?.trim())),
            '\\' if !escaped => {
                escaped = true;
                continue;
            }
            other => out.push(other),
        }
        escaped = false;
    }
    None
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn check(headers: &[&str], expect: &[(u16, &str, &str)]) {
        let mut map = HeaderMap::new();
        for header in headers {
            map.append(WARNING, HeaderValue::from_bytes(header.as_bytes()).unwrap());
        }
        let found = parse(&map);
        let found: Vec<_> = found.iter().map(|one| (one.code, &*one.agent, &*one.text)).collect();
        assert_eq!(found, expect, "{headers:?}");
    }

    #[test]
    fn warnings_are_read_as_go_reads_them() {
        check(
            &[r#"299 - "old""#, r#"299 agent "a \"b\" \\c""#],
            &[(299, "-", "old"), (299, "agent", r#"a "b" \c"#)],
        );
        check(
            &[r#"299 - "a" "Tue, 15 Nov 1994 08:12:31 GMT", 199 x "b""#],
            &[(299, "-", "a"), (199, "x", "b")],
        );
        check(&[r#"299 - "a",299 - "ü""#], &[(299, "-", "a"), (299, "-", "ü")]);
        check(
            &[r#"299 - "=?utf-8?q?=C3=BC?= =?utf-8?b?w58=?= all", 299 - "=?koi8-r?q?a?=""#],
            &[(299, "-", "üß all"), (299, "-", "=?koi8-r?q?a?=")],
        );
        // What hides in words is looked at as well.
        check(&[r#"299 - "=?utf-8?q?a=07?=""#], &[]);
        for bad in [
            "",
            "299",
            "299 -",
            "299 - text",
            r#"299 - "open"#,
            r#"29 - "a""#,
            r#"299  "a""#,
            r#"299 - "a" junk"#,
            r#"299 - "a" "date"#,
            r#"2x9 - "a""#,
        ] {
            check(&[bad], &[]);
        }
        check(&[r#"299 - "a", junk"#], &[(299, "-", "a")]);
    }

    #[test]
    fn a_collector_gives_each_warning_once() {
        let collector = WarningCollector::default();
        collector.clone().warning(299, "-", "a");
        assert_eq!(collector.take().len(), 1);
        assert!(collector.take().is_empty());
    }
}
