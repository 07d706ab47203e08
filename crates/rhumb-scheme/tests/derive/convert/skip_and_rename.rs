//! A field is left out and renamed.
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
    #[convert(skip, rename = size)]
    width: i32,
}

fn main() {}
