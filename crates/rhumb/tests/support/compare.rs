//! Where two objects differ.

use rhumb_schema::{Value, View, to_tree};

/// A field: the struct it is in, and its name in JSON.
pub(crate) type Field = (&'static str, &'static str);

/// What a comparison lets pass, besides the kinds of objects within objects.
#[derive(Clone, Copy)]
pub(crate) struct Passing<'a> {
    /// Fields that may be different.
    pub(crate) changed: &'a [Field],
    /// Fields that may be there although they are wanted empty.
    pub(crate) filled: Filled<'a>,
}

/// The fields that may be there although they are wanted empty.
#[derive(Clone, Copy)]
pub(crate) enum Filled<'a> {
    /// All of them.
    All,
    /// These, and what is in them.
    Only(&'a [Field]),
}

/// The first field, in the order of the tables, at which two values differ, with what stands there in each; none if
/// they are equal.
pub(crate) fn difference(got: &dyn Value, want: &dyn Value) -> Option<String> {
    if rhumb_schema::equal(got, want) {
        return None;
    }
    let strict = Passing { changed: &[], filled: Filled::Only(&[]) };
    compare(got, want, "", strict, Kinds::Compared)
}

/// The same, except for what may pass.
pub(crate) fn difference_beyond(got: &dyn Value, want: &dyn Value, passing: Passing<'_>) -> Option<String> {
    compare(got, want, "", passing, Kinds::Passed)
}

/// What becomes of the kinds of objects.
#[derive(Clone, Copy, PartialEq)]
enum Kinds {
    Compared,
    Passed,
}

fn compare(
    got: &dyn Value,
    want: &dyn Value,
    path: &str,
    passing: Passing<'_>,
    kinds: Kinds,
) -> Option<String> {
    let may_fill = matches!(passing.filled, Filled::All);
    if may_fill && want.view().is_empty() {
        return None;
    }
    match (got.view(), want.view()) {
        (View::Struct(a), View::Struct(b)) if std::ptr::eq(a.desc(), b.desc()) => {
            a.desc().fields.iter().enumerate().find_map(|(position, field)| {
                let name = if field.inline { field.name } else { field.json };
                let here = (a.desc().name, name);
                if (kinds == Kinds::Passed && name == "type_meta") || passing.changed.contains(&here) {
                    return None;
                }
                let filled = match passing.filled {
                    Filled::Only(fields) if fields.contains(&here) => Filled::All,
                    other => other,
                };
                let below = if field.inline { path.to_owned() } else { format!("{path}.{name}") };
                let passing = Passing { filled, ..passing };
                compare(a.field(position), b.field(position), &below, passing, kinds)
            })
        }
        (View::List(a), View::List(b)) if a.len() == b.len() => (0..a.len())
            .find_map(|at| compare(a.get(at)?, b.get(at)?, &format!("{path}[{at}]"), passing, kinds)),
        (View::Map(a), View::Map(b)) if may_fill || a.len() == b.len() => {
            b.entries().find_map(|(key, want)| {
                let below = format!("{path}[{key:?}]");
                match a.entries().find(|(other, _)| *other == key) {
                    Some((_, got)) => compare(got, want, &below, passing, kinds),
                    None => Some(format!("at {below}: got nothing, want {}", shown(want))),
                }
            })
        }
        _ if rhumb_schema::equal(got, want) => None,
        _ => Some(format!("at {path}: got {}, want {}", shown(got), shown(want))),
    }
}

fn shown(value: &dyn Value) -> String {
    to_tree(value).to_string().chars().take(300).collect()
}
