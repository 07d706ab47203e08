//! Template parser.

use std::fmt;

use rhumb_schema::text::is_printable;

use crate::Template;
use crate::unquote::unquoted;

/// A node of a template.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    /// An action: each node is applied to what the one before it found.
    List(Vec<Node>),
    Text(String),
    Field(String),
    Slice(Slice),
    /// Without an operator it asks whether the left side leads somewhere.
    Filter {
        left: Vec<Node>,
        comparison: Option<(String, Vec<Node>)>,
    },
    Int(i64),
    Float(f64),
    Bool(bool),
    All,
    Descent,
    Union(Vec<Vec<Node>>),
    /// `range`, `end`, or a word that means nothing.
    Word(String),
}

/// Elements of a list: one, or a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slice {
    pub(crate) start: Option<i64>,
    pub(crate) end: End,
    pub(crate) step: Option<i64>,
}

/// End of a slice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Before this position.
    At(i64),
    /// Before this implicit position, which follows the start.
    Derived(i64),
    /// The end of the list.
    Open,
}

/// Error of parsing a template, in kubectl's words.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseError {
    /// An action has no end.
    UnclosedAction,
    /// A character that means nothing in an action.
    UnknownCharacter(char),
    /// Two descents in a row.
    MultipleDescent,
    /// Digits that are no number.
    Number(String),
    /// Square brackets without an end.
    UnterminatedArray,
    /// Something else than positions in square brackets.
    Index(String),
    /// A position that is no number.
    IndexNumber(String),
    /// A filter without an end.
    UnterminatedFilter,
    /// A filter that a square bracket doesn't close.
    UnclosedFilter,
    /// A quoted text without an end.
    UnterminatedQuote,
    /// A malformed escape in a quoted text.
    Quote(String),
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParseError::UnclosedAction => f.write_str("unclosed action"),
            ParseError::UnknownCharacter(character) => {
                write!(f, "unrecognized character in action: U+{:04X}", u32::from(*character))?;
                if is_printable(*character) { write!(f, " '{character}'") } else { Ok(()) }
            }
            ParseError::MultipleDescent => f.write_str("invalid multiple recursive descent"),
            ParseError::Number(text) => write!(f, "cannot parse number {text}"),
            ParseError::UnterminatedArray => f.write_str("unterminated array"),
            ParseError::Index(text) => write!(f, "invalid array index {text}"),
            ParseError::IndexNumber(text) => write!(f, "array index {text} is not a number"),
            ParseError::UnterminatedFilter => f.write_str("unterminated filter"),
            ParseError::UnclosedFilter => f.write_str("unclosed array expect ]"),
            ParseError::UnterminatedQuote => f.write_str("unterminated quoted string"),
            ParseError::Quote(text) => write!(f, "unquote string {text} error invalid syntax"),
        }
    }
}

impl std::error::Error for ParseError {}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// If an action in it is malformed.
    pub fn parse(text: &str) -> Result<Template, ParseError> {
        let mut nodes = Vec::new();
        let mut rest = text;
        loop {
            let (before, inside) = match rest.split_once('{') {
                Some((before, inside)) => (before, Some(inside)),
                None => (rest, None),
            };
            if !before.is_empty() {
                nodes.push(Node::Text(before.to_owned()));
            }
            let Some(inside) = inside else { return Ok(Template { nodes }) };
            let mut action = Action { rest: inside, nodes: Vec::new() };
            action.read()?;
            nodes.push(Node::List(action.nodes));
            rest = action.rest;
        }
    }
}

/// Reads a text as if it stood in braces of its own.
fn action(text: &str) -> Result<Vec<Node>, ParseError> {
    let template = Template::parse(&format!("{{{text}}}"))?;
    Ok(match template.nodes.into_iter().next() {
        Some(Node::List(nodes)) => nodes,
        _ => Vec::new(),
    })
}

/// An action being parsed.
struct Action<'a> {
    /// Remaining text.
    rest: &'a str,
    nodes: Vec<Node>,
}

