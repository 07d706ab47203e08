//! A list here, one value in the hub.
use rhumb_scheme::Convert;

mod hub {
    #[derive(Clone, Default)]
    pub struct Widget {
        pub part: String,
    }
}

#[derive(Clone, Default, Convert)]
#[convert(hub = hub::Widget)]
struct Widget {
    part: Vec<String>,
}

fn main() {}
