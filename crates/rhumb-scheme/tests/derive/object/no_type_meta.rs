//! An object that can't say what it is.
use rhumb_meta::{Object, ObjectMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object)]
struct Widget {
    #[field(1)]
    metadata: ObjectMeta,
}

fn main() {}
