//! Metadata of another type.
use rhumb_meta::{Object, TypeMeta};
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct WidgetMeta {
    #[field(1)]
    name: String,
}

#[derive(Clone, Default, Schema, Object)]
struct Widget {
    #[field(0, inline)]
    type_meta: TypeMeta,
    #[field(1)]
    metadata: WidgetMeta,
}

fn main() {}
