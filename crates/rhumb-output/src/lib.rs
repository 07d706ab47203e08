//! Output formats of kubectl.
//!
//! A [`Printer`] turns objects, which are JSON trees, into text. Which one is chosen from what the user asked
//! for: [`format::OutputFormat`]. The forms are [`document`] (JSON and YAML), [`kyaml`], [`name`],
//! [`json_path`], [`go_template`], [`custom_columns`] and [`table`]; [`sort_by`] brings lists into the order
//! of a field, and [`tabs`] lines columns up for whoever prints some.
//!
//! Everything a user sees here is equal to kubectl's to the byte, errors included. Nothing is read from the
//! environment: the time that ages are counted to and the files that templates stand in are passed in.

pub mod custom_columns;
pub mod document;
mod error;
pub mod format;
pub mod go_order;
pub mod go_template;
mod item;
pub mod json_path;
pub mod kyaml;
pub mod name;
mod object;
pub mod sort_by;
pub mod table;
pub mod tabs;
pub mod terminal;

pub use error::PrintError;
pub use item::{Item, Printer};
pub use rhumb_meta::human::{human_duration, short_human_duration};
pub use tabs::{TabLayout, TabWriter};
