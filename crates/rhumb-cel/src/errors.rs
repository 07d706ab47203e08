//! Errors found in an expression before it is evaluated: by the parser, by macros, by the type checker.

use std::fmt;
use std::sync::Arc;

use crate::ast::ExprId;
use crate::source::{Location, Source};

/// The number of errors that are kept of one expression; of others only the number is told.
const MOST: usize = 100;

/// The length in bytes up to which the line with an error is shown below it.
const LONGEST_LINE: usize = 16_384;

/// Errors in one expression, printed with the lines that they are in and a caret below each place.
#[derive(Clone, Debug, PartialEq)]
pub struct Errors {
    source: Arc<Source>,
    issues: Vec<Issue>,
    truncated: usize,
}

/// One error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Where it is; none if it is about the expression as a whole.
    pub location: Option<Location>,
    /// What is wrong.
    pub message: String,
    /// The node that it is about; 0 if none.
    pub expr_id: ExprId,
}

impl Errors {
    /// Returns an empty list for a text.
    pub fn new(source: Arc<Source>) -> Self {
        Self { source, issues: Vec::new(), truncated: 0 }
    }

    /// Adds an error about a node, or about no node if `expr_id` is 0.
    pub fn report(&mut self, expr_id: ExprId, location: Option<Location>, message: impl Into<String>) {
        if self.issues.len() < MOST {
            self.issues.push(Issue { location, message: message.into(), expr_id });
        } else {
            self.truncated += 1;
        }
    }

    /// The errors, in the order in which they were found.
    pub fn issues(&self) -> &[Issue] {
        &self.issues
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.issues.is_empty()
    }

    /// The number of errors, with those that were too many to keep.
    pub fn len(&self) -> usize {
        self.issues.len() + self.truncated
    }

    /// The text that they are about.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// Returns `value` if there are no errors.
    pub fn or<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Errors {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sorted: Vec<&Issue> = self.issues.iter().collect();
        sorted.sort_by_key(|issue| issue.location);
        for (index, issue) in sorted.into_iter().enumerate() {
            if index > 0 {
                formatter.write_str("\n")?;
            }
            issue.write(&self.source, formatter)?;
        }
        if self.truncated > 0 {
            write!(formatter, "\n{} more errors were truncated", self.truncated)?;
        }
        Ok(())
    }
}

impl std::error::Error for Errors {}

impl Issue {
    /// Writes the error, the line and the caret.
    fn write(&self, source: &Source, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(Location { line, column }) = self.location else {
            return write!(formatter, "ERROR: {}:-1:0: {}", source.name(), self.message);
        };
        // Where there is no text, its end is before the first column.
        let shown = u64::from(column) + u64::from(!source.text().is_empty());
        write!(formatter, "ERROR: {}:{line}:{shown}: {}", source.name(), self.message)?;
        let Some(text) = source.line(line).filter(|text| text.len() <= LONGEST_LINE) else { return Ok(()) };
        write!(formatter, "\n | {}\n | ", text.replace('\t', " "))?;
        let mut characters = text.chars();
        for character in characters.by_ref().take(column as usize) {
            formatter.write_str(if character.is_ascii() { "." } else { "．" })?;
        }
        formatter.write_str(if characters.next().is_none_or(|character| character.is_ascii()) {
            "^"
        } else {
            "＾"
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, issues: &[(Option<u32>, &str)], expected: &str) {
        let source = Arc::new(Source::new(text));
        let mut errors = Errors::new(source.clone());
        for (offset, message) in issues {
            errors.report(0, offset.map(|offset| source.location(offset)), *message);
        }
        assert_eq!(errors.to_string(), expected);
    }

    #[test]
    fn errors_are_printed_with_carets_in_the_order_of_their_places() {
        check("", &[(Some(0), "nothing")], "ERROR: <input>:1:0: nothing");
        check("a", &[(None, "all of it")], "ERROR: <input>:-1:0: all of it");
        check("self.z", &[(Some(4), "no z")], "ERROR: <input>:1:5: no z\n | self.z\n | ....^");
        check("a\n\tb + c\n", &[(Some(5), "no +")], "ERROR: <input>:2:4: no +\n |  b + c\n | ...^");
        check("日本 + 語", &[(Some(5), "no 語")], "ERROR: <input>:1:6: no 語\n | 日本 + 語\n | ．．...＾");
        check(
            "a.b",
            &[(Some(2), "second"), (Some(0), "first"), (Some(2), "third")],
            "ERROR: <input>:1:1: first\n | a.b\n | ^\n\
             ERROR: <input>:1:3: second\n | a.b\n | ..^\n\
             ERROR: <input>:1:3: third\n | a.b\n | ..^",
        );
        check("a", &[(Some(7), "after the end")], "ERROR: <input>:1:8: after the end\n | a\n | .^");
    }

    #[test]
    fn long_lines_are_not_shown() {
        check(&"a".repeat(LONGEST_LINE + 1), &[(Some(1), "long")], "ERROR: <input>:1:2: long");
    }

    #[test]
    fn a_hundred_errors_are_kept() {
        let mut errors = Errors::new(Arc::new(Source::new("")));
        for index in 0..103 {
            errors.report(index, None, "again");
        }
        assert_eq!(errors.issues().len(), 100);
        assert_eq!(errors.len(), 103);
        assert!(errors.to_string().ends_with("again\n3 more errors were truncated"));
    }
}
