//! The frozen Scheme. Reads need no lock.

use std::any::{Any, TypeId, type_name};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use foldhash::HashMap;
use rhumb_meta::{GroupKind, GroupVersion, GroupVersionKind, INTERNAL, Object};
use rhumb_schema::text::quoted;
use rhumb_schema::{Described, JsonForm, StructDesc, View};

use crate::builder::{SchemeBuilder, desc_of};
use crate::conversions::{Conversions, go_type};
use crate::convert::{ConvertError, Scope};
use crate::defaulting::Defaults;
use crate::hub_form::HubForms;
use crate::type_map::TypeMap;
use crate::unstructured::{Unstructured, UnstructuredList};
use crate::validation::{AllRules, Context, FieldErrors, Validations};
use crate::versioner::GroupVersioner;

/// Converts a field label and its value to the internal version, or returns why it can't be selected by.
pub type FieldLabelFn = fn(label: &str, value: &str) -> Result<(String, String), String>;

/// A registered type.
pub(crate) struct TypeEntry {
    pub(crate) rust_name: &'static str,
    pub(crate) desc: &'static StructDesc,
    pub(crate) new: fn() -> Box<dyn Object>,
    pub(crate) gvks: Vec<GroupVersionKind>,
}

static NO_FIELDS: StructDesc = StructDesc {
    name: "",
    module: "",
    doc: "",
    fields: &[],
    signs: &[],
    form: JsonForm::Object,
    atomic: false,
    retired: false,
};

impl TypeEntry {
    pub(crate) fn of<T: Object + Described>() -> Self {
        TypeEntry {
            rust_name: type_name::<T>(),
            desc: desc_of::<T>().unwrap_or(&NO_FIELDS),
            new: || Box::new(T::default()),
            gvks: Vec::new(),
        }
    }

    /// Returns the name of the kind that the type is for.
    pub(crate) fn name(&self) -> &'static str {
        if self.desc.name.is_empty() { self.rust_name } else { self.desc.name }
    }
}

/// A registered kind, for listings.
#[derive(Clone, Copy, Debug)]
pub struct KnownType<'a> {
    /// The kind.
    pub gvk: &'a GroupVersionKind,
    /// The Rust type's full name.
    pub rust_name: &'static str,
    /// The type's field table.
    pub desc: &'static StructDesc,
}

/// Error: a kind or type is not registered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotRegistered {
    /// No type has this kind in the scheme.
    Kind(GroupVersionKind, String),
    /// The type, by Go's name, is not in the scheme.
    Type(String, String),
    /// The object carries no kind.
    MissingKind,
    /// The object carries no version.
    MissingVersion,
}

impl fmt::Display for NotRegistered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotRegistered::Kind(gvk, scheme) if gvk.kind.is_empty() => write!(
                f,
                "no version {} has been registered in scheme {}",
                quoted(gvk.group_version().to_string()),
                quoted(scheme)
            ),
            NotRegistered::Kind(gvk, scheme) if gvk.version == INTERNAL => {
                write!(
                    f,
                    "no kind {} is registered for the internal version of group {} in scheme {}",
                    quoted(&*gvk.kind),
                    quoted(&*gvk.group),
                    quoted(scheme)
                )
            }
            NotRegistered::Kind(gvk, scheme) => write!(
                f,
                "no kind {} is registered for version {} in scheme {}",
                quoted(&*gvk.kind),
                quoted(gvk.group_version().to_string()),
                quoted(scheme)
            ),
            NotRegistered::Type(name, scheme) => {
                write!(f, "no kind is registered for the type {name} in scheme {}", quoted(scheme))
            }
            NotRegistered::MissingKind => {
                f.write_str("Object 'Kind' is missing in 'unstructured object has no kind'")
            }
            NotRegistered::MissingVersion => {
                f.write_str("Object 'apiVersion' is missing in 'unstructured object has no version'")
            }
        }
    }
}

impl std::error::Error for NotRegistered {}

/// Registry of kinds with types, defaults, conversions and validation; built by a [`SchemeBuilder`], then frozen.
pub struct Scheme {
    pub(crate) name: String,
    pub(crate) types: Arc<TypeMap<TypeEntry>>,
    pub(crate) by_gvk: HashMap<GroupVersionKind, TypeId>,
    pub(crate) unversioned: BTreeMap<String, TypeId>,
    pub(crate) unversioned_types: TypeMap<GroupVersionKind>,
    pub(crate) observed: Vec<GroupVersion>,
    pub(crate) versions: BTreeMap<String, Vec<GroupVersion>>,
    pub(crate) conversions: Arc<Conversions>,
    pub(crate) hubs: TypeMap<Vec<TypeId>>,
    pub(crate) field_labels: HashMap<GroupVersionKind, FieldLabelFn>,
    pub(crate) defaults: Defaults,
    pub(crate) hub_forms: HubForms,
    pub(crate) validations: Validations,
    pub(crate) rules: AllRules,
}

