//! Groups that a server's user brings: types of their own, served by the way that the built-in ones take.
//!
//! A group is a line of the resource table ([`Group`]), what registers its kinds in the Scheme with their
//! conversions, defaults and rules, and, where it wants more than custom resources get, strategies and columns.
//!
//! ```ignore
//! let group = ApiGroup::new(&example::GROUP, example::install).columns::<example::v1::CronTab>();
//! let server = Server::builder().serve(group).alone().in_memory().start().await?;
//! ```

use std::fmt;
use std::sync::Arc;

use rhumb_api::resources::{GROUPS, Group, ResourceTable, Served, StorageVersionError};
use rhumb_codec::Format;
use rhumb_meta::{GroupKind, GroupResource, GroupVersion, GroupVersionKind, INTERNAL};
use rhumb_print::{Printed, Printers};
use rhumb_schema::StructDesc;
use rhumb_scheme::{Install, RegisterError, Scheme};
use rhumb_strategy::{StatusWritten, Strategies, StrategiesBuilder};

/// Registers strategies.
pub type InstallStrategies = fn(&mut StrategiesBuilder) -> Result<(), rhumb_strategy::RegisterError>;

/// A group that a server's user brings.
#[derive(Clone, Debug)]
pub struct ApiGroup {
    group: &'static Group,
    install: Install,
    strategies: Option<InstallStrategies>,
    printers: Printers,
    stored_as: Option<Format>,
    storage_versions: Vec<(&'static str, &'static str)>,
}

impl ApiGroup {
    /// A group by its line of the resource table, and what registers its kinds with their conversions, defaults
    /// and rules. All its versions are served, unless the server's settings say otherwise.
    pub fn new(group: &'static Group, install: Install) -> Self {
        ApiGroup {
            group,
            install,
            strategies: None,
            printers: Printers::default(),
            stored_as: None,
            storage_versions: Vec::new(),
        }
    }

    /// Prepares objects by strategies. Kinds that get none are treated as custom resources are: their generation
    /// counts changes, and a status with a subresource is kept from those who write the rest.
    #[must_use]
    pub fn strategies(mut self, install: InstallStrategies) -> Self {
        self.strategies = Some(install);
        self
    }

    /// Shows objects of a kind, named by its hub type, with columns of their own. Others show their name and when
    /// they were made.
    #[must_use]
    pub fn columns<T: Printed>(mut self) -> Self {
        self.printers = self.printers.with::<T>();
        self
    }

    /// Writes objects to the store in a format. Without this it is protobuf where every field of a kind has a
    /// number, and else JSON. Either is read, whatever was written before.
    #[must_use]
    pub fn stored_as(mut self, format: Format) -> Self {
        self.stored_as = Some(format);
        self
    }

    /// Stores objects of a resource, by its plural, in this version rather than in the first. What the server is told
    /// about it goes before.
    #[must_use]
    pub fn storage_version(mut self, resource: &'static str, version: &'static str) -> Self {
        self.storage_versions.push((resource, version));
        self
    }

    /// The line of the resource table.
    pub fn table(&self) -> &'static Group {
        self.group
    }
}

/// Why a group can't be served.
#[derive(Debug)]
#[non_exhaustive]
pub enum GroupError {
    /// There is such a group already.
    Taken(&'static str),
    /// Kinds can't be registered.
    Register(&'static str, RegisterError),
    /// Strategies can't be registered.
    Strategies(&'static str, rhumb_strategy::RegisterError),
    /// The table has a kind that was not registered.
    NoKind(GroupVersionKind),
    /// The table has a kind whose lists were not registered.
    NoList(GroupVersionKind),
    /// The kind has no hub.
    NoHub(GroupKind),
    /// The kind has fields without numbers, so that it can't be written as protobuf.
    NoNumbers(GroupVersionKind),
    /// Objects can't be stored in the version that was chosen.
    StorageVersion(&'static str, StorageVersionError),
}

impl fmt::Display for GroupError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken(name) => write!(f, "there is a group {name:?} already"),
            Self::Register(name, _) => write!(f, "the kinds of the group {name:?} can't be registered"),
            Self::Strategies(name, _) => {
                write!(f, "the strategies of the group {name:?} can't be registered")
            }
            Self::NoKind(kind) => write!(f, "{kind} is to be served and was not registered"),
            Self::NoList(kind) => write!(f, "{kind} is to be served and was not registered: lists need it"),
            Self::NoHub(kind) => {
                write!(f, "{kind} has no hub: register one of its versions with register_hub as well")
            }
            Self::NoNumbers(kind) => {
                write!(f, "{kind} can't be stored as protobuf: it has fields whose number is 0")
            }
            Self::StorageVersion(name, _) => {
                write!(f, "the storage versions of the group {name:?} can't be used")
            }
        }
    }
}

impl std::error::Error for GroupError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Register(_, error) => Some(error),
            Self::Strategies(_, error) => Some(error),
            Self::StorageVersion(_, error) => Some(error),
            _ => None,
        }
    }
}

/// What a server knows of kinds: the registry, how objects are prepared, and how they are shown.
pub(crate) struct Kinds {
    pub(crate) scheme: Arc<Scheme>,
    pub(crate) strategies: Arc<Strategies>,
    pub(crate) printers: Arc<Printers>,
}

