//! Nothing says what to convert to.
use rhumb_scheme::Convert;

#[derive(Clone, Default, Convert)]
struct Widget {
    name: String,
}

fn main() {}
