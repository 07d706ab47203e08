//! A field is there and is said to be missing.
use rhumb_scheme::Convert;

mod hub {
    #[derive(Clone, Default)]
    pub struct Widget {
        pub name: String,
        pub size: i32,
    }
}

#[derive(Clone, Default, Convert)]
#[convert(hub = hub::Widget, lacks(size))]
struct Widget {
    name: String,
    size: i32,
}

fn main() {}
