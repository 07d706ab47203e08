//! An enum has no table of fields.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
enum Widget {
    #[default]
    Small,
    Large,
}

fn main() {}
