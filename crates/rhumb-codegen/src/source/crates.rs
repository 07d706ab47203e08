//! Crates.
