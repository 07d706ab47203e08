//! A resource that doesn't say where its objects live.
use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "example.com", version = "v1")]
struct Widget {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
}

fn main() {}
