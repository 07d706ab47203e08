//! YAML reader: events to JSON text.
//!
//! Scalars, brackets and commas go straight to the output. Only what YAML has beyond JSON needs memory: an anchor
//! remembers where the text of its node lies so that an alias copies bytes, and every open mapping remembers its
//! keys, because a later key replaces an earlier one and `<<` puts the entries of other mappings in place.
//!
//! go-yaml first parses a document and then decodes it, and Kubernetes then converts the result to JSON. All three
//! can fail, and the first to run wins, wherever its cause stands. The reader does everything at once, and so
//! notes the failures of the later stages until it knows that the document parses.

use std::collections::HashMap;
use std::rc::Rc;

use super::alias::{Anchor, Anchored, Source};
use super::encoding::decode;
use super::errors::{DuplicateKey, YamlError};
use super::go_syntax::{quote, render};
use super::json_text::{decode_base64, replace_invalid_utf8, write_meaning, write_string};
use super::keys::{Entry, KeyIndex, KeyKind, find_earlier, kill, normalize, pieces};
use super::number::write_key_float;
use super::parse::{Event, Parser};
use super::resolve::{Meaning, Tag, resolve, resolve_tagged};
use super::scan::MAX_INPUT;

/// Maximum nesting depth, as in go-yaml.
pub const MAX_DEPTH: usize = 10_000;

/// Handling of duplicate keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DuplicateKeys {
    /// The last one wins, silently.
    #[default]
    Ignore,
    /// The last one wins, and the report lists them.
    Report,
    /// The document is refused.
    Reject,
}

/// Maximum number of duplicate keys reported.
const MAX_DUPLICATES: usize = 1000;
/// Maximum total length of the reported keys.
const MAX_DUPLICATE_BYTES: usize = 1024 * 1024;

/// Options of reading.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions {
    /// Handling of duplicate keys.
    pub duplicate_keys: DuplicateKeys,
    /// Maximum nesting depth.
    pub max_depth: usize,
}

impl Default for ReadOptions {
    fn default() -> ReadOptions {
        ReadOptions { duplicate_keys: DuplicateKeys::Ignore, max_depth: MAX_DEPTH }
    }
}

/// Warnings about a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The keys that occur more than once, in the order go-yaml reports them.
    pub duplicates: Vec<DuplicateKey>,
}

impl Report {
    /// Returns the error that a strict reader would have given for this document.
    pub fn strict_error(&self) -> Option<YamlError> {
        (!self.duplicates.is_empty()).then(|| YamlError::DuplicateKeys(self.duplicates.clone()))
    }
}

/// Converts the first document of `yaml` to compact JSON, appended to `out`.
///
/// An input without a document gives `null`. Documents beyond 2 GiB are refused. After an error `out` is as it
/// was.
pub fn to_json(yaml: &[u8], options: &ReadOptions, out: &mut Vec<u8>) -> Result<Report, YamlError> {
    let base = out.len();
    let input = decode(yaml)?;
    if input.len() > MAX_INPUT {
        return Err(YamlError::Content("document is too large".to_owned()));
    }
    out.reserve(input.len());
    let result = Reader::new(&input, options, out).read(base);
    if result.is_err() {
        out.truncate(base);
    }
    result
}

/// Position of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Root,
    Item,
    Key,
    Value,
    /// The value of `<<`.
    Merge,
    /// An element of a list that is the value of `<<`.
    MergeItem,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Sequence,
    Mapping,
}

/// An open sequence or mapping.
pub(super) struct Frame {
    shape: Shape,
    place: Place,
    start: usize,
    line: usize,
    anchor: Option<usize>,
    /// State of the reader's counters and lists at its start.
    decoded: usize,
    cuts: usize,
    duplicates: usize,
    entries: usize,
    sources: usize,
    /// The number of elements, or of entries that were not replaced.
    live: usize,
    /// Role of the next node in a mapping.
    pub(super) next: Place,
    index: Option<Box<KeyIndex>>,
}

