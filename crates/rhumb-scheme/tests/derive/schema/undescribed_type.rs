//! A field of a type that has no description.
use rhumb_schema::Schema;

#[derive(Clone, Default)]
struct Size;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1)]
    name: String,
    #[field(2)]
    size: Size,
}

fn main() {}
