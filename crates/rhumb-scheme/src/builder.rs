//! `SchemeBuilder`: explicit, fallible registration, then freeze.

use std::any::{Any, TypeId, type_name};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use foldhash::HashMap;
use rhumb_meta::{GroupVersion, GroupVersionKind, INTERNAL, Object, downcast};
use rhumb_schema::text::quoted;
use rhumb_schema::{Described, Shape, StructDesc};

use crate::conversions::{Conversions, ConvertFn, Precedence, Values};
use crate::convert::{Convert, ConvertError, Scope};
use crate::defaulting::{DefaultFn, Defaults};
use crate::hub_form::{HubFormFn, HubForms};
use crate::reach::Reach;
use crate::scheme::{FieldLabelFn, Scheme, TypeEntry};
use crate::type_map::TypeMap;
use crate::validation::{AllRules, FieldErrors, FieldPath, Rules, Validations};

/// Error of a registration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RegisterError {
    /// Two types under one kind: the kind, both types and the scheme.
    DoubleRegistration {
        /// The kind that has a type already.
        gvk: Box<GroupVersionKind>,
        /// The type it has.
        old: &'static str,
        /// The type that was to be registered.
        new: &'static str,
        /// The scheme's name.
        scheme: String,
    },
    /// A version is needed to register a kind.
    NoVersion(String),
    /// A version priority for a version without kinds.
    UnknownVersion(GroupVersion),
    /// Two types under one unversioned kind, whose name must be the only one of all groups.
    DoubleUnversioned {
        /// The kind that was to be registered.
        gvk: GroupVersionKind,
        /// The type that has the name.
        old: &'static str,
        /// The scheme's name.
        scheme: String,
    },
    /// The internal version can't have a priority.
    InternalPriority(GroupVersion),
    /// A kind of an external version has no way to its hub: the kind and its type.
    NoWayToHub(GroupVersionKind, &'static str),
    /// A default in a field table doesn't fit its field.
    BadDefault(String),
    /// The type has rules of validation already.
    DoubleRules(&'static str),
}

impl fmt::Display for RegisterError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegisterError::DoubleRegistration { gvk, old, new, scheme } => write!(
                f,
                "Double registration of different types for {gvk}: old={old}, new={new} in scheme {}",
                quoted(scheme)
            ),
            RegisterError::NoVersion(type_name) => {
                write!(f, "version is required on all types: {type_name}")
            }
            RegisterError::UnknownVersion(gv) => write!(
                f,
                "a priority was set for {gv}, but no kind is registered in that version; register its kinds first"
            ),
            RegisterError::DoubleUnversioned { gvk, old, scheme } => write!(
                f,
                "{old} has already been registered as unversioned kind {} - kind name must be unique in scheme {}",
                quoted(gvk.to_string()),
                quoted(scheme)
            ),
            RegisterError::InternalPriority(gv) => {
                write!(f, "internal versions cannot be prioritized: {gv}")
            }
            RegisterError::NoWayToHub(gvk, type_name) => write!(
                f,
                "{gvk} ({type_name}) has no conversion to and from its hub: register one, or the same type as internal"
            ),
            RegisterError::BadDefault(text) => f.write_str(text),
            RegisterError::DoubleRules(type_name) => {
                write!(f, "{type_name} has rules of validation already; a type has one set of them")
            }
        }
    }
}

impl std::error::Error for RegisterError {}

/// Function with which an API group registers its kinds, conversions and defaults.
pub type Install = fn(&mut SchemeBuilder) -> Result<(), RegisterError>;

