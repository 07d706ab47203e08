//! Common strategy of pods and pod templates.
//!
//! - `containers`: containers of all three sorts, seen alike.
//! - `disabled`: fields of features that are off by default, which are dropped unless the old object has
//!   them.
//! - `quality`, `apparmor`, `label_keys`: what a pod gets when it is made.
//! - `warnings`, `ports`, `volume_paths`: what is taken, but most likely isn't meant.

pub(crate) mod apparmor;
mod containers;
pub(crate) mod disabled;
pub(crate) mod label_keys;
mod ports;
pub(crate) mod quality;
mod volume_paths;
mod volumes;
pub(crate) mod warnings;

pub(crate) use disabled::drop_disabled_template;
pub(crate) use warnings::{warn_name, warn_template};
