//! Tokens to events.
//!
//! A state machine over the grammar of YAML 1.1, for the first document of the input; what follows that document
//! is not looked at. The machine keeps its own stack, so that depth costs memory and never the call stack.

use super::YamlError;
use super::resolve::Tag;
use super::scan::{Scanner, Text, Token, TokenKind};

/// A scalar as the parser hands it on.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScalarEvent {
    pub(super) anchor: Option<Text>,
    pub(super) tag: Tag,
    pub(super) text: Text,
    /// Whether the text decides the type: plain and untagged, or tagged with a lone `!`.
    pub(super) implicit: bool,
    pub(super) line: usize,
}

/// A step through a document. Lines count from zero.
#[derive(Debug, Clone, Copy)]
pub(super) enum Event {
    Scalar(ScalarEvent),
    Alias { name: Text, line: usize },
    SequenceStart { anchor: Option<Text>, line: usize },
    SequenceEnd,
    MappingStart { anchor: Option<Text>, line: usize },
    MappingEnd,
    DocumentEnd,
    /// The input holds no document at all.
    NoDocument,
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

/// Where a node stands, which decides what may begin it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Block,
    BlockOrIndentless,
    Flow,
}

/// The parser of one document.
pub(super) struct Parser<'a> {
    pub(super) scanner: Scanner<'a>,
    state: State,
    states: Vec<State>,
    /// Prefixes for the handles of `%TAG` directives and for the two that always exist.
    directives: Vec<(Vec<u8>, Vec<u8>)>,
}

