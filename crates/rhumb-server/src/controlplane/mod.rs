//! What a fresh control plane has and keeps up by itself.

pub(crate) mod bootstrap;
pub(crate) mod custom;
pub(crate) mod registrations;
pub(crate) mod repair;
pub(crate) mod standing;
