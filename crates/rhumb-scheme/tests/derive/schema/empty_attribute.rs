//! An attribute with nothing in it.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field]
    size: i32,
}

fn main() {}
