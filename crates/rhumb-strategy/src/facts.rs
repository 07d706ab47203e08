//! Properties of kinds that affect how requests are served.

use rhumb_meta::GroupVersion;

/// Default garbage collection policy of a kind's dependents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GarbageCollection {
    /// They are deleted as well.
    #[default]
    DeleteDependents,
    /// They stay, and no longer name the deleted object as their owner.
    OrphanDependents,
    /// Objects of the kind never own others, so that deletion leaves no finalizers on them.
    Unsupported,
}

/// How the generation is maintained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// The kind has none. A number that a client sent with a new object stays.
    #[default]
    None,
    /// Starts at 1 and increments on changes.
    Counted,
    /// Is always 1.
    Fixed,
    /// Is absent until the first change.
    FromFirstChange,
}

/// Properties of a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Whether an update of an object that isn't there makes it.
    pub create_on_update: bool,
    /// Whether an update without a resource version is taken, whatever is stored.
    pub unconditional_update: bool,
    /// Whether deletion gives an object time to shut down.
    pub graceful_deletion: bool,
    /// Generation.
    pub generation: Generation,
    /// Whether an object has the same fields in whichever version it came and in the hub, but for where they stand.
    pub same_fields: bool,
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) orphans_in: &'static [GroupVersion],
}

impl Facts {
    /// Properties of most built-in kinds.
    pub(crate) const USUAL: Facts = Facts {
        create_on_update: false,
        unconditional_update: true,
        graceful_deletion: false,
        generation: Generation::None,
        same_fields: false,
        garbage_collection: GarbageCollection::DeleteDependents,
        orphans_in: &[],
    };

    /// Properties of custom resources, which have a generation.
    pub const CUSTOM: Facts =
        Facts { unconditional_update: false, generation: Generation::Counted, ..Facts::USUAL };

    /// Returns the default handling of dependents in a version.
    pub fn garbage_collection(&self, request_version: &GroupVersion) -> GarbageCollection {
        if self.orphans_in.contains(request_version) {
            GarbageCollection::OrphanDependents
        } else {
            self.garbage_collection
        }
    }
}
