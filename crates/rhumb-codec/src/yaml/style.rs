//! Style of written strings: plain, quoted, or literal block.

use super::resolve::is_plain_string;

/// Style of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// Position of a string, as far as its style depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    /// A key on the line of its value.
    SimpleKey,
    /// A value, or a key marked with `?`.
    Other,
}

/// Properties of a string's characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Analysis {
    pub(super) multiline: bool,
    plain: bool,
    single_quoted: bool,
    literal: bool,
}

impl Analysis {
    /// Reports whether the string may be a key on the line of its value.
    pub(super) fn is_simple_key(&self, text: &[u8]) -> bool {
        !self.multiline && text.len() <= 128
    }

    /// Chooses the style.
    pub(super) fn style(&self, text: &[u8], position: Position) -> Style {
        let simple_key = position == Position::SimpleKey;
        if simple_key && self.multiline {
            return Style::DoubleQuoted;
        }
        if self.multiline && text.contains(&b'\n') {
            return if self.literal && !simple_key { Style::Literal } else { Style::DoubleQuoted };
        }
        if !is_plain_string(text) {
            Style::DoubleQuoted
        } else if self.plain {
            Style::Plain
        } else if self.single_quoted {
            Style::SingleQuoted
        } else {
            Style::DoubleQuoted
        }
    }
}

/// Returns the length of the line break that begins the text, or zero.
pub(super) fn break_len(text: &[u8]) -> usize {
    match text {
        [b'\n' | b'\r', ..] => 1,
        [0xC2, 0x85, ..] => 2,
        [0xE2, 0x80, 0xA8 | 0xA9, ..] => 3,
        _ => 0,
    }
}

/// Returns the length of the character that begins the text.
pub(super) fn char_len(text: &[u8]) -> usize {
    match text.first() {
        None => 0,
        Some(0..=0x7F) => 1,
        Some(0x80..=0xDF) => 2,
        Some(0xE0..=0xEF) => 3,
        Some(_) => 4,
    }
}

/// Reports whether the character that begins the text may be written as it is.
///
/// Characters beyond the basic plane are escaped, as go-yaml does.
pub(super) fn is_printable(text: &[u8]) -> bool {
    match text {
        [b'\n' | 0x20..=0x7E, ..] => true,
        [0xC2, second, ..] => *second >= 0xA0,
        [0xC3..=0xEC | 0xEE, ..] => true,
        [0xED, second, ..] => *second < 0xA0,
        [0xEF, 0xBB, 0xBF, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => false,
        [0xEF, ..] => true,
        _ => false,
    }
}

/// Looks at every character of a string.
pub(super) fn analyze(text: &[u8]) -> Analysis {
    let mut indicators = text.starts_with(b"---") || text.starts_with(b"...");
    let mut special = false;
    let mut multiline = false;
    let mut break_then_space = false;
    let mut space_then_break = false;
    let mut after_space = false;
    let mut after_break = false;
    let mut after_blank = true;
    let mut rest = text;
    let mut first = true;
    while let Some(&byte) = rest.first() {
        let len = if byte < 0x80 { 1 } else { char_len(rest) };
        let next = rest.get(len..).unwrap_or_default();
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'/' | b'_' => {}
            b':' | b'?' | b'-' if first || byte == b':' => {
                indicators |= matches!(next.first(), None | Some(b' ' | b'\t'));
            }
            b'#' if after_blank => indicators = true,
            b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%'
            | b'@' | b'`'
                if first =>
            {
                indicators = true;
            }
            _ => special |= !is_printable(rest),
        }
        let is_break = break_len(rest) > 0;
        if byte == b' ' {
            break_then_space |= after_break;
        } else if is_break {
            multiline = true;
            space_then_break |= after_space;
        }
        after_space = byte == b' ';
        after_break = is_break;
        after_blank = is_break || matches!(byte, b' ' | b'\t' | 0);
        first = false;
        rest = next;
    }
    let leading = text.first() == Some(&b' ') || break_len(text) > 0;
    let quoted_only = break_then_space || space_then_break || special;
    Analysis {
        multiline,
        plain: !(leading || after_space || after_break || quoted_only || multiline || indicators),
        single_quoted: !quoted_only,
        literal: !(after_space || space_then_break || special || text.is_empty()),
    }
}
