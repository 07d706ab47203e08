//! Reading DER, the one way of several to write ASN.1: a tag, a length, and so many bytes.

use super::X509Error;

/// The tag of an element: its class, whether it holds others, and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag(u8);

impl Tag {
    pub(super) const BOOLEAN: Tag = Tag(0x01);
    pub(super) const INTEGER: Tag = Tag(0x02);
    pub(super) const BIT_STRING: Tag = Tag(0x03);
    pub(super) const OCTET_STRING: Tag = Tag(0x04);
    pub(super) const OBJECT_IDENTIFIER: Tag = Tag(0x06);
    pub(super) const SEQUENCE: Tag = Tag(0x30);
    pub(super) const SET: Tag = Tag(0x31);

    /// An element that only its place gives a meaning, and that holds others.
    pub(super) const fn context(number: u8) -> Tag {
        Tag(0xa0 | number)
    }

    /// An element that only its place gives a meaning, and that holds bytes.
    pub(super) const fn context_primitive(number: u8) -> Tag {
        Tag(0x80 | number)
    }

    /// The number of a tag whose meaning its place gives.
    pub(super) fn context_number(self) -> Option<u8> {
        (self.0 & 0xc0 == 0x80).then_some(self.0 & 0x1f)
    }
}

/// Elements one after another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Der<'a>(&'a [u8]);

impl<'a> Der<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Der(bytes)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes that were not read yet.
    pub(super) fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// Nothing may follow.
    pub(super) fn end(&self) -> Result<(), X509Error> {
        if self.0.is_empty() { Ok(()) } else { Err(broken("syntax error: trailing data")) }
    }

    /// The next element, whatever it is.
    pub(super) fn any(&mut self) -> Result<(Tag, Der<'a>), X509Error> {
        let (tag, length, rest) = self.header()?;
        Ok((tag, self.content(length, rest)?))
    }

    /// The tag and the length of the next element, and what follows them.
    fn header(&self) -> Result<(Tag, usize, &'a [u8]), X509Error> {
        let truncated = || broken("syntax error: truncated tag or length");
        let (&tag, rest) = self.0.split_first().ok_or_else(|| broken("syntax error: sequence truncated"))?;
        let (&first, mut rest) = rest.split_first().ok_or_else(truncated)?;
        let length = if first < 0x80 {
            usize::from(first)
        } else {
            let count = usize::from(first & 0x7f);
            if count == 0 {
                return Err(broken("syntax error: indefinite length found (not DER)"));
            }
            if count > 4 {
                return Err(broken("structure error: length too large"));
            }
            let (digits, after) = rest.split_at_checked(count).ok_or_else(truncated)?;
            rest = after;
            let length = digits.iter().fold(0_usize, |sum, digit| (sum << 8) | usize::from(*digit));
            if digits.first() == Some(&0) {
                return Err(broken("structure error: superfluous leading zeros in length"));
            }
            if length < 0x80 {
                return Err(broken("structure error: non-minimal length"));
            }
            length
        };
        Ok((Tag(tag), length, rest))
    }

    fn content(&mut self, length: usize, rest: &'a [u8]) -> Result<Der<'a>, X509Error> {
        let (content, after) =
            rest.split_at_checked(length).ok_or_else(|| broken("syntax error: data truncated"))?;
        self.0 = after;
        Ok(Der(content))
    }

    /// The next element, which must be of a kind.
    pub(super) fn expect(&mut self, tag: Tag) -> Result<Der<'a>, X509Error> {
        // That it is of another kind is told before that it is cut short.
        match self.header()? {
            (found, length, rest) if found == tag => self.content(length, rest),
            (found, length, _) => Err(broken(&mismatch(tag, found, length))),
        }
    }

    /// The next element, if it is of a kind.
    pub(super) fn optional(&mut self, tag: Tag) -> Result<Option<Der<'a>>, X509Error> {
        if self.0.first() == Some(&tag.0) { self.expect(tag).map(Some) } else { Ok(None) }
    }

    /// The next of elements that are all of a kind; none at the end.
    pub(super) fn next_of(&mut self, tag: Tag) -> Result<Option<Der<'a>>, X509Error> {
        if self.0.is_empty() { Ok(None) } else { self.expect(tag).map(Some) }
    }
}

fn broken(what: &str) -> X509Error {
    X509Error::Malformed(format!("asn1: {what}"))
}

fn mismatch(wanted: Tag, found: Tag, length: usize) -> String {
    let number = |tag: Tag| tag.0 & 0x1f;
    format!(
        "structure error: tags don't match ({} vs {{class:{} tag:{} length:{length} isCompound:{}}}) \
         {{optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
         stringType:0 timeType:0 set:false omitEmpty:false}} certificateRequest @2",
        number(wanted),
        found.0 >> 6,
        number(found),
        found.0 & 0x20 != 0
    )
}
