//! A word on the struct that means nothing.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
#[schema(opaque)]
struct Widget {
    #[field(1)]
    name: String,
}

fn main() {}
