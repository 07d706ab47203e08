//! Types, and what a generator of one's own wrote for them.

#[rustfmt::skip]
mod zz_generated_registry;

pub(crate) use zz_generated_registry::{by_name, greet, made, new_ship, new_whaling_boat};

/// How many ships there is room for.
// +berths=true
pub(crate) const BERTHS: i64 = 12;

/// What is said to ships.
pub(crate) static GREETINGS: &[&str] = &["ahoy", LAST];

const LAST: &str = "farewell";

/// A ship.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Ship {
    /// Its name.
    pub(crate) name: String,
}

/// A boat.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct WhalingBoat {
    /// How many sit in it.
    pub(crate) seats: i32,
}