impl<'a> Parser<'a> {
    pub(super) fn new(input: &'a [u8], max_depth: usize) -> Parser<'a> {
        Parser {
            scanner: Scanner::new(input, max_depth),
            state: State::DocumentStart,
            states: Vec::with_capacity(32),
            directives: Vec::new(),
        }
    }

    fn pop_state(&mut self) {
        self.state = self.states.pop().unwrap_or(State::DocumentEnd);
    }

    #[inline]
    fn peek(&mut self) -> Result<Token, YamlError> {
        self.scanner.peek()
    }

    #[inline]
    fn take_and_peek(&mut self) -> Result<Token, YamlError> {
        self.scanner.take();
        self.scanner.peek()
    }

    /// The next event.
    pub(super) fn next(&mut self) -> Result<Event, YamlError> {
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
                let token = self.peek()?;
                Ok(self.empty_scalar(State::FlowMappingKey, token.line))
            }
        }
    }

    fn document_start(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::StreamEnd => Ok(Event::NoDocument),
            TokenKind::Version | TokenKind::TagDirective | TokenKind::DocumentStart => {
                let token = self.directives()?;
                if token.kind != TokenKind::DocumentStart {
                    return Err(YamlError::at_parser_line(token.line, "did not find expected <document start>"));
                }
                self.scanner.take();
                self.states.push(State::DocumentEnd);
                self.state = State::DocumentContent;
                self.next()
            }
            _ => {
                self.directives()?;
                self.states.push(State::DocumentEnd);
                self.state = State::BlockNode;
                self.next()
            }
        }
    }

    /// Takes the directives before a document and gives the token behind them.
    fn directives(&mut self) -> Result<Token, YamlError> {
        let mut token = self.peek()?;
        let mut versioned = false;
        loop {
            match token.kind {
                TokenKind::Version => {
                    if versioned {
                        return Err(YamlError::at_parser_line(token.line, "found duplicate %YAML directive"));
                    }
                    if !is_version_one_one(self.scanner.text(token.text)) {
                        return Err(YamlError::at_parser_line(token.line, "found incompatible YAML document"));
                    }
                    versioned = true;
                }
                TokenKind::TagDirective => {
                    if let Some(parts) = self.scanner.tags.get(token.text.start) {
                        if self.directives.iter().any(|(handle, _)| *handle == parts.handle) {
                            return Err(YamlError::at_parser_line(token.line, "found duplicate %TAG directive"));
                        }
                        self.directives.push((parts.handle.clone(), parts.suffix.clone()));
                    }
                }
                _ => break,
            }
            token = self.take_and_peek()?;
        }
        Ok(token)
    }

    fn document_content(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Version
            | TokenKind::TagDirective
            | TokenKind::DocumentStart
            | TokenKind::DocumentEnd
            | TokenKind::StreamEnd => {
                self.states.pop();
                Ok(self.empty_scalar(State::DocumentEnd, token.line))
            }
            _ => self.node(Context::Block),
        }
    }

    fn empty_scalar(&mut self, next: State, line: usize) -> Event {
        self.state = next;
        Event::Scalar(ScalarEvent { anchor: None, tag: Tag::None, text: Text::EMPTY, implicit: true, line })
    }

    /// Parses the node that begins here, with its anchor and tag.
    fn node(&mut self, context: Context) -> Result<Event, YamlError> {
        let mut token = self.peek()?;
        let line = token.line;
        let mut anchor = None;
        let mut tag_token = None;
        match token.kind {
            TokenKind::Alias => {
                self.pop_state();
                self.scanner.take();
                return Ok(Event::Alias { name: token.text, line });
            }
            TokenKind::Anchor => {
                anchor = Some(token.text);
                token = self.take_and_peek()?;
                if token.kind == TokenKind::Tag {
                    tag_token = Some(token);
                    token = self.take_and_peek()?;
                }
            }
            TokenKind::Tag => {
                tag_token = Some(token);
                token = self.take_and_peek()?;
                if token.kind == TokenKind::Anchor {
                    anchor = Some(token.text);
                    token = self.take_and_peek()?;
                }
            }
            _ => {}
        }
        let tag = match tag_token {
            None => Tag::None,
            Some(token) => self.resolve_tag(token)?,
        };
        let block = context != Context::Flow;
        match token.kind {
            TokenKind::BlockEntry if context == Context::BlockOrIndentless => {
                self.state = State::IndentlessEntry;
                Ok(Event::SequenceStart { anchor, line })
            }
            TokenKind::PlainScalar | TokenKind::QuotedScalar => {
                let plain = token.kind == TokenKind::PlainScalar;
                let implicit = (plain && tag == Tag::None) || tag == Tag::NonSpecific;
                self.pop_state();
                self.scanner.take();
                Ok(Event::Scalar(ScalarEvent { anchor, tag, text: token.text, implicit, line }))
            }
            TokenKind::FlowSequenceStart => {
                self.state = State::FlowSequenceFirst;
                Ok(Event::SequenceStart { anchor, line })
            }
            TokenKind::FlowMappingStart => {
                self.state = State::FlowMappingFirst;
                Ok(Event::MappingStart { anchor, line })
            }
            TokenKind::BlockSequenceStart if block => {
                self.state = State::BlockSequenceFirst;
                Ok(Event::SequenceStart { anchor, line })
            }
            TokenKind::BlockMappingStart if block => {
                self.state = State::BlockMappingFirst;
                Ok(Event::MappingStart { anchor, line })
            }
            _ if anchor.is_some() || tag != Tag::None => {
                self.pop_state();
                let implicit = tag == Tag::None;
                Ok(Event::Scalar(ScalarEvent { anchor, tag, text: Text::EMPTY, implicit, line }))
            }
            _ => Err(YamlError::at_parser_line(token.line, "did not find expected node content")),
        }
    }

    fn resolve_tag(&self, token: Token) -> Result<Tag, YamlError> {
        let Some(parts) = self.scanner.tags.get(token.text.start) else { return Ok(Tag::Other) };
        if parts.handle.is_empty() {
            return Ok(Tag::from_long(&parts.suffix));
        }
        let directive = self.directives.iter().find(|(handle, _)| *handle == parts.handle);
        let prefix: &[u8] = match (directive, &parts.handle[..]) {
            (Some((_, prefix)), _) => prefix,
            (None, b"!") => b"!",
            (None, b"!!") => b"tag:yaml.org,2002:",
            _ => return Err(YamlError::at_parser_line(token.line, "found undefined tag handle")),
        };
        Ok(Tag::from_long(&[prefix, &parts.suffix[..]].concat()))
    }

    fn block_sequence_entry(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::BlockEntry => {
                let next = self.take_and_peek()?;
                if matches!(next.kind, TokenKind::BlockEntry | TokenKind::BlockEnd) {
                    return Ok(self.empty_scalar(State::BlockSequenceEntry, token.line));
                }
                self.states.push(State::BlockSequenceEntry);
                self.node(Context::Block)
            }
            TokenKind::BlockEnd => {
                self.pop_state();
                self.scanner.take();
                Ok(Event::SequenceEnd)
            }
            _ => Err(YamlError::at_parser_line(token.line, "did not find expected '-' indicator")),
        }
    }

    fn indentless_entry(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        if token.kind != TokenKind::BlockEntry {
            self.pop_state();
            return Ok(Event::SequenceEnd);
        }
        let next = self.take_and_peek()?;
        match next.kind {
            TokenKind::BlockEntry | TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd => {
                Ok(self.empty_scalar(State::IndentlessEntry, token.line))
            }
            _ => {
                self.states.push(State::IndentlessEntry);
                self.node(Context::Block)
            }
        }
    }

    fn block_mapping_key(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        match token.kind {
            TokenKind::Key => {
                let next = self.take_and_peek()?;
                if matches!(next.kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
                    return Ok(self.empty_scalar(State::BlockMappingValue, token.line));
                }
                self.states.push(State::BlockMappingValue);
                self.node(Context::BlockOrIndentless)
            }
            TokenKind::BlockEnd => {
                self.pop_state();
                self.scanner.take();
                Ok(Event::MappingEnd)
            }
            _ => Err(YamlError::at_parser_line(token.line, "did not find expected key")),
        }
    }

    fn block_mapping_value(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        if token.kind != TokenKind::Value {
            return Ok(self.empty_scalar(State::BlockMappingKey, token.line));
        }
        let next = self.take_and_peek()?;
        if matches!(next.kind, TokenKind::Key | TokenKind::Value | TokenKind::BlockEnd) {
            return Ok(self.empty_scalar(State::BlockMappingKey, token.line));
        }
        self.states.push(State::BlockMappingKey);
        self.node(Context::BlockOrIndentless)
    }

    fn flow_sequence_entry(&mut self, first: bool) -> Result<Event, YamlError> {
        let mut token = self.peek()?;
        if token.kind != TokenKind::FlowSequenceEnd {
            if !first {
                if token.kind != TokenKind::FlowEntry {
                    return Err(YamlError::at_parser_line(token.line, "did not find expected ',' or ']'"));
                }
                token = self.take_and_peek()?;
            }
            if token.kind == TokenKind::Key {
                self.state = State::FlowPairKey;
                self.scanner.take();
                return Ok(Event::MappingStart { anchor: None, line: token.line });
            }
            if token.kind != TokenKind::FlowSequenceEnd {
                self.states.push(State::FlowSequenceEntry);
                return self.node(Context::Flow);
            }
        }
        self.pop_state();
        self.scanner.take();
        Ok(Event::SequenceEnd)
    }

    fn flow_pair_key(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        if matches!(token.kind, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
            // go-yaml drops this token, so that `[? : a]` does not parse; so be it here.
            self.scanner.take();
            return Ok(self.empty_scalar(State::FlowPairValue, token.line));
        }
        self.states.push(State::FlowPairValue);
        self.node(Context::Flow)
    }

    fn flow_pair_value(&mut self) -> Result<Event, YamlError> {
        let token = self.peek()?;
        if token.kind == TokenKind::Value {
            let next = self.take_and_peek()?;
            if !matches!(next.kind, TokenKind::FlowEntry | TokenKind::FlowSequenceEnd) {
                self.states.push(State::FlowPairEnd);
                return self.node(Context::Flow);
            }
        }
        Ok(self.empty_scalar(State::FlowPairEnd, token.line))
    }

    fn flow_mapping_key(&mut self, first: bool) -> Result<Event, YamlError> {
        let mut token = self.peek()?;
        if token.kind != TokenKind::FlowMappingEnd {
            if !first {
                if token.kind != TokenKind::FlowEntry {
                    return Err(YamlError::at_parser_line(token.line, "did not find expected ',' or '}'"));
                }
                token = self.take_and_peek()?;
            }
            if token.kind == TokenKind::Key {
                token = self.take_and_peek()?;
                if matches!(token.kind, TokenKind::Value | TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                    return Ok(self.empty_scalar(State::FlowMappingValue, token.line));
                }
                self.states.push(State::FlowMappingValue);
                return self.node(Context::Flow);
            }
            if token.kind != TokenKind::FlowMappingEnd {
                self.states.push(State::FlowMappingEmptyValue);
                return self.node(Context::Flow);
            }
        }
        self.pop_state();
        self.scanner.take();
        Ok(Event::MappingEnd)
    }

    fn flow_mapping_value(&mut self) -> Result<Event, YamlError> {
        let mut token = self.peek()?;
        if token.kind == TokenKind::Value {
            token = self.take_and_peek()?;
            if !matches!(token.kind, TokenKind::FlowEntry | TokenKind::FlowMappingEnd) {
                self.states.push(State::FlowMappingKey);
                return self.node(Context::Flow);
            }
        }
        Ok(self.empty_scalar(State::FlowMappingKey, token.line))
    }
}

/// Whether a version directive says `1.1`, with leading zeros or without.
fn is_version_one_one(text: &[u8]) -> bool {
    let mut numbers = text.split(|b| *b == b'.');
    let is_one = |number: Option<&[u8]>| matches!(number, Some(b"1" | b"01"));
    is_one(numbers.next()) && is_one(numbers.next())
}
