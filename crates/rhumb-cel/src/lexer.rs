//! Tokens: what the text of an expression is cut into.
//!
//! The longest token wins, and of equally long ones a keyword before a name. Where no token begins, an error tells the
//! characters that were looked at, and the search goes on after them.

use crate::ast::Span;
use crate::source::Source;

mod scan;

/// What a token is. The order is the one in which errors list what was expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub(crate) enum Kind {
    End,
    Equals,
    NotEquals,
    In,
    Less,
    LessEquals,
    GreaterEquals,
    Greater,
    LogicalAnd,
    LogicalOr,
    LeftBracket,
    RightBracket,
    LeftBrace,
    RightBrace,
    LeftParenthesis,
    RightParenthesis,
    Dot,
    Comma,
    Minus,
    Exclamation,
    Question,
    Colon,
    Plus,
    Star,
    Slash,
    Percent,
    True,
    False,
    Null,
    Float,
    Int,
    Uint,
    String,
    Bytes,
    Identifier,
    EscapedIdentifier,
}

/// Each kind with the words that errors have for it.
pub(crate) const KINDS: [(Kind, &str); 36] = [
    (Kind::End, "<EOF>"),
    (Kind::Equals, "'=='"),
    (Kind::NotEquals, "'!='"),
    (Kind::In, "'in'"),
    (Kind::Less, "'<'"),
    (Kind::LessEquals, "'<='"),
    (Kind::GreaterEquals, "'>='"),
    (Kind::Greater, "'>'"),
    (Kind::LogicalAnd, "'&&'"),
    (Kind::LogicalOr, "'||'"),
    (Kind::LeftBracket, "'['"),
    (Kind::RightBracket, "']'"),
    (Kind::LeftBrace, "'{'"),
    (Kind::RightBrace, "'}'"),
    (Kind::LeftParenthesis, "'('"),
    (Kind::RightParenthesis, "')'"),
    (Kind::Dot, "'.'"),
    (Kind::Comma, "','"),
    (Kind::Minus, "'-'"),
    (Kind::Exclamation, "'!'"),
    (Kind::Question, "'?'"),
    (Kind::Colon, "':'"),
    (Kind::Plus, "'+'"),
    (Kind::Star, "'*'"),
    (Kind::Slash, "'/'"),
    (Kind::Percent, "'%'"),
    (Kind::True, "'true'"),
    (Kind::False, "'false'"),
    (Kind::Null, "'null'"),
    (Kind::Float, "NUM_FLOAT"),
    (Kind::Int, "NUM_INT"),
    (Kind::Uint, "NUM_UINT"),
    (Kind::String, "STRING"),
    (Kind::Bytes, "BYTES"),
    (Kind::Identifier, "IDENTIFIER"),
    (Kind::EscapedIdentifier, "ESC_IDENTIFIER"),
];

/// A token: a range of bytes, and where it begins in code points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) offset: u32,
}

impl Token {
    /// The token's text.
    pub(crate) fn text<'a>(&self, source: &'a Source) -> &'a str {
        source.text().get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    /// Where the token stands, in code points.
    pub(crate) fn span(&self, source: &Source) -> Span {
        let length =
            if source.is_ascii() { self.end - self.start } else { narrow(self.text(source).chars().count()) };
        Span { start: self.offset, end: self.offset + length }
    }
}

/// Characters that no token begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unrecognized {
    /// The number of tokens before them.
    pub(crate) tokens: usize,
    /// The range of bytes.
    pub(crate) start: u32,
    pub(crate) end: u32,
    /// Where they begin in code points.
    pub(crate) offset: u32,
}

/// The tokens of a text, the last of them [`Kind::End`].
#[derive(Debug, Default)]
pub(crate) struct Tokens {
    pub(crate) tokens: Vec<Token>,
    pub(crate) unrecognized: Vec<Unrecognized>,
}

/// Cuts a text into tokens. The text is shorter than 4 GiB: see the limit in [`crate::parser::Options`].
pub(crate) fn tokens(source: &Source) -> Tokens {
    let text = source.text();
    let bytes = text.as_bytes();
    let mut found = Tokens { tokens: Vec::with_capacity(bytes.len() / 4 + 1), unrecognized: Vec::new() };
    let mut places = Places { text, ascii: source.is_ascii(), byte: 0, offset: 0 };
    let mut at = 0;
    loop {
        at = scan::blank(bytes, at);
        let offset = places.offset(at);
        if at >= bytes.len() {
            found.tokens.push(Token { kind: Kind::End, start: narrow(at), end: narrow(at), offset });
            return found;
        }
        match scan::token(text, at) {
            Ok((kind, end)) => {
                found.tokens.push(Token { kind, start: narrow(at), end: narrow(end), offset });
                at = end;
            }
            Err(end) => {
                let tokens = found.tokens.len();
                found.unrecognized.push(Unrecognized { tokens, start: narrow(at), end: narrow(end), offset });
                at = end;
            }
        }
    }
}

fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// Turns offsets in bytes, which only grow, into offsets in code points.
struct Places<'a> {
    text: &'a str,
    ascii: bool,
    byte: usize,
    offset: u32,
}

impl Places<'_> {
    fn offset(&mut self, byte: usize) -> u32 {
        self.offset += if self.ascii {
            narrow(byte - self.byte)
        } else {
            narrow(self.text.get(self.byte..byte).map_or(0, |between| between.chars().count()))
        };
        self.byte = byte;
        self.offset
    }
}

#[cfg(test)]
mod tests;