impl Kinds {
    /// The built-in kinds, and those of some groups, whose resources are in a table.
    pub(crate) fn new(groups: &[ApiGroup], table: &ResourceTable) -> Result<Self, GroupError> {
        let scheme = Arc::new(scheme(groups)?);
        let mut strategies = StrategiesBuilder::default();
        let built_in = rhumb_strategy::install(&mut strategies);
        built_in.map_err(|error| GroupError::Strategies("", error))?;
        let mut printers = Printers::default();
        for brought in groups {
            let name = brought.group.name;
            if let Some(install) = brought.strategies {
                install(&mut strategies).map_err(|error| GroupError::Strategies(name, error))?;
            }
            brought.check(&scheme, &mut strategies, table)?;
            printers.extend(&brought.printers);
        }
        Ok(Kinds { scheme, strategies: Arc::new(strategies.freeze()), printers: Arc::new(printers) })
    }
}

fn scheme(groups: &[ApiGroup]) -> Result<Scheme, GroupError> {
    let built_in =
        || rhumb_api::builder()?.named(crate::base::go_names::SCHEME).install(rhumb_validation::install);
    let mut builder = built_in().map_err(|error| GroupError::Register("", error))?;
    let mut names: Vec<&str> = GROUPS.iter().map(|group| group.name).collect();
    for ApiGroup { group, install, .. } in groups {
        let name = group.name;
        if names.contains(&name) {
            return Err(GroupError::Taken(name));
        }
        names.push(name);
        let failed = |error| GroupError::Register(name, error);
        builder = builder.install(*install).map_err(failed)?;
        for version in group.versions {
            let place = GroupVersion::new_static(name, version);
            rhumb_api::meta::add_to_group_version(&mut builder, &place).map_err(failed)?;
        }
        builder.version_priority(name, group.versions).map_err(failed)?;
    }
    builder
        .freeze()
        .map_err(|error| GroupError::Register(groups.last().map_or("", |last| last.group.name), error))
}

impl ApiGroup {
    /// Checks that everything of the table is known, and gives strategies to the kinds that have none.
    fn check(
        &self,
        scheme: &Scheme,
        strategies: &mut StrategiesBuilder,
        table: &ResourceTable,
    ) -> Result<(), GroupError> {
        for resource in self.group.resources {
            for version in resource.versions.iter().chain(resource.former_versions) {
                let place = GroupVersion::new_static(self.group.name, version);
                let (kind, list) = (place.with_kind(resource.kind), place.with_kind(resource.list_kind()));
                if !scheme.recognizes(&kind) {
                    return Err(GroupError::NoKind(kind));
                }
                if !scheme.recognizes(&list) {
                    return Err(GroupError::NoList(list));
                }
            }
            let kind = GroupKind::new(self.group.name, resource.kind);
            let hub = GroupVersion::new_static(self.group.name, INTERNAL).with_kind(resource.kind);
            let hub = scheme.new_object(&hub).map_err(|_| GroupError::NoHub(kind.clone()))?;
            let is_apart = resource.subresources.iter().any(|below| below.name == "status");
            let status = if is_apart { StatusWritten::Apart } else { StatusWritten::Within };
            strategies.add_customary(&kind, &*hub, status);
            let served = table.resource(&GroupResource::new(self.group.name, resource.plural));
            if let Some(stored) = served.and_then(Served::storage_version)
                && self.stored_as == Some(Format::Protobuf)
                && !speaks_protobuf(scheme, &stored.with_kind(resource.kind))
            {
                return Err(GroupError::NoNumbers(stored.with_kind(resource.kind)));
            }
        }
        Ok(())
    }

    /// Notes in a table which versions its objects are stored in, where nobody else has chosen.
    pub(crate) fn choose_storage_versions(&self, table: &mut ResourceTable) -> Result<(), GroupError> {
        for (plural, version) in &self.storage_versions {
            let resource = GroupResource::new(self.group.name, *plural);
            // What is switched off is stored nowhere; what the group doesn't have is a mistake.
            let is_off = table.resource(&resource).is_none()
                && self.group.resources.iter().any(|known| known.plural == *plural);
            if !is_off && table.resource(&resource).is_none_or(Served::is_stored_as_usual) {
                let chosen = table.store_in(&resource, version);
                chosen.map_err(|error| GroupError::StorageVersion(self.group.name, error))?;
            }
        }
        Ok(())
    }

    /// The format that objects are written in.
    pub(crate) fn format_of(&self, scheme: &Scheme, stored: &GroupVersionKind) -> Format {
        let usual = || if speaks_protobuf(scheme, stored) { Format::Protobuf } else { Format::Json };
        self.stored_as.unwrap_or_else(usual)
    }
}

/// Whether every field that objects of a kind have has a number in protobuf.
pub(crate) fn speaks_protobuf(scheme: &Scheme, kind: &GroupVersionKind) -> bool {
    let Some(known) = scheme.known_type(kind) else { return false };
    let mut seen: Vec<&'static StructDesc> = Vec::new();
    let mut queue = vec![known.desc];
    while let Some(desc) = queue.pop() {
        if seen.iter().any(|known| std::ptr::eq(*known, desc)) {
            continue;
        }
        seen.push(desc);
        for field in desc.fields {
            // The version and the kind travel in the envelope.
            if field.inline && field.name == "type_meta" {
                continue;
            }
            if field.number == 0 {
                return false;
            }
            queue.extend(field.shape.element_struct());
        }
    }
    true
}
