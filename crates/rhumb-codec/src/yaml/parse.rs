//! YAML parser: tokens to events.
//!
//! A state machine over the grammar of YAML 1.1, for the first document of the input; what follows that document
//! is not looked at. The machine keeps its own stack, so that depth costs memory and never the call stack.

use super::errors::Fault;
use super::resolve::Tag;
use super::scan::{Scanner, Text, TokenKind};

/// Event of the parser; its details are in the parser's [`Node`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Scalar,
    Alias,
    SequenceStart,
    SequenceEnd,
    MappingStart,
    MappingEnd,
    DocumentEnd,
    /// The input holds no document at all.
    NoDocument,
}

/// Node of a scalar, an alias or the start of a collection.
#[derive(Debug)]
pub(super) struct Node {
    /// The line it starts on, counted from zero.
    pub(super) line: usize,
    /// The text of a scalar, or the name in an alias.
    pub(super) text: Text,
    /// Whether a scalar's text decides its type: plain and untagged, or tagged with a lone `!`.
    pub(super) implicit: bool,
    pub(super) tag: Tag,
    pub(super) anchor: Option<Text>,
}

#[derive(Debug, Clone, Copy)]
enum State {
    DocumentStart,
    /// After an explicit `---`, where the content may be missing.
    DocumentContent,
    /// At the root of a document without `---`.
    BlockNode,
    DocumentEnd,
    BlockSequenceFirst,
    BlockSequenceEntry,
    /// A sequence whose dashes stand at the column of the key that holds it.
    IndentlessEntry,
    BlockMappingFirst,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceFirst,
    FlowSequenceEntry,
    /// A single pair as an element of a flow sequence: `[a: b]`.
    FlowPairKey,
    FlowPairValue,
    FlowPairEnd,
    FlowMappingFirst,
    FlowMappingKey,
    FlowMappingValue,
    /// After a flow mapping's element that has no `:`.
    FlowMappingEmptyValue,
}

/// Context of a node, which decides what may begin it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    BlockOrIndentless,
    Flow,
}

