//! Two fields with the same JSON name: one by its Rust name, one by what it says.
use rhumb_schema::Schema;

#[derive(Clone, Default, Schema)]
struct Widget {
    #[field(1)]
    pod_ip: String,
    #[field(2, json = "podIp")]
    address: String,
}

fn main() {}
