//! Where two objects differ.

use rhumb_schema::{Struct, Value, View, to_tree};

/// The first field, in the order of the tables, at which two values differ, with what stands there in each; none if
/// they are equal.
pub(crate) fn difference(got: &dyn Value, want: &dyn Value) -> Option<String> {
    first(got, want, String::new(), &|_, _| false)
}

/// The same, except that the wanted value may leave options, texts, numbers and containers empty, and that fields
/// named as (struct, field in JSON) are passed over.
pub(crate) fn lost(got: &dyn Value, want: &dyn Value, changed: &[(&str, &str)]) -> Option<String> {
    first(got, want, String::new(), &|parent, field| changed.contains(&(parent, field)))
        .filter(|_| !covers(got, want, changed))
        .and_then(|_| first_lost(got, want, String::new(), changed))
}

type Passed<'a> = &'a dyn Fn(&str, &str) -> bool;

fn first(got: &dyn Value, want: &dyn Value, path: String, passed: Passed<'_>) -> Option<String> {
    if rhumb_schema::equal(got, want) {
        return None;
    }
    match (got.view(), want.view()) {
        (View::Struct(a), View::Struct(b)) if same_table(a, b) => {
            for (position, field) in a.desc().fields.iter().enumerate() {
                let below = if field.inline { path.clone() } else { format!("{path}.{}", field.json) };
                if passed(a.desc().name, field.json) {
                    continue;
                }
                if let Some(found) = first(a.field(position), b.field(position), below, passed) {
                    return Some(found);
                }
            }
            None
        }
        (View::List(a), View::List(b)) if a.len() == b.len() => (0..a.len())
            .find_map(|at| first(a.get(at)?, b.get(at)?, format!("{path}[{at}]"), passed)),
        (View::Map(a), View::Map(b)) if a.entries().map(|(key, _)| key).eq(b.entries().map(|(key, _)| key)) => a
            .entries()
            .zip(b.entries())
            .find_map(|((key, a), (_, b))| first(a, b, format!("{path}[{key:?}]"), passed)),
        _ => Some(format!("at {path}:\n  got  {}\n  want {}", shown(got), shown(want))),
    }
}
