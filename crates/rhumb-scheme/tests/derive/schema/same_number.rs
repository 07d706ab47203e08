//! Two fields with the same protobuf number.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1)]
    name: String,
    #[field(2)]
    size: i32,
    #[field(1)]
    color: String,
}

fn main() {}
