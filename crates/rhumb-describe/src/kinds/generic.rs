//! Objects of unknown kinds: their fields with readable names.

use std::borrow::Cow;

use rhumb_jsonpath::go_text::plain;
use rhumb_meta::Object;
use rhumb_scheme::Unstructured;
use serde_json::{Map, Value as Json};

use super::heading;
use crate::Lines;
use crate::parts::{Events, events};

/// Fields that are shown elsewhere or not at all.
const SKIPPED: [&str; 5] = [
    ".metadata.managedFields",
    ".metadata.name",
    ".metadata.namespace",
    ".metadata.labels",
    ".metadata.annotations",
];

/// Words in capitals.
const ACRONYMS: [&str; 4] = ["API", "URL", "UID", "GUID"];

/// Describes an object by its fields.
pub fn object(out: &mut Lines, object: &Unstructured, shown_events: Events<'_>) {
    heading(out, &object.metadata().map(Cow::into_owned).unwrap_or_default());
    if let Json::Object(content) = object.tree() {
        fields(out, 0, "", content);
    }
    events(out, shown_events);
}

fn fields(out: &mut Lines, level: usize, prefix: &str, content: &Map<String, Json>) {
    let mut sorted: Vec<(&String, &Json)> = content.iter().collect();
    sorted.sort_by_key(|(name, _)| *name);
    for (name, value) in sorted {
        let path = format!("{prefix}.{name}");
        if SKIPPED.contains(&path.as_str()) {
            continue;
        }
        let title = title(name);
        match value {
            Json::Object(content) => {
                out.line(level, format_args!("{title}:"));
                fields(out, level.saturating_add(1), &path, content);
            }
            Json::Array(children) => {
                out.line(level, format_args!("{title}:"));
                for child in children {
                    match child {
                        Json::Object(content) => fields(out, level.saturating_add(1), &path, content),
                        other => out.line(level.saturating_add(1), plain(other)),
                    }
                }
            }
            other => out.field(level, &title, plain(other)),
        }
    }
}

/// Returns the name of a field as words: `apiVersion` is `API Version`. Names that are no words stay as they are.
fn title(name: &str) -> String {
    if name.chars().any(|character| !character.is_alphabetic() && character != '-') {
        return name.to_owned();
    }
    let mut parts = words(name).into_iter().peekable();
    let mut titles: Vec<String> = Vec::new();
    while let Some(mut part) = parts.next() {
        // Capitals belong to a capitalized word behind them: `IPFamily` is one word.
        let is_all_capitals =
            part.len() >= 2 && part.chars().all(|letter| !letter.is_alphabetic() || letter.is_uppercase());
        // Only the first byte is looked at, as if it were a letter.
        let starts_upper =
            |next: &String| next.bytes().next().is_some_and(|byte| char::from(byte).is_uppercase());
        if is_all_capitals && let Some(next) = parts.next_if(starts_upper) {
            part.push_str(&next);
        }
        let upper = part.to_uppercase();
        titles.push(if ACRONYMS.contains(&upper.as_str()) {
            upper
        } else if part.to_lowercase() == part {
            capitalized(&part)
        } else {
            part
        });
    }
    titles.join(" ")
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    let Some(first) = letters.next() else { return String::new() };
    let mut upper = first.to_uppercase();
    // A letter that becomes several is large at its beginning only; four are two letters in one.
    let title = upper.next().map(|upper| match upper {
        'Ǆ' => 'ǅ',
        'Ǉ' => 'ǈ',
        'Ǌ' => 'ǋ',
        'Ǳ' => 'ǲ',
        other => other,
    });
    title.into_iter().chain(upper.flat_map(char::to_lowercase)).chain(letters).collect()
}

/// Character class, for splitting words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Other,
}

fn class(letter: char) -> Class {
    if letter.is_lowercase() {
        Class::Lower
    } else if letter.is_uppercase() {
        Class::Upper
    } else {
        Class::Other
    }
}

/// Returns a name in camel case as words; of several capitals the last one begins the next word.
fn words(name: &str) -> Vec<String> {
    let mut runs: Vec<(Class, String)> = Vec::new();
    for letter in name.chars() {
        let class = class(letter);
        match runs.last_mut() {
            Some((last, run)) if *last == class => run.push(letter),
            _ => runs.push((class, letter.to_string())),
        }
    }
    let mut words: Vec<String> = Vec::new();
    let mut runs = runs.into_iter().peekable();
    let mut initial = None;
    while let Some((class, mut run)) = runs.next() {
        if let Some(letter) = initial.take() {
            run.insert(0, letter);
        }
        if class == Class::Upper && runs.peek().is_some_and(|(next, _)| *next == Class::Lower) {
            initial = run.pop();
        }
        if !run.is_empty() {
            words.push(run);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn names_become_titles() {
        for (name, expected) in [
            ("apiVersion", "API Version"),
            ("kind", "Kind"),
            ("uid", "UID"),
            ("creationTimestamp", "Creation Timestamp"),
            ("ipFamilies", "Ip Families"),
            ("clusterIPs", "Cluster I Ps"),
            ("podCIDR", "Pod CIDR"),
            ("URLPath", "URLPath"),
            ("foo-bar", "Foo - Bar"),
            ("snake_case", "snake_case"),
            ("v1", "v1"),
            ("example.com/thing", "example.com/thing"),
            ("HTTPGet", "HTTPGet"),
            ("aURL", "A URL"),
            ("größe", "Größe"),
            ("", ""),
        ] {
            assert_eq!(title(name), expected, "{name}");
        }
    }
}
