//! Comments of Rust source, which the parser drops.
//!
//! The text is walked once; strings, characters and comments in comments are understood, nothing else. Comments
//! between `/*` and `*/` are passed over: tags are written behind `//`.

/// Type of a comment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `//`: nothing.
    Plain,
    /// `///`: documentation of what follows.
    Outer,
    /// `//!`: documentation of what it stands in.
    Inner,
}

/// One line of a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The line, counted from 1.
    pub line: usize,
    /// Type.
    pub kind: CommentKind,
    /// Text after the slashes.
    pub text: String,
    /// Whether nothing stands before it in its line.
    pub alone: bool,
}

/// Returns all comments in order.
pub fn scan(text: &str) -> Vec<Comment> {
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    let (mut at, mut line, mut alone) = (0, 1, true);
    while let Some(&byte) = bytes.get(at) {
        let next = bytes.get(at + 1).copied();
        match byte {
            b'\n' => {
                line += 1;
                alone = true;
                at += 1;
            }
            b'/' if next == Some(b'/') => {
                let end = end_of_line(bytes, at);
                comments.push(comment(text.get(at + 2..end).unwrap_or_default(), line, alone));
                at = end;
            }
            b'/' if next == Some(b'*') => {
                let end = end_of_block(bytes, at);
                line += lines(bytes, at, end);
                alone = false;
                at = end;
            }
            b'"' => {
                let end = end_of_string(bytes, at);
                line += lines(bytes, at, end);
                alone = false;
                at = end;
            }
            b'r' | b'b' | b'c' if !follows_name(bytes, at) => {
                let end = end_of_prefixed(bytes, at);
                line += lines(bytes, at, end);
                alone = false;
                at = end;
            }
            b'\'' => {
                alone = false;
                at = end_of_quote(bytes, at);
            }
            _ => {
                alone &= byte.is_ascii_whitespace();
                at += 1;
            }
        }
    }
    comments
}

fn comment(text: &str, line: usize, alone: bool) -> Comment {
    // Four slashes are no documentation.
    let (kind, text) = match text.strip_prefix('!') {
        Some(rest) => (CommentKind::Inner, rest),
        None => match text.strip_prefix('/') {
            Some(rest) if !rest.starts_with('/') => (CommentKind::Outer, rest),
            _ => (CommentKind::Plain, text),
        },
    };
    Comment { line, kind, text: text.trim_end_matches('\r').to_owned(), alone }
}

fn end_of_line(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| at + end)
}

fn lines(bytes: &[u8], from: usize, to: usize) -> usize {
    bytes.get(from..to).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
}

fn follows_name(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_some_and(|before| before.is_ascii_alphanumeric() || *before == b'_' || *before >= 0x80)
}

fn end_of_block(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1);
    while depth > 0 {
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'*'), Some(b'/')) => {
                depth -= 1;
                at += 2;
            }
            (Some(b'/'), Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (Some(_), _) => at += 1,
            (None, _) => return bytes.len(),
        }
    }
    at
}

/// Returns the end of a string, given its opening quote.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => at += 2,
            Some(b'"') => return at + 1,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// Returns the end of a prefixed string, or of the letter `r`, `b` or `c` alone.
fn end_of_prefixed(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while matches!(bytes.get(at), Some(b'r' | b'b' | b'c')) && at < start + 2 {
        at += 1;
    }
    let raw = bytes.get(start..at).is_some_and(|prefix| prefix.contains(&b'r'));
    let hashes = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| **byte == b'#').count();
    match bytes.get(at + hashes) {
        Some(b'"') if raw => {
            let mut end = at + hashes + 1;
            while let Some(byte) = bytes.get(end) {
                end += 1;
                let closing =
                    bytes.get(end..end + hashes).is_some_and(|rest| rest.iter().all(|byte| *byte == b'#'));
                if *byte == b'"' && closing {
                    return end + hashes;
                }
            }
            bytes.len()
        }
        Some(b'"') if hashes == 0 => end_of_string(bytes, at),
        Some(b'\'') if hashes == 0 => end_of_quote(bytes, at),
        _ => start + 1,
    }
}

/// Returns the end of a character, or of a lifetime's quote.
fn end_of_quote(bytes: &[u8], start: usize) -> usize {
    match bytes.get(start + 1) {
        Some(b'\\') => {
            let mut at = start + 3;
            while bytes.get(at).is_some_and(|byte| *byte != b'\'' && *byte != b'\n') {
                at += 1;
            }
            at + 1
        }
        Some(first) => {
            let width = match *first {
                0..0x80 => 1,
                0x80..0xe0 => 2,
                0xe0..0xf0 => 3,
                _ => 4,
            };
            if bytes.get(start + 1 + width) == Some(&b'\'') { start + width + 2 } else { start + 1 }
        }
        None => bytes.len(),
    }
}
