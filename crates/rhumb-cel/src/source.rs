//! The text of an expression, and places in it. Places are counted in code points, as editors count columns.

/// The text of an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// What errors call it, `<input>` if it has no name.
    name: String,
    text: String,
    /// The offsets, in code points, of one after each line break.
    lines: Vec<u32>,
    /// The number of code points.
    length: u32,
}

/// A line and a column in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location {
    /// The line, from 1 on.
    pub line: u32,
    /// The column in code points, from 0 on.
    pub column: u32,
}

impl Source {
    /// The name of a text that has none.
    pub const UNNAMED: &'static str = "<input>";

    /// Returns a text without a name.
    pub fn new(text: impl Into<String>) -> Self {
        Self::named(Self::UNNAMED, text)
    }

    /// Returns a text that errors call `name`.
    pub fn named(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut lines = Vec::new();
        let mut length = 0u32;
        for character in text.chars() {
            length = length.saturating_add(1);
            if character == '\n' {
                lines.push(length);
            }
        }
        Self { name: name.into(), text, lines, length }
    }

    /// The text's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The number of code points.
    pub fn length(&self) -> u32 {
        self.length
    }

    /// The offsets, in code points, at which the second and later lines begin.
    pub fn lines(&self) -> &[u32] {
        &self.lines
    }

    /// Whether each code point is one byte long, so that offsets are the same in both.
    pub fn is_ascii(&self) -> bool {
        self.length as usize == self.text.len()
    }

    /// The line and column of a code point. What is after the end counts to the last line.
    pub fn location(&self, offset: u32) -> Location {
        let before = self.lines.partition_point(|start| *start <= offset);
        let start = self.line_start(before);
        Location { line: u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1), column: offset - start }
    }

    /// The offset, in code points, of a place; none if the text has no such line.
    pub fn offset(&self, location: Location) -> Option<u32> {
        let index = location.line.checked_sub(1)? as usize;
        (index <= self.lines.len()).then(|| self.line_start(index).saturating_add(location.column))
    }

    /// One line without its line break; none if there is no such line, or no text.
    pub fn line(&self, line: u32) -> Option<&str> {
        if self.text.is_empty() {
            return None;
        }
        self.text.split('\n').nth(line.checked_sub(1)? as usize)
    }

    fn line_start(&self, index: usize) -> u32 {
        index.checked_sub(1).and_then(|previous| self.lines.get(previous)).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_in_code_points() {
        let source = Source::new("a\n日本\n\nb");
        let check = |offset, line, column| {
            let location = Location { line, column };
            assert_eq!(source.location(offset), location, "{offset}");
            assert_eq!(source.offset(location), Some(offset), "{location:?}");
        };
        check(0, 1, 0);
        check(1, 1, 1);
        check(2, 2, 0);
        check(3, 2, 1);
        check(4, 2, 2);
        check(5, 3, 0);
        check(6, 4, 0);
        check(7, 4, 1);
        check(100, 4, 94);
        assert_eq!(source.offset(Location { line: 5, column: 0 }), None);
        assert_eq!(source.offset(Location { line: 0, column: 0 }), None);
        assert!(!source.is_ascii());
        assert!(Source::new("a\nb").is_ascii());
    }

    #[test]
    fn lines_are_without_their_breaks() {
        let source = Source::new("a\n日本\n");
        assert_eq!(source.line(0), None);
        assert_eq!(source.line(1), Some("a"));
        assert_eq!(source.line(2), Some("日本"));
        assert_eq!(source.line(3), Some(""));
        assert_eq!(source.line(4), None);
        assert_eq!(Source::new("").line(1), None);
    }
}
