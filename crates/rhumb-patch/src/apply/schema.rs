//! Schema of objects as apply needs it.
//!
//! A [`Type`] is a handle into the static field tables or into a [`CompiledSchema`](super::CompiledSchema);
//! asking it costs a lookup and makes nothing. What it may hold is an [`Atom`]: a scalar, a list, a map, or
//! where a schema says little, several of them, of which the value at hand decides.

use std::fmt;

use rhumb_schema::{FieldDesc, JsonForm, LeafDesc, ListType, Presence, Shape, StructDesc};
use serde_json::Value;

use super::structural::{CompiledList, CompiledMap, CompiledType, Relation};

/// Schema of an object or a part of it.
#[derive(Clone, Copy)]
pub struct Type<'a>(Place<'a>);

#[derive(Clone, Copy)]
enum Place<'a> {
    /// A struct with a table, owned as a whole if so marked where it stands.
    Struct(&'static StructDesc, bool),
    /// Type of a field or list element. List and map markers of the field apply to its own value, not to its contents.
    Shape(&'static Shape, Option<&'static FieldDesc>),
    Compiled(&'a CompiledType),
    /// Anything, owned as a whole.
    Untyped,
    /// Anything; objects are owned field by field.
    Deduced,
}

/// Types of scalars that a value may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScalarKind {
    Numeric,
    String,
    Boolean,
    Any,
}

/// Form of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Map,
    Scalar,
    List,
}

/// Forms that a value may have; none for fields outside the schema.
#[derive(Clone, Copy)]
pub(super) struct Atom<'a> {
    pub(super) scalar: Option<ScalarKind>,
    pub(super) list: Option<ListAtom<'a>>,
    pub(super) map: Option<MapAtom<'a>>,
}

#[derive(Clone, Copy)]
pub(super) struct ListAtom<'a> {
    pub(super) relation: Related<'a>,
    pub(super) element: Type<'a>,
}

/// How list elements are identified.
#[derive(Clone, Copy)]
pub(super) enum Related<'a> {
    /// Not at all.
    Atomic,
    /// Set: by value.
    Set,
    /// Map: by the values of these fields.
    Keys(Keys<'a>),
}

#[derive(Clone, Copy)]
pub(super) enum Keys<'a> {
    Table(&'static [&'static str]),
    One(&'static str),
    Compiled(&'a [Box<str>]),
}

impl<'a> Keys<'a> {
    pub(super) fn get(self, index: usize) -> Option<&'a str> {
        match self {
            Keys::Table(names) => names.get(index).copied(),
            Keys::One(name) => (index == 0).then_some(name),
            Keys::Compiled(names) => names.get(index).map(AsRef::as_ref),
        }
    }

    pub(super) fn iter(self) -> impl Iterator<Item = &'a str> {
        (0..).map_while(move |index| self.get(index))
    }
}

#[derive(Clone, Copy)]
pub(super) struct MapAtom<'a> {
    pub(super) atomic: bool,
    fields: Fields<'a>,
    /// Type of other entries; none if they are not allowed.
    pub(super) element: Option<Type<'a>>,
}

#[derive(Clone, Copy)]
enum Fields<'a> {
    None,
    Table(&'static StructDesc),
    Compiled(&'a CompiledMap),
}

impl<'a> MapAtom<'a> {
    /// Returns the type of a named field.
    pub(super) fn field(&self, name: &str) -> Option<Type<'a>> {
        match self.fields {
            Fields::None => None,
            Fields::Table(desc) => Some(Type::field_of(field(desc, name)?)),
            Fields::Compiled(map) => Some(map.field(name)?.ty.as_type()),
        }
    }

    /// Returns the type of an entry.
    pub(super) fn entry(&self, name: &str) -> Option<Type<'a>> {
        self.field(name).or(self.element)
    }

    /// Returns the value that a field has in a key if it isn't given.
    pub(super) fn default(&self, name: &str) -> Option<Value> {
        match self.fields {
            Fields::None => None,
            Fields::Table(desc) => default(field(desc, name)?),
            Fields::Compiled(map) => map.field(name)?.default.clone(),
        }
    }

    /// Reports whether nothing is known of what may be in it.
    pub(super) fn is_deduced(&self) -> bool {
        let any = match self.element.map(|element| element.0) {
            Some(Place::Deduced) => true,
            Some(Place::Compiled(CompiledType::Inline(ty))) => ty.scalar == Some(ScalarKind::Any),
            _ => false,
        };
        any && match self.fields {
            Fields::None => true,
            Fields::Table(desc) => desc.fields.is_empty(),
            Fields::Compiled(map) => map.fields.is_empty(),
        }
    }
}

