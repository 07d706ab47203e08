//! What differs from one run to the next is replaced, in recorded answers and in ours alike.
//!
//! - What was captured becomes `${name}` again, so that it shows whether a uid or a revision is still the
//!   same.
//! - Uids and revisions are numbered within an answer (`<uid1>`, `<rv2>`): equal ones stay equal.
//! - Times after 2020 become `<time>`; scripts write older ones. Fractions show by their digits.
//! - Addresses and ports that the server hands out are replaced unless the script names them.
//! - Random ends of names and of the volumes that pods get, ages, tokens (but not what they claim), certificates,
//!   hashes, and positions of lists.
//! - Managed fields are sorted, because their order depends on the second in which they were written, and so
//!   is what the server takes from a map.

use std::collections::BTreeMap;

use base64::Engine;
use base64::alphabet::URL_SAFE;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use regex::{Captures, Regex};
use serde_json::{Map, Value as Json, json};

const RANDOM: &str = "[bcdfghjklmnpqrstvwxz2456789]{5}";

/// The patterns, made once.
pub(crate) struct Patterns {
    uid: Regex,
    time: Regex,
    token: Regex,
    certificate: Regex,
    hash: Regex,
    volume: Regex,
    address: Regex,
    port: Regex,
    age: Regex,
    number: Regex,
    revisions: Vec<Regex>,
}

