//! A list of a type that has no description: Kubernetes has no 16-bit numbers.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1)]
    sizes: Vec<u16>,
}

fn main() {}
