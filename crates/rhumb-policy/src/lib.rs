//! Policies evaluated by admission and audit: pod security, limit ranges, quotas, audit policies.
//!
//! - [`pod_security`]: which of three levels of security a pod keeps to.
//! - [`limits`]: defaults and bounds that a namespace sets for single pods and claims.
//! - [`quota`]: bounds that a namespace sets for all its objects together.
//! - [`audit`]: how much of a request is written down, and in which form.
//!
//! Everything here is a function of what is passed in: no clock, no files, no other objects than those given.
//! Objects are seen in their hub form. What a rule refuses is said in the words of Kubernetes, because clients
//! read them.

pub mod audit;
pub mod limits;
pub mod pod_security;
pub mod quota;
mod resources;

pub use resources::ResourceList;
