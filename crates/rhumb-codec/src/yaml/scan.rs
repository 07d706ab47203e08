//! YAML scanner: bytes to tokens.
//!
//! The tokens are those of YAML 1.1 as libyaml and go-yaml cut them, because the grammar people rely on and the
//! errors they see both come from there. The hard part of YAML is that a mapping key is known only once its `:`
//! is found. A scalar therefore looks for its own `:` right after it was scanned, which settles nearly every key
//! at once; only keys that begin with an anchor, a tag or a bracket wait in the queue for their `:`.
//!
//! Columns are counted in bytes. That is safe because a column matters only where spaces, `-`, `?`, `:`, anchors
//! and tags precede it on the line, and those are ASCII.

use super::errors::Fault;

/// Maximum input length that offsets can address, with room for growing escapes.
pub(super) const MAX_INPUT: usize = 1 << 31;

/// A text in the input or in the scanner's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Text {
    start: u32,
    end: u32,
    unescaped: bool,
}

impl Text {
    pub(super) const EMPTY: Text = Text { start: 0, end: 0, unescaped: false };

    /// Returns a range of the input.
    #[inline]
    pub(super) fn input(start: usize, end: usize) -> Text {
        Text { start: offset(start), end: offset(end), unescaped: false }
    }

    /// Returns a range of the buffer.
    #[inline]
    pub(super) fn buffer(start: usize, end: usize) -> Text {
        Text { start: offset(start), end: offset(end), unescaped: true }
    }

    #[inline]
    pub(super) fn range(self) -> std::ops::Range<usize> {
        self.start as usize..self.end as usize
    }

    pub(super) fn is_empty(self) -> bool {
        self.start == self.end
    }
}

/// Narrows an offset; inputs are not long enough for it to be lost.
#[inline]
pub(super) fn offset(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    StreamEnd,
    /// `%YAML`, with the numbers as text.
    Version,
    /// `%TAG`, an index into the scanner's tags.
    TagDirective,
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias,
    Anchor,
    /// A tag, an index into the scanner's tags.
    Tag,
    PlainScalar,
    QuotedScalar,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    kind: TokenKind,
    /// The flow level whose possible simple key begins with this token, or [`NO_KEY`].
    pub(super) key_level: u32,
    /// The line it starts on, counted from zero.
    line: u32,
    text: Text,
}

const NO_KEY: u32 = u32::MAX;

impl Token {
    pub(super) fn new(kind: TokenKind, line: usize, text: Text) -> Token {
        Token { kind, key_level: NO_KEY, line: offset(line), text }
    }
}

/// The two parts of a tag or a `%TAG` directive.
#[derive(Debug)]
pub(super) struct TagParts {
    pub(super) handle: Vec<u8>,
    pub(super) suffix: Vec<u8>,
}

/// Possible start of a mapping key, if a `:` follows soon enough.
#[derive(Debug, Clone, Copy)]
pub(super) struct SimpleKey {
    pub(super) possible: bool,
    /// At the indentation of a block mapping nothing but a key may stand.
    pub(super) required: bool,
    /// Whether its token, at the head of the queue, waits for the `:`.
    pub(super) awaited: bool,
    pub(super) token_number: usize,
    pub(super) line: usize,
    pub(super) pos: usize,
    pub(super) column: usize,
}

/// Maximum distance in characters of a key from its `:`.
pub(super) const KEY_REACH: usize = 1024;

