//! A field has nearly the name that it has in the hub.
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
    sise: i32,
}

fn main() {}
