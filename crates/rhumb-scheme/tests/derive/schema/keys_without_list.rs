//! Keys of something that is no list.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1, keys("name"))]
    size: i32,
}

fn main() {}
