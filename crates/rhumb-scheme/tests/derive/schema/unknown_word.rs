//! A word that means nothing.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1, requird)]
    size: i32,
}

fn main() {}
