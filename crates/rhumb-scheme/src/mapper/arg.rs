//! Resolution of a resource argument of a command line.

use std::error::Error;
use std::fmt;

use rhumb_meta::{GroupVersionKind, GroupVersionResource};

use super::quote::Quoted;
use super::{MapperError, RestMapper, RestMapping};

/// Error of resolving an argument.
#[derive(Debug)]
#[non_exhaustive]
pub enum ArgError {
    /// Neither a resource nor a kind has that name.
    UnknownResourceType {
        /// The name as it was typed, without version and group.
        resource: String,
    },
    /// The mapper couldn't tell.
    Mapper(MapperError),
}

impl fmt::Display for ArgError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownResourceType { resource } => {
                write!(f, "the server doesn't have a resource type {}", Quoted(resource))
            }
            Self::Mapper(error) => error.fmt(f),
        }
    }
}

impl Error for ArgError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::UnknownResourceType { .. } => None,
            // The mapper's text is already ours, so the chain goes on below it.
            Self::Mapper(error) => error.source(),
        }
    }
}

impl From<MapperError> for ArgError {
    fn from(error: MapperError) -> Self {
        Self::Mapper(error)
    }
}

/// Resolves a typed resource or kind: `deploy`, `deployments.apps`, `Deployment.v1.apps`.
///
/// The text is read as a resource first, with a version if it can have one, then without; and then as a kind in
/// the same two ways. Whether `a.b.c` names a version can't be seen, only tried.
pub fn mapping_for_arg(mapper: &dyn RestMapper, text: &str) -> Result<RestMapping, ArgError> {
    let (full, group_resource) = GroupVersionResource::parse_arg(text);
    // Why a reading failed doesn't matter while there are others to try.
    let found = full
        .and_then(|resource| mapper.kind_for(&resource).ok())
        .filter(|kind| !kind.is_empty())
        .or_else(|| mapper.kind_for(&group_resource.with_version("")).ok())
        .filter(|kind| !kind.is_empty());
    if let Some(kind) = found {
        return Ok(mapper.rest_mapping(&kind.group_kind(), &[&kind.version])?);
    }

    let (full, group_kind) = GroupVersionKind::parse_arg(text);
    let mapping = full
        .and_then(|kind| mapper.rest_mapping(&kind.group_kind(), &[&kind.version]).ok())
        .map_or_else(|| mapper.rest_mapping(&group_kind, &[""]), Ok);
    mapping.map_err(|error| {
        if error.is_no_match() {
            ArgError::UnknownResourceType { resource: group_resource.resource.into_owned() }
        } else {
            ArgError::Mapper(error)
        }
    })
}
