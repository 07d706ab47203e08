//! The protobuf number is missing.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(required)]
    size: i32,
}

fn main() {}
