//! JSON text into described values, straight from the scanner into the fields.

use std::borrow::Cow;
use std::str::FromStr;

use rhumb_schema::text::{Scanner, SyntaxError, decode_base64};
use rhumb_schema::{
    DecodeError, Leaf, List, MAX_DEPTH, Map, Problem, Received, Segment, Source, Struct, StructDesc, Value, ViewMut,
};
use serde_json::{Map as JsonMap, Number, Value as Json};

use crate::strict::{Notes, Strictness};

/// Fills a value from JSON text. What the value doesn't have is passed over, or noted if that was asked for.
///
/// # Errors
/// If the text is no JSON, or something of another type stands where a field is.
pub fn decode_into(json: &[u8], value: &mut dyn Value, strictness: Strictness) -> Result<Notes, DecodeError> {
    let mut decoder = Decoder {
        scanner: Scanner::whole(json),
        depth: 0,
        budget: json.len().saturating_mul(BUDGET_FACTOR).saturating_add(BUDGET_FLOOR),
        notes: Notes::new(strictness),
    };
    let filled = if decoder.null().map_err(|error| *error)? {
        value.reset();
        Ok(())
    } else {
        value.receive(&mut decoder)
    };
    filled.and_then(|()| decoder.scanner.end().map_err(syntax)).map_err(|error| *error)?;
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
fn syntax(error: SyntaxError) -> Box<DecodeError> {
    if error.is_depth() { fail(Problem::Depth) } else { fail(Problem::Syntax(error.to_string())) }
}

#[cold]
fn fail(problem: Problem) -> Box<DecodeError> {
    Box::new(problem.into())
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

    /// Whether `null` comes next, which is passed then.
    #[inline]
    fn null(&mut self) -> Result<bool, Box<DecodeError>> {
        if self.scanner.peek() == Some(b'n') {
            self.scanner.literal().map_err(syntax)?;
            return Ok(true);
        }
        Ok(false)
    }

    /// What comes next is not what the value is.
    #[cold]
    fn mismatch(&mut self, want: String) -> Box<DecodeError> {
        let got = match self.scanner.peek() {
            None => return syntax(self.scanner.error("looking for beginning of value")),
            Some(b'{') => "object",
            Some(b'[') => "array",
            Some(b'"') => "string",
            Some(b't' | b'f') => "bool",
            Some(_) => "number",
        };
        // Malformed text is the graver error, so the value is looked at to its end first.
        match self.scanner.skip() {
            Err(error) => syntax(error),
            Ok(_) => fail(Problem::Type(got.to_owned(), want)),
        }
    }

    #[inline]
    fn integer<T: FromStr>(&mut self, name: &str, into: &mut T) -> Received {
        let Some(b'-' | b'0'..=b'9') = self.scanner.peek() else {
            return Err(self.mismatch(name.to_owned()));
        };
        let number = self.scanner.number().map_err(syntax)?;
        match number.parse() {
            Ok(value) => *into = value,
            Err(_) => return Err(fail(Problem::Type(format!("number {number}"), name.to_owned()))),
        }
        Ok(())
    }

    /// One field of a struct, whose key was just read.
    #[inline]
    fn field(&mut self, into: &mut dyn Struct, desc: &'static StructDesc, position: usize) -> Received {
        if self.null()? {
            into.field_mut(position).reset();
            return Ok(());
        }
        into.receive_field(position, self).map_err(|error| {
            let json = desc.fields.get(position).map_or("", |field| field.json);
            at(error, Segment::Field(desc.name, json))
        })
    }

    /// Fills a field of one of the structs that are inlined here; false if none has it.
    fn inlined(
        &mut self,
        into: &mut dyn Struct,
        key: &str,
        seen: &mut Vec<(usize, usize)>,
    ) -> Result<bool, Box<DecodeError>> {
        for (outer, desc) in into.desc().inlined() {
            if desc.find(key).is_none() {
                continue;
            }
            let ViewMut::Struct(inner) = into.field_mut(outer).view_mut() else { continue };
            let Some(position) = desc.position(key.as_bytes(), 0) else {
                return self.inlined(inner, key, seen);
            };
            if self.notes.is_on() {
                self.notes.enter_field(key);
                self.notes.seen(seen, (position, outer + 1));
            }
            self.field(inner, desc, position)?;
            self.notes.leave();
            return Ok(true);
        }
        Ok(false)
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

#[cold]
fn at(mut error: Box<DecodeError>, segment: Segment) -> Box<DecodeError> {
    error.path.push(segment);
    error
}

impl Source for Decoder<'_> {
    fn bool(&mut self, into: &mut bool) -> Received {
        match self.scanner.peek() {
            Some(b't' | b'f') => *into = self.scanner.literal().map_err(syntax)? == "true",
            _ => return Err(self.mismatch("bool".into())),
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
        let mut value = 0.0f64;
        self.integer("float64", &mut value)?;
        // What is too large for a float parses as infinite.
        if value.is_infinite() {
            return Err(fail(Problem::Type("number".into(), "float64".into())));
        }
        *into = value;
        Ok(())
    }

    fn str(&mut self, into: &mut String) -> Received {
        if self.scanner.peek() != Some(b'"') {
            return Err(self.mismatch("string".into()));
        }
        match self.scanner.string().map_err(syntax)? {
            Cow::Borrowed(text) => {
                into.clear();
                into.push_str(text);
            }
            Cow::Owned(text) => *into = text,
        }
        Ok(())
    }

    fn bytes(&mut self, into: &mut Vec<u8>) -> Received {
        if self.scanner.peek() != Some(b'"') {
            return Err(self.mismatch("[]uint8".into()));
        }
        *into = decode_base64(&self.scanner.string().map_err(syntax)?)?;
        Ok(())
    }

    fn structure(&mut self, into: &mut dyn Struct) -> Received {
        let desc = into.desc();
        if desc.transparent {
            return into.receive_field(0, self);
        }
        if self.scanner.peek() != Some(b'{') {
            return Err(self.mismatch(format!("{}.{}", desc.version(), desc.name)));
        }
        self.enter()?;
        self.scanner.bump();
        let mut seen = Vec::new();
        let mut likely = 0;
        let mut first = true;
        while self.scanner.next_entry(first).map_err(syntax)? {
            first = false;
            let key = self.scanner.key().map_err(syntax)?;
            match desc.position(key.as_bytes(), likely) {
                Some(position) => {
                    likely = position + 1;
                    if self.notes.is_on() {
                        self.notes.enter_field(&key);
                        self.notes.seen(&mut seen, (position, 0));
                    }
                    self.field(into, desc, position)?;
                    self.notes.leave();
                }
                None => {
                    if !self.inlined(into, &key, &mut seen)? {
                        self.notes.unknown(&key);
                        self.scanner.skip().map_err(syntax)?;
                    }
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }

    fn list(&mut self, into: &mut dyn List) -> Received {
        if self.scanner.peek() != Some(b'[') {
            return Err(self.mismatch(format!("[]{}", into.element_shape().go_type())));
        }
        self.enter()?;
        self.scanner.bump();
        into.clear();
        let size = into.element_size();
        let mut index = 0;
        while self.scanner.next_element(index == 0).map_err(syntax)? {
            self.charge(size)?;
            self.notes.enter_index(index);
            if self.null()? {
                into.push();
            } else {
                into.receive_element(self).map_err(|error| at(error, Segment::Index(index)))?;
            }
            self.notes.leave();
            index += 1;
        }
        self.depth -= 1;
        Ok(())
    }

    fn map(&mut self, into: &mut dyn Map) -> Received {
        if self.scanner.peek() != Some(b'{') {
            return Err(self.mismatch(format!("map[string]{}", into.value_shape().go_type())));
        }
        self.enter()?;
        self.scanner.bump();
        let size = into.entry_size();
        let mut first = true;
        while self.scanner.next_entry(first).map_err(syntax)? {
            first = false;
            let key = self.scanner.key().map_err(syntax)?;
            self.charge(size)?;
            let before = into.len();
            self.notes.enter_field(&key);
            if self.null()? {
                into.insert(key.into_owned());
            } else {
                into.receive_entry(key.clone().into_owned(), self)
                    .map_err(|error| at(error, Segment::Key(key.into_owned())))?;
            }
            if into.len() == before {
                self.notes.duplicate();
            }
            self.notes.leave();
        }
        self.depth -= 1;
        Ok(())
    }

    fn leaf(&mut self, into: &mut dyn Leaf) -> Received {
        let json = self.scanner.skip().map_err(syntax)?;
        into.read_json(json).map_err(|error| fail(error.into()))
    }

    fn json(&mut self, into: &mut Json) -> Received {
        *into = self.tree()?;
        Ok(())
    }
}

/// Integers stay integers as long as 64 bits hold them; everything else is a float, as in Kubernetes.
fn tree_number(text: &str) -> Result<Number, Box<DecodeError>> {
    if let Ok(value) = text.parse::<i64>() {
        return Ok(value.into());
    }
    if let Ok(value) = text.parse::<u64>() {
        return Ok(value.into());
    }
    let value: Option<f64> = text.parse().ok();
    value
        .and_then(Number::from_f64)
        .ok_or_else(|| fail(Problem::Type(format!("number {text}"), "float64".into())))
}
