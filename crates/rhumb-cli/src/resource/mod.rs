//! From words, files and selectors to objects.
//!
//! A [`Builder`] is told what the command line says and gives [`Infos`]: a stream of [`Info`]s, each a name with its
//! mapping and perhaps its object. What happens to them on the way is composed of visitors: lists are taken apart,
//! namespaces set or demanded, objects fetched when they are missing.

mod builder;
mod documents;
mod files;
mod info;
mod sources;
mod visit;

pub use builder::Builder;
pub use documents::{DocumentError, DocumentReader, RawDocument};
pub use files::{FILE_EXTENSIONS, FileOptions, expand_files};
pub use info::{Info, Origin};
pub use sources::check_object;
pub use visit::{Decorated, Flattened, Infos, Next, Step, Visit};

/// The parts of a comma list, none twice.
pub fn split_types(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in word.split(',') {
        if !parts.iter().any(|known| known == part) {
            parts.push(part.to_owned());
        }
    }
    parts
}
