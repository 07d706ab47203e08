//! The group `stable.example.com`: CronTabs, which run an image on a schedule, in three versions.
//!
//! | version | what it says differently |
//! |---|---|
//! | [`v1alpha1`] | `image` has the tag in it: `example.com/tick:7` |
//! | [`v1beta1`] | `image` is split into `image` and `tag` |
//! | [`v1`] | `cronSpec` is renamed to `schedule`, and `suspend` has moved into `policy` |
//!
//! [`v1`] is the hub: every version converts to it and back. An object that was written in one version can be read
//! in every other.

// +groupName=stable.example.com
// +rhumb:hub=v1

mod columns;
mod rules;
mod served;
pub mod v1;
pub mod v1alpha1;
pub mod v1beta1;
// It is laid out by the generator.
#[rustfmt::skip]
mod zz_generated_register;

pub use served::{RESOURCES, group};
pub use zz_generated_register::{GROUP, V1, V1ALPHA1, V1BETA1, VERSIONS, install};
