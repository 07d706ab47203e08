//! JSON text into described values, straight from the scanner into the fields.

use std::borrow::Cow;

use rhumb_schema::text::{Scanner, SyntaxError, decode_base64};
use rhumb_schema::{DecodeError, List, MAX_DEPTH, Map, Problem, Segment, Struct, Value, ViewMut};
use serde_json::{Map as JsonMap, Number, Value as Json};

use crate::strict::{Notes, Strictness};

/// Fills a value from JSON text. What the value doesn't have is passed over, or noted if that was asked for.
///
/// # Errors
/// If the text is no JSON, or something of another type stands where a field is.
pub fn decode_into(json: &[u8], value: &mut dyn Value, strictness: Strictness) -> Result<Notes, DecodeError> {
    let mut decoder = Decoder {
        scanner: Scanner::new(json),
        depth: 0,
        budget: json.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_FLOOR),
        notes: Notes::new(strictness),
    };
    decoder.value(value)?;
    decoder.scanner.end().map_err(syntax)?;
    Ok(decoder.notes)
}

/// Reads any JSON text into a tree, noting duplicate keys if that was asked for.
///
/// # Errors
/// If the text is no JSON.
pub fn decode_tree(json: &[u8], strictness: Strictness) -> Result<(Json, Notes), DecodeError> {
    let mut tree = Json::Null;
    let notes = decode_into(json, &mut tree, strictness)?;
    Ok((tree, notes))
}

/// A few bytes of text (`{},`) can stand for a struct of a kilobyte. Elements of lists and entries of maps are charged
/// to a budget of this many times the text's length, plus the floor; real objects use less than a tenth of it.
const BUDGET_FACTOR: usize = 64;
const BUDGET_FLOOR: usize = 1 << 20;

struct Decoder<'a> {
    scanner: Scanner<'a>,
    depth: usize,
    budget: usize,
    notes: Notes,
}

#[cold]
fn syntax(error: SyntaxError) -> DecodeError {
    if error.is_depth() { Problem::Depth.into() } else { Problem::Syntax(error.to_string()).into() }
}