/// Parser of one document.
pub(super) struct Parser<'a> {
    pub(super) scanner: Scanner<'a>,
    /// The node of the last event.
    pub(super) node: Node,
    state: State,
    states: Vec<State>,
    /// Prefixes for the handles of `%TAG` directives and for the two that always exist.
    directives: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(input: &'a [u8], max_depth: usize) -> Parser<'a> {
        Parser {
            scanner: Scanner::new(input, max_depth),
            node: Node { line: 0, text: Text::EMPTY, implicit: true, tag: Tag::None, anchor: None },
            state: State::DocumentStart,
            states: Vec::with_capacity(32),
            directives: Vec::new(),
        }
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    #[inline]
    fn peek(&mut self) -> Result<TokenKind, Fault> {
        self.scanner.peek()
    }

    #[inline]
    fn take_and_peek(&mut self) -> Result<TokenKind, Fault> {
        self.scanner.take();
        self.scanner.peek()
    }

    /// Returns the next event.
    pub(super) fn next(&mut self) -> Result<Event, Fault> {
        match self.state {
            State::DocumentStart => self.document_start(),
            State::DocumentContent => self.document_content(),
            State::BlockNode => self.node(Context::Block),
            State::DocumentEnd => {
                self.peek()?;
                Ok(Event::DocumentEnd)
            }
            State::BlockSequenceFirst => {
                self.scanner.take();
                self.block_sequence_entry()
            }
            State::BlockSequenceEntry => self.block_sequence_entry(),
            State::IndentlessEntry => self.indentless_entry(),
            State::BlockMappingFirst => {
                self.scanner.take();
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceFirst => {
                self.scanner.take();
                self.flow_sequence_entry(true)
            }
            State::FlowSequenceEntry => self.flow_sequence_entry(false),
            State::FlowPairKey => self.flow_pair_key(),
            State::FlowPairValue => self.flow_pair_value(),
            State::FlowPairEnd => {
                self.peek()?;
                self.state = State::FlowSequenceEntry;
                Ok(Event::MappingEnd)
            }
            State::FlowMappingFirst => {
                self.scanner.take();
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingEmptyValue => {
                self.peek()?;
                let line = self.scanner.head_line();
                Ok(self.empty_scalar(State::FlowMappingKey, line))
            }
        }
    }

    /// Returns an error at the next token.
    #[cold]
    fn error(&self, problem: &'static str) -> Fault {
        Fault::at_parser_line(self.scanner.head_line(), problem)
    }

    fn document_start(&mut self) -> Result<Event, Fault> {
        match self.peek()? {
            TokenKind::StreamEnd => return Ok(Event::NoDocument),
            TokenKind::Version | TokenKind::TagDirective | TokenKind::DocumentStart => {
                if self.directives()? != TokenKind::DocumentStart {
                    return Err(self.error("did not find expected <document start>"));
                }
                self.scanner.take();
                self.state = State::DocumentContent;
            }
            _ => self.state = State::BlockNode,
        }
        self.states.push(State::DocumentEnd);
        self.next()
    }

    /// Takes the directives before a document and gives the token behind them.
    fn directives(&mut self) -> Result<TokenKind, Fault> {
        let mut kind = self.peek()?;
        let mut versioned = false;
        loop {
            match kind {
                TokenKind::Version => {
                    if versioned {
                        return Err(self.error("found duplicate %YAML directive"));
                    }
                    if !is_version_one_one(self.scanner.text(self.scanner.head_text())) {
                        return Err(self.error("found incompatible YAML document"));
                    }
                    versioned = true;
                }
                TokenKind::TagDirective => {
                    if let Some(parts) = self.scanner.tags.get(self.scanner.head_text().range().start) {
                        if self.directives.iter().any(|(handle, _)| *handle == parts.handle) {
                            return Err(self.error("found duplicate %TAG directive"));
                        }
                        self.directives.push((parts.handle.clone(), parts.suffix.clone()));
                    }
                }
                _ => return Ok(kind),
            }
            kind = self.take_and_peek()?;
        }
    }

    fn document_content(&mut self) -> Result<Event, Fault> {
        match self.peek()? {
            TokenKind::Version
            | TokenKind::TagDirective
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.states.pop();
                let line = self.scanner.head_line();
                Ok(self.empty_scalar(State::DocumentEnd, line))
            }
            _ => self.node(Context::Block),
        }
    }

    fn empty_scalar(&mut self, next: State, line: usize) -> Event {
        self.state = next;
        self.node.line = line;
        self.node.text = Text::EMPTY;
        self.node.implicit = true;
        self.node.tag = Tag::None;
        self.node.anchor = None;
        Event::Scalar
    }

    /// Parses the node that begins here, with its anchor and tag.
    fn node(&mut self, context: Context) -> Result<Event, Fault> {
        let mut kind = self.peek()?;
        self.node.line = self.scanner.head_line();
        self.node.tag = Tag::None;
        self.node.anchor = None;
        if matches!(kind, TokenKind::Alias | TokenKind::Anchor | TokenKind::Tag) {
            if kind == TokenKind::Alias {
                self.node.text = self.scanner.head_text();
                self.pop_state();
                self.scanner.take();
                return Ok(Event::Alias);
            }
            kind = self.properties(kind)?;
        }
        match kind {
            TokenKind::PlainScalar | TokenKind::QuotedScalar => {
                let plain = kind == TokenKind::PlainScalar;
                self.node.text = self.scanner.head_text();
                self.node.implicit =
                    (plain && self.node.tag == Tag::None) || self.node.tag == Tag::NonSpecific;
                self.pop_state();
                self.scanner.take();
                Ok(Event::Scalar)
            }
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                self.state = State::IndentlessEntry;
                Ok(Event::SequenceStart)
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirst;
                Ok(Event::SequenceStart)
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirst;
                Ok(Event::MappingStart)
            }
            TokenKind::BlockSequenceStart if context != Context::Flow => {
                self.state = State::BlockSequenceFirst;
                Ok(Event::SequenceStart)
            }
            TokenKind::BlockMappingStart if context != Context::Flow => {
                self.state = State::BlockMappingFirst;
                Ok(Event::MappingStart)
            }
            _ if self.node.anchor.is_some() || self.node.tag != Tag::None => {
                self.pop_state();
                self.node.text = Text::EMPTY;
                self.node.implicit = self.node.tag == Tag::None;
                Ok(Event::Scalar)
            }
            _ => Err(self.error("did not find expected node content")),
        }
    }

    /// Takes the anchor and the tag before a node, in either order, and gives the token behind them.
    fn properties(&mut self, first: TokenKind) -> Result<TokenKind, Fault> {
        let mut kind = first;
        let mut tag = None;
        for _ in 0..2 {
            match kind {
                TokenKind::Anchor if self.node.anchor.is_none() => {
                    self.node.anchor = Some(self.scanner.head_text());
                }
                TokenKind::Tag if tag.is_none() => {
                    tag = Some((self.scanner.head_text().range().start, self.scanner.head_line()));
                }
                _ => break,
            }
            kind = self.take_and_peek()?;
        }
        if let Some((index, line)) = tag {
            self.node.tag = self.resolve_tag(index, line)?;
        }
        Ok(kind)
    }

    fn resolve_tag(&self, index: usize, line: usize) -> Result<Tag, Fault> {
        let Some(parts) = self.scanner.tags.get(index) else { return Ok(Tag::Other) };
        if parts.handle.is_empty() {
            return Ok(Tag::from_long(&parts.suffix));
        }
        let directive = self.directives.iter().find(|(handle, _)| *handle == parts.handle);
        let prefix: &[u8] = match (directive, &parts.handle[..]) {
            (Some((_, prefix)), _) => prefix,
            (None, b"!") => b"!",
            (None, b"!!") => b"tag:yaml.org,2002:",
            _ => return Err(Fault::at_parser_line(line, "found undefined tag handle")),
        };
        Ok(Tag::from_long(&[prefix, &parts.suffix[..]].concat()))
    }

    fn block_sequence_entry(&mut self) -> Result<Event, Fault> {
        match self.peek()? {
            TokenKind::BlockEntry => {
                let line = self.scanner.head_line();
                if matches!(self.take_and_peek()?, TokenKind::BlockEntry | TokenKind::BlockEnd) {
                    return Ok(self.empty_scalar(State::BlockSequenceEntry, line));
                }
                self.states.push(State::BlockSequenceEntry);
                self.node(Context::Block)
            }
            TokenKind::BlockEnd => {
                self.pop_state();
                self.scanner.take();
                Ok(Event::SequenceEnd)
            }
            _ => Err(self.error("did not find expected '-' indicator")),
        }
    }

    fn indentless_entry(&mut self) -> Result<Event, Fault> {
        if self.peek()? != TokenKind::BlockEntry {
            self.pop_state();
            return Ok(Event::SequenceEnd);
        }
        let line = self.scanner.head_line();
        match self.take_and_peek()? {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.empty_scalar(State::IndentlessEntry, line))
            }
            _ => {
                self.states.push(State::IndentlessEntry);
                self.node(Context::Block)
            }
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event, Fault> {
        match self.peek()? {
            TokenKind::Key => {
                let line = self.scanner.head_line();
                let next = self.take_and_peek()?;
                if matches!(next, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
                    return Ok(self.empty_scalar(State::BlockMappingValue, line));
                }
                self.states.push(State::BlockMappingValue);
                self.node(Context::BlockOrIndentless)
            }
            TokenKind::BlockEnd => {
                self.pop_state();
                self.scanner.take();
                Ok(Event::MappingEnd)
            }
            _ => Err(self.error("did not find expected key")),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event, Fault> {
        let kind = self.peek()?;
        let line = self.scanner.head_line();
        if kind == TokenKind::Value {
            let next = self.take_and_peek()?;
            if !matches!(next, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
                self.states.push(State::BlockMappingKey);
                return self.node(Context::BlockOrIndentless);
            }
        }
        Ok(self.empty_scalar(State::BlockMappingKey, line))
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event, Fault> {
        let mut kind = self.peek()?;
        if kind != TokenKind::FlowSequenceEnd {
            if !first {
                if kind != TokenKind::FlowEntry {
                    return Err(self.error("did not find expected ',' or ']'"));
                }
                kind = self.take_and_peek()?;
            }
            if kind == TokenKind::Key {
                self.state = State::FlowPairKey;
                self.node.line = self.scanner.head_line();
                self.node.anchor = None;
                self.scanner.take();
                return Ok(Event::MappingStart);
            }
            if kind != TokenKind::FlowSequenceEnd {
                self.states.push(State::FlowSequenceEntry);
                return self.node(Context::Flow);
            }
        }
        self.pop_state();
        self.scanner.take();
        Ok(Event::SequenceEnd)
    }

    fn flow_pair_key(&mut self) -> Result<Event, Fault> {
        if matches!(self.peek()?, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
            // go-yaml drops this token, so that `[? : a]` does not parse; so be it here.
            let line = self.scanner.head_line();
            self.scanner.take();
            return Ok(self.empty_scalar(State::FlowPairValue, line));
        }
        self.states.push(State::FlowPairValue);
        self.node(Context::Flow)
    }

    fn flow_pair_value(&mut self) -> Result<Event, Fault> {
        let kind = self.peek()?;
        let line = self.scanner.head_line();
        if kind == TokenKind::Value
            && !matches!(self.take_and_peek()?, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd)
        {
            self.states.push(State::FlowPairEnd);
            return self.node(Context::Flow);
        }
        Ok(self.empty_scalar(State::FlowPairEnd, line))
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event, Fault> {
        let mut kind = self.peek()?;
        if kind != TokenKind::FlowMappingEnd {
            if !first {
                if kind != TokenKind::FlowEntry {
                    return Err(self.error("did not find expected ',' or '}'"));
                }
                kind = self.take_and_peek()?;
            }
            if kind == TokenKind::Key {
                let next = self.take_and_peek()?;
                if matches!(next, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                    let line = self.scanner.head_line();
                    return Ok(self.empty_scalar(State::FlowMappingValue, line));
                }
                self.states.push(State::FlowMappingValue);
                return self.node(Context::Flow);
            }
            if kind != TokenKind::FlowMappingEnd {
                self.states.push(State::FlowMappingEmptyValue);
                return self.node(Context::Flow);
            }
        }
        self.pop_state();
        self.scanner.take();
        Ok(Event::MappingEnd)
    }

    fn flow_mapping_value(&mut self) -> Result<Event, Fault> {
        if self.peek()? == TokenKind::Value
            && !matches!(self.take_and_peek()?, TokenKind::FlowEntry | TokenKind::FlowMappingEnd)
        {
            self.states.push(State::FlowMappingKey);
            return self.node(Context::Flow);
        }
        let line = self.scanner.head_line();
        Ok(self.empty_scalar(State::FlowMappingKey, line))
    }
}

/// Reports whether a version directive says `1.1`, with leading zeros or without.
fn is_version_one_one(text: &[u8]) -> bool {
    let mut numbers = text.split(|b| *b == b'.');
    let is_one = |number: Option<&[u8]>| matches!(number, Some(b"1" | b"01"));
    is_one(numbers.next()) && is_one(numbers.next())
}