impl fmt::Debug for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scheme({:?}, {} kinds)", self.name, self.by_gvk.len())
    }
}

fn type_of(object: &dyn Object) -> TypeId {
    (object as &dyn Any).type_id()
}

impl Scheme {
    /// Creates a builder.
    pub fn builder() -> SchemeBuilder {
        SchemeBuilder::new("rhumb")
    }

    /// Returns the scheme's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn known(&self, gvk: &GroupVersionKind) -> Option<&TypeEntry> {
        self.by_gvk.get(gvk).or_else(|| self.unversioned.get(&*gvk.kind)).and_then(|id| self.types.get(id))
    }

    /// Returns all registered kinds, sorted.
    pub fn all_known_types(&self) -> Vec<KnownType<'_>> {
        let mut all: Vec<_> = self
            .by_gvk
            .iter()
            .filter_map(|(gvk, id)| {
                let entry = self.types.get(id)?;
                Some(KnownType { gvk, rust_name: entry.rust_name, desc: entry.desc })
            })
            .collect();
        all.sort_by(|a, b| a.gvk.cmp(b.gvk));
        all
    }

    /// Returns the kinds of one version, sorted.
    pub fn known_types(&self, gv: &GroupVersion) -> Vec<KnownType<'_>> {
        let mut all = self.all_known_types();
        all.retain(|known| known.gvk.group == gv.group && known.gvk.version == gv.version);
        all
    }

    /// Returns a registered kind.
    pub fn known_type(&self, gvk: &GroupVersionKind) -> Option<KnownType<'_>> {
        let (gvk, id) = self.by_gvk.get_key_value(gvk)?;
        let entry = self.types.get(id)?;
        Some(KnownType { gvk, rust_name: entry.rust_name, desc: entry.desc })
    }

    /// Reports whether a kind is registered.
    pub fn recognizes(&self, gvk: &GroupVersionKind) -> bool {
        self.by_gvk.contains_key(gvk)
    }

    /// Creates an object of a kind with default field values and its kind set. Unversioned kinds exist in every group
    /// version.
    ///
    /// # Errors
    /// If the kind is not registered.
    pub fn new_object(&self, gvk: &GroupVersionKind) -> Result<Box<dyn Object>, NotRegistered> {
        let entry = self.known(gvk).ok_or_else(|| NotRegistered::Kind(gvk.clone(), self.name.clone()))?;
        let mut object = (entry.new)();
        if gvk.version != INTERNAL {
            object.set_gvk(gvk);
        }
        Ok(object)
    }

    /// Returns the kinds of an object's type, the one it carries first, and whether it is unversioned.
    ///
    /// # Errors
    /// If its type is not registered.
    pub fn object_kinds(
        &self,
        object: &dyn Object,
    ) -> Result<(Cow<'_, [GroupVersionKind]>, bool), NotRegistered> {
        if is_unstructured(object) {
            let gvk = object.gvk();
            if gvk.kind.is_empty() {
                return Err(NotRegistered::MissingKind);
            }
            if gvk.version.is_empty() {
                return Err(NotRegistered::MissingVersion);
            }
            return Ok((Cow::Owned(vec![gvk]), false));
        }
        let id = type_of(object);
        let entry =
            self.types.get(&id).ok_or_else(|| NotRegistered::Type(go_name(object), self.name.clone()))?;
        let mut kinds = Cow::Borrowed(entry.gvks.as_slice());
        let (api_version, kind) = object.type_meta();
        if !kind.is_empty() {
            let carried = |gvk: &GroupVersionKind| gvk.kind == kind && gvk.has_api_version(api_version);
            // Mostly it is the first one already, and nothing has to be copied.
            if let Some(at @ 1..) = kinds.iter().position(carried)
                && let Some(before) = kinds.to_mut().get_mut(..=at)
            {
                before.rotate_right(1);
            }
        }
        Ok((kinds, self.unversioned_types.contains_key(&id)))
    }

    /// Returns the kind of an object: the one it carries, or else its type's first.
    ///
    /// # Errors
    /// If its type is not registered.
    pub fn object_kind(&self, object: &dyn Object) -> Result<GroupVersionKind, NotRegistered> {
        let (kinds, _) = self.object_kinds(object)?;
        kinds.first().cloned().ok_or_else(|| NotRegistered::Type(go_name(object), self.name.clone()))
    }

    /// Reports whether an object's type is unversioned; `None` if it is not registered.
    pub fn is_unversioned(&self, object: &dyn Object) -> Option<bool> {
        let id = type_of(object);
        self.types.contains_key(&id).then(|| self.unversioned_types.contains_key(&id))
    }

    /// Reports whether any kind of a group is registered.
    pub fn is_group_registered(&self, group: &str) -> bool {
        self.versions.contains_key(group)
    }

    /// Reports whether any kind of a version is registered.
    pub fn is_version_registered(&self, gv: &GroupVersion) -> bool {
        self.observed.contains(gv)
    }

    /// Returns the versions of a group in order of priority.
    pub fn prioritized_versions(&self, group: &str) -> &[GroupVersion] {
        self.versions.get(group).map(Vec::as_slice).unwrap_or_default()
    }

    /// Returns the versions of a group that have a kind, in order of priority.
    pub fn versions_for_group_kind(&self, kind: &GroupKind) -> Vec<GroupVersion> {
        let has_kind = |gv: &&GroupVersion| self.recognizes(&gv.with_kind(kind.kind.clone()));
        self.prioritized_versions(&kind.group).iter().filter(has_kind).cloned().collect()
    }

    /// Returns the versions of all groups in order of priority, group by group.
    pub fn prioritized_versions_all_groups(&self) -> Vec<GroupVersion> {
        self.versions.values().flatten().cloned().collect()
    }

    /// Returns the preferred version of every group.
    pub fn preferred_versions(&self) -> Vec<GroupVersion> {
        self.versions.values().filter_map(|versions| versions.first()).cloned().collect()
    }

    /// Returns the versions in order of registration.
    pub fn observed_versions(&self) -> &[GroupVersion] {
        &self.observed
    }

    /// Sets the defaults of an object and everything in it.
    pub fn default(&self, object: &mut dyn Object) {
        self.defaults.apply(object);
    }

    /// Validates an object and everything in it by the registered functions.
    pub fn validate(&self, object: &dyn Object) -> FieldErrors {
        let mut errors = FieldErrors::default();
        self.validations.run(object, &mut errors);
        errors
    }

    /// Checks an object that is to be made, in its hub form: by the rules of its kind, then by the functions
    /// registered for the types in it.
    pub fn validate_create(&self, object: &dyn Object, context: &Context) -> FieldErrors {
        let mut errors = FieldErrors::default();
        self.rules.check_create(object, context, &mut errors);
        self.validations.run(object, &mut errors);
        errors
    }

    /// Checks the new form of an object against its old one, both in their hub form. Through a subresource only its
    /// own rule is asked, because the rest of the object stays as it was.
    pub fn validate_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context,
    ) -> FieldErrors {
        let mut errors = FieldErrors::default();
        self.rules.check_update(new, old, subresource, context, &mut errors);
        if subresource.is_none() {
            self.validations.run(new, &mut errors);
        }
        errors
    }

    /// Reports whether the kind of an object, in its hub form, has rules.
    pub fn has_rules(&self, object: &dyn Object) -> bool {
        self.rules.contains(object)
    }

    /// Converts a field label of a selector to the internal version. `metadata.name` and `metadata.namespace` always
    /// work.
    ///
    /// # Errors
    /// If objects of the kind can't be selected by that field.
    pub fn convert_field_label(
        &self,
        gvk: &GroupVersionKind,
        label: &str,
        value: &str,
    ) -> Result<(String, String), ConvertError> {
        match self.field_labels.get(gvk) {
            Some(convert) => convert(label, value).map_err(ConvertError::FieldLabel),
            None if label == "metadata.name" || label == "metadata.namespace" => {
                Ok((label.to_owned(), value.to_owned()))
            }
            None => Err(ConvertError::FieldLabel(format!(
                "{} is not a known field selector: only \"metadata.name\", \"metadata.namespace\"",
                quoted(label)
            ))),
        }
    }

    /// Returns a copy of an object converted to the version that the target selects.
    ///
    /// # Errors
    /// If the target has no such kind, or the conversion fails.
    pub fn convert_to_version(
        &self,
        object: &dyn Object,
        target: &dyn GroupVersioner,
    ) -> Result<Box<dyn Object>, ConvertError> {
        self.move_to_version(object.clone_object(), target)
    }

    /// Returns the object itself in the version that the target picks. Nothing is copied: fields move, and an object
    /// whose type is the target's already only takes the hub's form and another label. An internal result carries no
    /// kind.
    ///
    /// # Errors
    /// If the target has no such kind, or the conversion fails.
    pub fn move_to_version(
        &self,
        object: Box<dyn Object>,
        target: &dyn GroupVersioner,
    ) -> Result<Box<dyn Object>, ConvertError> {
        self.moved(object, target, &Scope::new(GroupVersion::default(), GroupVersion::default()))
    }

    /// Like [`Scheme::move_to_version`], with a context value for conversion functions.
    ///
    /// # Errors
    /// If the target has no such kind, or the conversion fails.
    pub fn move_to_version_with(
        &self,
        object: Box<dyn Object>,
        target: &dyn GroupVersioner,
        context: Arc<dyn Any + Send + Sync>,
    ) -> Result<Box<dyn Object>, ConvertError> {
        let scope = Scope::new(GroupVersion::default(), GroupVersion::default());
        self.moved(object, target, &scope.with_context(context))
    }

    /// Moves an object to a version. Of the scope only the context counts.
    fn moved(
        &self,
        mut object: Box<dyn Object>,
        target: &dyn GroupVersioner,
        scope: &Scope,
    ) -> Result<Box<dyn Object>, ConvertError> {
        if is_unstructured(&*object) {
            return self.moved(self.typed(&*object)?, target, scope);
        }
        let (kinds, unversioned) =
            self.object_kinds(&*object).map_err(|error| ConvertError::NotRegistered(error.to_string()))?;
        let wanted = target.kind_for(&kinds);
        if let Some(gvk) = wanted.as_ref().filter(|gvk| kinds.contains(gvk)) {
            let stays =
                if gvk.version == INTERNAL { object.type_meta() == ("", "") } else { object.carries(gvk) };
            if !unversioned && !stays {
                self.hub_forms.apply(&mut *object)?;
            }
            return Ok(labelled(object, gvk));
        }
        // What is the same in every version is not converted; it takes the target's label if the target has one for
        // it, and else keeps the one it was registered with.
        if let Some(own) = self.unversioned_types.get(&type_of(&*object)) {
            let gvk = target.kind_for(std::slice::from_ref(own)).unwrap_or_else(|| own.clone());
            return Ok(labelled(object, &gvk));
        }
        let gvk = wanted.ok_or_else(|| {
            ConvertError::NotSuitable(go_name(&*object), target.quoted(), self.name.clone())
        })?;
        let to = *self.by_gvk.get(&gvk).or_else(|| self.unversioned.get(&*gvk.kind)).ok_or_else(|| {
            ConvertError::NotRegistered(NotRegistered::Kind(gvk.clone(), self.name.clone()).to_string())
        })?;
        let source = kinds.first().map(GroupVersionKind::group_version).unwrap_or_default();
        let converted = self.convert_to_type(object, to, &scope.between(source, gvk.group_version()))?;
        Ok(labelled(converted, &gvk))
    }

    /// Converts an unstructured object to its type.
    ///
    /// # Errors
    /// If its kind is not registered, or it doesn't fit its type.
    pub fn typed(&self, object: &dyn Object) -> Result<Box<dyn Object>, ConvertError> {
        let not_registered = |error: NotRegistered| ConvertError::NotRegistered(error.to_string());
        let gvk = self.object_kind(object).map_err(not_registered)?;
        let mut typed = self.new_object(&gvk).map_err(not_registered)?;
        match object.downcast_ref::<Unstructured>() {
            Some(unstructured) => unstructured.fill(&mut *typed),
            None => Unstructured::from_object(object).fill(&mut *typed),
        }
        .map_err(|error| ConvertError::Decode(Box::new(gvk), error))?;
        Ok(typed)
    }

    /// Returns a scope between two versions that knows the conversions of this scheme. Values convert in it by their
    /// types, whether they are objects or not.
    pub fn scope(&self, source: GroupVersion, target: GroupVersion) -> Scope {
        Scope::new(source, target).knowing(&self.conversions)
    }

    /// Converts an object between two types.
    ///
    /// # Errors
    /// If no way leads there, directly or through one type between, or the conversion fails.
    pub fn convert<A: Object, B: Object>(&self, object: A, scope: &Scope) -> Result<B, ConvertError> {
        self.convert_object(Box::new(object), scope)
    }

    /// Like [`Scheme::convert`], for an object of unknown type.
    ///
    /// # Errors
    /// If no way leads there, directly or through one type between, or the conversion fails.
    pub fn convert_object<B: Object>(
        &self,
        object: Box<dyn Object>,
        scope: &Scope,
    ) -> Result<B, ConvertError> {
        let converted = self.convert_to_type(object, TypeId::of::<B>(), scope)?;
        rhumb_meta::downcast::<B>(converted)
            .map_err(|other| ConvertError::NoFunction(go_name(&*other), type_name::<B>().into()))
    }

    /// Converts between two types, directly or through the hub.
    fn convert_to_type(
        &self,
        mut object: Box<dyn Object>,
        to: TypeId,
        scope: &Scope,
    ) -> Result<Box<dyn Object>, ConvertError> {
        let from = type_of(&*object);
        if from == to {
            return Ok(object);
        }
        let scope = scope.clone().knowing(&self.conversions);
        if let Some(convert) = self.conversions.objects.get(&(from, to)) {
            let from_hub = self.is_hub(from);
            if from_hub {
                self.hub_forms.apply(&mut *object)?;
            }
            let mut converted = convert(object, &scope)?;
            if !from_hub && self.is_hub(to) {
                self.hub_forms.apply(&mut *converted)?;
            }
            return Ok(converted);
        }
        for hub in self.hubs.get(&from).into_iter().flatten() {
            if let (Some(there), Some(back)) =
                (self.conversions.objects.get(&(from, *hub)), self.conversions.objects.get(&(*hub, to)))
            {
                let internal = self.internal_version(*hub, &scope.source);
                let mut middle = there(object, &scope.between(scope.source.clone(), internal.clone()))?;
                self.hub_forms.apply(&mut *middle)?;
                return back(middle, &scope.between(internal, scope.target.clone()));
            }
        }
        let name = |id: TypeId| {
            self.types.get(&id).map_or_else(|| "unregistered".to_owned(), |entry| go_type(entry.desc))
        };
        Err(ConvertError::NoFunction(name(from), name(to)))
    }

    /// Returns the version of a type between two others: internal, in the group that the source has if there is a
    /// choice.
    fn internal_version(&self, hub: TypeId, source: &GroupVersion) -> GroupVersion {
        let kinds = || self.types.get(&hub).into_iter().flat_map(|entry| &entry.gvks);
        let internal = || kinds().filter(|gvk| gvk.version == INTERNAL);
        let chosen = internal().find(|gvk| gvk.group == source.group).or_else(|| internal().next());
        chosen.or_else(|| kinds().next()).map_or_else(
            || GroupVersion::new(source.group.clone(), INTERNAL),
            GroupVersionKind::group_version,
        )
    }

    /// Reports whether a type is the internal form of a kind.
    fn is_hub(&self, id: TypeId) -> bool {
        self.types.get(&id).is_some_and(|entry| entry.gvks.iter().any(|gvk| gvk.version == INTERNAL))
    }

    /// Returns how a kind converts to its hub.
    pub fn conversion_kind(&self, gvk: &GroupVersionKind) -> ConversionKind {
        let hub = GroupVersionKind::new(gvk.group.clone(), INTERNAL, gvk.kind.clone());
        match (self.by_gvk.get(gvk), self.by_gvk.get(&hub)) {
            (Some(own), Some(hub)) if own == hub => ConversionKind::SameType,
            (Some(own), Some(hub)) if self.conversions.objects.contains_key(&(*own, *hub)) => {
                ConversionKind::Function
            }
            _ => ConversionKind::None,
        }
    }
}

/// How a kind converts to its hub.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConversionKind {
    /// It has the hub's type, so conversion is free.
    SameType,
    /// Through a derived or written function.
    Function,
    /// It has no hub.
    None,
}

/// Reports whether an object says what it is by itself, without a type.
fn is_unstructured(object: &dyn Object) -> bool {
    object.is::<Unstructured>() || object.is::<UnstructuredList>()
}

/// Returns the name of an object's type as Go prints it.
fn go_name(object: &dyn Object) -> String {
    match object.view() {
        View::Struct(value) => go_type(value.desc()),
        _ => "unstructured.Unstructured".to_owned(),
    }
}

fn labelled(mut object: Box<dyn Object>, gvk: &GroupVersionKind) -> Box<dyn Object> {
    if gvk.version == INTERNAL {
        object.set_type_meta("", "");
    } else {
        object.set_gvk(gvk);
    }
    object
}
