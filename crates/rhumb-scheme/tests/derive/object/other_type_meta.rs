//! A label of another type.
use rhumb_meta::{Object, ObjectMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
struct Widget {
    #[field(0)]
    type_meta: String,
    #[field(1)]
    metadata: ObjectMeta,
}

fn main() {}