fn field(desc: &'static StructDesc, name: &str) -> Option<&'static FieldDesc> {
    desc.find(name).filter(|field| field.exists(desc.retired))
}

/// Returns a field's OpenAPI default: the described one, or zero for required fields.
fn default(field: &FieldDesc) -> Option<Value> {
    if let Some(text) = field.default {
        return serde_json::from_str(text).ok();
    }
    let shown = matches!(field.presence, Presence::Required | Presence::Shown);
    match field.shape {
        Shape::Bool if shown => Some(Value::Bool(false)),
        Shape::Int32 | Shape::Int64 | Shape::Double if shown => Some(0.into()),
        Shape::Str if shown => Some("".into()),
        _ => None,
    }
}

impl<'a> Type<'a> {
    /// Creates a kind with a table.
    pub fn of(desc: &'static StructDesc) -> Self {
        Type(Place::Struct(desc, false))
    }

    /// Returns a schema for untyped objects, such as custom resources without a schema: objects are granular, lists
    /// atomic.
    pub fn deduced() -> Self {
        Type(Place::Deduced)
    }

    pub(super) fn compiled(ty: &'a CompiledType) -> Self {
        Type(Place::Compiled(ty))
    }

    pub(super) fn untyped() -> Self {
        Type(Place::Untyped)
    }

    /// Reports whether objects are known to have this shape because they were decoded by it.
    pub(super) fn is_table(&self) -> bool {
        matches!(self.0, Place::Struct(..))
    }

    pub(super) fn field_of(field: &'static FieldDesc) -> Self {
        Type(Place::Shape(&field.shape, Some(field)))
    }

    fn element_of(shape: &'static Shape) -> Self {
        Type(Place::Shape(shape, None))
    }

    pub(super) fn atom(&self) -> Atom<'a> {
        match self.0 {
            Place::Struct(desc, atomic) => structure(desc, atomic),
            Place::Shape(shape, field) => of_shape(shape, field),
            Place::Untyped => ANYTHING,
            Place::Deduced => Atom { map: free_map(Type(Place::Deduced)), ..ANYTHING },
            Place::Compiled(ty) => of_compiled(ty),
        }
    }
}

const ANYTHING: Atom<'static> = Atom {
    scalar: Some(ScalarKind::Any),
    list: Some(ListAtom { relation: Related::Atomic, element: Type(Place::Untyped) }),
    map: Some(MapAtom { atomic: true, fields: Fields::None, element: Some(Type(Place::Untyped)) }),
};

const NOTHING: Atom<'static> = Atom { scalar: None, list: None, map: None };

fn free_map(element: Type<'_>) -> Option<MapAtom<'_>> {
    Some(MapAtom { atomic: false, fields: Fields::None, element: Some(element) })
}

fn scalar(kind: ScalarKind) -> Atom<'static> {
    Atom { scalar: Some(kind), ..NOTHING }
}

/// Returns a schema without types: anything, with atomic lists and granular objects.
fn no_type<'a>() -> Atom<'a> {
    Atom { map: free_map(Type(Place::Deduced)), ..ANYTHING }
}

fn structure<'a>(desc: &'static StructDesc, atomic: bool) -> Atom<'a> {
    match desc.form {
        JsonForm::Union(_) => no_type(),
        JsonForm::Transparent => match desc.fields.first() {
            Some(field) => of_shape(&field.shape, Some(field)),
            None => NOTHING,
        },
        JsonForm::Object => {
            let element = desc.fields.is_empty().then_some(Type(Place::Deduced));
            let fields = Fields::Table(desc);
            Atom { map: Some(MapAtom { atomic: atomic || desc.atomic, fields, element }), ..NOTHING }
        }
    }
}

fn of_shape<'a>(shape: &'static Shape, field: Option<&'static FieldDesc>) -> Atom<'a> {
    let atomic = field.is_some_and(|field| field.atomic);
    match shape {
        Shape::Option(inner) => of_shape(inner, field),
        Shape::Bool => scalar(ScalarKind::Boolean),
        Shape::Int32 | Shape::Int64 | Shape::Double => scalar(ScalarKind::Numeric),
        Shape::Str | Shape::Bytes => scalar(ScalarKind::String),
        Shape::List(element) => {
            let relation = field.map_or(Related::Atomic, relation);
            Atom { list: Some(ListAtom { relation, element: Type::element_of(element) }), ..NOTHING }
        }
        Shape::Map(element) => {
            let element = Some(Type::element_of(element));
            Atom { map: Some(MapAtom { atomic, fields: Fields::None, element }), ..NOTHING }
        }
        Shape::Struct(desc) if desc().is_transparent() => {
            let inner = desc().fields.first();
            inner.map_or(NOTHING, |inner| of_shape(&inner.shape, Some(field.unwrap_or(inner))))
        }
        Shape::Struct(desc) => structure(desc(), atomic),
        Shape::Leaf(leaf) => of_leaf(leaf, atomic),
        Shape::Json => no_type(),
    }
}

