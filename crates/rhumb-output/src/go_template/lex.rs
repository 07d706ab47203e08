//! Template lexer.

use rhumb_schema::text::{is_printable, quoted};

/// Token type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Lexical error; the text is the message.
    Error,
    Bool,
    /// A character with no other meaning, such as a comma.
    Char,
    CharConstant,
    Assign,
    Declare,
    End,
    Field,
    Identifier,
    LeftDelimiter,
    LeftParenthesis,
    Number,
    Pipe,
    RawString,
    RightDelimiter,
    RightParenthesis,
    Space,
    String,
    Text,
    Variable,
    Dot,
    Keyword(Keyword),
}

/// Keyword.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keyword {
    Block,
    Break,
    Continue,
    Define,
    Else,
    End,
    If,
    Nil,
    Range,
    Template,
    With,
}

/// A token with its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) text: String,
    pub(super) line: usize,
}

impl Token {
    /// Returns the token as errors show it.
    pub(super) fn shown(&self) -> String {
        match self.kind {
            Kind::End => "EOF".to_owned(),
            Kind::Error => self.text.clone(),
            Kind::Dot | Kind::Keyword(_) => format!("<{}>", self.text),
            _ if self.text.len() > 10 => {
                format!("{}...", quoted(self.text.chars().take(10).collect::<String>()))
            }
            _ => quoted(&self.text),
        }
    }
}

/// Lexer over a template.
pub(super) struct Lexer<'a> {
    input: &'a str,
    /// Start of the next token.
    start: usize,
    /// Current position.
    at: usize,
    line: usize,
    in_action: bool,
    parentheses: usize,
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\r' | '\n')
}

fn is_word(letter: char) -> bool {
    letter == '_' || letter.is_alphanumeric()
}

/// Reports whether a text starts with a minus and a blank, which takes the space before an action away.
fn trims_left(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|rest| rest.starts_with(is_space))
}

