//! `resource.k8s.io/v1`: devices, classes of them, and claims. Its types are the hub's.

mod allocation;
mod claim;
mod class;
mod request;
mod slice;

pub use allocation::*;
pub use claim::*;
pub use class::*;
pub use request::*;
pub use slice::*;