/// Builder of a [`Scheme`].
pub struct SchemeBuilder {
    pub(crate) name: String,
    pub(crate) types: TypeMap<TypeEntry>,
    pub(crate) by_gvk: HashMap<GroupVersionKind, TypeId>,
    pub(crate) unversioned: BTreeMap<String, TypeId>,
    pub(crate) unversioned_types: TypeMap<GroupVersionKind>,
    pub(crate) observed: Vec<GroupVersion>,
    pub(crate) priority: BTreeMap<String, Vec<GroupVersion>>,
    pub(crate) written: HashMap<(TypeId, TypeId), ConvertFn>,
    pub(crate) derived: HashMap<(TypeId, TypeId), ConvertFn>,
    pub(crate) ignored: HashMap<(TypeId, TypeId), ConvertFn>,
    pub(crate) values: Values,
    pub(crate) field_labels: HashMap<GroupVersionKind, FieldLabelFn>,
    pub(crate) default_fns: Vec<(&'static StructDesc, DefaultFn)>,
    pub(crate) hub_form_fns: Vec<(&'static StructDesc, HubFormFn)>,
    pub(crate) validations: Validations,
    pub(crate) rules: AllRules,
}

/// Returns the table of a type that is a struct. Everything that is registered is one.
pub(crate) fn desc_of<T: Described>() -> Option<&'static StructDesc> {
    match T::SHAPE {
        Shape::Struct(desc) => Some(desc()),
        _ => None,
    }
}

impl SchemeBuilder {
    /// Sets the scheme's name, which errors about unregistered kinds contain.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// Creates an empty scheme with a name, which errors contain.
    pub fn new(name: impl Into<String>) -> Self {
        SchemeBuilder {
            name: name.into(),
            types: TypeMap::default(),
            by_gvk: HashMap::default(),
            unversioned: BTreeMap::new(),
            unversioned_types: TypeMap::default(),
            observed: Vec::new(),
            priority: BTreeMap::new(),
            written: HashMap::default(),
            derived: HashMap::default(),
            ignored: HashMap::default(),
            values: Values::default(),
            field_labels: HashMap::default(),
            default_fns: Vec::new(),
            hub_form_fns: Vec::new(),
            validations: Validations::default(),
            rules: AllRules::default(),
        }
    }

    /// Runs a group's install function.
    ///
    /// # Errors
    /// What the function fails with.
    pub fn install(mut self, install: Install) -> Result<Self, RegisterError> {
        install(&mut self)?;
        Ok(self)
    }

    /// Registers a type under its own name in a version.
    ///
    /// # Errors
    /// If another type has that kind already.
    pub fn register<T: Object + Described>(&mut self, gv: &GroupVersion) -> Result<&mut Self, RegisterError> {
        self.add(gv, None, TypeId::of::<T>(), TypeEntry::of::<T>)
    }

    /// Registers a type as a given kind. A type may have several.
    ///
    /// # Errors
    /// If another type has that kind already, or the version is empty.
    pub fn register_as<T: Object + Described>(
        &mut self,
        gvk: &GroupVersionKind,
    ) -> Result<&mut Self, RegisterError> {
        self.add(&gvk.group_version(), Some(gvk.kind.clone()), TypeId::of::<T>(), TypeEntry::of::<T>)
    }

    /// Adds a kind under a name, or under its own. There are hundreds of kinds, so this is here once for all of them.
    fn add(
        &mut self,
        gv: &GroupVersion,
        name: Option<Cow<'static, str>>,
        id: TypeId,
        entry: fn() -> TypeEntry,
    ) -> Result<&mut Self, RegisterError> {
        let entry = entry();
        let gvk = gv.with_kind(name.unwrap_or(Cow::Borrowed(entry.name())));
        if gvk.version.is_empty() {
            return Err(RegisterError::NoVersion(format!("{gvk} {}", entry.rust_name)));
        }
        if let Some(old) = self.by_gvk.get(&gvk) {
            if *old == id {
                return Ok(self);
            }
            return Err(RegisterError::DoubleRegistration {
                old: self.types.get(old).map_or("", |entry| entry.rust_name),
                new: entry.rust_name,
                scheme: self.name.clone(),
                gvk: Box::new(gvk),
            });
        }
        // Kinds come version by version, so the last one is asked first.
        if gv.version != INTERNAL && self.observed.last() != Some(gv) && !self.observed.contains(gv) {
            self.observed.push(gv.clone());
        }
        self.by_gvk.insert(gvk.clone(), id);
        self.types.entry(id).or_insert(entry).gvks.push(gvk);
        Ok(self)
    }

    /// Registers a type as the internal version (the hub) of a kind.
    ///
    /// # Errors
    /// If the kind has a hub already.
    pub fn register_hub<T: Object + Described>(&mut self, group: &str) -> Result<&mut Self, RegisterError> {
        self.register::<T>(&GroupVersion::new(group.to_owned(), INTERNAL))
    }

    /// Registers a type that is the same in every group and version, such as `Status`.
    ///
    /// # Errors
    /// If another type has the kind already.
    pub fn register_unversioned<T: Object + Described>(
        &mut self,
        gv: &GroupVersion,
    ) -> Result<&mut Self, RegisterError> {
        self.register::<T>(gv)?;
        let id = TypeId::of::<T>();
        let kind = desc_of::<T>().map_or_else(|| type_name::<T>(), |desc| desc.name);
        let gvk = gv.with_kind(kind);
        if let Some(old) = self.unversioned.insert(kind.to_owned(), id)
            && old != id
        {
            let old = self.types.get(&old).map_or("", |entry| entry.rust_name);
            return Err(RegisterError::DoubleUnversioned { gvk, old, scheme: self.name.clone() });
        }
        self.unversioned_types.insert(id, gvk);
        Ok(self)
    }

