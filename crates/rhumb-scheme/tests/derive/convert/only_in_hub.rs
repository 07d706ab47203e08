//! The hub has a field that nothing is said about.
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
}

fn main() {}
