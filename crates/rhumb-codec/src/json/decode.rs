//! JSON decoder: from the scanner directly into fields.

use std::collections::HashSet;
use std::str::FromStr;

use rhumb_schema::text::{RawKey, Scanner, SyntaxError, decode_base64, tree_number};
use rhumb_schema::{
    DecodeError, JsonForm, Leaf, List, MAX_DEPTH, Map, Problem, Received, Segment, Source, Struct,
    StructDesc, Union, Value, ViewMut, is_retired,
};
use serde_json::{Map as JsonMap, Value as Json};

use super::sort::sort_keys;
use crate::strict::{Notes, Strictness};

/// Decodes JSON into a value. Unknown fields are ignored or noted, depending on the strictness.
///
/// # Errors
/// If the text is no JSON, or something of another type stands where a field is.
pub fn decode_into(json: &[u8], value: &mut dyn Value, strictness: Strictness) -> Result<Notes, DecodeError> {
    decode_with(json, value, &Reading { strictness, ..Reading::default() })
}

/// Handling of values whose type doesn't fit their field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// The first one is the error.
    #[default]
    Fails,
    /// They are passed over.
    Skipped,
}

/// Handling of objects kept as raw JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RawKeys {
    /// They are kept as they stand.
    #[default]
    AsTheyStand,
    /// Their keys are sorted.
    Sorted,
}

/// Options of a decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) strictness: Strictness,
    pub(crate) unfit: Unfit,
    pub(crate) raw_keys: RawKeys,
}

/// Fills a value from JSON text, with all there is to choose.
pub(crate) fn decode_with(
    json: &[u8],
    value: &mut dyn Value,
    reading: &Reading,
) -> Result<Notes, DecodeError> {
    let mut decoder = Decoder::new(json, reading);
    decoder.retired = is_retired(value);
    let filled = if decoder.null().map_err(|error| *error)? {
        value.reset();
        Ok(())
    } else {
        value.receive(&mut decoder)
    };
    filled.and_then(|()| decoder.scanner.end().map_err(syntax)).map_err(|error| *error)?;
    Ok(decoder.notes)
}

/// Decodes any JSON into a tree, noting duplicate keys if wanted.
///
/// # Errors
/// If the text is no JSON.
pub fn decode_tree(json: &[u8], strictness: Strictness) -> Result<(Json, Notes), DecodeError> {
    let mut tree = Json::Null;
    let notes = decode_into(json, &mut tree, strictness)?;
    Ok((tree, notes))
}

/// Larger than the number of fields of any struct, to number fields in nested inlined structs.
const INLINE_STEP: usize = 1 << 10;
/// Position of unknown fields.
const NO_POSITION: usize = usize::MAX;
/// A few bytes of text (`{},`) can stand for a struct of a kilobyte. Elements of lists and entries of maps are charged
/// to a budget of this many times the text's length, plus the floor; real objects use less than a tenth of it.
const BUDGET_FACTOR: usize = 32;
const BUDGET_FLOOR: usize = 1 << 20;

pub(super) struct Decoder<'a> {
    scanner: Scanner<'a>,
    depth: usize,
    budget: usize,
    notes: Notes,
    unfit: Unfit,
    raw_keys: RawKeys,
    /// Whether the object is of a retired kind.
    retired: bool,
}

#[cold]
fn syntax(error: SyntaxError) -> Box<DecodeError> {
    if error.is_depth() { fail(Problem::Depth) } else { fail(Problem::Syntax(error.to_string())) }
}

#[cold]
fn fail(problem: Problem) -> Box<DecodeError> {
    Box::new(problem.into())
}

