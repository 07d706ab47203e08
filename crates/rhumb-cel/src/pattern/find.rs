//! Finding what an expression matches: the parts of a text, from the left, the first alternative before the others.

use regex_automata::nfa::thompson::{self, WhichCaptures, pikevm::PikeVM};
use regex_automata::util::syntax;

use super::{PatternError, reader};

/// How large an expression may become in memory.
const SIZE_LIMIT: usize = 4 << 20;

/// A compiled regular expression that tells where it matches.
pub struct Finder(PikeVM);

impl Finder {
    /// Compiles an expression.
    pub fn new(text: &str) -> Result<Self, PatternError> {
        let compile = |expression: String| {
            let config = thompson::Config::new()
                .nfa_size_limit(Some(SIZE_LIMIT))
                .which_captures(WhichCaptures::Implicit);
            PikeVM::builder()
                .syntax(syntax::Config::new().utf8(false))
                .thompson(config)
                .build(&expression)
                .ok()
        };
        reader::read(text)?.and_then(compile).map(Self).ok_or_else(|| PatternError {
            problem: "expression too large",
            place: text.chars().take(128).collect(),
        })
    }

    /// Returns the parts of a text that the expression matches, none within another, at most `most` of them.
    pub fn find_all<'t>(&self, text: &'t str, most: usize) -> Vec<&'t str> {
        let mut cache = self.0.create_cache();
        self.0.find_iter(&mut cache, text).take(most).filter_map(|found| text.get(found.range())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_as_go_finds_them() {
        let check = |text: &str, pattern: &str, most: usize, expected: &[&str]| {
            assert_eq!(Finder::new(pattern).unwrap().find_all(text, most), expected, "{text} {pattern}");
        };
        check("abc 123", "[0-9]+", usize::MAX, &["123"]);
        check("123 abc 456", "[0-9]*", usize::MAX, &["123", "", "", "", "", "456"]);
        check("123 abc 456", "[0-9]+", 1, &["123"]);
        check("123 abc 456", "xyz", usize::MAX, &[]);
        check("aaa", "a|aa", usize::MAX, &["a", "a", "a"]);
        check("日本", "", usize::MAX, &["", "", ""]);
        assert!(Finder::new("a(").is_err());
    }
}
