//! A resource of something that is no object.
use rhumb_meta::Resource;
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema, Resource)]
#[resource(group = "example.com", version = "v1", namespaced)]
struct Widget {
    #[field(1)]
    size: i32,
}

fn main() {}
