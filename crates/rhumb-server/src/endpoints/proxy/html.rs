//! Pages whose links are changed while they pass.
//!
//! This reads no more of HTML than it must to find the links: where tags begin and end, what their attributes are,
//! and where no tags are looked for, as in comments and scripts. Everything but the links passes as it came. Only
//! one tag is held back at a time; one that is longer than any should be passes unread.
//!
//! The crate `lol_html` would find the links as well. It is not used because it is built on `cssparser` and
//! `selectors`, which come under a licence that `deny.toml` does not allow (MPL 2.0). It would add 440 KiB to the
//! binary in the place of the 180 lines that read tags, and not of those that unpack pages, bound them and know which
//! attributes Kubernetes changes.

use std::io::{self, Write};
use std::ops::Range;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::{DeflateDecoder, DeflateEncoder, GzDecoder, GzEncoder};
use http_body::Frame;

use crate::base::data::Data;
use crate::base::response::Body;
use crate::endpoints::proxy::links::Links;

/// The longest tag that is read.
const LONGEST_TAG: usize = 64 << 10;

/// How much of a page is unpacked at a time: a thousand times as much may come out.
const BITE: usize = 512;

/// The attributes that are links, by the tags that have them.
const ATTRIBUTES: &[(&str, &[&str])] = &[
    ("a", &["href"]),
    ("applet", &["codebase"]),
    ("area", &["href"]),
    ("audio", &["src"]),
    ("base", &["href"]),
    ("blockquote", &["cite"]),
    ("body", &["background"]),
    ("button", &["formaction"]),
    ("command", &["icon"]),
    ("del", &["cite"]),
    ("embed", &["src"]),
    ("form", &["action"]),
    ("frame", &["longdesc", "src"]),
    ("head", &["profile"]),
    ("html", &["manifest"]),
    ("iframe", &["longdesc", "src"]),
    ("img", &["longdesc", "src", "usemap"]),
    ("input", &["src", "usemap", "formaction"]),
    ("ins", &["cite"]),
    ("link", &["href"]),
    ("object", &["classid", "codebase", "data", "usemap"]),
    ("q", &["cite"]),
    ("script", &["src"]),
    ("source", &["src"]),
    ("video", &["poster", "src"]),
];

/// The tags whose content is text, whatever stands in it.
const TEXTS: &[&str] =
    &["iframe", "noembed", "noframes", "plaintext", "script", "style", "textarea", "title", "xmp"];

/// Where in a page one is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    /// Between tags.
    Text,
    /// In a comment.
    Comment,
    /// In something that ends with `>` and has no links.
    Other,
    /// In the content of a tag that ends with it.
    Within(String),
}

/// Changes the links of a page that comes in pieces.
#[derive(Debug)]
struct Rewriter {
    links: Links,
    place: Place,
    /// What could not be read yet.
    held: Vec<u8>,
}

/// Where the next piece of a page ends, and what comes after it.
enum Step {
    /// So many bytes pass, and then one is elsewhere.
    Pass(usize, Place),
    /// A tag of so many bytes.
    Tag(usize),
    /// More must come first.
    Wait,
}

impl Rewriter {
    fn new(links: Links) -> Self {
        Rewriter { links, place: Place::Text, held: Vec::new() }
    }

