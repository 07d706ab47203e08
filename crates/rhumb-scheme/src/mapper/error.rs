//! Errors of lookups.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;

use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, GroupVersionResource};

use super::quote::{Listed, Quoted};

/// Error of a mapper.
#[derive(Debug)]
#[non_exhaustive]
pub enum MapperError {
    /// No resource has this name.
    NoResourceMatch {
        /// The request.
        partial: GroupVersionResource,
    },
    /// No resource holds objects of this kind.
    NoKindMatch {
        /// The request.
        kind: GroupKind,
        /// The versions the search was restricted to, if any.
        versions: Vec<String>,
    },
    /// A resource name has several meanings.
    AmbiguousResource {
        /// The request.
        partial: GroupVersionResource,
        /// The candidates.
        choices: Choices,
    },
    /// A kind has several meanings.
    AmbiguousKind {
        /// The request.
        partial: GroupVersionKind,
        /// The kinds it could mean.
        kinds: Vec<GroupVersionKind>,
    },
    /// The name to look for is empty.
    ResourceMissing {
        /// The request.
        partial: GroupVersionResource,
    },
    /// Resources of the same name have different singulars.
    AmbiguousSingular {
        /// The name that was looked for.
        resource: String,
        /// The resources it could mean.
        resources: Vec<GroupVersionResource>,
    },
    /// The resource has no singular.
    NoSingular {
        /// The name that was looked for.
        resource: String,
    },
    /// Several mappers failed, each for a reason of its own.
    Aggregate(Vec<MapperError>),
    /// The mapper couldn't look, for example because the server didn't answer.
    Unavailable(Box<dyn Error + Send + Sync>),
}

/// Candidates of an ambiguous resource in order of preference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choices {
    /// The search was for a resource.
    Resources(Vec<GroupVersionResource>),
    /// The search was for a kind.
    Kinds(Vec<GroupVersionKind>),
}

impl MapperError {
    /// Reports whether nothing matched.
    ///
    /// Several failures count as such when one of them does.
    pub fn is_no_match(&self) -> bool {
        match self {
            Self::NoResourceMatch { .. } | Self::NoKindMatch { .. } => true,
            Self::Aggregate(errors) => errors.iter().any(Self::is_no_match),
            _ => false,
        }
    }

    /// Reports whether several candidates matched.
    ///
    /// Several failures count as such when one of them does.
    pub fn is_ambiguous(&self) -> bool {
        match self {
            Self::AmbiguousResource { .. } | Self::AmbiguousKind { .. } => true,
            Self::Aggregate(errors) => errors.iter().any(Self::is_ambiguous),
            _ => false,
        }
    }

    pub(super) fn no_kind_match(kind: &GroupKind, versions: &[&str]) -> Self {
        Self::NoKindMatch {
            kind: kind.clone(),
            versions: versions.iter().map(|version| (*version).to_owned()).collect(),
        }
    }

    pub(super) fn ambiguous_kind(kind: &GroupKind, kinds: Vec<GroupVersionKind>) -> Self {
        Self::AmbiguousKind { partial: kind.with_version(""), kinds }
    }
}

impl fmt::Display for MapperError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoResourceMatch { partial } => write!(f, "no matches for {partial}"),
            Self::NoKindMatch { kind, versions } => write_no_kind_match(f, kind, versions),
            Self::AmbiguousResource { partial, choices: Choices::Resources(resources) } => {
                write_ambiguous(f, partial, "resources", resources)
            }
            Self::AmbiguousResource { partial, choices: Choices::Kinds(kinds) } => {
                write_ambiguous(f, partial, "kinds", kinds)
            }
            Self::AmbiguousKind { partial, kinds } => write_ambiguous(f, partial, "kinds", kinds),
            Self::ResourceMissing { partial } => write!(f, "a resource must be present, got: {partial}"),
            Self::AmbiguousSingular { resource, resources } => {
                write!(f, "multiple possible singular resources ({}) found for {resource}", Listed(resources))
            }
            Self::NoSingular { resource } => {
                write!(f, "no singular of resource {resource} has been defined")
            }
            Self::Aggregate(errors) => write_aggregate(f, errors),
            Self::Unavailable(error) => write!(f, "{error}"),
        }
    }
}

impl Error for MapperError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            // The error's own text is already ours, so the chain goes on below it.
            Self::Unavailable(error) => error.source(),
            _ => None,
        }
    }
}

fn write_no_kind_match(f: &mut fmt::Formatter<'_>, kind: &GroupKind, versions: &[String]) -> fmt::Result {
    let searched: BTreeSet<String> = versions
        .iter()
        .map(|version| GroupVersion::new(kind.group.clone(), version.clone()).to_string())
        .collect();
    write!(f, "no matches for kind {} in ", Quoted(&kind.kind))?;
    let quoted: Vec<Quoted<'_>> = searched.iter().map(|text| Quoted(text)).collect();
    match quoted.as_slice() {
        [] => write!(f, "group {}", Quoted(&kind.group)),
        [single] => write!(f, "version {single}"),
        several => write!(f, "versions {}", Listed(several)),
    }
}

fn write_ambiguous<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    partial: &dyn fmt::Display,
    what: &str,
    choices: &[T],
) -> fmt::Result {
    if choices.is_empty() {
        return write!(f, "{partial} matches multiple resources or kinds");
    }
    write!(f, "{partial} matches multiple {what} {}", Listed(choices))
}

/// Writes each different text once, with brackets around more than one.
fn write_aggregate(f: &mut fmt::Formatter<'_>, errors: &[MapperError]) -> fmt::Result {
    let mut texts = Vec::new();
    collect_texts(errors, &mut texts);
    match texts.as_slice() {
        [single] => f.write_str(single),
        texts => write!(f, "[{}]", texts.join(", ")),
    }
}

fn collect_texts(errors: &[MapperError], texts: &mut Vec<String>) {
    for error in errors {
        if let MapperError::Aggregate(inner) = error {
            collect_texts(inner, texts);
            continue;
        }
        let text = error.to_string();
        if !texts.contains(&text) {
            texts.push(text);
        }
    }
}
