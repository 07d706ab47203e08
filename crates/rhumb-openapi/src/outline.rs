//! Version 2 document, split where entries of custom resources are inserted.
//!
//! What custom resources add is written apart from it ([`entries`]), each definition by itself, and put between its
//! parts as bytes. So whoever serves the document writes again only what has changed.

use std::collections::BTreeSet;

use rhumb_schema::wire::put_varint;
use serde_json::Value;

use crate::document::{ObjectText, member};
use crate::protobuf;

/// Format of a version 2 document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// JSON text.
    Json,
    /// The protobuf message `openapi.v2.Document`.
    Protobuf,
}

/// Sections with entries of custom resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Paths.
    Paths,
    /// Definitions.
    Definitions,
}

impl Section {
    fn name(self) -> &'static str {
        match self {
            Section::Paths => "paths",
            Section::Definitions => "definitions",
        }
    }

    fn number(self) -> u32 {
        match self {
            Section::Paths => 8,
            Section::Definitions => 9,
        }
    }
}

/// Field number of the section of shared parameters.
const PARAMETERS: u32 = 10;

/// Version 2 document: `head`, the two sections, each between [`Outline::open`] and [`Outline::close`], and `tail`.
#[derive(Clone, Debug)]
pub struct Outline {
    form: Form,
    /// Bytes before the sections.
    pub head: Vec<u8>,
    /// The entries of the section of paths.
    pub paths: Vec<u8>,
    /// The entries of the section of definitions.
    pub definitions: Vec<u8>,
    /// Bytes after the sections.
    pub tail: Vec<u8>,
    /// The names of all entries of both sections.
    pub names: BTreeSet<String>,
}

impl Outline {
    /// The beginning of a document, with the server's name and version.
    pub(crate) fn new(form: Form, info: &Value) -> Self {
        let head = match form {
            Form::Json => {
                let mut text = ObjectText::new();
                text.member("swagger", &"2.0".into());
                text.member("info", info);
                text.into_open()
            }
            Form::Protobuf => protobuf::head(info),
        };
        let (paths, definitions, tail) = (Vec::new(), Vec::new(), Vec::new());
        Outline { form, head, paths, definitions, tail, names: BTreeSet::new() }
    }

    /// Adds an entry.
    pub(crate) fn add(&mut self, section: Section, name: &str, value: &Value) {
        let out = match section {
            Section::Paths => &mut self.paths,
            Section::Definitions => &mut self.definitions,
        };
        entry(self.form, section, name, value, out);
        self.names.insert(name.to_owned());
    }

    /// Ends the document with what operations share, and with how clients say who they are.
    pub(crate) fn end<'a>(
        &mut self,
        parameters: impl Iterator<Item = (&'a String, &'a Value)>,
        definitions: &Value,
        requirements: &Value,
    ) {
        let mut body = Vec::new();
        match self.form {
            Form::Json => {
                parameters.for_each(|(name, value)| member(name, value, &mut body));
                self.tail.extend(open(self.form, "parameters", PARAMETERS, body.len()));
                self.tail.append(&mut body);
                self.tail.extend(self.close());
                for (name, value) in [("securityDefinitions", definitions), ("security", requirements)] {
                    member(name, value, &mut self.tail);
                }
                self.tail.push(b'}');
            }
            Form::Protobuf => {
                parameters.for_each(|(name, value)| protobuf::parameter(name, value, &mut body));
                self.tail.extend(open(self.form, "parameters", PARAMETERS, body.len()));
                self.tail.append(&mut body);
                protobuf::security(definitions, requirements, &mut self.tail);
            }
        }
    }

    /// Returns the bytes before the entries of a section, given their length.
    pub fn open(&self, section: Section, length: usize) -> Vec<u8> {
        open(self.form, section.name(), section.number(), length)
    }

    /// Returns the bytes between two entries.
    pub fn between(&self) -> &'static [u8] {
        match self.form {
            Form::Json => b",",
            Form::Protobuf => b"",
        }
    }

    /// Returns the bytes after the entries of a section.
    pub fn close(&self) -> &'static [u8] {
        match self.form {
            Form::Json => b"}",
            Form::Protobuf => b"",
        }
    }

    /// Returns the document as it is without custom resources.
    pub fn whole(&self) -> Vec<u8> {
        let section = |section, entries: &Vec<u8>| {
            [&*self.open(section, entries.len()), entries, self.close()].concat()
        };
        let paths = section(Section::Paths, &self.paths);
        let definitions = section(Section::Definitions, &self.definitions);
        [&*self.head, &paths, &definitions, &self.tail].concat()
    }
}

fn open(form: Form, name: &str, number: u32, length: usize) -> Vec<u8> {
    match form {
        Form::Json => format!(",\"{name}\":{{").into_bytes(),
        Form::Protobuf => {
            let mut out = Vec::new();
            put_varint(u64::from(number << 3 | 2), &mut out);
            put_varint(length as u64, &mut out);
            out
        }
    }
}

fn entry(form: Form, section: Section, name: &str, value: &Value, out: &mut Vec<u8>) {
    match form {
        Form::Json => member(name, value, out),
        Form::Protobuf => protobuf::entry(section, name, value, out),
    }
}

/// Entries of a section as they stand in the document, for [`Outline::between`] others.
pub fn entries<'a>(
    form: Form,
    section: Section,
    entries: impl Iterator<Item = (&'a String, &'a Value)>,
) -> Vec<u8> {
    let mut out = Vec::new();
    entries.for_each(|(name, value)| entry(form, section, name, value, &mut out));
    out
}