    /// Takes a piece and gives what can pass.
    fn feed(&mut self, piece: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(piece);
        let mut out = Vec::with_capacity(self.held.len() + 256);
        let mut read = 0;
        loop {
            let rest = self.held.get(read..).unwrap_or_default();
            if rest.is_empty() {
                break;
            }
            match step(&self.place, rest) {
                Step::Pass(length, place) => {
                    out.extend_from_slice(rest.get(..length).unwrap_or(rest));
                    self.place = place;
                    read += length;
                }
                Step::Tag(length) => {
                    let tag = rest.get(..length).unwrap_or(rest);
                    self.place = write_tag(tag, &self.links, &mut out);
                    read += length;
                }
                Step::Wait if rest.len() > LONGEST_TAG => {
                    out.extend_from_slice(rest);
                    self.place = Place::Text;
                    read = self.held.len();
                }
                Step::Wait => break,
            }
        }
        self.held.drain(..read.min(self.held.len()));
        out
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// What can be said about bytes that are not empty.
fn step(place: &Place, rest: &[u8]) -> Step {
    match place {
        Place::Text => in_text(rest),
        Place::Comment => match find(rest, b"-->") {
            Some(at) => Step::Pass(at + 3, Place::Text),
            // The last two bytes may belong to the end of the comment.
            None if rest.len() > 2 => Step::Pass(rest.len() - 2, Place::Comment),
            None => Step::Wait,
        },
        Place::Other => match rest.iter().position(|byte| *byte == b'>') {
            Some(at) => Step::Pass(at + 1, Place::Text),
            None => Step::Pass(rest.len(), Place::Other),
        },
        Place::Within(name) => within(name, rest),
    }
}

fn in_text(rest: &[u8]) -> Step {
    let Some(at) = rest.iter().position(|byte| *byte == b'<') else {
        return Step::Pass(rest.len(), Place::Text);
    };
    if at > 0 {
        return Step::Pass(at, Place::Text);
    }
    match rest {
        [_] | [_, b'!'] | [_, b'!', b'-'] | [_, b'/'] => Step::Wait,
        [_, b'!', b'-', b'-', ..] => Step::Pass(4, Place::Comment),
        [_, b'!' | b'?', ..] => Step::Pass(2, Place::Other),
        [_, b'/', ..] => Step::Pass(2, Place::Other),
        [_, first, ..] if first.is_ascii_alphabetic() => match attributes(rest) {
            Some((_, end)) => Step::Tag(end),
            None => Step::Wait,
        },
        _ => Step::Pass(1, Place::Text),
    }
}

/// The content of a tag up to its end.
fn within(name: &str, rest: &[u8]) -> Step {
    if name == "plaintext" {
        return Step::Pass(rest.len(), Place::Within(name.to_owned()));
    }
    let stay = || Place::Within(name.to_owned());
    let length = name.len() + 2;
    let Some(at) = find(rest, b"</") else {
        let ends = rest.last() == Some(&b'<');
        return match rest.len() - usize::from(ends) {
            0 => Step::Wait,
            length => Step::Pass(length, stay()),
        };
    };
    let Some(after) = rest.get(at + 2..at + length + 1) else {
        return if at > 0 { Step::Pass(at, stay()) } else { Step::Wait };
    };
    let (found, next) = after.split_at_checked(name.len()).unwrap_or_default();
    let is_end = found.eq_ignore_ascii_case(name.as_bytes())
        && next.iter().all(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    if is_end { Step::Pass(at + length, Place::Other) } else { Step::Pass(at + 2, stay()) }
}

/// An attribute: where its name and its value are.
type Attribute = (Range<usize>, Range<usize>);

/// The attributes of a tag with a value, and where the tag ends; none if its end is missing.
fn attributes(tag: &[u8]) -> Option<(Vec<Attribute>, usize)> {
    let mut found = Vec::new();
    let mut at = 1;
    let is_space = |byte: u8| byte.is_ascii_whitespace();
    let skip = |mut at: usize, ends: &dyn Fn(u8) -> bool| {
        while tag.get(at).is_some_and(|byte| !ends(*byte)) {
            at += 1;
        }
        at
    };
    at = skip(at, &|byte| is_space(byte) || matches!(byte, b'/' | b'>'));
    loop {
        at = skip(at, &|byte| !is_space(byte) && byte != b'/');
        if *tag.get(at)? == b'>' {
            return Some((found, at + 1));
        }
        let start = at;
        // An equals sign at the beginning belongs to the name.
        at = skip(at + 1, &|byte| is_space(byte) || matches!(byte, b'/' | b'>' | b'='));
        let name = start..at;
        let after = skip(at, &|byte| !is_space(byte));
        if *tag.get(after)? != b'=' {
            continue;
        }
        at = skip(after + 1, &|byte| !is_space(byte));
        match *tag.get(at)? {
            quote @ (b'"' | b'\'') => {
                let end = skip(at + 1, &|byte| byte == quote);
                tag.get(end)?;
                found.push((name, at + 1..end));
                at = end + 1;
            }
            b'>' => {}
            _ => {
                let end = skip(at, &|byte| is_space(byte) || byte == b'>');
                found.push((name, at..end));
                at = end;
            }
        }
    }
}

/// Writes a tag with its links changed, and says where one is behind it.
fn write_tag(tag: &[u8], links: &Links, out: &mut Vec<u8>) -> Place {
    let end = tag.iter().position(|byte| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>'));
    let name = String::from_utf8_lossy(tag.get(1..end.unwrap_or(tag.len())).unwrap_or_default());
    let name = name.to_ascii_lowercase();
    let wanted = ATTRIBUTES.iter().find(|(known, _)| *known == name).map(|(_, all)| *all).unwrap_or_default();
    let mut written = 0;
    for (key, value) in attributes(tag).map(|(all, _)| all).unwrap_or_default() {
        let text = |range: &Range<usize>| {
            tag.get(range.clone()).and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default()
        };
        if !wanted.iter().any(|known| text(&key).eq_ignore_ascii_case(known)) {
            continue;
        }
        if let Some(changed) = links.changed(text(&value)) {
            out.extend_from_slice(tag.get(written..value.start).unwrap_or_default());
            out.extend_from_slice(changed.as_bytes());
            written = value.end;
        }
    }
    out.extend_from_slice(tag.get(written..).unwrap_or_default());
    if TEXTS.contains(&name.as_str()) { Place::Within(name) } else { Place::Text }
}

/// How a page is packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    Plain,
    Gzip,
    Deflate,
}

type Gzip = (GzDecoder<Vec<u8>>, GzEncoder<Vec<u8>>);
type Deflate = (DeflateDecoder<Vec<u8>>, DeflateEncoder<Vec<u8>>);

/// What unpacks a page and packs it again.
enum Packing {
    None,
    Gzip(Box<Gzip>),
    Deflate(Box<Deflate>),
}

/// Unpacks a page, changes it, and packs it again.
struct Press {
    rewriter: Rewriter,
    packing: Packing,
}

impl Press {
    fn new(links: Links, coding: Coding) -> Self {
        let level = Compression::fast();
        let packing = match coding {
            Coding::Plain => Packing::None,
            Coding::Gzip => {
                Packing::Gzip(Box::new((GzDecoder::new(Vec::new()), GzEncoder::new(Vec::new(), level))))
            }
            Coding::Deflate => Packing::Deflate(Box::new((
                DeflateDecoder::new(Vec::new()),
                DeflateEncoder::new(Vec::new(), level),
            ))),
        };
        Press { rewriter: Rewriter::new(links), packing }
    }

    fn is_packed(&self) -> bool {
        !matches!(self.packing, Packing::None)
    }

    fn feed(&mut self, piece: &[u8]) -> io::Result<Vec<u8>> {
        let rewriter = &mut self.rewriter;
        match &mut self.packing {
            Packing::None => Ok(rewriter.feed(piece)),
            Packing::Gzip(both) => {
                let (decoder, encoder) = &mut **both;
                decoder.write_all(piece)?;
                encoder.write_all(&rewriter.feed(&std::mem::take(decoder.get_mut())))?;
                Ok(std::mem::take(encoder.get_mut()))
            }
            Packing::Deflate(both) => {
                let (decoder, encoder) = &mut **both;
                decoder.write_all(piece)?;
                encoder.write_all(&rewriter.feed(&std::mem::take(decoder.get_mut())))?;
                Ok(std::mem::take(encoder.get_mut()))
            }
        }
    }

    fn finish(mut self) -> io::Result<Vec<u8>> {
        match self.packing {
            Packing::None => Ok(self.rewriter.held),
            Packing::Gzip(both) => {
                let (decoder, mut encoder) = *both;
                encoder.write_all(&self.rewriter.feed(&decoder.finish()?))?;
                encoder.write_all(&self.rewriter.held)?;
                encoder.finish()
            }
            Packing::Deflate(both) => {
                let (decoder, mut encoder) = *both;
                encoder.write_all(&self.rewriter.feed(&decoder.finish()?))?;
                encoder.write_all(&self.rewriter.held)?;
                encoder.finish()
            }
        }
    }
}

/// A page whose links are changed while it is sent.
pub(super) struct Rewritten {
    body: Body,
    /// What came and was not unpacked yet.
    piece: Bytes,
    /// None when the last bytes were given.
    press: Option<Press>,
}

impl Rewritten {
    pub(super) fn new(body: Body, links: Links, coding: Coding) -> Self {
        Rewritten { body, piece: Bytes::new(), press: Some(Press::new(links, coding)) }
    }
}

impl http_body::Body for Rewritten {
    type Data = Data;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Data>, io::Error>>> {
        loop {
            if self.press.is_none() {
                return Poll::Ready(None);
            }
            if !self.piece.is_empty() {
                // One bite for each look at this, so that a page which grows a thousand times takes neither the
                // memory for all of it nor the processor from others.
                let end = self.piece.len().min(BITE);
                let bite = self.piece.split_to(end);
                let Some(press) = &mut self.press else { return Poll::Ready(None) };
                match press.feed(&bite) {
                    Ok(out) if out.is_empty() => {
                        context.waker().wake_by_ref();
                        return Poll::Pending;
                    }
                    Ok(out) => return Poll::Ready(Some(Ok(Frame::data(Bytes::from(out).into())))),
                    Err(error) => {
                        self.press = None;
                        return Poll::Ready(Some(Err(error)));
                    }
                }
            }
            let next = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            };
            let (out, ended) = match next {
                Some(Ok(frame)) => {
                    let Ok(data) = frame.into_data() else { continue };
                    let Some(press) = &mut self.press else { return Poll::Ready(None) };
                    if press.is_packed() {
                        self.piece = data.joined();
                        continue;
                    }
                    (press.feed(&data.joined()), false)
                }
                Some(Err(error)) => (Err(error), true),
                None => (self.press.take().map_or_else(|| Ok(Vec::new()), Press::finish), true),
            };
            if ended || out.is_err() {
                self.press = None;
            }
            match out {
                Ok(out) if out.is_empty() => {}
                out => return Poll::Ready(Some(out.map(|out| Frame::data(Bytes::from(out).into())))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links() -> Links {
        Links { prefix: "/p".to_owned(), origin: "10.0.0.1".to_owned(), host: "front".to_owned() }
    }

    /// However a page is cut, it comes out the same.
    fn check(page: &str, expect: &str) {
        for size in 1..=page.len() {
            let mut rewriter = Rewriter::new(links());
            let mut out = Vec::new();
            for piece in page.as_bytes().chunks(size) {
                out.extend(rewriter.feed(piece));
            }
            out.extend_from_slice(&rewriter.held);
            assert_eq!(String::from_utf8_lossy(&out), expect, "in pieces of {size}");
        }
    }

    #[test]
    fn links_of_tags_are_changed() {
        check(
            "<!DOCTYPE html><p class='/x'>1 < 2 <A HREF=\"/x?a=1&amp;b\" href2=/y>y</a><img src=/i.png><br/>",
            "<!DOCTYPE html><p class='/x'>1 < 2 <A HREF=\"/p/x?a=1&amp;b\" href2=/y>y</a><img src=/p/i.png><br/>",
        );
        check("<video poster = '/a' src=/b muted>", "<video poster = '/p/a' src=/p/b muted>");
        check("<a href=>x</a><a href>y</a><a =href=/x>", "<a href=>x</a><a href>y</a><a =href=/x>");
        check("<a title='>' href=/x/>", "<a title='>' href=/p/x/>");
    }

    #[test]
    fn what_is_no_tag_passes() {
        for page in [
            "<!-- <a href=/x> -- > --><b>",
            "<script>if (a </b) { x = '<a href=/x>' }</SCRIPT ><b>",
            "<title><a href=/x></title>",
            "</a href=/x><?php <a href=/x ?>",
            "<a href='/x",
            "<plaintext><a href=/x></plaintext><a href=/x>",
            "a < b",
            "<",
        ] {
            check(page, page);
        }
        check("<style>a</style><a href=/x>", "<style>a</style><a href=/p/x>");
        check("<script src=/s.js></script><a href=/x>", "<script src=/p/s.js></script><a href=/p/x>");
    }

    #[test]
    fn a_tag_without_end_is_not_held_for_ever() {
        let mut rewriter = Rewriter::new(links());
        let mut given = 0;
        given += rewriter.feed(b"<a ").len();
        for _ in 0..100 {
            given += rewriter.feed(&[b'x'; 1024]).len();
            assert!(rewriter.held.len() <= LONGEST_TAG);
        }
        assert!(given > LONGEST_TAG);
    }

    #[test]
    fn packed_pages_are_packed_again() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"<a href=/x>").unwrap();
        let packed = encoder.finish().unwrap();
        let mut press = Press::new(links(), Coding::Gzip);
        let mut out = Vec::new();
        for piece in packed.chunks(3) {
            out.extend(press.feed(piece).unwrap());
        }
        out.extend(press.finish().unwrap());
        let mut decoder = GzDecoder::new(Vec::new());
        decoder.write_all(&out).unwrap();
        assert_eq!(decoder.finish().unwrap(), b"<a href=/p/x>");
    }

    /// A pod's page of a few kilobytes took the memory of all that was in it.
    #[test]
    fn a_page_that_grows_a_thousand_times_is_unpacked_bite_by_bite() {
        const PAGE: usize = 8 << 20;
        let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![b' '; PAGE]).unwrap();
        let packed = Bytes::from(encoder.finish().unwrap());
        let body = http_body_util::Full::new(Data::from(packed.clone()));
        let body = http_body_util::BodyExt::map_err(body, |never| match never {});
        let mut page = Rewritten::new(http_body_util::BodyExt::boxed_unsync(body), links(), Coding::Gzip);
        let mut context = Context::from_waker(std::task::Waker::noop());
        let (mut looks, mut out) = (0, Vec::new());
        loop {
            looks += 1;
            match http_body::Body::poll_frame(Pin::new(&mut page), &mut context) {
                Poll::Ready(Some(frame)) => out.extend(frame.unwrap().into_data().unwrap().joined()),
                Poll::Ready(None) => break,
                Poll::Pending => {}
            }
        }
        assert!(looks >= packed.len() / BITE, "{looks} looks at {} bytes", packed.len());
        let mut decoder = GzDecoder::new(Vec::new());
        decoder.write_all(&out).unwrap();
        assert_eq!(decoder.finish().unwrap().len(), PAGE);
    }
}
