//! Resolution of arguments, files and selectors to objects.
//!
//! A [`Builder`] is told what the command line says and gives [`Infos`]: a stream of [`Info`]s, each a name with its
//! mapping and perhaps its object. What happens to them on the way is composed of visitors: lists are taken apart,
//! namespaces set or demanded, objects fetched when they are missing, and whatever a function does ([`Step`]).

mod builder;
mod documents;
mod files;
mod info;
mod infos;
mod sources;
mod step;
mod visit;
mod words;

pub use builder::Builder;
pub use documents::{DocumentError, DocumentReader, RawDocument};
pub use files::{FILE_EXTENSIONS, FileOptions, expand_files};
pub use info::{Info, Origin};
pub use infos::{Infos, as_object};
pub use step::Step;
pub use visit::{Decorated, Flattened, Next, Visit};
pub use words::split_types;
