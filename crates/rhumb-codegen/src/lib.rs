//! Code generation from types.
//!
//! One engine with two doors. What a derive writes in place is [`expand`]; `rhumb gen` writes the same into files, and
//! much that a macro can't write. Its steps are those of a compiler:
//!
//! 1. [`source`]: the packages that were asked for are found and parsed, with their comments.
//! 2. [`universe`]: every type they mention is looked up; members, documentation and tags stand side by side.
//! 3. [`generator`]: a [`generator::Tool`] says which files there shall be, a [`generator::Generator`] fills one.
//! 4. [`write`]: all files are made in memory, then those that changed are written.
//!
//! The crate knows no other crate of the project: what it writes names them.

pub mod expand;

#[cfg(feature = "files")]
pub mod file_type;
#[cfg(feature = "files")]
pub mod generator;
#[cfg(feature = "files")]
pub mod generators;
#[cfg(feature = "files")]
pub mod layout;
#[cfg(feature = "files")]
pub mod namer;
#[cfg(feature = "files")]
pub mod problem;
#[cfg(feature = "files")]
pub mod run;
#[cfg(feature = "files")]
pub mod source;
#[cfg(feature = "files")]
pub mod universe;
#[cfg(feature = "files")]
pub mod write;