/// Reader of one document.
pub(super) struct Reader<'a, 'o> {
    pub(super) parser: Parser<'a>,
    pub(super) input: &'a [u8],
    pub(super) out: &'o mut Vec<u8>,
    pub(super) on_duplicates: DuplicateKeys,
    pub(super) frames: Vec<Frame>,
    pub(super) entries: Vec<Entry>,
    pub(super) cuts: Vec<(usize, usize)>,
    pub(super) sources: Vec<Source>,
    pub(super) anchors: Vec<Anchor>,
    pub(super) anchor_names: HashMap<&'a [u8], usize>,
    pub(super) duplicates: Vec<DuplicateKey>,
    /// Total length of the reported keys.
    duplicate_bytes: usize,
    /// The first failure of the decoding stage.
    pub(super) failure: Option<YamlError>,
    /// Failures of the conversion to JSON, with the place in the output.
    pub(super) unsupported_keys: Vec<(Entry, String)>,
    pub(super) unsupported_values: Vec<(usize, &'static str)>,
    /// The beginning of the complaint about a key whose value is still to come.
    pub(super) bad_keys: Vec<(usize, String)>,
    pub(super) decoded: usize,
    pub(super) aliased: usize,
    pub(super) alias_bytes: usize,
}

impl<'a, 'o> Reader<'a, 'o> {
    fn new(input: &'a [u8], options: &ReadOptions, out: &'o mut Vec<u8>) -> Reader<'a, 'o> {
        Reader {
            parser: Parser::new(input, options.max_depth),
            input,
            out,
            on_duplicates: options.duplicate_keys,
            frames: Vec::with_capacity(32),
            entries: Vec::with_capacity(128),
            cuts: Vec::new(),
            sources: Vec::new(),
            anchors: Vec::new(),
            anchor_names: HashMap::new(),
            duplicates: Vec::new(),
            duplicate_bytes: 0,
            failure: None,
            unsupported_keys: Vec::new(),
            unsupported_values: Vec::new(),
            bad_keys: Vec::new(),
            // The document itself is the first thing go-yaml decodes.
            decoded: 1,
            aliased: 0,
            alias_bytes: 0,
        }
    }

    fn read(mut self, base: usize) -> Result<Report, YamlError> {
        loop {
            match self.parser.next()? {
                Event::Scalar => self.scalar(),
                Event::Alias => self.alias()?,
                Event::SequenceStart => self.open(Shape::Sequence),
                Event::MappingStart => self.open(Shape::Mapping),
                Event::SequenceEnd | Event::MappingEnd => self.close(),
                Event::DocumentEnd => break,
                Event::NoDocument => {
                    self.out.extend_from_slice(b"null");
                    break;
                }
            }
        }
        self.finish(base)
    }

    fn finish(self, base: usize) -> Result<Report, YamlError> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        if self.on_duplicates == DuplicateKeys::Reject && !self.duplicates.is_empty() {
            return Err(YamlError::DuplicateKeys(self.duplicates));
        }
        let cuts = normalize(&self.cuts);
        let remains = |at: usize| {
            let next = cuts.partition_point(|cut| cut.1 <= at);
            cuts.get(next).is_none_or(|cut| at < cut.0)
        };
        // Of nested keys the outermost is converted first.
        let unsupported = self.unsupported_keys.iter().filter(|(entry, _)| remains(entry.key_start));
        if let Some((entry, problem)) = unsupported.min_by_key(|(entry, _)| entry.key_start) {
            let value = self.clean(entry.value_start, entry.value_end);
            return Err(YamlError::UnsupportedKey(format!("{problem}{}", render(&value))));
        }
        if let Some((_, value)) = self.unsupported_values.iter().find(|(at, _)| remains(*at)) {
            return Err(YamlError::UnsupportedValue(value));
        }
        if !cuts.is_empty() {
            let mut end = base;
            for (from, to) in pieces(base, self.out.len(), &cuts) {
                self.out.copy_within(from..to, end);
                end += to - from;
            }
            self.out.truncate(end);
        }
        Ok(Report { duplicates: self.duplicates })
    }

    pub(super) fn fail(&mut self, problem: impl Into<String>) {
        if self.failure.is_none() {
            self.failure = Some(YamlError::Content(problem.into()));
        }
    }

    pub(super) fn fail_merge(&mut self) {
        self.fail("map merge requires map or sequence of maps as the value");
    }

