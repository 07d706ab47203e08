//! Command line framework: commands, resolution of arguments and files to objects, and output.
//!
//! - [`command`]: commands and flags as data; parsing in the grammar that kubectl has; help.
//! - [`Call`]: one command that was called, with its flags, its words, its streams and the [`Factory`].
//! - [`Factory`]: clients, discovery and the namespace, made when they are first asked for.
//! - [`resource`]: a [`resource::Builder`] that turns words, files and selectors into a stream of
//!   [`resource::Info`]s, and the visitors that it is composed of.
//! - [`validation`]: what objects are checked for before they are sent.
//! - [`Failure`]: why a command came to nothing, as kubectl says it, and the exit code.

mod call;
pub mod command;
mod factory;
mod failure;
pub mod global;
pub mod klog;
pub mod options;
pub mod printing;
mod progress;
mod request_log;
pub mod resource;
mod streams;
pub mod validation;

pub use call::{Call, Outcome};
pub use factory::Factory;
pub use failure::Failure;
pub use printing::ResultPrinter;
pub use progress::Progress;
pub use request_log::log;
pub use streams::{Kept, Streams};
