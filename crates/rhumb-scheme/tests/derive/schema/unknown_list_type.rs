//! A list type that does not exist.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1, list = "map")]
    sizes: Vec<i32>,
}

fn main() {}