fn relation(field: &'static FieldDesc) -> Related<'static> {
    match field.list_type {
        ListType::Atomic => Related::Atomic,
        ListType::Set => Related::Set,
        ListType::Map(keys) => Related::Keys(Keys::Table(keys)),
        // Where nothing is said, strategic merge patch's strategy stands in.
        ListType::Unspecified => match (field.patch_strategy, field.patch_merge_key) {
            ("merge" | "merge,retainKeys", "") => Related::Set,
            ("merge" | "merge,retainKeys", key) => Related::Keys(Keys::One(key)),
            _ => Related::Atomic,
        },
    }
}

fn of_leaf<'a>(leaf: &'static LeafDesc, atomic: bool) -> Atom<'a> {
    match leaf.go_type {
        "runtime.RawExtension" => return ANYTHING,
        "resource.Quantity" => return scalar(ScalarKind::Any),
        _ => {}
    }
    match (leaf.json_type, leaf.format) {
        _ if !leaf.one_of.is_empty() => no_type(),
        ("string", "") => scalar(ScalarKind::String),
        ("string", _) => scalar(ScalarKind::Any),
        ("integer" | "number", _) => scalar(ScalarKind::Numeric),
        ("boolean", _) => scalar(ScalarKind::Boolean),
        ("object", _) => {
            let map = free_map(Type(Place::Deduced)).map(|map| MapAtom { atomic, ..map });
            Atom { map, ..NOTHING }
        }
        _ => no_type(),
    }
}

fn of_compiled(ty: &CompiledType) -> Atom<'_> {
    match ty {
        CompiledType::Inline(ty) => Atom {
            scalar: ty.scalar,
            list: ty.list.as_deref().map(compiled_list),
            map: ty.map.as_deref().map(|map| MapAtom {
                atomic: map.atomic,
                fields: Fields::Compiled(map),
                element: map.element.as_ref().map(CompiledType::as_type),
            }),
        },
        CompiledType::Table(desc) => structure(desc, false),
        CompiledType::Untyped => ANYTHING,
        CompiledType::Deduced => no_type(),
    }
}

fn compiled_list(list: &CompiledList) -> ListAtom<'_> {
    let relation = match &list.relation {
        Relation::Atomic => Related::Atomic,
        Relation::Set => Related::Set,
        Relation::Keys(keys) => Related::Keys(Keys::Compiled(keys)),
    };
    ListAtom { relation, element: list.element.as_type() }
}

impl Atom<'_> {
    /// Returns the form that a value's own form picks out of several; `None` if it picks none.
    pub(super) fn deduced(&self, value: Option<&Value>) -> Option<Form> {
        match value? {
            Value::Null => None,
            Value::Array(_) => self.list.map(|_| Form::List),
            Value::Object(_) => self.map.map(|_| Form::Map),
            _ => self.scalar.map(|_| Form::Scalar),
        }
    }

    /// Returns the form by which a place is treated if its value doesn't say.
    pub(super) fn preferred(&self) -> Option<Form> {
        match self {
            Atom { map: Some(_), .. } => Some(Form::Map),
            Atom { scalar: Some(_), .. } => Some(Form::Scalar),
            Atom { list: Some(_), .. } => Some(Form::List),
            _ => None,
        }
    }

    /// Returns the form by which a value is treated.
    pub(super) fn form(&self, value: Option<&Value>) -> Option<Form> {
        self.deduced(value).or_else(|| self.preferred())
    }

    /// Returns the forms by which two values at the same place are treated: one, or one after the other if they
    /// differ.
    pub(super) fn forms(&self, left: Option<&Value>, right: Option<&Value>) -> [Option<Form>; 2] {
        if right.is_none() {
            return [self.form(left), None];
        }
        let several = usize::from(self.scalar.is_some())
            + usize::from(self.list.is_some())
            + usize::from(self.map.is_some())
            > 1;
        if left.is_none() || !several || self.deduced(left) == self.deduced(right) {
            return [self.form(right), None];
        }
        [self.form(left), self.form(right)]
    }
}

impl fmt::Debug for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Place::Struct(desc, _) => write!(f, "Type({})", desc.name),
            Place::Shape(shape, _) => write!(f, "Type({shape:?})"),
            Place::Compiled(_) => f.write_str("Type(compiled)"),
            Place::Untyped => f.write_str("Type(untyped)"),
            Place::Deduced => f.write_str("Type(deduced)"),
        }
    }
}