    #[inline]
    pub(super) fn place(&self) -> Place {
        match self.frames.last() {
            None => Place::Root,
            Some(frame) => frame.next,
        }
    }

    /// Counts a node as decoded, and objects when aliases make up nearly all of them.
    #[inline]
    pub(super) fn count(&mut self) {
        self.decoded = self.decoded.saturating_add(1);
        if self.aliased > 100 {
            self.check_aliasing();
        }
    }

    /// Puts a comma before an element of a sequence; entries of mappings bring their own.
    #[inline]
    pub(super) fn separate(&mut self, place: Place) {
        if matches!(place, Place::Item | Place::MergeItem)
            && let Some(frame) = self.frames.last()
            && frame.live > 0
        {
            self.out.push(b',');
        }
    }

    #[inline]
    fn scalar(&mut self) {
        let place = self.place();
        let node = &self.parser.node;
        if node.anchor.is_none() && node.tag == Tag::None {
            let text = self.parser.scanner.text(node.text);
            let meaning = if node.implicit { resolve(text) } else { Meaning::Str };
            if matches!(place, Place::Item | Place::Value) {
                if place == Place::Item && self.frames.last().is_some_and(|frame| frame.live > 0) {
                    self.out.push(b',');
                }
                write_meaning(meaning, text, self.out);
                if let Meaning::Float(value) = meaning {
                    self.check_float(value);
                }
                self.count();
                self.end_value(place, self.parser.node.line);
                return;
            }
            if place == Place::Key && !(node.implicit && text == b"<<") {
                let start = self.out.len();
                if self.frames.last().is_some_and(|frame| frame.live > 0) {
                    self.out.push(b',');
                }
                let key_start = self.out.len();
                let kind = write_key(meaning, text, self.out);
                self.count();
                self.end_key(start, key_start, kind, meaning);
                return;
            }
        }
        self.special_scalar(place);
    }

    /// A scalar with an anchor or a tag, at the root, or at a place where it means something else.
    fn special_scalar(&mut self, place: Place) {
        let scalar = &self.parser.node;
        let (anchor, tag, implicit, line) = (scalar.anchor, scalar.tag, scalar.implicit, scalar.line);
        let mut text = self.parser.scanner.text(scalar.text).to_vec();
        if place == Place::Key && text == b"<<" && (implicit || tag == Tag::Merge) {
            self.remember_scalar(anchor, Meaning::Str, b"<<".to_vec());
            if let Some(frame) = self.frames.last_mut() {
                frame.next = Place::Merge;
            }
            return;
        }
        if matches!(place, Place::Merge | Place::MergeItem) {
            self.fail_merge();
        }
        self.count();
        let resolved = match tag {
            Tag::None if !implicit => Ok(Meaning::Str),
            Tag::Binary => match decode_base64(&text) {
                Some(data) => {
                    text = replace_invalid_utf8(&data);
                    Ok(Meaning::Str)
                }
                None => Err("!!binary value contains invalid base64 data".to_owned()),
            },
            tag => resolve_tagged(tag, &text),
        };
        let meaning = resolved.unwrap_or_else(|problem| {
            self.fail(problem);
            Meaning::Str
        });
        if place == Place::Key {
            self.key(meaning, &text);
        } else {
            self.separate(place);
            self.value(meaning, &text);
            self.end_value(place, line);
        }
        self.remember_scalar(anchor, meaning, text);
    }

    pub(super) fn value(&mut self, meaning: Meaning, text: &[u8]) {
        write_meaning(meaning, text, self.out);
        if let Meaning::Float(value) = meaning {
            self.check_float(value);
        }
    }

    fn check_float(&mut self, value: f64) {
        if !value.is_finite() {
            let name = if value.is_nan() {
                "NaN"
            } else if value > 0.0 {
                "+Inf"
            } else {
                "-Inf"
            };
            self.unsupported_values.push((self.out.len().saturating_sub(1), name));
        }
    }

    pub(super) fn key(&mut self, meaning: Meaning, text: &[u8]) {
        let start = self.begin_entry();
        let key_start = self.out.len();
        let kind = write_key(meaning, text, self.out);
        self.end_key(start, key_start, kind, meaning);
    }

