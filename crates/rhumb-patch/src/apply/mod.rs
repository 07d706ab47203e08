//! Server-side apply and managed fields: ownership of an object's fields.
//!
//! Every write passes through an [`Endpoint`]. [`Endpoint::update`] notes what a create, update or patch
//! changed; [`Endpoint::apply`] merges what a client wants into the live object, refuses what would take
//! fields from others unless forced, and removes what the client wanted before and no longer does.
//!
//! Underneath lie sets of paths ([`FieldSet`]) and the walks that make them: over an object
//! ([`Type::field_set`]), over two of them ([`Type::compare`], [`Type::merge`]), and over an object and a set
//! ([`Type::remove`], [`Type::extract`]). All of them see the shape of objects through [`Type`], which looks
//! either into the static tables of the built-in kinds or into the compiled schema of a custom one; no third
//! form is built.
//!
//! Nothing here reads a clock or knows how objects are converted: both come in from outside.

mod check;
mod compare;
mod conflict;
mod created;
mod element;
mod endpoint;
mod fields_v1;
mod filter;
mod items;
mod last_applied;
mod managers;
mod merge;
mod name;
mod named;
mod owned;
mod remove;
mod schema;
mod set;
mod structural;
#[cfg(test)]
mod tests;
mod updater;

pub use compare::Comparison;
pub use conflict::{ApplyError, Conflict, Conflicts};
pub use created::CreatedFields;
pub use element::{PathElement, Scalar, Tree};
pub use endpoint::{Applied, Endpoint, RequestedFields, keep_times, manager_name};
pub use fields_v1::FieldsError;
pub use filter::{Filter, PathPattern};
pub use managers::{Managers, ManagersError, Operation, sort_entries};
pub use name::Name;
pub use schema::Type;
pub use set::FieldSet;
pub use structural::CompiledSchema;
pub use updater::{ConvertError, OneVersion, Versions};
