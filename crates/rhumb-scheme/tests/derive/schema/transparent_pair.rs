//! A transparent struct with two fields: JSON could not see both.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
#[schema(transparent)]
struct Widget {
    #[field(1)]
    name: String,
    #[field(2)]
    size: i32,
}

fn main() {}