    /// Starts an entry of the innermost mapping, with its comma.
    #[inline]
    pub(super) fn begin_entry(&mut self) -> usize {
        let start = self.out.len();
        if self.frames.last().is_some_and(|frame| frame.live > 0) {
            self.out.push(b',');
        }
        start
    }

    #[inline]
    pub(super) fn end_key(&mut self, start: usize, key_start: usize, kind: KeyKind, meaning: Meaning) {
        let key = (key_start, self.out.len());
        self.out.push(b':');
        let Some(frame) = self.frames.last_mut() else { return };
        self.entries.push(Entry::new(start, key_start > start, key, kind, self.out));
        frame.live += 1;
        frame.next = Place::Value;
        let entries = self.entries.get_mut(frame.entries..).unwrap_or_default();
        if let Some(earlier) = find_earlier(entries, &mut frame.index, self.out) {
            let same_kind = entries.get(earlier).is_some_and(|entry| entry.kind == kind);
            kill(entries, earlier, &mut self.cuts);
            frame.live -= 1;
            if let Some(entry) = entries.last_mut() {
                entry.repeats = same_kind;
            }
        }
        match (kind, meaning) {
            (KeyKind::Null, _) => {
                let problem = "unsupported map key of type: %!s(<nil>), key: <nil>, value: ".to_owned();
                self.bad_keys.push((self.frames.len(), problem));
            }
            (KeyKind::Uint, Meaning::Uint(key)) => {
                let problem = format!("unsupported map key of type: uint64, key: {key:#x}, value: ");
                self.bad_keys.push((self.frames.len(), problem));
            }
            _ => {}
        }
    }

    /// Notes that the node at this place, which is not a mapping put in place by `<<`, is complete.
    #[inline]
    pub(super) fn end_value(&mut self, place: Place, line: usize) {
        let depth = self.frames.len();
        let Some(frame) = self.frames.last_mut() else { return };
        match place {
            Place::Item | Place::MergeItem => frame.live += 1,
            Place::Value => {
                frame.next = Place::Key;
                if let Some(entry) = self.entries.last_mut() {
                    entry.value_end = self.out.len();
                    entry.line = line;
                    if entry.repeats && self.on_duplicates != DuplicateKeys::Ignore {
                        let entry = *entry;
                        self.note_duplicate(&entry);
                    }
                }
                if self.bad_keys.last().is_some_and(|(at, _)| *at == depth) {
                    self.end_bad_key();
                }
            }
            Place::Merge => {
                // Only a scalar gets here, and that was refused already.
                frame.next = Place::Key;
            }
            Place::Root | Place::Key => {}
        }
    }

    #[cold]
    fn end_bad_key(&mut self) {
        if let (Some((_, problem)), Some(entry)) = (self.bad_keys.pop(), self.entries.last()) {
            self.unsupported_keys.push((*entry, problem));
        }
    }

    /// Returns the text of a range of the output, without what was cut from it.
    fn clean(&self, start: usize, end: usize) -> Vec<u8> {
        let inside: Vec<_> = self.cuts.iter().copied().filter(|cut| cut.0 >= start && cut.1 <= end).collect();
        let cuts = normalize(&inside);
        pieces(start, end, &cuts)
            .flat_map(|(from, to)| self.out.get(from..to).unwrap_or_default())
            .copied()
            .collect()
    }

    #[cold]
    fn note_duplicate(&mut self, entry: &Entry) {
        let json = self.out.get(entry.key_start..entry.key_end).unwrap_or_default();
        let text: String = serde_json::from_slice(json).unwrap_or_default();
        let key = match entry.kind {
            KeyKind::Str => {
                let mut quoted = String::new();
                quote(&text, &mut quoted);
                quoted
            }
            KeyKind::Null => "<nil>".to_owned(),
            KeyKind::Uint => format!("{:#x}", text.parse::<u64>().unwrap_or_default()),
            // No NaN equals another.
            KeyKind::Float if text == ".nan" => return,
            KeyKind::Bool | KeyKind::Int | KeyKind::Float => text,
        };
        self.keep_duplicate(DuplicateKey { line: entry.line + 1, key });
    }

