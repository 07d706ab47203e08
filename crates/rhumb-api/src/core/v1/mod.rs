//! `v1`, the core group's only version.

mod affinity;
mod configuration;
mod container;
pub(super) mod defaults;
pub(super) mod hub_form;
mod pod;
mod pod_status;
mod service;
mod values;
mod volume;
mod volume_backend;
mod volume_claim;

pub use affinity::*;
pub use configuration::*;
pub use container::*;
pub use pod::*;
pub use pod_status::*;
pub use service::*;
pub use values::*;
pub use volume::*;
pub use volume_backend::*;
pub use volume_claim::*;
