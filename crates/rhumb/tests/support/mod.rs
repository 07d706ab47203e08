//! Random objects of any kind, and what to say of two that should be equal.

pub(crate) mod compare;
pub(crate) mod fill;
pub(crate) mod random;