impl Patterns {
    pub(crate) fn new() -> Self {
        let pattern = |text: &str| Regex::new(text).expect("a pattern");
        Self {
            uid: pattern(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"),
            time: pattern(r"\b20(?:2[1-9]|[3-9]\d)-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"),
            token: pattern(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+"),
            certificate: pattern(r"(?s)-----BEGIN CERTIFICATE-----.*-----END CERTIFICATE-----\n?"),
            hash: pattern(r"\b(hash=)[0-9A-Fa-f]{32,}"),
            volume: pattern(&format!(r"\b(kube-api-access-){RANDOM}\b")),
            address: pattern(r"\b10\.0\.0\.\d+\b"),
            port: pattern(r"^3[0-2]\d\d\d$"),
            age: pattern(r"^(?:\d+[smhdy])+(?: ago)?$"),
            number: pattern("[1-9][0-9]*"),
            revisions: vec![
                pattern(r"(current: )\d+"),
                pattern(r"(too old resource version: )\d+ \(\d+\)"),
                pattern(r"(in object meta: )\d+"),
                pattern(r"(ResourceVersion in record \()\d+"),
                pattern(r#"(resourceVersion\\?"?: ?\\?")\d+"#),
            ],
        }
    }
}

/// Masks one answer.
pub(crate) struct Mask<'a> {
    patterns: &'a Patterns,
    script: &'a str,
    captured: &'a Map<String, Json>,
    host: &'a str,
    made: Option<Regex>,
    uids: BTreeMap<String, usize>,
    revisions: BTreeMap<String, usize>,
}

impl<'a> Mask<'a> {
    /// A mask for the answer to a request of a script; `prefix` is the `generateName` that was sent.
    pub(crate) fn new(
        patterns: &'a Patterns,
        script: &'a str,
        captured: &'a Map<String, Json>,
        host: &'a str,
        prefix: Option<&str>,
    ) -> Self {
        let made = prefix.filter(|prefix| !prefix.is_empty());
        let made = made.and_then(|prefix| Regex::new(&format!("({}){RANDOM}", regex::escape(prefix))).ok());
        Self { patterns, script, captured, host, made, uids: BTreeMap::new(), revisions: BTreeMap::new() }
    }

    /// A text that stands alone or within an answer.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let mut text = text.to_owned();
        let strings = self.captured.iter().filter_map(|(name, value)| Some((name, value.as_str()?)));
        let mut long: Vec<(&String, &str)> = strings
            .filter(|(_, value)| {
                value.chars().count() >= 8 && !value.bytes().all(|byte| byte.is_ascii_digit())
            })
            .collect();
        long.sort_by_key(|(name, value)| (std::cmp::Reverse(value.chars().count()), *name));
        for (name, value) in long {
            text = text.replace(value, &format!("${{{name}}}"));
        }
        let (patterns, script, uids) = (self.patterns, self.script, &mut self.uids);
        let kept = |found: &str, masked: String| if names(script, found) { found.to_owned() } else { masked };
        let text = patterns.uid.replace_all(&text, |found: &Captures<'_>| {
            if script.contains(&found[0]) { found[0].to_owned() } else { numbered(uids, &found[0], "uid") }
        });
        let text = patterns.time.replace_all(&text, |found: &Captures<'_>| match found.get(1) {
            None => "<time>",
            Some(fraction) if fraction.len() == 7 => "<time.000000>",
            Some(_) => "<time.n>",
        });
        let text = patterns.token.replace_all(&text, "<token>");
        let text = match &self.made {
            Some(made) => made.replace_all(&text, "${1}<random>"),
            None => text,
        };
        let text = patterns.certificate.replace_all(&text, "<certificate>");
        let text = patterns.hash.replace_all(&text, "${1}<hash>");
        let text = patterns.volume.replace_all(&text, "${1}<random>");
        let text = patterns.address.replace_all(&text, |found: &Captures<'_>| match &found[0] {
            own @ ("10.0.0.0" | "10.0.0.1") => own.to_owned(),
            other => kept(other, "<ip>".to_owned()),
        });
        let text = text.replace(self.host, "<host>");
        patterns
            .revisions
            .iter()
            .fold(text, |text, pattern| pattern.replace_all(&text, "${1}<rv>").into_owned())
    }

    /// A tree of JSON.
    pub(crate) fn value(&mut self, value: &Json) -> Json {
        self.inner(value, "", None)
    }

    fn inner(&mut self, value: &Json, key: &str, parent: Option<&Map<String, Json>>) -> Json {
        match value {
            Json::Object(map) => {
                let mut names: Vec<&String> = map.keys().collect();
                names.sort();
                let pair = |name: &String| {
                    let masked = self.text(name);
                    (masked, self.inner(map.get(name).unwrap_or(&Json::Null), name, Some(map)))
                };
                Json::Object(names.into_iter().map(pair).collect())
            }
            Json::Array(list) => self.list(list, key),
            Json::Number(number) => {
                let digits = number.to_string();
                let is_port = matches!(key, "nodePort" | "healthCheckNodePort");
                if is_port && self.patterns.port.is_match(&digits) && !self.script.contains(&digits) {
                    Json::from("<port>")
                } else if matches!(key, "exp" | "iat" | "nbf" | "warnafter") {
                    Json::from("<seconds>")
                } else {
                    value.clone()
                }
            }
            Json::String(text) => self.string(text, key, parent),
            Json::Bool(_) | Json::Null => value.clone(),
        }
    }

    fn list(&mut self, list: &[Json], key: &str) -> Json {
        let mut list: Vec<&Json> = list.iter().collect();
        if key == "managedFields" {
            list.sort_by_key(|entry| {
                ["operation", "manager", "subresource", "apiVersion"]
                    .map(|name| entry.get(name).and_then(Json::as_str).unwrap_or_default())
            });
        }
        let is_conflict = |cause: &&Json| cause["reason"] == "FieldManagerConflict";
        let is_from_map = matches!(key, "resourceRules" | "nonResourceRules")
            || key == "causes" && list.iter().all(is_conflict);
        if is_from_map {
            list.sort_by_key(|entry| entry.to_string());
        }
        let age = |text: &Json| {
            key == "cells" && text.as_str().is_some_and(|text| self.patterns.age.is_match(text))
        };
        let ages: Vec<bool> = list.iter().map(|inner| age(inner)).collect();
        let items = list.into_iter().zip(ages);
        items
            .map(|(inner, age)| if age { Json::from("<age>") } else { self.inner(inner, key, None) })
            .collect()
    }

    fn string(&mut self, text: &str, key: &str, parent: Option<&Map<String, Json>>) -> Json {
        match key {
            "resourceVersion" if parent.is_some_and(|parent| parent.contains_key("uid")) => {
                return Json::from(self.revision(text));
            }
            // A list's revision is the newest of the whole server, to which others write as well.
            "resourceVersion" => return Json::from(self.patterns.number.replace_all(text, "<rv>").as_ref()),
            "continue" if !text.is_empty() => return Json::from(self.position(text)),
            "serverAddress" => return Json::from("<address>"),
            "token" if self.patterns.token.find(text).is_some_and(|found| found.as_str() == text) => {
                return self.claims(text);
            }
            _ => {}
        }
        let prefix =
            parent.and_then(|parent| parent.get("generateName")).and_then(Json::as_str).unwrap_or_default();
        if key == "name" && !prefix.is_empty() && is_made(text, prefix) {
            return Json::from(format!("{prefix}<random>"));
        }
        Json::from(self.text(text))
    }

    fn revision(&mut self, text: &str) -> String {
        if text.is_empty() || text == "0" || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return text.to_owned();
        }
        let mut same: Vec<&String> = self
            .captured
            .iter()
            .filter(|(_, value)| value.as_str() == Some(text))
            .map(|(name, _)| name)
            .collect();
        same.sort();
        match same.first() {
            Some(name) => format!("${{{name}}}"),
            None => numbered(&mut self.revisions, text, "rv"),
        }
    }

    /// Where a list goes on.
    fn position(&mut self, token: &str) -> String {
        let position = decoded(token).unwrap_or_default();
        match (position["v"].as_str(), position["start"].as_str()) {
            (Some(version), Some(start)) => format!("<continue {version} {}>", self.text(start)),
            _ => "<continue>".to_owned(),
        }
    }

    /// What a token says; its signature is not compared.
    fn claims(&mut self, token: &str) -> Json {
        match token.split('.').nth(1).and_then(decoded) {
            Some(claims) => json!({ "<token>": self.inner(&claims, "", None) }),
            None => Json::from("<token>"),
        }
    }
}

fn numbered(known: &mut BTreeMap<String, usize>, value: &str, sort: &str) -> String {
    let next = known.len() + 1;
    let number = known.entry(value.to_owned()).or_insert(next);
    format!("<{sort}{number}>")
}

fn is_made(name: &str, prefix: &str) -> bool {
    let is_random = |byte: u8| b"bcdfghjklmnpqrstvwxz2456789".contains(&byte);
    name.strip_prefix(prefix).is_some_and(|end| end.len() == 5 && end.bytes().all(is_random))
}

fn decoded(text: &str) -> Option<Json> {
    let lenient = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let bytes = GeneralPurpose::new(&URL_SAFE, lenient).decode(text).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// Whether a script has a text, and not as a part of a longer number.
fn names(script: &str, text: &str) -> bool {
    let goes_on = |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit());
    script.match_indices(text).any(|(start, _)| {
        let (before, after) = (script.get(..start), script.get(start + text.len()..));
        !goes_on(before.and_then(|before| before.chars().next_back()))
            && !goes_on(after.and_then(|after| after.chars().next()))
    })
}
