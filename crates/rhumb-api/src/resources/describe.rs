//! The words the table is written in: groups, resources, subresources, verbs.

use rhumb_meta::GroupVersion;
use rhumb_scheme::mapper::Scope;

/// What can be done with a resource. The order is the one discovery has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Verb {
    /// POST of a new object, or of something to be answered.
    Create,
    /// DELETE of one object.
    Delete,
    /// DELETE of all objects that match.
    DeleteCollection,
    /// GET of one object.
    Get,
    /// GET of all objects that match.
    List,
    /// PATCH of one object.
    Patch,
    /// PUT of one object.
    Update,
    /// GET of changes as they happen.
    Watch,
}

impl Verb {
    /// The verb as it stands in documents and rules.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Delete => "delete",
            Self::DeleteCollection => "deletecollection",
            Self::Get => "get",
            Self::List => "list",
            Self::Patch => "patch",
            Self::Update => "update",
            Self::Watch => "watch",
        }
    }
}

/// What a resource of stored objects lets one do.
const ALL_VERBS: &[Verb] = &[
    Verb::Create,
    Verb::Delete,
    Verb::DeleteCollection,
    Verb::Get,
    Verb::List,
    Verb::Patch,
    Verb::Update,
    Verb::Watch,
];
/// What a part of an object lets one do.
const READ_AND_WRITE: &[Verb] = &[Verb::Get, Verb::Patch, Verb::Update];
/// What a way through to another server lets one do.
const PASS_ON: &[Verb] = &[Verb::Create, Verb::Delete, Verb::Get, Verb::Patch, Verb::Update];

/// An API group.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Its name, such as `apps`; empty for the core group.
    pub name: &'static str,
    /// All its versions, former ones too, in the order clients should prefer them.
    pub versions: &'static [&'static str],
    /// Its resources, by name.
    pub resources: &'static [Resource],
}

/// A resource: the place in a path where objects of one kind are found.
#[derive(Clone, Copy, Debug)]
pub struct Resource {
    /// The name in paths, a plural in lower case.
    pub plural: &'static str,
    /// The kind of its objects.
    pub kind: &'static str,
    /// Whether its objects live in namespaces.
    pub scope: Scope,
    /// Abbreviations for command lines.
    pub short_names: &'static [&'static str],
    /// Collective names it can be asked for by, such as `all`.
    pub categories: &'static [&'static str],
    /// What can be done with it.
    pub verbs: &'static [Verb],
    /// The versions of its group that have it, the most wanted first.
    pub versions: &'static [&'static str],
    /// The versions of its group that once had it and that Kubernetes no longer serves.
    pub former_versions: &'static [&'static str],
    /// The fields that objects can be selected by, beside name and namespace, as they are called inside.
    pub fields: &'static [&'static str],
    /// What stands below an object of it.
    pub subresources: &'static [Subresource],
    /// Whether a deletion answers with the object rather than with a Status.
    pub returns_deleted: bool,
    /// Whether documents say a Status even so.
    documents_status: bool,
    storage: Storage,
}

/// In which group and version objects are written to storage.
#[derive(Clone, Copy, Debug)]
enum Storage {
    /// Nothing is: the server works the answer out.
    None,
    /// In the resource's own group and its first version.
    First,
    /// In the resource's own group and this version.
    Version(&'static str),
    /// In another group, which the kind has moved to or shares with it.
    Elsewhere(&'static str, &'static str),
}

impl Resource {
    /// A resource whose objects live in namespaces, in version `v1` unless told otherwise.
    pub const fn namespaced(plural: &'static str, kind: &'static str) -> Self {
        Self::new(plural, kind, Scope::Namespaced)
    }

    /// A resource of the cluster as a whole, in version `v1` unless told otherwise.
    pub const fn cluster(plural: &'static str, kind: &'static str) -> Self {
        Self::new(plural, kind, Scope::Cluster)
    }

    const fn new(plural: &'static str, kind: &'static str, scope: Scope) -> Self {
        Self {
            plural,
            kind,
            scope,
            short_names: &[],
            categories: &[],
            verbs: ALL_VERBS,
            versions: &["v1"],
            former_versions: &[],
            fields: &[],
            subresources: &[],
            returns_deleted: false,
            documents_status: false,
            storage: Storage::First,
        }
    }

    /// Sets the abbreviations.
    pub const fn short(mut self, names: &'static [&'static str]) -> Self {
        self.short_names = names;
        self
    }

