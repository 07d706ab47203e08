//! A word whose value is of the wrong kind.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1, json = 7)]
    size: i32,
}

fn main() {}