impl<'a> Action<'a> {
    /// Reads up to the closing brace.
    fn read(&mut self) -> Result<(), ParseError> {
        loop {
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                return Ok(());
            }
            if let Some(rest) = self.rest.strip_prefix("[?(") {
                self.rest = rest;
                self.filter()?;
                continue;
            }
            if let Some(rest) = self.rest.strip_prefix("..") {
                if self.nodes.last() == Some(&Node::Descent) {
                    return Err(ParseError::MultipleDescent);
                }
                self.rest = rest;
                self.nodes.push(Node::Descent);
                if rest.starts_with(is_word) {
                    self.field();
                }
                continue;
            }
            let first = match self.rest.chars().next() {
                None | Some('\r' | '\n') => return Err(ParseError::UnclosedAction),
                Some(first) => first,
            };
            match first {
                // The object itself is where every path begins.
                ' ' | '@' | '$' => {
                    self.take(1);
                }
                '[' => self.brackets()?,
                '"' | '\'' => self.quote(first)?,
                '.' => {
                    self.take(1);
                    self.field();
                }
                _ if matches!(first, '+' | '-') || is_digit(first) => self.number()?,
                _ if is_word(first) => {
                    let end = self.rest.find(ends_word).unwrap_or(self.rest.len());
                    let word = self.take(end);
                    self.nodes.push(match word {
                        "true" => Node::Bool(true),
                        "false" => Node::Bool(false),
                        _ => Node::Word(word.to_owned()),
                    });
                }
                _ => return Err(ParseError::UnknownCharacter(first)),
            }
        }
    }

    /// Reads a number of bytes.
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(bytes).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// Reads a field's name; a backslash lets any character be part of it.
    fn field(&mut self) {
        let mut end = self.rest.len();
        let mut letters = self.rest.char_indices();
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' {
                letters.next();
            } else if ends_word(letter) {
                end = at;
                break;
            }
        }
        let name = self.take(end);
        self.nodes.push(if name == "*" { Node::All } else { Node::Field(name.replace('\\', "")) });
    }

    fn number(&mut self) -> Result<(), ParseError> {
        let digits = self.rest.strip_prefix(['+', '-']).unwrap_or(self.rest);
        let length = digits.find(|letter| letter != '.' && !is_digit(letter)).unwrap_or(digits.len());
        let text = self.take(self.rest.len() - digits.len() + length);
        self.nodes.push(if let Ok(whole) = text.parse() {
            Node::Int(whole)
        } else if let Some(number) = text.parse().ok().filter(|number: &f64| number.is_finite()) {
            Node::Float(number)
        } else {
            return Err(ParseError::Number(text.to_owned()));
        });
        Ok(())
    }

    fn quote(&mut self, quote: char) -> Result<(), ParseError> {
        let mut before = quote;
        for (at, letter) in self.rest.char_indices().skip(1) {
            if letter == '\n' {
                break;
            }
            if letter == quote && before != '\\' {
                let text = self.take(at + 1);
                let text = unquoted(text).ok_or_else(|| ParseError::Quote(text.to_owned()))?;
                self.nodes.push(Node::Text(text));
                return Ok(());
            }
            before = letter;
        }
        Err(ParseError::UnterminatedQuote)
    }

    fn brackets(&mut self) -> Result<(), ParseError> {
        let end = self.rest.find([']', '\n']).filter(|end| self.rest.as_bytes().get(*end) == Some(&b']'));
        let end = end.ok_or(ParseError::UnterminatedArray)?;
        let text = self.take(end + 1);
        let inner = text.get(1..text.len() - 1).unwrap_or_default();
        if inner.contains(',') {
            let parts = inner.split(',').map(|part| action(&format!("[{}]", part.trim_matches(' '))));
            self.nodes.push(Node::Union(parts.collect::<Result<_, _>>()?));
        } else if let Some(name) = inner
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
            .filter(|name| !name.contains('\''))
        {
            self.nodes.extend(action(&format!(".{name}"))?);
        } else {
            self.nodes.push(Node::Slice(slice(if inner == "*" { ":" } else { inner })?));
        }
        Ok(())
    }

    fn filter(&mut self) -> Result<(), ParseError> {
        let end = filter_end(self.rest).ok_or(ParseError::UnterminatedFilter)?;
        let text = self.take(end);
        self.take(1);
        if !self.rest.starts_with(']') {
            return Err(ParseError::UnclosedFilter);
        }
        self.take(1);
        self.nodes.push(match comparison(text) {
            None => Node::Filter { left: action(text)?, comparison: None },
            Some((left, operator, right)) => {
                let left = action(left)?;
                Node::Filter { left, comparison: Some((operator.to_owned(), action(right)?)) }
            }
        });
        Ok(())
    }
}

/// Returns the position of the closing parenthesis, skipping the first quoted text.
fn filter_end(text: &str) -> Option<usize> {
    let mut quote = None;
    let mut closed = false;
    let mut before = '(';
    for (at, letter) in text.char_indices() {
        match letter {
            '\n' => return None,
            '"' | '\'' => match quote {
                None => quote = Some(letter),
                Some(open) => closed |= before != '\\' && letter == open,
            },
            ')' if quote.is_some() == closed => return Some(at),
            _ => {}
        }
        before = letter;
    }
    None
}

/// Splits a filter at its operator, which is all signs of comparison in a row, but leaves one for the right
/// side if nothing else is there.
fn comparison(text: &str) -> Option<(&str, &str, &str)> {
    let is_sign = |letter: char| matches!(letter, '!' | '<' | '>' | '=');
    let start = text.find(is_sign).filter(|start| *start > 0)?;
    let (left, rest) = text.split_at_checked(start)?;
    let length = rest.find(|letter| !is_sign(letter)).unwrap_or(rest.len().saturating_sub(1));
    let (operator, right) = rest.split_at_checked(length).filter(|(operator, _)| !operator.is_empty())?;
    Some((left, operator, right))
}

/// Reads positions: `1`, `1:3`, `-1`, `::2`.
fn slice(text: &str) -> Result<Slice, ParseError> {
    let parts: Vec<&str> = text.split(':').collect();
    let is_number =
        |part: &&str| part.strip_prefix('-').unwrap_or(part).bytes().all(|byte| byte.is_ascii_digit());
    if parts.len() > 3 || !parts.iter().all(is_number) {
        return Err(ParseError::Index(text.to_owned()));
    }
    let number = |part: Option<&&str>| match part {
        None | Some(&"") => Ok(None),
        Some(part) => part.parse::<i64>().map(Some).map_err(|_| ParseError::IndexNumber((*part).to_owned())),
    };
    let start = number(parts.first())?;
    let end = match (parts.get(1), number(parts.get(1))?) {
        (None, _) => End::Derived(start.unwrap_or_default().wrapping_add(1)),
        (Some(_), None) => End::Open,
        (Some(_), Some(end)) => End::At(end),
    };
    Ok(Slice { start, end, step: number(parts.get(2))? })
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit() || (!letter.is_ascii() && letter.is_numeric())
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphabetic() || is_digit(letter)
}

fn ends_word(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n' | '.' | ',' | '[' | ']' | '$' | '@' | '{' | '}')
}