/// Scanner: position in the input and pending tokens.
pub(super) struct Scanner<'a> {
    pub(super) input: &'a [u8],
    pub(super) pos: usize,
    pub(super) line: usize,
    pub(super) line_start: usize,
    /// The queue; tokens before `head` were taken.
    pub(super) tokens: Vec<Token>,
    head: usize,
    tokens_taken: usize,
    pub(super) indent: isize,
    indents: Vec<isize>,
    pub(super) flow_level: usize,
    pub(super) simple_key_allowed: bool,
    pub(super) simple_keys: Vec<SimpleKey>,
    /// Unescaped and folded scalars; emptied when no token is waiting.
    pub(super) buffer: Vec<u8>,
    pub(super) tags: Vec<TagParts>,
    pub(super) max_depth: usize,
    pub(super) ended: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(input: &'a [u8], max_depth: usize) -> Scanner<'a> {
        let root = SimpleKey {
            possible: false,
            required: false,
            awaited: false,
            token_number: 0,
            line: 0,
            pos: 0,
            column: 0,
        };
        Scanner {
            input,
            pos: 0,
            line: 0,
            line_start: 0,
            tokens: Vec::with_capacity(16),
            head: 0,
            tokens_taken: 0,
            indent: -1,
            indents: Vec::new(),
            flow_level: 0,
            simple_key_allowed: true,
            simple_keys: vec![root],
            buffer: Vec::new(),
            tags: Vec::new(),
            max_depth,
            ended: false,
        }
    }

    /// Returns the bytes of a token's text.
    pub(super) fn text(&self, text: Text) -> &[u8] {
        let source = if text.unescaped { &self.buffer[..] } else { self.input };
        source.get(text.range()).unwrap_or_default()
    }

    /// Returns the kind of the next token, which stays in the queue.
    #[inline]
    pub(super) fn peek(&mut self) -> Result<TokenKind, Fault> {
        if let Some(head) = self.tokens.get(self.head)
            && head.key_level == NO_KEY
        {
            return Ok(head.kind);
        }
        self.fill()
    }

    /// Cuts tokens until it is certain which one is next.
    fn fill(&mut self) -> Result<TokenKind, Fault> {
        loop {
            if let Some(&Token { kind, key_level, .. }) = self.tokens.get(self.head) {
                // The head may still turn out to be a key, which puts other tokens before it.
                if key_level == NO_KEY || !self.key_is_pending(key_level)? {
                    return Ok(kind);
                }
            } else {
                self.tokens.clear();
                self.head = 0;
                self.buffer.clear();
            }
            self.fetch()?;
        }
    }

    /// Returns the text of the token that [`Scanner::peek`] showed.
    #[inline]
    pub(super) fn head_text(&self) -> Text {
        self.tokens.get(self.head).map_or(Text::EMPTY, |token| token.text)
    }

    /// Returns the line that token starts on, counted from zero.
    #[inline]
    pub(super) fn head_line(&self) -> usize {
        self.tokens.get(self.head).map_or(0, |token| token.line as usize)
    }

    /// Takes the token that [`Scanner::peek`] showed.
    #[inline]
    pub(super) fn take(&mut self) {
        self.head += 1;
        self.tokens_taken += 1;
    }

    fn key_is_pending(&mut self, level: u32) -> Result<bool, Fault> {
        let level = level as usize;
        match self.simple_keys.get(level) {
            Some(key) if key.awaited && key.token_number == self.tokens_taken => self.key_is_valid(level),
            _ => Ok(false),
        }
    }

    /// Reports whether a `:` here would still make a key of the one remembered at this level.
    pub(super) fn key_is_valid(&mut self, level: usize) -> Result<bool, Fault> {
        let Some(&key) = self.simple_keys.get(level) else { return Ok(false) };
        if !key.possible {
            return Ok(false);
        }
        if key.line < self.line || self.is_beyond_reach(key.pos) {
            if key.required {
                return Err(self.error("could not find expected ':'"));
            }
            if let Some(key) = self.simple_keys.get_mut(level) {
                key.possible = false;
            }
            return Ok(false);
        }
        Ok(true)
    }

    fn is_beyond_reach(&self, start: usize) -> bool {
        if start + KEY_REACH >= self.pos {
            return false;
        }
        // The limit counts characters; continuation bytes are not characters of their own.
        let between = self.input.get(start..self.pos).unwrap_or_default();
        between.iter().filter(|b| **b & 0xC0 != 0x80).count() > KEY_REACH
    }

    #[cold]
    pub(super) fn error(&self, problem: &'static str) -> Fault {
        Fault::at_scanner_line(self.line, problem)
    }

    #[inline]
    pub(super) fn at(&self, pos: usize) -> u8 {
        self.input.get(pos).copied().unwrap_or(0)
    }

    #[inline]
    pub(super) fn current(&self) -> u8 {
        self.at(self.pos)
    }

    #[inline]
    pub(super) fn column(&self) -> usize {
        self.pos - self.line_start
    }

    /// Returns the length of the line break at `pos`, or zero.
    #[inline]
    pub(super) fn break_len(&self, pos: usize) -> usize {
        match self.at(pos) {
            b'\n' => 1,
            b'\r' if self.at(pos + 1) == b'\n' => 2,
            b'\r' => 1,
            0xC2 if self.at(pos + 1) == 0x85 => 2,
            0xE2 if self.at(pos + 1) == 0x80 && matches!(self.at(pos + 2), 0xA8 | 0xA9) => 3,
            _ => 0,
        }
    }

    /// Reports whether a blank, a line break or the end of the input is at `pos`.
    #[inline]
    pub(super) fn is_blank_or_end(&self, pos: usize) -> bool {
        matches!(self.at(pos), b' ' | b'\t' | 0) || self.break_len(pos) > 0
    }

    pub(super) fn is_break_or_end(&self, pos: usize) -> bool {
        self.at(pos) == 0 || self.break_len(pos) > 0
    }

    #[inline]
    pub(super) fn skip_break(&mut self, len: usize) {
        self.pos += len;
        self.line += 1;
        self.line_start = self.pos;
    }

    /// Consumes the line break here and gives what it stands for in a scalar.
    pub(super) fn read_break(&mut self, len: usize) -> &'static [u8] {
        let text: &'static [u8] = match (self.current(), self.at(self.pos + 2)) {
            (0xE2, 0xA8) => "\u{2028}".as_bytes(),
            (0xE2, _) => "\u{2029}".as_bytes(),
            _ => b"\n",
        };
        self.skip_break(len);
        text
    }

    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.current(), b' ' | b'\t') {
            self.pos += 1;
        }
    }

    pub(super) fn skip_comment(&mut self) {
        if self.current() == b'#' {
            while !self.is_break_or_end(self.pos) {
                self.pos += 1;
            }
        }
    }

    pub(super) fn skip_to_token(&mut self) {
        loop {
            let tabs = self.flow_level > 0 || !self.simple_key_allowed;
            let rest = self.input.get(self.pos..).unwrap_or_default();
            self.pos += rest.iter().take_while(|b| **b == b' ' || (tabs && **b == b'\t')).count();
            self.skip_comment();
            let len = self.break_len(self.pos);
            if len == 0 {
                return;
            }
            self.skip_break(len);
            if self.flow_level == 0 {
                self.simple_key_allowed = true;
            }
        }
    }

    pub(super) fn is_document_marker(&self) -> bool {
        self.column() == 0
            && matches!(self.input.get(self.pos..self.pos + 3), Some(b"---" | b"..."))
            && self.is_blank_or_end(self.pos + 3)
    }

    #[inline]
    pub(super) fn push(&mut self, kind: TokenKind, line: usize, text: Text) {
        self.tokens.push(Token::new(kind, line, text));
    }

    /// Queues a token of one byte.
    pub(super) fn push_indicator(&mut self, kind: TokenKind) {
        self.push(kind, self.line, Text::EMPTY);
        self.pos += 1;
    }

    pub(super) fn next_token_number(&self) -> usize {
        self.tokens_taken + self.tokens.len() - self.head
    }

    /// Remembers that a key may begin here; says whether it may.
    pub(super) fn save_simple_key(&mut self) -> Result<bool, Fault> {
        if !self.simple_key_allowed {
            return Ok(false);
        }
        let column = self.column();
        let required = self.flow_level == 0 && usize::try_from(self.indent) == Ok(column);
        let key = SimpleKey {
            possible: true,
            required,
            awaited: true,
            token_number: self.next_token_number(),
            line: self.line,
            pos: self.pos,
            column,
        };
        self.remove_simple_key()?;
        if let Some(last) = self.simple_keys.last_mut() {
            *last = key;
        }
        Ok(true)
    }

    pub(super) fn remove_simple_key(&mut self) -> Result<(), Fault> {
        if let Some(key) = self.simple_keys.last_mut()
            && key.possible
        {
            if key.required {
                return Err(self.error("could not find expected ':'"));
            }
            key.possible = false;
        }
        Ok(())
    }

    /// Queues a token that may begin a key.
    pub(super) fn push_possible_key(&mut self, kind: TokenKind, line: usize, text: Text, saved: bool) {
        let mut token = Token::new(kind, line, text);
        if saved {
            token.key_level = offset(self.flow_level);
        }
        self.tokens.push(token);
    }

    /// Opens a block collection if the column is deeper than the current one.
    pub(super) fn roll_indent(
        &mut self,
        column: usize,
        at: Option<usize>,
        kind: TokenKind,
        line: usize,
    ) -> Result<(), Fault> {
        let column = isize::try_from(column).unwrap_or(isize::MAX);
        if self.flow_level > 0 || self.indent >= column {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = column;
        if self.indents.len() > self.max_depth {
            return Err(Fault::too_deep(self.line, self.max_depth));
        }
        let token = Token::new(kind, line, Text::EMPTY);
        match at {
            Some(number) => self.insert(number, token),
            None => self.tokens.push(token),
        }
        Ok(())
    }

    /// Puts a token before the one with this number, or last if that was taken already.
    pub(super) fn insert(&mut self, number: usize, token: Token) {
        match number.checked_sub(self.tokens_taken) {
            Some(index) if self.head + index <= self.tokens.len() => {
                self.tokens.insert(self.head + index, token)
            }
            _ => self.tokens.push(token),
        }
    }

    #[inline]
    pub(super) fn unroll_indent(&mut self, column: isize) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.push(TokenKind::BlockEnd, self.line, Text::EMPTY);
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }
}