impl<'a> Decoder<'a> {
    pub(super) fn new(json: &'a [u8], reading: &Reading) -> Self {
        Decoder {
            scanner: Scanner::whole(json),
            depth: 0,
            budget: json.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_FLOOR),
            notes: Notes::new(reading.strictness),
            unfit: reading.unfit,
            raw_keys: reading.raw_keys,
            retired: false,
        }
    }

    /// Returns the number of bytes read.
    pub(super) fn offset(&self) -> usize {
        self.scanner.offset()
    }

    /// Reads the next element of a list; false at the list's end.
    pub(super) fn element(
        &mut self,
        index: usize,
        size: usize,
        into: &mut dyn List,
    ) -> Result<bool, Box<DecodeError>> {
        if !self.scanner.next_element(index == 0).map_err(syntax)? {
            return Ok(false);
        }
        self.charge(size)?;
        self.notes.enter_index(index);
        if self.null()? {
            into.push();
        } else {
            into.receive_element(self).map_err(|error| at(error, Segment::Index(index)))?;
        }
        self.notes.leave();
        Ok(true)
    }
}

impl Decoder<'_> {
    fn enter(&mut self) -> Received {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(fail(Problem::Depth)) } else { Ok(()) }
    }

    fn charge(&mut self, size: usize) -> Received {
        match self.budget.checked_sub(size) {
            Some(rest) => {
                self.budget = rest;
                Ok(())
            }
            None => Err(fail(Problem::Budget)),
        }
    }

    /// Reports whether `null` comes next, which is passed then.
    #[inline(always)]
    fn null(&mut self) -> Result<bool, Box<DecodeError>> {
        if self.scanner.peek() == Some(b'n') {
            self.pass_literal()?;
            return Ok(true);
        }
        Ok(false)
    }

    #[inline(never)]
    fn pass_literal(&mut self) -> Received {
        self.scanner.literal().map(drop).map_err(syntax)
    }

    /// Reports whether another entry of an object follows, whose key comes next then.
    #[inline(always)]
    fn next_entry(&mut self, first: bool) -> Result<bool, Box<DecodeError>> {
        self.scanner.next_entry(first).map_err(syntax)
    }

    /// Returns the error for a value of another type.
    #[cold]
    fn mismatch(&mut self, want: String) -> Received {
        let got = match self.scanner.peek() {
            None => return Err(syntax(self.scanner.error("looking for beginning of value"))),
            Some(b'{') => "object",
            Some(b'[') => "array",
            Some(b'"') => "string",
            Some(b't' | b'f') => "bool",
            Some(_) => "number",
        };
        // Malformed text is the graver error, so the value is looked at to its end first.
        self.scanner.skip().map_err(syntax)?;
        self.does_not_fit(Problem::Type(got.to_owned(), want))
    }

    /// Returns the error for a value that is not a struct.
    #[cold]
    fn no_object(&mut self, desc: &'static StructDesc) -> Received {
        self.mismatch(format!("{}.{}", desc.version(), desc.name))
    }

    /// Returns a value that was passed doesn't fit its field.
    #[cold]
    fn does_not_fit(&self, problem: Problem) -> Received {
        match self.unfit {
            Unfit::Fails => Err(fail(problem)),
            Unfit::Skipped => Ok(()),
        }
    }

    #[inline]
    fn integer<T: FromStr>(&mut self, name: &str, into: &mut T) -> Received {
        let Some(b'-' | b'0'..=b'9') = self.scanner.peek() else {
            return self.mismatch(name.to_owned());
        };
        let number = self.scanner.number().map_err(syntax)?;
        match number.parse() {
            Ok(value) => *into = value,
            Err(_) => return self.does_not_fit(Problem::Type(format!("number {number}"), name.to_owned())),
        }
        Ok(())
    }

    /// Decodes bytes from a list of numbers, which Go accepts too.
    #[cold]
    fn numbered_bytes(&mut self, into: &mut Vec<u8>) -> Received {
        self.enter()?;
        self.scanner.bump();
        into.clear();
        while self.scanner.next_element(into.is_empty()).map_err(syntax)? {
            let mut byte = 0u8;
            if !self.null()? {
                self.integer("uint8", &mut byte)?;
            }
            into.push(byte);
        }
        self.depth -= 1;
        Ok(())
    }

    /// Decodes a field whose key was read. The owner is the struct whose JSON object has the field.
    #[inline(always)]
    fn field(
        &mut self,
        into: &mut dyn Struct,
        desc: &'static StructDesc,
        position: usize,
        owner: &'static str,
    ) -> Received {
        if self.null()? {
            into.field_mut(position).reset();
            return Ok(());
        }
        into.receive_field(position, self).map_err(|error| at_field(error, desc, position, owner))
    }

    /// Reads the key that comes next and finds its field; the one at the likely position was tried. What the struct
    /// itself doesn't have is dealt with, value and all, and has no position.
    #[inline(never)]
    fn find_field(
        &mut self,
        into: &mut dyn Struct,
        desc: &'static StructDesc,
        likely: usize,
        seen: &mut Vec<(usize, usize)>,
    ) -> Result<usize, Box<DecodeError>> {
        let key = self.scanner.raw_key().map_err(syntax)?;
        match position(desc, &key, likely) {
            Some(position) if exists(desc, position, self.retired) => Ok(position),
            _ => {
                self.other_field(into, desc, &key.text(), seen)?;
                Ok(NO_POSITION)
            }
        }
    }

    /// Notes that a field was entered.
    #[inline(never)]
    fn note_field(&mut self, desc: &'static StructDesc, position: usize, seen: &mut Vec<(usize, usize)>) {
        self.notes.enter_field(desc.fields.get(position).map_or("", |field| field.json));
        self.notes.seen(seen, (position, 0));
    }

    /// Fills a field of one of the structs that are inlined here; false if none has it.
    fn inlined(
        &mut self,
        into: &mut dyn Struct,
        owner: &'static str,
        key: &str,
        seen: &mut Vec<(usize, usize)>,
        depth: usize,
    ) -> Result<bool, Box<DecodeError>> {
        for (outer, desc) in into.desc().inlined() {
            let place = depth * INLINE_STEP + outer + 1;
            let position = desc.position(key.as_bytes(), 0);
            if position.is_none() && desc.find(key).is_none() {
                continue;
            }
            let ViewMut::Struct(inner) = into.field_mut(outer).view_mut() else { continue };
            let Some(position) = position else {
                return self
                    .inlined(inner, owner, key, seen, place)
                    .map_err(|error| at(error, Segment::Inlined(desc.name)));
            };
            if self.notes.is_on() {
                self.notes.enter_field(key);
                self.notes.seen(seen, (position, place));
            }
            self.field(inner, desc, position, owner)
                .map_err(|error| at(error, Segment::Inlined(desc.name)))?;
            self.notes.leave();
            return Ok(true);
        }
        Ok(false)
    }

    /// Returns a field that the struct itself doesn't have: that of an inlined struct, or one that is passed over.
    #[inline(never)]
    fn other_field(
        &mut self,
        into: &mut dyn Struct,
        desc: &'static StructDesc,
        key: &str,
        seen: &mut Vec<(usize, usize)>,
    ) -> Received {
        if key.is_empty() || !self.inlined(into, desc.name, key, seen, 0)? {
            if self.depth == 1 {
                self.notes.outermost_unknown(key);
            }
            self.notes.unknown(key);
            self.scanner.skip().map_err(syntax)?;
        }
        Ok(())
    }

    /// Returns a struct that is no object in JSON.
    #[inline(never)]
    fn other_form(&mut self, into: &mut dyn Struct, desc: &'static StructDesc) -> Received {
        let first = self.scanner.peek();
        if desc.is_union() {
            return match Union::receiver_position(into, first.unwrap_or_default()) {
                // Kubernetes reads what is in a union apart from the rest: errors know no path to it, and what is
                // unknown or twice there is not noted.
                Ok(Some(position)) => {
                    let notes = std::mem::replace(&mut self.notes, Notes::new(Strictness::Ignore));
                    let filled = into.receive_field(position, self);
                    self.notes = notes;
                    filled.map_err(|error| fail(Problem::Leaf(error.to_string())))
                }
                Ok(None) => self.scanner.skip().map(drop).map_err(syntax),
                Err(error) => {
                    self.scanner.skip().map_err(syntax)?;
                    self.does_not_fit(error.problem)
                }
            };
        }
        if first != Some(b'[') {
            return self.no_object(desc);
        }
        into.receive_field(0, self)
    }

    fn tree(&mut self) -> Result<Json, Box<DecodeError>> {
        Ok(match self.scanner.peek() {
            Some(b'"') => Json::String(self.scanner.string().map_err(syntax)?.into_owned()),
            Some(b'{') => {
                self.enter()?;
                self.scanner.bump();
                let mut object = JsonMap::new();
                let mut first = true;
                while self.scanner.next_entry(first).map_err(syntax)? {
                    first = false;
                    let key = self.scanner.key().map_err(syntax)?.into_owned();
                    if self.depth == 1 && key != "kind" && key != "apiVersion" {
                        self.notes.outermost_unknown(&key);
                    }
                    self.notes.enter_field(&key);
                    let value = self.tree()?;
                    if object.insert(key, value).is_some() {
                        self.notes.duplicate();
                    }
                    self.notes.leave();
                }
                self.depth -= 1;
                Json::Object(object)
            }
            Some(b'[') => {
                self.enter()?;
                self.scanner.bump();
                let mut items = Vec::new();
                while self.scanner.next_element(items.is_empty()).map_err(syntax)? {
                    self.notes.enter_index(items.len());
                    items.push(self.tree()?);
                    self.notes.leave();
                }
                self.depth -= 1;
                Json::Array(items)
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.scanner.number().map_err(syntax)?;
                Json::Number(
                    tree_number(number)
                        .ok_or_else(|| fail(Problem::Type(format!("number {number}"), "float64".into())))?,
                )
            }
            _ => match self.scanner.literal().map_err(syntax)? {
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                _ => Json::Null,
            },
        })
    }
}

