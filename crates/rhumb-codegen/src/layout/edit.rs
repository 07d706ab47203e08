//! Edits of source text by token positions, which keep everything else as written.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::problem::{Outcome, Problem};

/// A text with pending edits.
pub(super) struct Edits<'a> {
    text: &'a str,
    changes: Vec<(Range<usize>, String)>,
}

impl<'a> Edits<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Edits { text, changes: Vec::new() }
    }

    /// Puts something in place of what stands there.
    pub(super) fn replace(&mut self, place: Range<usize>, with: impl Into<String>) {
        self.changes.push((place, with.into()));
    }

    /// Puts something before what stands there.
    pub(super) fn insert(&mut self, at: usize, text: impl Into<String>) {
        self.replace(at..at, text);
    }

    /// Returns the text with all changes.
    pub(super) fn finish(mut self) -> String {
        self.changes.sort_by_key(|(place, _)| place.start);
        let mut out = String::new();
        let mut at = 0;
        for (place, with) in self.changes {
            out.push_str(self.text.get(at..place.start).unwrap_or_default());
            out.push_str(&with);
            at = place.end.max(at);
        }
        out.push_str(self.text.get(at..).unwrap_or_default());
        out
    }
}

/// Returns the tokens of a text, one after the other with their places; groups are their delimiters and what is
/// between.
pub(super) fn tokens(file: &str, text: &str) -> Outcome<Vec<(String, Range<usize>)>> {
    let stream: TokenStream =
        text.parse().map_err(|error| Problem::new(format!("{file}: this is no Rust: {error}")))?;
    let mut out = Vec::new();
    flatten(stream, &mut out);
    Ok(out)
}

fn flatten(stream: TokenStream, out: &mut Vec<(String, Range<usize>)>) {
    for token in stream {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                out.push((open.to_owned(), group.span_open().byte_range()));
                flatten(group.stream(), out);
                out.push((close.to_owned(), group.span_close().byte_range()));
            }
            other => out.push((other.to_string(), other.span().byte_range())),
        }
    }
}

/// Returns a text in which a module of the crate is called by another name: in paths that begin with `crate` or
/// `super`, and in those that begin with the module itself, unless the text imports another module of that name.
pub(super) fn rename_module(file: &str, text: &str, old: &str, new: &str) -> Outcome<String> {
    let tokens = tokens(file, text)?;
    let word = |index: Option<usize>| index.and_then(|index| tokens.get(index)).map_or("", |(word, _)| word);
    let before = |index: usize, steps: usize| word(index.checked_sub(steps));
    let follows_path = |index: usize| before(index, 1) == ":" && before(index, 2) == ":";
    let mut uses = false;
    let mut in_use = Vec::with_capacity(tokens.len());
    let mut prefix = String::new();
    let mut is_foreign = false;
    for (index, (token, _)) in tokens.iter().enumerate() {
        match token.as_str() {
            "use" if !follows_path(index) => {
                uses = true;
                prefix = word(Some(index + 1)).to_owned();
            }
            ";" => uses = false,
            _ => {}
        }
        in_use.push(uses);
        let ends_path = !(word(Some(index + 1)) == ":" && word(Some(index + 2)) == ":");
        if uses
            && token == old
            && ends_path
            && prefix != "crate"
            && prefix != "super"
            && before(index, 1) != "as"
        {
            is_foreign = true;
        }
    }
    let mut edits = Edits::new(text);
    for (index, (token, place)) in tokens.iter().enumerate() {
        if token != old {
            continue;
        }
        let in_use = in_use.get(index).copied().unwrap_or_default();
        let leads_on = word(Some(index + 1)) == ":" && word(Some(index + 2)) == ":";
        let is_ours = if follows_path(index) {
            ["crate", "super"].contains(&before(index, 3))
        } else if in_use {
            // A member of `use crate::{a, b}`.
            ["{", ","].contains(&before(index, 1)) && opened_by_crate(&tokens, index)
        } else {
            leads_on && !is_foreign
        };
        if is_ours && (leads_on || in_use) {
            edits.replace(place.clone(), new);
        }
    }
    Ok(edits.finish())
}

/// Reports whether the braces around a token of a `use` stand behind `crate::` or `super::`.
fn opened_by_crate(tokens: &[(String, Range<usize>)], index: usize) -> bool {
    let mut depth = 0usize;
    for at in (0..index).rev() {
        match tokens.get(at).map_or("", |(word, _)| word.as_str()) {
            "}" => depth += 1,
            "{" if depth == 0 => {
                let head =
                    at.checked_sub(3).and_then(|at| tokens.get(at)).map_or("", |(word, _)| word.as_str());
                return ["crate", "super"].contains(&head);
            }
            "{" => depth -= 1,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expect: &str) {
        assert_eq!(rename_module("x.rs", text, "v1", "v2").expect("it is Rust"), expect);
    }

    #[test]
    fn only_our_own_module_is_renamed() {
        check("use crate::v1;\nfn f(a: v1::A) {}", "use crate::v2;\nfn f(a: v2::A) {}");
        check("use crate::v1::A;\nuse rhumb_meta::v1::B;", "use crate::v2::A;\nuse rhumb_meta::v1::B;");
        check(
            "use rhumb_meta::v1;\nfn f(a: v1::A, b: crate::v1::B) {}",
            "use rhumb_meta::v1;\nfn f(a: v1::A, b: crate::v2::B) {}",
        );
        check("use crate::{v1, v1alpha1};", "use crate::{v2, v1alpha1};");
        check("use rhumb_meta::{ObjectMeta, v1};", "use rhumb_meta::{ObjectMeta, v1};");
        check("#[convert(hub = v1::A)]\nstruct A; // v1::A", "#[convert(hub = v2::A)]\nstruct A; // v1::A");
        check("pub mod v1;\nlet v1 = x.v1;", "pub mod v1;\nlet v1 = x.v1;");
        check("use super::v1::{A, B};", "use super::v2::{A, B};");
    }

    #[test]
    fn what_is_no_rust_is_refused() {
        assert!(rename_module("x.rs", "fn (", "v1", "v2").is_err());
    }
}
