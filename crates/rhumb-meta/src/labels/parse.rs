//! Label selector parser.
//!
//! A lexer cuts the text into signs and words, and the parser asks it for one token at a time. `in` and
//! `notin` are words: they are operators only between a key and a parenthesis, so they remain usable as keys
//! and values. A zero byte ends the token it stands in, and the whole text when it stands between tokens;
//! clients may rely on neither, but a text must not be accepted here and refused elsewhere.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use super::requirement::{Operator, Requirement, RequirementError, Violation, key_violation};

/// Maximum length of a parsed selector; request lines are shorter in practice.
pub const MAX_SELECTOR_BYTES: usize = 1024 * 1024;

/// Maximum number of requirements of a parsed selector.
pub const MAX_REQUIREMENTS: usize = 16 * 1024;

/// Error of parsing a label selector.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// A token stands where another was due.
    Unexpected {
        /// The token as written; empty at the end of the text.
        found: String,
        /// The expected token.
        expected: Expected,
    },
    /// The key of a requirement is not a legal label key.
    Key(Violation),
    /// A requirement is well-formed but breaks a rule.
    Requirement(RequirementError),
    /// The text is longer than [`MAX_SELECTOR_BYTES`].
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// More than [`MAX_REQUIREMENTS`] requirements.
    TooManyRequirements,
}

/// Token that the parser expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Expected {
    /// The start of a requirement, or the end.
    RequirementOrEnd,
    /// The start of another requirement.
    IdentifierAfterComma,
    /// A comma or the end, after a complete requirement.
    CommaOrEnd,
    /// A key or a value.
    Identifier,
    /// An operator with values.
    Operator,
    /// The parenthesis that opens a list of values.
    OpenParenthesis,
    /// The first value of a list, or its end.
    FirstValueOrEnd,
    /// A comma or the end of a list of values.
    CommaOrClose,
    /// Another value of a list.
    CommaOrValue,
}

impl Expected {
    /// Returns the part of the message behind the token that was found.
    fn message(self) -> &'static str {
        match self {
            Self::RequirementOrEnd => ", expected: !, identifier, or 'end of string'",
            Self::IdentifierAfterComma => ", expected: identifier after ','",
            Self::CommaOrEnd => ", expected: ',' or 'end of string'",
            Self::Identifier => ", expected: identifier",
            Self::Operator => ", expected: in, notin, =, ==, !=, gt, lt",
            Self::OpenParenthesis => " expected: '('",
            Self::FirstValueOrEnd => ", expected: ',', ')' or identifier",
            Self::CommaOrClose => ", expected: ',' or ')'",
            Self::CommaOrValue => ", expected: ',', or identifier",
        }
    }

    fn between_requirements(self) -> bool {
        matches!(self, Self::RequirementOrEnd | Self::IdentifierAfterComma | Self::CommaOrEnd)
    }
}

// The messages contain those of the cause, as clients know them, so no cause is reported beside.
impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unexpected { found, expected } => {
                let prefix =
                    if expected.between_requirements() { "" } else { "unable to parse requirement: " };
                write!(f, "{prefix}found '{found}'{}", expected.message())
            }
            Self::Key(violation) => write!(f, "unable to parse requirement: {violation}"),
            Self::Requirement(error) => write!(f, "unable to parse requirement: {error}"),
            Self::TooLong { bytes } => {
                write!(f, "the label selector has {bytes} bytes, more than the limit of {MAX_SELECTOR_BYTES}")
            }
            Self::TooManyRequirements => {
                write!(f, "the label selector has more than {MAX_REQUIREMENTS} requirements")
            }
        }
    }
}

impl Error for ParseError {}

/// Reads the requirements of a selector in the order they are written.
pub(super) fn parse(text: &str, path: Option<&str>) -> Result<Vec<Requirement>, ParseError> {
    if text.len() > MAX_SELECTOR_BYTES {
        return Err(ParseError::TooLong { bytes: text.len() });
    }
    Parser { lexer: Lexer { rest: text }, path }.requirements()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token<'a> {
    End,
    Comma,
    Open,
    Close,
    Not,
    Equals,
    DoubleEquals,
    NotEquals,
    Greater,
    Less,
    /// Anything else, also `in` and `notin`.
    Word(&'a str),
}

impl<'a> Token<'a> {
    fn text(self) -> &'a str {
        match self {
            Self::End => "",
            Self::Comma => ",",
            Self::Open => "(",
            Self::Close => ")",
            Self::Not => "!",
            Self::Equals => "=",
            Self::DoubleEquals => "==",
            Self::NotEquals => "!=",
            Self::Greater => ">",
            Self::Less => "<",
            Self::Word(text) => text,
        }
    }

    fn unexpected(self, expected: Expected) -> ParseError {
        ParseError::Unexpected { found: self.text().to_owned(), expected }
    }
}

/// Lexer over the remaining text. A copy looks ahead.
#[derive(Clone, Copy)]
struct Lexer<'a> {
    rest: &'a str,
}

