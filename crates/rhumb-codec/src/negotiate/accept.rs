//! The clauses of an `Accept` header and their order.
//!
//! This follows the parser that Kubernetes uses, which is simpler than the grammar: there are no quoted
//! values, only blanks (not tabs) are trimmed, malformed clauses and parameters are passed over, and names
//! keep their case. The order has a quirk that clients see: a clause precedes another by its weight, or by
//! being a full type where the other is a wildcard, so two clauses may each precede the other, and then the
//! later one wins. The outcome depends on how the list is sorted: by insertion, as Go does with up to twelve
//! clauses. For more than that Go promises no order among equals, and here they keep theirs.

use super::{MAX_CLAUSES, MAX_HEADER};

/// A media type that the client accepts.
#[derive(Debug, PartialEq)]
pub(super) struct Clause<'a> {
    kind: &'a str,
    subtype: &'a str,
    weight: f32,
    /// Names and values, each name once.
    pub(super) parameters: Vec<(&'a str, &'a str)>,
}

impl Clause<'_> {
    /// Reports whether a media type is meant by this clause. `*/json` means none.
    pub(super) fn matches(&self, media_type: &str) -> bool {
        let (kind, subtype) = cut(media_type, '/');
        (self.kind == kind && (self.subtype == subtype || self.subtype == "*"))
            || (self.kind == "*" && self.subtype == "*")
    }

    /// Reports whether this clause wants to stand before the other.
    fn precedes(&self, other: &Self) -> bool {
        self.weight > other.weight
            || (self.kind != "*" && other.kind == "*")
            || (self.subtype != "*" && other.subtype == "*")
    }
}

/// Returns the clauses, most wanted first; none if the header is longer than anyone needs.
pub(super) fn parse(header: &str) -> Option<Vec<Clause<'_>>> {
    if header.len() > MAX_HEADER || header.matches(',').count() >= MAX_CLAUSES {
        return None;
    }
    let mut clauses: Vec<Clause<'_>> = Vec::new();
    for clause in header.split(',').filter_map(clause) {
        let mut place = clauses.len();
        while place > 0 && clauses.get(place - 1).is_some_and(|before| clause.precedes(before)) {
            place -= 1;
        }
        clauses.insert(place, clause);
    }
    Some(clauses)
}

fn clause(text: &str) -> Option<Clause<'_>> {
    let (media_type, rest) = cut(trim(text), ';');
    let (kind, subtype) = cut(media_type, '/');
    let kind = trim(kind);
    let subtype = match (subtype, cut(subtype, '/')) {
        ("", _) if kind == "*" => "*",
        ("", _) => return None,
        (_, (subtype, "")) => trim(subtype),
        _ => return None,
    };
    let mut clause = Clause { kind, subtype, weight: 1.0, parameters: Vec::new() };
    for parameter in rest.split(';') {
        let (name, tail) = cut(parameter, '=');
        let (value, more) = cut(tail, '=');
        if tail.is_empty() || !more.is_empty() {
            continue;
        }
        match trim(name) {
            // Unlike other values this one is not trimmed, so a blank makes it unreadable.
            "q" => clause.weight = weight(value),
            name => set(&mut clause.parameters, name, trim(value)),
        }
    }
    Some(clause)
}

/// Sets a parameter; the last one of a name counts.
fn set<'a>(parameters: &mut Vec<(&'a str, &'a str)>, name: &'a str, value: &'a str) {
    match parameters.iter_mut().find(|(known, _)| *known == name) {
        Some((_, slot)) => *slot = value,
        None => parameters.push((name, value)),
    }
}

/// Parses a weight. An invalid one is zero, which is still accepted.
fn weight(text: &str) -> f32 {
    // Rust would take a signed NaN, which Go doesn't.
    let signed = text.starts_with(['+', '-']);
    text.parse().ok().filter(|weight: &f32| !(signed && weight.is_nan())).unwrap_or(0.0)
}

fn trim(text: &str) -> &str {
    text.trim_matches(' ')
}

/// Returns the text before and after a separator; nothing after if there is none.
fn cut(text: &str, separator: char) -> (&str, &str) {
    text.split_once(separator).unwrap_or((text, ""))
}
