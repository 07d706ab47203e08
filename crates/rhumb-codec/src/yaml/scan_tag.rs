//! Directives, anchors, aliases and tags.

use super::errors::Fault;
use super::scan::{Scanner, TagParts, Text, TokenKind};

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

fn is_uri_byte(byte: u8) -> bool {
    is_name_byte(byte)
        || matches!(
            byte,
            b';' | b'/'
                | b'?'
                | b':'
                | b'@'
                | b'&'
                | b'='
                | b'+'
                | b'$'
                | b','
                | b'.'
                | b'!'
                | b'~'
                | b'*'
                | b'\''
                | b'('
                | b')'
                | b'['
                | b']'
                | b'%'
        )
}

impl Scanner<'_> {
    fn skip_name(&mut self) -> Text {
        let start = self.pos;
        while is_name_byte(self.current()) {
            self.pos += 1;
        }
        Text::input(start, self.pos)
    }

    /// Scans `&name` or `*name`.
    pub(super) fn scan_anchor(&mut self) -> Result<Text, Fault> {
        self.pos += 1;
        let name = self.skip_name();
        let ends = self.is_blank_or_end(self.pos)
            || matches!(self.current(), b'?' | b':' | b',' | b']' | b'}' | b'%' | b'@' | b'`');
        if name.is_empty() || !ends {
            return Err(self.error("did not find expected alphabetic or numeric character"));
        }
        Ok(name)
    }

    fn push_tag(&mut self, handle: Vec<u8>, suffix: Vec<u8>) -> Text {
        let start = self.tags.len();
        self.tags.push(TagParts { handle, suffix });
        Text::input(start, start)
    }

    /// Scans a tag in any of its forms; the text is its index.
    pub(super) fn scan_tag(&mut self) -> Result<Text, Fault> {
        let (handle, suffix) = if self.at(self.pos + 1) == b'<' {
            self.pos += 2;
            let suffix = self.scan_tag_uri(b"")?;
            if self.current() != b'>' {
                return Err(self.error("did not find the expected '>'"));
            }
            self.pos += 1;
            (Vec::new(), suffix)
        } else {
            let handle = self.scan_tag_handle(false)?;
            if handle.len() > 1 && handle.ends_with(b"!") {
                let suffix = self.scan_tag_uri(b"")?;
                (handle, suffix)
            } else {
                let suffix = self.scan_tag_uri(&handle)?;
                if suffix.is_empty() { (suffix, handle) } else { (b"!".to_vec(), suffix) }
            }
        };
        if !self.is_blank_or_end(self.pos) {
            return Err(self.error("did not find expected whitespace or line break"));
        }
        Ok(self.push_tag(handle, suffix))
    }

    fn scan_tag_handle(&mut self, directive: bool) -> Result<Vec<u8>, Fault> {
        if self.current() != b'!' {
            return Err(self.error("did not find expected '!'"));
        }
        let start = self.pos;
        self.pos += 1;
        let name = self.skip_name();
        if self.current() == b'!' {
            self.pos += 1;
        } else if directive && !name.is_empty() {
            return Err(self.error("did not find expected '!'"));
        }
        Ok(self.input.get(start..self.pos).unwrap_or_default().to_vec())
    }

    /// Scans the rest of a tag, of which `head`, led by a `!`, was taken for a handle already.
    fn scan_tag_uri(&mut self, head: &[u8]) -> Result<Vec<u8>, Fault> {
        let mut uri = head.get(1..).unwrap_or_default().to_vec();
        let mut found = !head.is_empty();
        while is_uri_byte(self.current()) {
            if self.current() == b'%' {
                self.scan_uri_escapes(&mut uri)?;
            } else {
                uri.push(self.current());
                self.pos += 1;
            }
            found = true;
        }
        if !found {
            return Err(self.error("did not find expected tag URI"));
        }
        Ok(uri)
    }

    /// Decodes one character written as `%` escapes.
    fn scan_uri_escapes(&mut self, uri: &mut Vec<u8>) -> Result<(), Fault> {
        let mut left: Option<usize> = None;
        while left != Some(0) {
            let high = char::from(self.at(self.pos + 1)).to_digit(16);
            let low = char::from(self.at(self.pos + 2)).to_digit(16);
            let (b'%', Some(high), Some(low)) = (self.current(), high, low) else {
                return Err(self.error("did not find URI escaped octet"));
            };
            let octet = u8::try_from(high * 16 + low).unwrap_or(0);
            left = match left {
                None => match octet.leading_ones() {
                    0 => Some(0),
                    ones @ 2..=4 => Some(ones as usize - 1),
                    _ => return Err(self.error("found an incorrect leading UTF-8 octet")),
                },
                Some(_) if octet & 0xC0 != 0x80 => {
                    return Err(self.error("found an incorrect trailing UTF-8 octet"));
                }
                Some(left) => Some(left - 1),
            };
            uri.push(octet);
            self.pos += 3;
        }
        Ok(())
    }

    /// Scans a `%YAML` or `%TAG` line.
    pub(super) fn scan_directive(&mut self) -> Result<(TokenKind, Text), Fault> {
        self.pos += 1;
        let name = self.skip_name();
        if name.is_empty() {
            return Err(self.error("could not find expected directive name"));
        }
        if !self.is_blank_or_end(self.pos) {
            return Err(self.error("found unexpected non-alphabetical character"));
        }
        let token = match self.text(name) {
            b"YAML" => {
                self.skip_blanks();
                let start = self.pos;
                self.scan_version_number()?;
                if self.current() != b'.' {
                    return Err(self.error("did not find expected digit or '.' character"));
                }
                self.pos += 1;
                self.scan_version_number()?;
                (TokenKind::Version, Text::input(start, self.pos))
            }
            b"TAG" => {
                self.skip_blanks();
                let handle = self.scan_tag_handle(true)?;
                if !matches!(self.current(), b' ' | b'\t') {
                    return Err(self.error("did not find expected whitespace"));
                }
                self.skip_blanks();
                let prefix = self.scan_tag_uri(b"")?;
                if !self.is_blank_or_end(self.pos) {
                    return Err(self.error("did not find expected whitespace or line break"));
                }
                (TokenKind::TagDirective, self.push_tag(handle, prefix))
            }
            _ => return Err(self.error("found unknown directive name")),
        };
        self.skip_blanks();
        self.skip_comment();
        if !self.is_break_or_end(self.pos) {
            return Err(self.error("did not find expected comment or line break"));
        }
        let len = self.break_len(self.pos);
        if len > 0 {
            self.skip_break(len);
        }
        Ok(token)
    }

    fn scan_version_number(&mut self) -> Result<(), Fault> {
        let start = self.pos;
        while self.current().is_ascii_digit() {
            if self.pos - start == 2 {
                return Err(self.error("found extremely long version number"));
            }
            self.pos += 1;
        }
        if self.pos == start {
            return Err(self.error("did not find expected version number"));
        }
        Ok(())
    }
}
