//! One field with two attributes, of which only one could count.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1)]
    #[field(2, required)]
    size: i32,
}

fn main() {}
