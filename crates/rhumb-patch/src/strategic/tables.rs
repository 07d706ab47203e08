//! Patch strategies and merge keys from field descriptions.

use rhumb_schema::text::quoted;
use rhumb_schema::{FieldDesc, JsonForm, Shape, StructDesc};

use crate::PatchError;

/// Description of a value in the tree.
#[derive(Clone, Copy)]
pub(super) struct Table {
    at: At,
    retired: bool,
}

#[derive(Clone, Copy)]
enum At {
    Struct(&'static StructDesc),
    Shape(&'static Shape),
    /// A byte of a list of bytes, which Go sees as a list of numbers.
    Byte,
}

/// Merge strategy of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strategy {
    /// Default: maps are merged, lists replaced.
    Usual,
    /// Merged, lists too.
    Merge,
    /// Replaced, maps too.
    Replace,
}

/// Description of a field.
#[derive(Clone, Copy)]
pub(super) struct Field {
    /// Description of its value or, for a list, its elements.
    pub(super) table: Table,
    pub(super) strategy: Strategy,
    /// Whether patches say which keys of the value to retain.
    pub(super) retain_keys: bool,
    /// The key that tells elements apart; empty if there is none.
    pub(super) merge_key: &'static str,
}

fn unfit<T>(text: String) -> Result<T, PatchError> {
    Err(PatchError::Unmergeable(text))
}

impl Table {
    /// Returns the table of a kind.
    pub(super) fn of(desc: &'static StructDesc) -> Self {
        Table { at: At::Struct(desc), retired: desc.retired }
    }

    fn with(self, shape: &'static Shape) -> Self {
        Table { at: At::Shape(shape), ..self }
    }

    /// Returns Go's name of the kind of the type, as errors print it.
    pub(super) fn go_kind(self) -> &'static str {
        match self.at {
            At::Struct(_) => "struct",
            At::Shape(Shape::Option(_)) => "ptr",
            At::Shape(shape) => go_kind(shape),
            At::Byte => "uint8",
        }
    }

    /// Returns the description of a map field.
    pub(super) fn map_field(self, key: &str) -> Result<Field, PatchError> {
        let field = self.field(key)?;
        let (retain_keys, strategy) = strategy(field)?;
        Ok(Field { table: self.with(&field.shape), strategy, retain_keys, merge_key: field.patch_merge_key })
    }

    /// Returns the description of a list field.
    pub(super) fn list_field(self, key: &str) -> Result<Field, PatchError> {
        let mut found = self.map_field(key)?;
        let At::Shape(shape) = found.table.at else { return Ok(found) };
        found.table.at = match shape {
            Shape::Option(inner) => element(inner).unwrap_or(At::Shape(inner)),
            other => match element(other) {
                Some(At::Shape(inner)) if element(inner).is_some() => {
                    return unfit("unexpected slice of slice".to_owned());
                }
                Some(element) => element,
                None => return unfit(format!("expected slice or array type, but got: {}", self.go_kind())),
            },
        };
        Ok(found)
    }

    fn field(self, key: &str) -> Result<&'static FieldDesc, PatchError> {
        let missing = |name: &str| {
            unfit(format!("unable to find api field in struct {name} for the json field {}", quoted(key)))
        };
        let shape = match self.at {
            At::Struct(desc) => return self.look_up(desc, key).map_or_else(|| missing(desc.name), Ok),
            At::Shape(Shape::Option(inner)) => *inner,
            At::Shape(shape) => shape,
            At::Byte => &Shape::Int32,
        };
        match shape {
            Shape::Struct(desc) if desc().form == JsonForm::Object => {
                self.look_up(desc(), key).map_or_else(|| missing(desc().name), Ok)
            }
            // What has a form of its own in JSON has no fields that JSON could name.
            Shape::Struct(desc) if desc().is_union() => missing(desc().name),
            Shape::Leaf(desc) => missing(desc.go_type.rsplit('.').next().unwrap_or(desc.go_type)),
            _ => unfit(format!(
                "merging an object in json but data type is not struct, instead is: {}",
                match self.at {
                    At::Byte => "uint8",
                    _ => go_kind(shape),
                }
            )),
        }
    }

    /// Returns the field with a JSON name; if there is none, the first whose name differs in case only.
    fn look_up(self, desc: &'static StructDesc, key: &str) -> Option<&'static FieldDesc> {
        named(desc, self.retired, &|name| name == key)
            .or_else(|| named(desc, self.retired, &|name| name.eq_ignore_ascii_case(key)))
    }
}

fn named(
    desc: &'static StructDesc,
    retired: bool,
    fits: &dyn Fn(&str) -> bool,
) -> Option<&'static FieldDesc> {
    let own = desc.fields.iter().find(|field| !field.inline && field.exists(retired) && fits(field.json));
    own.or_else(|| desc.inlined().find_map(|(_, inner)| named(inner, retired, fits)))
}

/// Returns the element type of a Go slice.
fn element(shape: &'static Shape) -> Option<At> {
    match shape {
        Shape::List(element) => Some(At::Shape(element)),
        Shape::Bytes => Some(At::Byte),
        Shape::Struct(desc) if desc().is_transparent() => element(&desc().fields.first()?.shape),
        _ => None,
    }
}

fn go_kind(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "bool",
        Shape::Int32 => "int32",
        Shape::Int64 => "int64",
        Shape::Double => "float64",
        Shape::Str => "string",
        Shape::Bytes | Shape::List(_) => "slice",
        Shape::Option(_) => "ptr",
        Shape::Map(_) => "map",
        Shape::Struct(desc) if desc().is_transparent() => "slice",
        Shape::Struct(_) | Shape::Leaf(_) => "struct",
        Shape::Json => "interface",
    }
}

/// Reports whether keys are retained, and the strategy beside that.
fn strategy(field: &FieldDesc) -> Result<(bool, Strategy), PatchError> {
    let mut found = (false, Strategy::Usual);
    for word in field.patch_strategy.split(',') {
        match word {
            "" => {}
            "retainKeys" => found.0 = true,
            "merge" => found.1 = Strategy::Merge,
            "replace" => found.1 = Strategy::Replace,
            _ => {
                let words = field.patch_strategy.replace(',', " ");
                return unfit(format!("unexpected patch strategy: [{words}]"));
            }
        }
    }
    Ok(found)
}