impl Decoder<'_> {
    fn enter(&mut self) -> Result<(), DecodeError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(Problem::Depth.into()) } else { Ok(()) }
    }

    fn charge(&mut self, size: usize) -> Result<(), DecodeError> {
        self.budget = self.budget.checked_sub(size).ok_or(Problem::Budget)?;
        Ok(())
    }

    fn value(&mut self, value: &mut dyn Value) -> Result<(), DecodeError> {
        let Some(first) = self.scanner.peek() else {
            return Err(syntax(self.scanner.error("looking for beginning of value")));
        };
        if first == b'n' {
            self.scanner.literal().map_err(syntax)?;
            value.reset();
            return Ok(());
        }
        match (value.view_mut(), first) {
            (ViewMut::Str(slot), b'"') => match self.scanner.string().map_err(syntax)? {
                Cow::Borrowed(text) => {
                    slot.clear();
                    slot.push_str(text);
                }
                Cow::Owned(text) => *slot = text,
            },
            (ViewMut::Struct(slot), _) if slot.desc().transparent => self.value(slot.field_mut(0))?,
            (ViewMut::Struct(slot), b'{') => self.object(slot)?,
            (ViewMut::List(slot), b'[') => self.list(slot)?,
            (ViewMut::Map(slot), b'{') => self.map(slot)?,
            (ViewMut::Bool(slot), b't' | b'f') => {
                *slot = self.scanner.literal().map_err(syntax)? == "true";
            }
            (ViewMut::Int32(slot), b'-' | b'0'..=b'9') => *slot = self.integer("int32")?,
            (ViewMut::Int64(slot), b'-' | b'0'..=b'9') => *slot = self.integer("int64")?,
            (ViewMut::Double(slot), b'-' | b'0'..=b'9') => {
                let number = self.scanner.number().map_err(syntax)?;
                *slot = number
                    .parse()
                    .ok()
                    .filter(|value: &f64| value.is_finite())
                    .ok_or_else(|| Problem::Type(format!("number {number}"), "float64".into()))?;
            }
            (ViewMut::Bytes(slot), b'"') => *slot = decode_base64(&self.scanner.string().map_err(syntax)?)?,
            (ViewMut::Leaf(slot), _) => {
                let json = self.scanner.skip().map_err(syntax)?;
                slot.read_json(json).map_err(Problem::from)?;
            }
            (ViewMut::Json(slot), _) => *slot = self.tree()?,
            (other, _) => {
                let want = other.shape_name();
                return Err(self.mismatch(first, want));
            }
        }
        Ok(())
    }

    #[cold]
    fn mismatch(&mut self, first: u8, want: String) -> DecodeError {
        // Malformed text is the graver error, so the value is looked at to its end first.
        if let Err(error) = self.scanner.skip() {
            return syntax(error);
        }
        let got = match first {
            b'{' => "object",
            b'[' => "array",
            b'"' => "string",
            b't' | b'f' => "bool",
            _ => "number",
        };
        Problem::Type(got.to_owned(), want).into()
    }

    #[inline]
    fn integer<T: std::str::FromStr>(&mut self, name: &str) -> Result<T, DecodeError> {
        let number = self.scanner.number().map_err(syntax)?;
        number.parse().map_err(|_| Problem::Type(format!("number {number}"), name.to_owned()).into())
    }

    fn object(&mut self, slot: &mut dyn Struct) -> Result<(), DecodeError> {
        self.enter()?;
        self.scanner.bump();
        let desc = slot.desc();
        let mut seen = Vec::new();
        let mut likely = 0;
        let mut first = true;
        while self.scanner.next_entry(first).map_err(syntax)? {
            first = false;
            let key = self.scanner.key().map_err(syntax)?;
            match desc.position(key.as_bytes(), likely) {
                Some(position) => {
                    likely = position + 1;
                    let json = desc.fields.get(position).map_or("", |field| field.json);
                    if self.notes.is_on() {
                        self.notes.enter_field(json);
                        self.notes.seen(&mut seen, (position, 0));
                    }
                    self.value(slot.field_mut(position))
                        .map_err(|error| error.at(Segment::Field(desc.name, json)))?;
                    self.notes.leave();
                }
                None => {
                    if !self.inlined(slot, &key, &mut seen)? {
                        self.notes.unknown(&key);
                        self.scanner.skip().map_err(syntax)?;
                    }
                    // Fields of an inlined struct come one after the other; this struct's own go on behind them.
                    likely = 0;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    /// Fills a field of one of the structs that are inlined here; false if none has it.
    fn inlined(
        &mut self,
        slot: &mut dyn Struct,
        key: &str,
        seen: &mut Vec<(usize, usize)>,
    ) -> Result<bool, DecodeError> {
        for (outer, desc) in slot.desc().inlined() {
            if desc.find(key).is_none() {
                continue;
            }
            let ViewMut::Struct(inner) = slot.field_mut(outer).view_mut() else { continue };
            let Some(position) = desc.position(key.as_bytes(), 0) else {
                return self.inlined(inner, key, seen);
            };
            let json = desc.fields.get(position).map_or("", |field| field.json);
            if self.notes.is_on() {
                self.notes.enter_field(json);
                self.notes.seen(seen, (position, outer + 1));
            }
            self.value(inner.field_mut(position)).map_err(|error| error.at(Segment::Field(desc.name, json)))?;
            self.notes.leave();
            return Ok(true);
        }
        Ok(false)
    }

    fn list(&mut self, slot: &mut dyn List) -> Result<(), DecodeError> {
        self.enter()?;
        self.scanner.bump();
        slot.clear();
        let size = slot.element_size();
        let mut index = 0;
        while self.scanner.next_element(index == 0).map_err(syntax)? {
            self.charge(size)?;
            self.notes.enter_index(index);
            self.value(slot.push()).map_err(|error| error.at(Segment::Index(index)))?;
            self.notes.leave();
            index += 1;
        }
        self.depth -= 1;
        Ok(())
    }

    fn map(&mut self, slot: &mut dyn Map) -> Result<(), DecodeError> {
        self.enter()?;
        self.scanner.bump();
        let size = slot.entry_size();
        let mut first = true;
        while self.scanner.next_entry(first).map_err(syntax)? {
            first = false;
            let key = self.scanner.key().map_err(syntax)?;
            self.charge(size)?;
            let before = slot.len();
            let key = key.into_owned();
            self.notes.enter_field(&key);
            let entry = slot.insert(key.clone());
            self.value(entry).map_err(|error| error.at(Segment::Key(key)))?;
            if slot.len() == before {
                self.notes.duplicate();
            }
            self.notes.leave();
        }
        self.depth -= 1;
        Ok(())
    }

    fn tree(&mut self) -> Result<Json, DecodeError> {
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
                Json::Number(tree_number(number)?)
            }
            _ => match self.scanner.literal().map_err(syntax)? {
                "true" => Json::Bool(true),
                "false" => Json::Bool(false),
                _ => Json::Null,
            },
        })
    }
}

/// Integers stay integers as long as 64 bits hold them; everything else is a float, as in Kubernetes.
fn tree_number(text: &str) -> Result<Number, DecodeError> {
    if let Ok(value) = text.parse::<i64>() {
        return Ok(value.into());
    }
    if let Ok(value) = text.parse::<u64>() {
        return Ok(value.into());
    }
    let value: Option<f64> = text.parse().ok();
    value
        .and_then(Number::from_f64)
        .ok_or_else(|| Problem::Type(format!("number {text}"), "float64".into()).into())
}
