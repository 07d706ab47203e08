//! The elements of a list have a counterpart in the hub, but no conversion.
use rhumb_scheme::Convert;

mod hub {
    #[derive(Clone, Default)]
    pub struct Part;
    #[derive(Clone, Default)]
    pub struct Widget {
        pub parts: Vec<Part>,
    }
}

#[derive(Clone, Default)]
struct Part;

#[derive(Clone, Default, Convert)]
#[convert(hub = hub::Widget)]
struct Widget {
    parts: Vec<Part>,
}

fn main() {}