    /// Sets the collective names.
    pub const fn categories(mut self, names: &'static [&'static str]) -> Self {
        self.categories = names;
        self
    }

    /// Sets the verbs.
    pub const fn verbs(mut self, verbs: &'static [Verb]) -> Self {
        self.verbs = verbs;
        self
    }

    /// Sets the versions that have it, the most wanted first.
    pub const fn versions(mut self, versions: &'static [&'static str]) -> Self {
        self.versions = versions;
        self
    }

    /// Sets the versions that once had it.
    pub const fn formerly(mut self, versions: &'static [&'static str]) -> Self {
        self.former_versions = versions;
        self
    }

    /// Sets the fields that objects can be selected by.
    pub const fn fields(mut self, names: &'static [&'static str]) -> Self {
        self.fields = names;
        self
    }

    /// Sets what stands below an object.
    pub const fn with(mut self, subresources: &'static [Subresource]) -> Self {
        self.subresources = subresources;
        self
    }

    /// Says that a deletion answers with the object.
    pub const fn returning_deleted(mut self) -> Self {
        self.returns_deleted = true;
        self
    }

    /// Says that documents know nothing of that.
    pub const fn documented_as_status(mut self) -> Self {
        self.documents_status = true;
        self
    }

    /// Whether documents say that a deletion answers with the object.
    pub const fn documents_deleted(&self) -> bool {
        self.returns_deleted && !self.documents_status
    }

    /// Says that objects are stored in a version other than the first.
    pub const fn stored_in(mut self, version: &'static str) -> Self {
        self.storage = Storage::Version(version);
        self
    }

    /// Says that objects are stored in another group.
    pub const fn stored_elsewhere(mut self, group: &'static str, version: &'static str) -> Self {
        self.storage = Storage::Elsewhere(group, version);
        self
    }

    /// Says that the server works objects out rather than storing them.
    pub const fn not_stored(mut self) -> Self {
        self.storage = Storage::None;
        self
    }

    /// A question: it is posted, answered and forgotten.
    pub const fn question(self) -> Self {
        self.not_stored().verbs(&[Verb::Create])
    }

    /// The name of one object: the kind in lower case.
    pub fn singular(&self) -> String {
        self.kind.to_ascii_lowercase()
    }

    /// The kind of a list of its objects.
    pub fn list_kind(&self) -> String {
        format!("{}List", self.kind)
    }

    /// The group and version its objects are stored in, if they are; `group` is the one it stands in.
    pub fn storage_version(&self, group: &'static str) -> Option<GroupVersion> {
        let (group, version) = match self.storage {
            Storage::None => return None,
            Storage::First => (group, *self.versions.iter().chain(self.former_versions).next()?),
            Storage::Version(version) => (group, version),
            Storage::Elsewhere(group, version) => (group, version),
        };
        Some(GroupVersion::new_static(group, version))
    }
}

/// A part or an action of an object, named behind it in the path.
#[derive(Clone, Copy, Debug)]
pub struct Subresource {
    /// The name, such as `status`.
    pub name: &'static str,
    /// The kind that it takes and gives.
    pub gives: Gives,
    /// What can be done with it.
    pub verbs: &'static [Verb],
    /// The versions that have it; empty if all do that have the resource.
    pub versions: &'static [&'static str],
}

/// The kind that a subresource takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gives {
    /// That of the resource.
    Object,
    /// Another kind of the same group and version.
    Kind(&'static str),
    /// Another kind of the same group and version, which discovery names in full.
    OwnKind(&'static str),
    /// A kind of another group or version: group, version, kind.
    Foreign(&'static str, &'static str, &'static str),
}

impl Subresource {
    /// What has been observed of the object, written apart from what is wanted.
    pub const STATUS: Self = Self::part("status");
    /// How many copies there are to be, in the form that autoscalers know.
    pub const SCALE: Self = Self::new("scale", Gives::Foreign("autoscaling", "v1", "Scale"), READ_AND_WRITE);
    /// The same in the form that a version had of its own.
    pub(super) const OWN_SCALE: Self = Self::new("scale", Gives::OwnKind("Scale"), READ_AND_WRITE);

    /// A part of the object that is read and written apart.
    pub const fn part(name: &'static str) -> Self {
        Self::new(name, Gives::Object, READ_AND_WRITE)
    }

    /// Something that is posted to the object.
    pub const fn post(name: &'static str, gives: Gives) -> Self {
        Self::new(name, gives, &[Verb::Create])
    }

    /// A stream to the object, opened by GET or POST.
    pub const fn stream(name: &'static str, options: &'static str) -> Self {
        Self::new(name, Gives::Kind(options), &[Verb::Create, Verb::Get])
    }

    /// A way through to what the object stands for.
    pub const fn proxy(options: &'static str) -> Self {
        Self::new("proxy", Gives::Kind(options), PASS_ON)
    }

    /// Anything else.
    pub const fn new(name: &'static str, gives: Gives, verbs: &'static [Verb]) -> Self {
        Self { name, gives, verbs, versions: &[] }
    }

    /// Limits it to some versions.
    pub const fn only_in(mut self, versions: &'static [&'static str]) -> Self {
        self.versions = versions;
        self
    }
}
