//! A group whose versions differ in ways that names can't say.

pub(crate) mod v1;
pub(crate) mod v1beta1;