/// Reports whether a value is a string in a field of any JSON. Like objects and lists it is kept raw, so its escapes
/// must be the usual ones.
fn is_any_text(leaf: &dyn Leaf, first: Option<&u8>) -> bool {
    first == Some(&b'"') && leaf.desc().json_type.is_empty()
}

/// Reports whether objects of these times have the field at a position.
#[inline]
fn exists(desc: &StructDesc, position: usize, retired: bool) -> bool {
    desc.fields.get(position).is_some_and(|field| field.exists(retired))
}

/// Returns the position of the field with a key. Inlined fields have the empty name, so the empty key matches none.
#[inline]
fn position(desc: &StructDesc, key: &RawKey<'_>, likely: usize) -> Option<usize> {
    match key.plain() {
        Some(b"") => None,
        Some(plain) => desc.position(plain, likely),
        None => desc.position(key.text().as_bytes(), likely),
    }
}

#[cold]
fn at_field(
    error: Box<DecodeError>,
    desc: &'static StructDesc,
    position: usize,
    owner: &'static str,
) -> Box<DecodeError> {
    at(error, Segment::Field(owner, desc.fields.get(position).map_or("", |field| field.json)))
}

#[cold]
fn at(mut error: Box<DecodeError>, segment: Segment) -> Box<DecodeError> {
    error.path.push(segment);
    error
}