/// Reports whether a text starts with a blank, a minus and the end of the action.
fn trims_right(text: &str) -> bool {
    text.strip_prefix(is_space).is_some_and(|rest| rest.starts_with("-}}"))
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a str) -> Lexer<'a> {
        Lexer { input, start: 0, at: 0, line: 1, in_action: false, parentheses: 0 }
    }

    pub(super) fn next(&mut self) -> Token {
        if self.in_action { self.inside() } else { self.text() }
    }

    fn rest(&self) -> &'a str {
        self.input.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += letter.len_utf8();
        Some(letter)
    }

    fn bump_while(&mut self, wanted: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.bump();
        }
    }

    fn accept(&mut self, valid: &str) -> bool {
        let found = self.peek().is_some_and(|letter| valid.contains(letter));
        if found {
            self.bump();
        }
        found
    }

    fn skip(&mut self) {
        let skipped = self.input.get(self.start..self.at).unwrap_or_default();
        self.line += skipped.matches('\n').count();
        self.start = self.at;
    }

    fn token(&mut self, kind: Kind) -> Token {
        let text = self.input.get(self.start..self.at).unwrap_or_default();
        let token = Token { kind, start: self.start, text: text.to_owned(), line: self.line };
        self.skip();
        token
    }

    fn error(&mut self, text: impl Into<String>) -> Token {
        let token = Token { kind: Kind::Error, start: self.start, text: text.into(), line: self.line };
        self.at = self.input.len();
        self.start = self.at;
        token
    }

    fn text(&mut self) -> Token {
        loop {
            let Some(length) = self.rest().find("{{") else {
                self.at = self.input.len();
                return self.token(if self.at > self.start { Kind::Text } else { Kind::End });
            };
            let text = self.rest().get(..length).unwrap_or_default();
            let inside = self.rest().get(length + 2..).unwrap_or_default();
            let kept = if trims_left(inside) { text.trim_end_matches(is_space) } else { text };
            if !kept.is_empty() {
                self.at += kept.len();
                let token = self.token(Kind::Text);
                self.at += text.len() - kept.len();
                self.skip();
                return token;
            }
            self.at += text.len();
            self.skip();
            if let Some(token) = self.left_delimiter() {
                return token;
            }
        }
    }

    /// Returns the start of an action; none if it is a comment, which is passed over.
    fn left_delimiter(&mut self) -> Option<Token> {
        self.at += 2;
        let marker = if trims_left(self.rest()) { 2 } else { 0 };
        if self.rest().get(marker..).is_some_and(|rest| rest.starts_with("/*")) {
            self.at += marker;
            self.skip();
            return self.comment();
        }
        let token = self.token(Kind::LeftDelimiter);
        self.in_action = true;
        self.at += marker;
        self.skip();
        self.parentheses = 0;
        Some(token)
    }

    /// Passes over a comment; gives an error if it has no proper end.
    fn comment(&mut self) -> Option<Token> {
        self.at += 2;
        let Some(length) = self.rest().find("*/") else { return Some(self.error("unclosed comment")) };
        self.at += length + 2;
        if trims_right(self.rest()) {
            self.at += 4;
            self.bump_while(is_space);
        } else if self.rest().starts_with("}}") {
            self.at += 2;
        } else {
            return Some(self.error("comment ends before closing delimiter"));
        }
        self.skip();
        None
    }

    fn right_delimiter(&mut self) -> Token {
        let trims = trims_right(self.rest());
        if trims {
            self.at += 2;
            self.skip();
        }
        self.at += 2;
        let token = self.token(Kind::RightDelimiter);
        if trims {
            self.bump_while(is_space);
            self.skip();
        }
        self.in_action = false;
        token
    }

    fn inside(&mut self) -> Token {
        if trims_right(self.rest()) || self.rest().starts_with("}}") {
            return match self.parentheses {
                0 => self.right_delimiter(),
                _ => self.error("unclosed left paren"),
            };
        }
        let Some(letter) = self.peek() else { return self.error("unclosed action") };
        if is_space(letter) {
            return self.space();
        }
        if matches!(letter, '+' | '-' | '0'..='9') {
            return self.number();
        }
        self.bump();
        match letter {
            '=' => self.token(Kind::Assign),
            ':' if self.bump() == Some('=') => self.token(Kind::Declare),
            ':' => self.error("expected :="),
            '|' => self.token(Kind::Pipe),
            '"' => self.quoted('"', Kind::String, "unterminated quoted string"),
            '\'' => self.quoted('\'', Kind::CharConstant, "unterminated character constant"),
            '`' => {
                self.bump_while(|letter| letter != '`');
                match self.bump() {
                    Some(_) => self.token(Kind::RawString),
                    None => self.error("unterminated raw quoted string"),
                }
            }
            '$' => self.field(Kind::Variable),
            '.' if self.peek().is_some_and(|next| next.is_ascii_digit()) || self.rest().is_empty() => {
                self.at -= 1;
                self.number()
            }
            '.' => self.field(Kind::Field),
            '(' => {
                self.parentheses += 1;
                self.token(Kind::LeftParenthesis)
            }
            ')' if self.parentheses == 0 => self.error("unexpected right paren"),
            ')' => {
                self.parentheses -= 1;
                self.token(Kind::RightParenthesis)
            }
            _ if is_word(letter) => self.word(),
            ' '..='~' => self.token(Kind::Char),
            other => self.error(format!("unrecognized character in action: {}", code_point(other))),
        }
    }

    fn space(&mut self) -> Token {
        let before = self.at;
        self.bump_while(is_space);
        // The last blank may belong to the end of the action.
        if self.rest().starts_with("-}}") {
            self.at -= 1;
            if self.at == before {
                return self.right_delimiter();
            }
        }
        self.token(Kind::Space)
    }

    fn word(&mut self) -> Token {
        self.bump_while(is_word);
        if !self.at_terminator() {
            return self.bad_character();
        }
        let kind = match self.input.get(self.start..self.at).unwrap_or_default() {
            "block" => Kind::Keyword(Keyword::Block),
            "break" => Kind::Keyword(Keyword::Break),
            "continue" => Kind::Keyword(Keyword::Continue),
            "define" => Kind::Keyword(Keyword::Define),
            "else" => Kind::Keyword(Keyword::Else),
            "end" => Kind::Keyword(Keyword::End),
            "if" => Kind::Keyword(Keyword::If),
            "nil" => Kind::Keyword(Keyword::Nil),
            "range" => Kind::Keyword(Keyword::Range),
            "template" => Kind::Keyword(Keyword::Template),
            "with" => Kind::Keyword(Keyword::With),
            "true" | "false" => Kind::Bool,
            _ => Kind::Identifier,
        };
        self.token(kind)
    }

    /// Reads what follows a dot or a dollar.
    fn field(&mut self, kind: Kind) -> Token {
        if self.at_terminator() {
            return self.token(if kind == Kind::Field { Kind::Dot } else { kind });
        }
        self.bump_while(is_word);
        if self.at_terminator() { self.token(kind) } else { self.bad_character() }
    }

    fn bad_character(&mut self) -> Token {
        let letter = self.peek().map_or_else(|| "U+FFFFFFFFFFFFFFFF".to_owned(), code_point);
        self.error(format!("bad character {letter}"))
    }

    fn at_terminator(&self) -> bool {
        match self.peek() {
            None => true,
            Some(letter) if is_space(letter) => true,
            Some('.' | ',' | '|' | ':' | ')' | '(') => true,
            Some(_) => self.rest().starts_with("}}"),
        }
    }

    fn quoted(&mut self, quote: char, kind: Kind, unterminated: &str) -> Token {
        loop {
            match self.bump() {
                Some('\\') if self.peek().is_some_and(|next| next != '\n') => {
                    self.bump();
                }
                None | Some('\n' | '\\') => return self.error(unterminated),
                Some(letter) if letter == quote => return self.token(kind),
                Some(_) => {}
            }
        }
    }

    fn number(&mut self) -> Token {
        let well_formed = self.scan_number();
        let text = self.input.get(self.start..self.at).unwrap_or_default();
        if !well_formed || matches!(self.peek(), Some('+' | '-')) {
            let text = quoted(text);
            return self.error(format!("bad number syntax: {text}"));
        }
        self.token(Kind::Number)
    }

    fn scan_number(&mut self) -> bool {
        const DECIMAL: &str = "0123456789_";
        const HEXADECIMAL: &str = "0123456789abcdefABCDEF_";
        self.accept("+-");
        let mut digits = DECIMAL;
        if self.accept("0") {
            if self.accept("xX") {
                digits = HEXADECIMAL;
            } else if self.accept("oO") {
                digits = "01234567_";
            } else if self.accept("bB") {
                digits = "01_";
            }
        }
        self.bump_while(|letter| digits.contains(letter));
        if self.accept(".") {
            self.bump_while(|letter| digits.contains(letter));
        }
        if (digits == DECIMAL && self.accept("eE")) || (digits == HEXADECIMAL && self.accept("pP")) {
            self.accept("+-");
            self.bump_while(|letter| DECIMAL.contains(letter));
        }
        self.accept("i");
        if self.peek().is_some_and(is_word) {
            self.bump();
            return false;
        }
        true
    }
}

/// Formats a character as `%#U` shows it.
fn code_point(letter: char) -> String {
    let code = format!("U+{:04X}", u32::from(letter));
    if is_printable(letter) { format!("{code} '{letter}'") } else { code }
}
