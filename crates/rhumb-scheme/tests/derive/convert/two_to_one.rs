//! Two fields want to be the same field of the hub.
use rhumb_scheme::Convert;

mod hub {
    #[derive(Clone, Default)]
    pub struct Widget {
        pub name: String,
        pub size: i32,
    }
}

#[derive(Clone, Default, Convert)]
#[convert(hub = hub::Widget)]
struct Widget {
    name: String,
    size: i32,
    #[convert(rename = size)]
    width: i32,
}

fn main() {}