impl<'a> Lexer<'a> {
    fn next(&mut self) -> Token<'a> {
        self.rest = self.rest.trim_start_matches(is_space);
        // Longer signs come first, for one is the start of another.
        const SIGNS: [(&str, Token<'static>); 9] = [
            ("==", Token::DoubleEquals),
            ("!=", Token::NotEquals),
            ("=", Token::Equals),
            ("!", Token::Not),
            ("(", Token::Open),
            (")", Token::Close),
            (",", Token::Comma),
            (">", Token::Greater),
            ("<", Token::Less),
        ];
        for (sign, token) in SIGNS {
            if let Some(rest) = self.rest.strip_prefix(sign) {
                // The look for a longer sign swallows a zero byte.
                self.rest = rest.strip_prefix('\0').unwrap_or(rest);
                return token;
            }
        }
        let end = self.rest.find(|c| c == '\0' || is_space(c) || is_sign(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        if word.is_empty() {
            self.rest = "";
            return Token::End;
        }
        self.rest = rest.strip_prefix('\0').unwrap_or(rest);
        Token::Word(word)
    }

    fn peek(self) -> Token<'a> {
        let mut copy = self;
        copy.next()
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\r' | '\n')
}

fn is_sign(c: char) -> bool {
    matches!(c, '=' | '!' | '(' | ')' | ',' | '>' | '<')
}

struct Parser<'a> {
    lexer: Lexer<'a>,
    path: Option<&'a str>,
}

impl<'a> Parser<'a> {
    fn requirements(&mut self) -> Result<Vec<Requirement>, ParseError> {
        let mut requirements = Vec::new();
        match self.lexer.peek() {
            Token::End => return Ok(requirements),
            Token::Word(_) | Token::Not => {}
            other => return Err(other.unexpected(Expected::RequirementOrEnd)),
        }
        loop {
            if requirements.len() == MAX_REQUIREMENTS {
                return Err(ParseError::TooManyRequirements);
            }
            requirements.push(self.requirement()?);
            match self.lexer.next() {
                Token::End => return Ok(requirements),
                Token::Comma => {}
                other => return Err(other.unexpected(Expected::CommaOrEnd)),
            }
            match self.lexer.peek() {
                Token::Word(_) | Token::Not => {}
                other => return Err(other.unexpected(Expected::IdentifierAfterComma)),
            }
        }
    }

    fn requirement(&mut self) -> Result<Requirement, ParseError> {
        let mut token = self.lexer.next();
        let negated = token == Token::Not;
        if negated {
            token = self.lexer.next();
        }
        let Token::Word(key) = token else { return Err(token.unexpected(Expected::Identifier)) };
        // The key is checked before the rest is read, so that its error comes first. It belongs to the
        // selector as a whole, and a selector that stands nowhere in an object has no name to show.
        if let Some(violation) = key_violation(self.path.unwrap_or("<nil>").to_owned(), key) {
            return Err(ParseError::Key(violation));
        }
        let (operator, values) = if negated {
            (Operator::DoesNotExist, Vec::new())
        } else if matches!(self.lexer.peek(), Token::End | Token::Comma) {
            (Operator::Exists, Vec::new())
        } else {
            let operator = self.operator()?;
            let values = match operator {
                Operator::In | Operator::NotIn => self.values()?,
                _ => vec![self.single_value()?.to_owned()],
            };
            (operator, values)
        };
        Requirement::checked(self.path, key.to_owned(), operator, Some(values))
            .map_err(ParseError::Requirement)
    }

    fn operator(&mut self) -> Result<Operator, ParseError> {
        match self.lexer.next() {
            Token::Word("in") => Ok(Operator::In),
            Token::Word("notin") => Ok(Operator::NotIn),
            Token::Equals => Ok(Operator::Equals),
            Token::DoubleEquals => Ok(Operator::DoubleEquals),
            Token::NotEquals => Ok(Operator::NotEquals),
            Token::Greater => Ok(Operator::GreaterThan),
            Token::Less => Ok(Operator::LessThan),
            other => Err(other.unexpected(Expected::Operator)),
        }
    }

    /// Reads the value behind a sign; nothing is the empty value.
    fn single_value(&mut self) -> Result<&'a str, ParseError> {
        if matches!(self.lexer.peek(), Token::End | Token::Comma) {
            return Ok("");
        }
        match self.lexer.next() {
            Token::Word(value) => Ok(value),
            other => Err(other.unexpected(Expected::Identifier)),
        }
    }

    /// Reads a list of values between parentheses, sorted and each once.
    ///
    /// A comma without a value beside it stands for the empty value, and so do the parentheses alone.
    fn values(&mut self) -> Result<Vec<String>, ParseError> {
        match self.lexer.next() {
            Token::Open => {}
            other => return Err(other.unexpected(Expected::OpenParenthesis)),
        }
        let mut values = BTreeSet::new();
        match self.lexer.peek() {
            Token::Word(_) => {}
            Token::Comma | Token::Close => {
                values.insert("");
            }
            other => return Err(other.unexpected(Expected::FirstValueOrEnd)),
        }
        let mut close = self.lexer.peek() == Token::Close;
        while !close {
            match self.lexer.next() {
                Token::Word(value) => {
                    values.insert(value);
                    match self.lexer.peek() {
                        Token::Comma => {}
                        Token::Close => close = true,
                        other => return Err(other.unexpected(Expected::CommaOrClose)),
                    }
                }
                Token::Comma => match self.lexer.peek() {
                    Token::Comma => {
                        values.insert("");
                    }
                    Token::Close => {
                        values.insert("");
                        close = true;
                    }
                    _ => {}
                },
                other => return Err(other.unexpected(Expected::CommaOrValue)),
            }
        }
        self.lexer.next();
        Ok(values.into_iter().map(str::to_owned).collect())
    }
}