    /// Keeps a duplicate for the report, unless that is long enough: an alias finds those of its node again, and
    /// so a short document many times as many.
    pub(super) fn keep_duplicate(&mut self, duplicate: DuplicateKey) {
        let kept = self.duplicate_bytes.saturating_add(duplicate.key.len());
        if self.duplicates.len() < MAX_DUPLICATES && kept <= MAX_DUPLICATE_BYTES {
            self.duplicate_bytes = kept;
            self.duplicates.push(duplicate);
        }
    }

    fn open(&mut self, shape: Shape) {
        let (anchor, line) = (self.parser.node.anchor, self.parser.node.line);
        let place = self.place();
        let decoded = self.decoded;
        // A list of mappings to merge is not decoded itself.
        let merge_list = place == Place::Merge && shape == Shape::Sequence;
        if !merge_list {
            self.count();
        }
        if place == Place::MergeItem && shape == Shape::Sequence {
            self.fail_merge();
        }
        self.separate(place);
        let anchor = anchor.map(|name| self.define_anchor(name));
        let frame = Frame {
            shape,
            place,
            start: self.out.len(),
            line,
            anchor,
            decoded,
            cuts: self.cuts.len(),
            duplicates: self.duplicates.len(),
            entries: self.entries.len(),
            sources: self.sources.len(),
            live: 0,
            next: match shape {
                Shape::Mapping => Place::Key,
                Shape::Sequence if merge_list => Place::MergeItem,
                Shape::Sequence => Place::Item,
            },
            index: None,
        };
        self.frames.push(frame);
        self.out.push(if shape == Shape::Mapping { b'{' } else { b'[' });
    }

    fn close(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        self.out.push(if frame.shape == Shape::Mapping { b'}' } else { b']' });
        let end = self.out.len();
        let mapping = frame.shape == Shape::Mapping;
        let wanted = frame.anchor.is_some() || matches!(frame.place, Place::Merge | Place::MergeItem);
        let entries: Rc<[Entry]> = match self.entries.get(frame.entries..) {
            Some(entries) if wanted && mapping => entries.iter().filter(|e| e.alive).copied().collect(),
            _ => Rc::default(),
        };
        self.entries.truncate(frame.entries);
        let cuts = (frame.cuts, self.cuts.len());
        if let Some(anchor) = frame.anchor.and_then(|index| self.anchors.get_mut(index)) {
            anchor.node = if mapping {
                Anchored::Mapping { start: frame.start, end, entries: Rc::clone(&entries) }
            } else {
                Anchored::Sequence { start: frame.start, end }
            };
            anchor.decoded = self.decoded - frame.decoded;
            anchor.cuts = cuts;
            anchor.duplicates = (frame.duplicates, self.duplicates.len());
        }
        match frame.place {
            Place::Root | Place::Item | Place::Value => self.end_value(frame.place, frame.line),
            Place::MergeItem => {
                self.sources.push(Source { entries, cuts });
                self.end_value(frame.place, frame.line);
            }
            Place::Merge => {
                self.cuts.push((frame.start, end));
                let sources = if mapping {
                    vec![Source { entries, cuts }]
                } else {
                    self.sources.split_off(frame.sources.min(self.sources.len()))
                };
                self.merge(&sources);
            }
            Place::Key => {
                self.refuse_key(frame.start, end);
                self.cuts.push((frame.start, end));
                self.key(Meaning::Str, b"");
            }
        }
    }

    pub(super) fn refuse_key(&mut self, start: usize, end: usize) {
        let key = self.clean(start, end);
        self.fail(format!("invalid map key: {}", render(&key)));
    }
}

/// Writes a key, which JSON wants as a string whatever it was.
#[inline]
fn write_key(meaning: Meaning, text: &[u8], out: &mut Vec<u8>) -> KeyKind {
    let kind = match meaning {
        Meaning::Str => {
            write_string(text, out);
            return KeyKind::Str;
        }
        Meaning::Null => KeyKind::Null,
        Meaning::Bool(_) => KeyKind::Bool,
        Meaning::Int(_) => KeyKind::Int,
        Meaning::Uint(_) => KeyKind::Uint,
        Meaning::Float(_) => KeyKind::Float,
    };
    out.push(b'"');
    match meaning {
        Meaning::Float(value) => write_key_float(value, out),
        _ => write_meaning(meaning, text, out),
    }
    out.push(b'"');
    kind
}
