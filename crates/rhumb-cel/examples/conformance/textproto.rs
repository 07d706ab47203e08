//! Reads the text format of protobuf, as far as the conformance tests use it, into a tree of names and values.

use std::iter::Peekable;
use std::str::Chars;

/// A message: its fields in the order in which they were written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Message {
    pub(crate) fields: Vec<(String, Field)>,
}

/// The value of a field.
#[derive(Clone, Debug)]
pub(crate) enum Field {
    /// A word or a number.
    Word(String),
    /// A text between quotes.
    Text(Vec<u8>),
    /// A message.
    Message(Message),
}

impl Message {
    /// The values of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Field> {
        self.fields.iter().filter(move |(field, _)| field == name).map(|(_, value)| value)
    }

    /// The value of a field that is there once.
    pub(crate) fn one<'a>(&'a self, name: &'a str) -> Option<&'a Field> {
        self.all(name).last()
    }

    /// The messages of a field.
    pub(crate) fn messages<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Self> {
        self.all(name)
            .filter_map(|field| if let Field::Message(message) = field { Some(message) } else { None })
    }

    /// The message of a field that is there once.
    pub(crate) fn message<'a>(&'a self, name: &'a str) -> Option<&'a Self> {
        self.messages(name).last()
    }

    /// The text of a field, empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> String {
        match self.one(name) {
            Some(Field::Text(bytes)) => String::from_utf8_lossy(bytes).into_owned(),
            Some(Field::Word(word)) => word.clone(),
            _ => String::new(),
        }
    }

    /// Whether a field is set to `true`.
    pub(crate) fn flag(&self, name: &str) -> bool {
        self.text(name) == "true"
    }
}

/// Reads a whole file.
pub(crate) fn read(text: &str) -> Result<Message, String> {
    let mut reader = Reader { rest: text.chars().peekable() };
    let message = reader.message(None)?;
    Ok(message)
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
}

impl Reader<'_> {
    fn blank(&mut self) {
        while let Some(next) = self.rest.peek() {
            if *next == '#' {
                while self.rest.next().is_some_and(|character| character != '\n') {}
            } else if next.is_whitespace() || matches!(next, ',' | ';') {
                self.rest.next();
            } else {
                return;
            }
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        self.blank();
        self.rest.next_if_eq(&wanted).is_some()
    }

    fn message(&mut self, end: Option<char>) -> Result<Message, String> {
        let mut message = Message::default();
        loop {
            self.blank();
            match self.rest.peek() {
                None if end.is_none() => return Ok(message),
                None => return Err("a message has no end".to_owned()),
                Some(next) if Some(*next) == end => {
                    self.rest.next();
                    return Ok(message);
                }
                Some('[') => {
                    self.rest.next();
                    let name: String =
                        std::iter::from_fn(|| self.rest.next_if(|next| *next != ']')).collect();
                    self.rest.next();
                    self.field(&mut message, format!("[{}]", name.trim()))?;
                }
                Some(_) => {
                    let name = self.word()?;
                    self.field(&mut message, name)?;
                }
            }
        }
    }

    fn field(&mut self, message: &mut Message, name: String) -> Result<(), String> {
        self.take(':');
        if self.take('[') {
            while !self.take(']') {
                let value = self.value()?;
                message.fields.push((name.clone(), value));
            }
            return Ok(());
        }
        let value = self.value()?;
        message.fields.push((name, value));
        Ok(())
    }

    fn value(&mut self) -> Result<Field, String> {
        self.blank();
        match self.rest.peek() {
            Some('{') => {
                self.rest.next();
                Ok(Field::Message(self.message(Some('}'))?))
            }
            Some('<') => {
                self.rest.next();
                Ok(Field::Message(self.message(Some('>'))?))
            }
            Some('"' | '\'') => {
                let mut bytes = Vec::new();
                while let Some('"' | '\'') = self.rest.peek() {
                    self.text(&mut bytes)?;
                    self.blank();
                }
                Ok(Field::Text(bytes))
            }
            _ => Ok(Field::Word(self.word()?)),
        }
    }

    fn word(&mut self) -> Result<String, String> {
        self.blank();
        let of_word =
            |next: &char| next.is_ascii_alphanumeric() || matches!(next, '_' | '.' | '-' | '+' | '/');
        let word: String = std::iter::from_fn(|| self.rest.next_if(of_word)).collect();
        if word.is_empty() {
            Err(format!("a word is expected before {:?}", self.rest.peek()))
        } else {
            Ok(word)
        }
    }

    fn text(&mut self, bytes: &mut Vec<u8>) -> Result<(), String> {
        let quote = self.rest.next();
        loop {
            let next = self.rest.next().ok_or("a text has no end")?;
            if Some(next) == quote {
                return Ok(());
            }
            if next != '\\' {
                bytes.extend_from_slice(next.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
            let escape = self.rest.next().ok_or("a text has no end")?;
            let character = match escape {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'a' => '\u{7}',
                'b' => '\u{8}',
                'f' => '\u{c}',
                'v' => '\u{b}',
                'x' => {
                    bytes.push(self.number("", 2, 16)? as u8);
                    continue;
                }
                '0'..='7' => {
                    bytes.push(self.number(&escape.to_string(), 2, 8)? as u8);
                    continue;
                }
                'u' => self.character(4)?,
                'U' => self.character(8)?,
                other => other,
            };
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }

    fn character(&mut self, digits: usize) -> Result<char, String> {
        char::from_u32(self.number("", digits, 16)?).ok_or_else(|| "there is no such character".to_owned())
    }

    /// A number of up to so many more digits.
    fn number(&mut self, first: &str, most: usize, radix: u32) -> Result<u32, String> {
        let mut digits = first.to_owned();
        for _ in 0..most {
            digits.extend(self.rest.next_if(|next| next.is_digit(radix)));
        }
        u32::from_str_radix(&digits, radix).map_err(|error| error.to_string())
    }
}
