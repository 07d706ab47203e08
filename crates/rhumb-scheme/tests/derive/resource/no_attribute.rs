//! A resource that is nowhere.
use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object, Resource)]
struct Widget {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
}

fn main() {}