    /// Registers a handwritten conversion. It takes precedence over derived and generated ones, whatever the order; of
    /// two for a pair the later one counts.
    pub fn conversion<A: Object, B: Object>(
        &mut self,
        convert: impl Fn(A, &Scope) -> Result<B, ConvertError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.written.insert((TypeId::of::<A>(), TypeId::of::<B>()), boxed(convert));
        self
    }

    /// Registers a generated conversion, with the precedence of a derived one: it counts if
    /// [`SchemeBuilder::conversion`] has none for the pair.
    pub fn generated_conversion<A: Object, B: Object>(
        &mut self,
        convert: impl Fn(A, &Scope) -> Result<B, ConvertError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.derived.insert((TypeId::of::<A>(), TypeId::of::<B>()), boxed(convert));
        self
    }

    /// Registers a hand-written conversion of values that are no objects, such as a part of a spec. Derived
    /// conversions take it wherever they meet the pair, before what the types say of themselves, and
    /// [`Scope::convert`] finds it.
    pub fn value_conversion<A: 'static, B: 'static>(
        &mut self,
        convert: impl Fn(A, &Scope) -> Result<B, ConvertError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.values.add::<A, B>(Precedence::Written, Box::new(convert));
        self
    }

    /// Registers a conversion of values that a program wrote. It counts where neither
    /// [`SchemeBuilder::value_conversion`] nor the types themselves have one.
    pub fn generated_value_conversion<A: 'static, B: 'static>(
        &mut self,
        convert: impl Fn(A, &Scope) -> Result<B, ConvertError> + Send + Sync + 'static,
    ) -> &mut Self {
        self.values.add::<A, B>(Precedence::Generated, Box::new(convert));
        self
    }

    /// Makes conversions of values from one type to another give the default, as [`SchemeBuilder::ignore_conversion`]
    /// does for objects.
    pub fn ignore_value_conversion<A: 'static, B: Default + 'static>(&mut self) -> &mut Self {
        self.values.add::<A, B>(Precedence::Ignored, Box::new(|_, _| Ok(B::default())));
        self
    }

    /// Registers what [`Convert`] does between a type and its hub, in both directions.
    pub fn hub_conversion<T, Hub>(&mut self) -> &mut Self
    where
        T: Object + Convert<Hub>,
        Hub: Object + Convert<T>,
    {
        let (own, hub) = (TypeId::of::<T>(), TypeId::of::<Hub>());
        self.derived.insert((own, hub), boxed(|value: T, scope: &Scope| value.convert(scope)));
        self.derived.insert((hub, own), boxed(|value: Hub, scope: &Scope| value.convert(scope)));
        self
    }

    /// Makes conversions from one type to another give the default: a pair that has nothing in common. It wins over
    /// any other conversion of the pair.
    pub fn ignore_conversion<A: Object, B: Object + Default>(&mut self) -> &mut Self {
        self.ignored
            .insert((TypeId::of::<A>(), TypeId::of::<B>()), Arc::new(|_, _| Ok(Box::new(B::default()))));
        self
    }

    /// Registers a defaulting function for a type, wherever it occurs in an object.
    pub fn defaults<T: Described>(&mut self, default: fn(&mut T)) -> &mut Self {
        if let Some(desc) = desc_of::<T>() {
            self.default_fns.push((
                desc,
                Arc::new(move |value| {
                    if let Some(value) = (value as &mut dyn Any).downcast_mut::<T>() {
                        default(value);
                    }
                }),
            ));
        }
        self
    }

    /// Registers a function that brings a type into the form it has in the hub, wherever in an object it stands. It
    /// runs when an object is converted to, from or through its hub, even if the hub has the same type; applied
    /// twice it must do nothing more.
    pub fn hub_form<T: Described>(&mut self, form: fn(&mut T) -> Result<(), ConvertError>) -> &mut Self {
        if let Some(desc) = desc_of::<T>() {
            self.hub_form_fns.push((
                desc,
                Arc::new(move |value| match (value as &mut dyn Any).downcast_mut::<T>() {
                    Some(value) => form(value),
                    None => Ok(()),
                }),
            ));
        }
        self
    }

    /// Registers a validation function for a type, wherever it occurs in an object.
    pub fn validation<T: Described>(&mut self, validate: fn(&T, &FieldPath, &mut FieldErrors)) -> &mut Self {
        if let Some(desc) = desc_of::<T>() {
            self.validations.add(desc, validate);
        }
        self
    }

