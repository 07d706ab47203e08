//! Dispatch of the scanner: which token begins here, and its effect on indentation and possible keys.

use super::errors::Fault;
use super::scan::{KEY_REACH, Scanner, SimpleKey, Text, Token, TokenKind, offset};

impl Scanner<'_> {
    /// Cuts the next token and queues it.
    pub(super) fn fetch(&mut self) -> Result<(), Fault> {
        if self.ended {
            // A caller past the end sees the end again, so that no loop can run dry.
            self.push(TokenKind::StreamEnd, self.line, Text::EMPTY);
            return Ok(());
        }
        self.skip_to_token();
        self.unroll_indent(isize::try_from(self.column()).unwrap_or(isize::MAX));
        let byte = self.current();
        let flow = self.flow_level > 0;
        match byte {
            0 => self.fetch_stream_end(),
            b'%' if self.column() == 0 => self.fetch_directive(),
            b'-' | b'.' if self.is_document_marker() => self.fetch_document_marker(byte),
            b'[' => self.fetch_flow_start(TokenKind::FlowSequenceStart),
            b'{' => self.fetch_flow_start(TokenKind::FlowMappingStart),
            b']' => self.fetch_flow_end(TokenKind::FlowSequenceEnd),
            b'}' => self.fetch_flow_end(TokenKind::FlowMappingEnd),
            b',' => self.fetch_flow_entry(),
            b'-' if self.is_blank_or_end(self.pos + 1) => self.fetch_block_entry(),
            b'?' if flow || self.is_blank_or_end(self.pos + 1) => self.fetch_key(),
            b':' if flow || self.is_blank_or_end(self.pos + 1) => self.fetch_value(),
            b'*' => self.fetch_anchor(TokenKind::Alias),
            b'&' => self.fetch_anchor(TokenKind::Anchor),
            b'!' => self.fetch_tag(),
            b'|' | b'>' if !flow => self.fetch_block_scalar(byte == b'|'),
            b'\'' | b'"' => self.fetch_scalar(byte),
            b'-' | b'?' | b':' => self.fetch_scalar(byte),
            b'\t' | b'#' | b'|' | b'>' | b'%' | b'@' | b'`' => {
                Err(self.error("found character that cannot start any token"))
            }
            _ => self.fetch_scalar(byte),
        }
    }

    fn fetch_stream_end(&mut self) -> Result<(), Fault> {
        if self.column() != 0 {
            self.line += 1;
            self.line_start = self.pos;
        }
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        self.ended = true;
        self.push(TokenKind::StreamEnd, self.line, Text::EMPTY);
        Ok(())
    }

    fn fetch_directive(&mut self) -> Result<(), Fault> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let line = self.line;
        let (kind, text) = self.scan_directive()?;
        self.push(kind, line, text);
        Ok(())
    }

    fn fetch_document_marker(&mut self, byte: u8) -> Result<(), Fault> {
        self.unroll_indent(-1);
        self.remove_simple_key()?;
        self.simple_key_allowed = false;
        let kind = if byte == b'-' { TokenKind::DocumentStart } else { TokenKind::DocumentEnd };
        self.push(kind, self.line, Text::EMPTY);
        self.pos += 3;
        Ok(())
    }

    fn fetch_flow_start(&mut self, kind: TokenKind) -> Result<(), Fault> {
        let saved = self.save_simple_key()?;
        let mut token = Token::new(kind, self.line, Text::EMPTY);
        if saved {
            token.key_level = offset(self.flow_level);
        }
        self.simple_keys.push(SimpleKey {
            possible: false,
            required: false,
            awaited: false,
            token_number: if saved { self.next_token_number() } else { usize::MAX },
            line: self.line,
            pos: self.pos,
            column: 0,
        });
        self.flow_level += 1;
        if self.flow_level > self.max_depth {
            return Err(Fault::too_deep(self.line, self.max_depth));
        }
        self.simple_key_allowed = true;
        self.tokens.push(token);
        self.pos += 1;
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: TokenKind) -> Result<(), Fault> {
        self.remove_simple_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            // go-yaml forgets to wait for the `:` of a collection in which nothing could be a key, so that
            // `{}: a` is an empty mapping and something else behind it.
            if let (Some(inner), Some(outer)) = (self.simple_keys.pop(), self.simple_keys.last_mut())
                && inner.token_number == outer.token_number
            {
                outer.awaited = false;
            }
        }
        self.simple_key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Result<(), Fault> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::FlowEntry);
        Ok(())
    }

    fn fetch_block_entry(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("block sequence entries are not allowed in this context"));
            }
            self.roll_indent(self.column(), None, TokenKind::BlockSequenceStart, self.line)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        self.push_indicator(TokenKind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Result<(), Fault> {
        if self.flow_level == 0 {
            if !self.simple_key_allowed {
                return Err(self.error("mapping keys are not allowed in this context"));
            }
            self.roll_indent(self.column(), None, TokenKind::BlockMappingStart, self.line)?;
        }
        self.remove_simple_key()?;
        self.simple_key_allowed = self.flow_level == 0;
        self.push_indicator(TokenKind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Result<(), Fault> {
        let level = self.simple_keys.len().saturating_sub(1);
        if self.key_is_valid(level)?
            && let Some(key) = self.simple_keys.get_mut(level)
        {
            key.possible = false;
            let key = *key;
            let token = Token::new(TokenKind::Key, key.line, Text::EMPTY);
            self.insert(key.token_number, token);
            self.roll_indent(key.column, Some(key.token_number), TokenKind::BlockMappingStart, key.line)?;
            self.simple_key_allowed = false;
        } else {
            if self.flow_level == 0 {
                if !self.simple_key_allowed {
                    return Err(self.error("mapping values are not allowed in this context"));
                }
                self.roll_indent(self.column(), None, TokenKind::BlockMappingStart, self.line)?;
            }
            self.simple_key_allowed = self.flow_level == 0;
        }
        self.push_indicator(TokenKind::Value);
        Ok(())
    }

    fn fetch_anchor(&mut self, kind: TokenKind) -> Result<(), Fault> {
        let saved = self.save_simple_key()?;
        self.simple_key_allowed = false;
        let line = self.line;
        let text = self.scan_anchor()?;
        self.push_possible_key(kind, line, text, saved);
        Ok(())
    }

    fn fetch_tag(&mut self) -> Result<(), Fault> {
        let saved = self.save_simple_key()?;
        self.simple_key_allowed = false;
        let line = self.line;
        let text = self.scan_tag()?;
        self.push_possible_key(TokenKind::Tag, line, text, saved);
        Ok(())
    }

    fn fetch_block_scalar(&mut self, literal: bool) -> Result<(), Fault> {
        self.remove_simple_key()?;
        self.simple_key_allowed = true;
        let line = self.line;
        let text = self.scan_block_scalar(literal)?;
        self.push(TokenKind::QuotedScalar, line, text);
        Ok(())
    }

    /// Cuts a plain or quoted scalar, and its `:` as well if that follows.
    fn fetch_scalar(&mut self, first: u8) -> Result<(), Fault> {
        let saved = self.save_simple_key()?;
        self.simple_key_allowed = false;
        let line = self.line;
        let start = self.pos;
        let column = self.column();
        let (kind, text) = match first {
            b'\'' => (TokenKind::QuotedScalar, self.scan_single_quoted()?),
            b'"' => (TokenKind::QuotedScalar, self.scan_double_quoted()?),
            _ => {
                let (text, ended_line) = self.scan_plain()?;
                self.simple_key_allowed = ended_line;
                (TokenKind::PlainScalar, text)
            }
        };
        if saved && self.line == line {
            let mut colon = self.pos;
            while matches!(self.at(colon), b' ' | b'\t') {
                colon += 1;
            }
            if self.at(colon) == b':'
                && (self.flow_level > 0 || self.is_blank_or_end(colon + 1))
                && colon <= start + KEY_REACH
            {
                self.pos = colon;
                if let Some(key) = self.simple_keys.last_mut() {
                    key.possible = false;
                }
                self.roll_indent(column, None, TokenKind::BlockMappingStart, line)?;
                self.push(TokenKind::Key, line, Text::EMPTY);
                self.push(kind, line, text);
                self.simple_key_allowed = false;
                self.push_indicator(TokenKind::Value);
                return Ok(());
            }
        }
        self.push_possible_key(kind, line, text, saved);
        Ok(())
    }
}
