//! A word on a field that means nothing.
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
    #[convert(ignore)]
    size: i32,
}

fn main() {}