    /// Registers the rules of a kind, for its hub type. A type has one set of rules.
    ///
    /// # Errors
    /// If the type has rules already.
    pub fn rules<T: Object>(&mut self, rules: Rules<T>) -> Result<&mut Self, RegisterError> {
        if !self.rules.add(rules) {
            return Err(RegisterError::DoubleRules(type_name::<T>()));
        }
        Ok(self)
    }

    /// Registers the field labels of a kind with their internal names.
    pub fn field_labels(&mut self, gvk: &GroupVersionKind, convert: FieldLabelFn) -> &mut Self {
        self.field_labels.insert(gvk.clone(), convert);
        self
    }

    /// Sets the priority of a group's versions, the preferred one first. Other versions follow in order of
    /// registration.
    ///
    /// # Errors
    /// If a version has no kinds.
    pub fn version_priority(&mut self, group: &str, versions: &[&str]) -> Result<&mut Self, RegisterError> {
        let mut order = Vec::new();
        for version in versions {
            let gv = GroupVersion::new(group.to_owned(), (*version).to_owned());
            if gv.version.is_empty() || gv.version == INTERNAL {
                return Err(RegisterError::InternalPriority(gv));
            }
            if !self.observed.contains(&gv) {
                return Err(RegisterError::UnknownVersion(gv));
            }
            order.push(gv);
        }
        self.priority.insert(group.to_owned(), order);
        Ok(self)
    }

    /// Validates the registrations and returns the immutable scheme.
    ///
    /// # Errors
    /// If an external kind has a hub that it can't reach, or a default in a table doesn't fit its field.
    pub fn freeze(self) -> Result<Scheme, RegisterError> {
        let mut conversions = self.derived;
        conversions.extend(self.written);
        conversions.extend(self.ignored);
        let is_cut_off = |(gvk, id): &(&GroupVersionKind, &TypeId)| {
            let hub = GroupVersionKind::new(gvk.group.clone(), INTERNAL, gvk.kind.clone());
            self.by_gvk.get(&hub).is_some_and(|hub| {
                hub != *id
                    && !(conversions.contains_key(&(**id, *hub)) && conversions.contains_key(&(*hub, **id)))
            })
        };
        // Of several mistakes it is always the same one that is reported.
        if let Some((gvk, id)) = self.by_gvk.iter().filter(is_cut_off).min() {
            let name = self.types.get(id).map_or("", |entry| entry.rust_name);
            return Err(RegisterError::NoWayToHub(gvk.clone(), name));
        }
        let mut hubs: TypeMap<Vec<TypeId>> = TypeMap::default();
        for (from, to) in conversions.keys() {
            hubs.entry(*from).or_default().push(*to);
        }
        // Of several types between two others the internal one is taken, and else always the same.
        let rank = |id: &TypeId| {
            self.types.get(id).map(|entry| {
                (entry.gvks.iter().all(|gvk| gvk.version != INTERNAL), entry.rust_name, entry.gvks.clone())
            })
        };
        let several = hubs.values_mut().filter(|between| between.len() > 1);
        several.for_each(|between| between.sort_by_cached_key(rank));
        let reach = Reach::below(self.types.values().map(|entry| entry.desc));
        let defaults = Defaults::plan(&reach, &self.default_fns)?;
        let hub_forms = HubForms::plan(&reach, &self.hub_form_fns);
        let mut versions: BTreeMap<String, Vec<GroupVersion>> = BTreeMap::new();
        for gv in &self.observed {
            versions.entry(gv.group.to_string()).or_default().push(gv.clone());
        }
        for (group, known) in &mut versions {
            if let Some(order) = self.priority.get(group) {
                let place =
                    |gv: &GroupVersion| order.iter().position(|other| other == gv).unwrap_or(order.len());
                known.sort_by_key(place);
            }
        }
        let types = Arc::new(self.types);
        let conversions =
            Conversions { objects: conversions, values: self.values, types: Arc::clone(&types) };
        Ok(Scheme {
            name: self.name,
            types,
            by_gvk: self.by_gvk,
            unversioned: self.unversioned,
            unversioned_types: self.unversioned_types,
            observed: self.observed,
            versions,
            conversions: Arc::new(conversions),
            hubs,
            field_labels: self.field_labels,
            defaults,
            hub_forms,
            validations: self.validations,
            rules: self.rules,
        })
    }
}

fn boxed<A: Object, B: Object>(
    convert: impl Fn(A, &Scope) -> Result<B, ConvertError> + Send + Sync + 'static,
) -> ConvertFn {
    Arc::new(move |object, scope| {
        let typed = downcast::<A>(object)
            .map_err(|object| ConvertError::NoFunction(format!("{object:?}"), type_name::<B>().into()))?;
        Ok(Box::new(convert(typed, scope)?))
    })
}
