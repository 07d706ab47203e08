//! Facts about a kind that decide how requests for it are served.

use rhumb_meta::GroupVersion;

/// What happens to the objects that depend on a deleted one, if the request doesn't say.
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

/// How the generation of objects of a kind counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Generation {
    /// The kind has none. A number that a client sent with a new object stays.
    #[default]
    None,
    /// It starts at 1 and counts changes.
    Counted,
    /// It is 1 and stays so.
    Fixed,
    /// It is absent until the first change.
    FromFirstChange,
}

/// Facts about a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Whether an update of an object that isn't there makes it.
    pub create_on_update: bool,
    /// Whether an update without a resource version is taken, whatever is stored.
    pub unconditional_update: bool,
    /// Whether deletion gives an object time to shut down.
    pub graceful_deletion: bool,
    /// How the generation counts.
    pub generation: Generation,
    /// Whether an object has the same fields in whichever version it came and in the hub, but for where they stand.
    pub same_fields: bool,
    pub(crate) garbage_collection: GarbageCollection,
    pub(crate) orphans_in: &'static [GroupVersion],
}

impl Facts {
    /// What holds for most built-in kinds.
    pub(crate) const USUAL: Facts = Facts {
        create_on_update: false,
        unconditional_update: true,
        graceful_deletion: false,
        generation: Generation::None,
        same_fields: false,
        garbage_collection: GarbageCollection::DeleteDependents,
        orphans_in: &[],
    };

    /// What holds for custom resources, which count their generation.
    pub const CUSTOM: Facts =
        Facts { unconditional_update: false, generation: Generation::Counted, ..Facts::USUAL };

    /// Returns what happens to dependents by default, for a request in a version.
    pub fn garbage_collection(&self, request_version: &GroupVersion) -> GarbageCollection {
        if self.orphans_in.contains(request_version) {
            GarbageCollection::OrphanDependents
        } else {
            self.garbage_collection
        }
    }
}
