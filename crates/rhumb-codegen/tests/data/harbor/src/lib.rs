//! A group of types that has everything in it that the generators can say.

pub mod v1;
pub mod v1alpha1;
