//! An enum has no fields to convert.
use rhumb_scheme::Convert;

mod hub {
    #[derive(Clone, Default)]
    pub struct Widget {
        pub name: String,
        pub size: i32,
    }
}

#[derive(Clone, Convert)]
#[convert(hub = hub::Widget)]
enum Widget {
    Small,
}

fn main() {}
