//! One field with two protobuf numbers.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1, 2)]
    size: i32,
}

fn main() {}