impl Source for Decoder<'_> {
    fn bool(&mut self, into: &mut bool) -> Received {
        match self.scanner.peek() {
            Some(b't' | b'f') => *into = self.scanner.literal().map_err(syntax)? == "true",
            _ => return self.mismatch("bool".into()),
        }
        Ok(())
    }

    fn int32(&mut self, into: &mut i32) -> Received {
        self.integer("int32", into)
    }

    fn int64(&mut self, into: &mut i64) -> Received {
        self.integer("int64", into)
    }

    fn double(&mut self, into: &mut f64) -> Received {
        let Some(b'-' | b'0'..=b'9') = self.scanner.peek() else {
            return self.mismatch("float64".into());
        };
        let number = self.scanner.number().map_err(syntax)?;
        match number.parse::<f64>() {
            // What is too large for a float parses as infinite.
            Ok(value) if value.is_finite() => *into = value,
            _ => return self.does_not_fit(Problem::Type(format!("number {number}"), "float64".into())),
        }
        Ok(())
    }

    fn str(&mut self, into: &mut String) -> Received {
        if self.scanner.peek() != Some(b'"') {
            return self.mismatch("string".into());
        }
        if let Some(text) = self.scanner.plain_string() {
            *into = text.to_owned();
            return Ok(());
        }
        *into = self.scanner.string().map_err(syntax)?.into_owned();
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Received {
        match self.scanner.peek() {
            Some(b'"') => match decode_base64(&self.scanner.string().map_err(syntax)?) {
                Ok(bytes) => *into = bytes,
                Err(error) => return self.does_not_fit(error.problem),
            },
            Some(b'[') => self.numbered_bytes(into)?,
            _ => return self.mismatch("[]uint8".into()),
        }
        Ok(())
    }

    fn structure(&mut self, into: &mut dyn Struct) -> Received {
        let desc = into.desc();
        if !matches!(desc.form, JsonForm::Object) {
            return self.other_form(into, desc);
        }
        if self.scanner.peek() != Some(b'{') {
            return self.no_object(desc);
        }
        self.enter()?;
        self.scanner.bump();
        let mut seen = Vec::new();
        let mut likely = 0;
        let mut more = self.next_entry(true)?;
        while more {
            // The next field of the table is tried as it would stand in the text, before the key is read for itself.
            let position = match desc.fields.get(likely) {
                Some(field) if field.exists(self.retired) && self.scanner.pass(&field.json_key) => likely,
                _ => self.find_field(into, desc, likely, &mut seen)?,
            };
            if position != NO_POSITION {
                likely = position + 1;
                if self.notes.is_on() {
                    self.note_field(desc, position, &mut seen);
                }
                self.field(into, desc, position, desc.name)?;
                self.notes.leave();
            }
            more = self.next_entry(false)?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn list(&mut self, into: &mut dyn List) -> Received {
        if self.scanner.peek() != Some(b'[') {
            return self.mismatch(format!("[]{}", into.element_shape().go_type()));
        }
        self.enter()?;
        self.scanner.bump();
        into.clear();
        let size = into.element_size();
        let mut index = 0;
        while self.element(index, size, into)? {
            index += 1;
        }
        self.depth -= 1;
        Ok(())
    }

    fn map(&mut self, into: &mut dyn Map) -> Received {
        if self.scanner.peek() != Some(b'{') {
            return self.mismatch(match &*into.value_shape().go_type() {
                // The only map of these has a name in Go.
                "resource.Quantity" => "v1.ResourceList".to_owned(),
                value => format!("map[string]{value}"),
            });
        }
        self.enter()?;
        self.scanner.bump();
        let size = into.entry_size();
        // A second object for the same map adds to the first one, whose keys are no duplicates then.
        let mut seen = (self.notes.is_on() && !into.is_empty()).then(HashSet::new);
        let mut first = true;
        while self.scanner.next_entry(first).map_err(syntax)? {
            first = false;
            let key = self.scanner.key().map_err(syntax)?;
            self.charge(size)?;
            let before = into.len();
            let is_new = seen.as_mut().map(|seen| seen.insert(key.clone()));
            self.notes.enter_field(&key);
            if self.null()? {
                into.insert(key.into_owned());
            } else {
                into.receive_entry(key.clone().into_owned(), self)
                    .map_err(|error| at(error, Segment::Key(key.into_owned())))?;
            }
            if !is_new.unwrap_or(into.len() > before) {
                self.notes.duplicate();
            }
            self.notes.leave();
        }
        self.depth -= 1;
        Ok(())
    }

    fn leaf(&mut self, into: &mut dyn Leaf) -> Received {
        let json = self.scanner.skip().map_err(syntax)?;
        let mut sorted = Vec::new();
        let json = match (self.raw_keys, json.first()) {
            (RawKeys::Sorted, first) if matches!(first, Some(b'{' | b'[')) || is_any_text(into, first) => {
                sort_keys(json, &mut sorted).map_err(syntax)?;
                &sorted
            }
            _ => json,
        };
        into.read_json(json).map_err(|error| fail(error.into()))
    }

    fn json(&mut self, into: &mut Json) -> Received {
        *into = self.tree()?;
        Ok(())
    }
}
