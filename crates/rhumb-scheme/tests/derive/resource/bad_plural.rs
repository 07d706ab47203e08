//! A plural with a capital.
use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "example.com", version = "v1", plural = "Widgets", namespaced)]
struct Widget {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: ObjectMeta,
}

fn main() {}
