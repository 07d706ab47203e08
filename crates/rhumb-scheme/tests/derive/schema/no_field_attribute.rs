//! A field that says nothing of itself.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1)]
    name: String,
    size: i32,
}

fn main() {}
