//! Every list, map and text of a kind, found in its table.

use std::collections::HashSet;

use rhumb_schema::{FieldDesc, LeafDesc, Shape, StructDesc};

/// A step on the way into an object.
#[derive(Clone, Copy)]
pub(crate) enum Step {
    /// A field by its name in JSON.
    Field(&'static FieldDesc),
    /// Any element of a list of these.
    Element(&'static Shape),
    /// Any value in a map of these.
    Entry(&'static Shape),
}

/// What stands at a place and can be made long.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    /// A list of these.
    List(&'static Shape),
    /// A map to these.
    Map(&'static Shape),
    /// A text.
    Text,
    /// Bytes.
    Bytes,
    /// A type with a wire form of its own.
    Leaf(&'static LeafDesc),
    /// Any JSON.
    Json,
}

impl Kind {
    /// Whether it has elements, so that its length is a number of them and not of bytes.
    pub(crate) fn has_elements(self) -> bool {
        matches!(self, Kind::List(_) | Kind::Map(_))
    }

    /// Whether its elements are structs.
    pub(crate) fn has_structs(self) -> bool {
        matches!(self, Kind::List(shape) | Kind::Map(shape) if shape.element_struct().is_some())
    }
}

/// A place in objects of a kind whose length the client chooses.
#[derive(Clone)]
pub(crate) struct Place {
    /// The way there from the top.
    pub(crate) steps: Vec<Step>,
    /// What stands there.
    pub(crate) kind: Kind,
    /// The field that it is, or is in.
    pub(crate) field: &'static FieldDesc,
    /// The struct and its field: the same for all kinds that the struct is a part of.
    pub(crate) owner: String,
}

impl Place {
    /// The way there as people write it, `spec.containers[].env`.
    pub(crate) fn shown(&self) -> String {
        let mut text = String::new();
        for step in &self.steps {
            match step {
                Step::Field(field) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(field.json);
                }
                Step::Element(_) => text.push_str("[]"),
                Step::Entry(_) => text.push_str("{}"),
            }
        }
        text
    }

    /// Whether the way begins with this field.
    pub(crate) fn is_below(&self, name: &str) -> bool {
        matches!(self.steps.first(), Some(Step::Field(field)) if field.json == name)
    }
}

/// All places of a type, in the order of its table. A struct within itself is entered once.
pub(crate) fn places(desc: &'static StructDesc) -> Vec<Place> {
    let mut walk = Walk { found: Vec::new(), open: Vec::new(), steps: Vec::new(), seen: HashSet::new() };
    walk.structure(desc);
    walk.found
}

struct Walk {
    found: Vec<Place>,
    /// The structs that we are in.
    open: Vec<*const StructDesc>,
    steps: Vec<Step>,
    /// The places found already: a struct may be reached in several ways, of which the first is as good as any.
    seen: HashSet<String>,
}

impl Walk {
    fn structure(&mut self, desc: &'static StructDesc) {
        let address = std::ptr::from_ref(desc);
        if self.open.contains(&address) {
            return;
        }
        self.open.push(address);
        for field in desc.fields {
            let owner = format!("{}::{}.{}", desc.module, desc.name, field.name);
            let is_step = !field.inline && !desc.is_transparent() && !desc.is_union();
            if is_step {
                self.steps.push(Step::Field(field));
            }
            self.shape(&field.shape, field, owner);
            if is_step {
                self.steps.pop();
            }
        }
        self.open.pop();
    }

    fn shape(&mut self, shape: &'static Shape, field: &'static FieldDesc, owner: String) {
        match shape.inner() {
            Shape::Struct(desc) => self.structure(desc()),
            Shape::List(element) => {
                self.note(Kind::List(element), field, &owner);
                self.steps.push(Step::Element(element));
                self.shape(element, field, owner + "[]");
                self.steps.pop();
            }
            Shape::Map(value) => {
                self.note(Kind::Map(value), field, &owner);
                self.steps.push(Step::Entry(value));
                self.shape(value, field, owner + "{}");
                self.steps.pop();
            }
            Shape::Str => self.note(Kind::Text, field, &owner),
            Shape::Bytes => self.note(Kind::Bytes, field, &owner),
            Shape::Leaf(desc) => self.note(Kind::Leaf(desc), field, &owner),
            Shape::Json => self.note(Kind::Json, field, &owner),
            // Their length is that of a number, which `texts` has.
            Shape::Bool | Shape::Int32 | Shape::Int64 | Shape::Double => {}
            // There is none within.
            Shape::Option(_) => {}
        }
    }

    fn note(&mut self, kind: Kind, field: &'static FieldDesc, owner: &str) {
        if self.seen.insert(owner.to_owned()) {
            self.found.push(Place { steps: self.steps.clone(), kind, field, owner: owner.to_owned() });
        }
    }
}
