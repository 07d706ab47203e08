//! `Model`: what a server asks of a kind of objects. Built-in kinds answer from the Scheme, custom ones from their
//! schema; all that handles requests is written against this trait and knows neither.

use bytes::Bytes;
use rhumb_api::autoscaling::v1::Scale;
use rhumb_codec::{Format, Strictness};
use rhumb_meta::v1::{DeleteOptions, Table};
use rhumb_meta::{GroupVersion, GroupVersionKind, Object, Time};
use rhumb_patch::apply;
use rhumb_schema::StructDesc;
use rhumb_scheme::validation::FieldErrors;
use rhumb_store::Revision;
use rhumb_strategy::{Context, Facts, ResetPath};
use serde_json::Value as Json;

use crate::base::failure::Outcome;
use crate::registry::tree::{tree_of, without_entries};

/// An object as it came in.
#[derive(Debug)]
pub(crate) struct Incoming {
    /// The object in the version it came in.
    pub(crate) object: Box<dyn Object>,
    /// The kind it says it has.
    pub(crate) gvk: GroupVersionKind,
    /// Unknown and duplicate fields, for warnings.
    pub(crate) warnings: Vec<String>,
}

/// A kind of objects.
pub(crate) trait Model: Send + Sync + 'static {
    /// Reads a body. Whether the kind is the one expected is for the caller to check, where it differs in version.
    fn read(
        &self,
        expected: &GroupVersionKind,
        body: &[u8],
        format: Format,
        strictness: Strictness,
    ) -> Outcome<Incoming>;

    /// Makes an object in a version of a tree, such as a patch leaves behind.
    fn read_tree(&self, expected: &GroupVersionKind, tree: Json, strictness: Strictness)
    -> Outcome<Incoming>;

    /// Gives an object its defaults in the form in which it came.
    fn fill_in(&self, _external: &mut dyn Object) {}

    /// Fills in the defaults of an object in some version and brings it into its hub form.
    fn to_hub(&self, external: Box<dyn Object>) -> Outcome<Box<dyn Object>>;

    /// The object in a version.
    fn external(&self, hub: Box<dyn Object>, version: &GroupVersionKind) -> Outcome<Box<dyn Object>>;

    /// The tree of the object in a version, without who set which fields.
    fn tree(&self, hub: &dyn Object, version: &GroupVersionKind) -> Outcome<Json> {
        Ok(tree_of(&*self.external(without_entries(hub), version)?))
    }

    /// The bytes that are stored.
    fn store(&self, hub: Box<dyn Object>) -> Outcome<Bytes>;

    /// The bytes that are stored, and the object as readers will get it from them, in its hub form and without a
    /// revision.
    fn keep(&self, hub: Box<dyn Object>) -> Outcome<(Bytes, Box<dyn Object>)> {
        let value = self.store(hub)?;
        let kept = self.load(&value, Revision::ZERO)?;
        Ok((value, kept))
    }

    /// The object of stored bytes, in its hub form, carrying the revision.
    fn load(&self, value: &[u8], revision: Revision) -> Outcome<Box<dyn Object>>;

    /// What is done with a new object before addresses and ports are given out.
    fn begin_create(&self, object: &mut dyn Object);

    /// What is done with a changed object before addresses and ports are given out.
    fn begin_update(&self, new: &mut dyn Object, old: &dyn Object);

    /// What a server does before an object is made, and what there is to warn of that can't be seen afterwards.
    fn prepare_create(&self, object: &mut dyn Object, context: &Context<'_>) -> Vec<String>;

    /// Brings a valid object into the form that is stored.
    fn canonicalize(&self, object: &mut dyn Object);

    /// What a server does before an object is changed.
    fn prepare_update(
        &self,
        new: &mut dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        context: &Context<'_>,
    );

    /// What is wrong with an object that is to be made.
    fn validate_create(&self, object: &dyn Object, version: &GroupVersion) -> FieldErrors;

    /// What is wrong with a change.
    fn validate_update(
        &self,
        new: &dyn Object,
        old: &dyn Object,
        subresource: Option<&str>,
        version: &GroupVersion,
    ) -> FieldErrors;

    /// What the client should know about an object that is accepted; `old` is there for changes.
    fn warnings(&self, new: &dyn Object, old: Option<&dyn Object>, subresource: Option<&str>) -> Vec<String>;

    /// How the kind is treated.
    fn facts(&self) -> Facts;

    /// Decides about a graceful deletion: true if the object is to stay for a while.
    fn check_graceful_delete(&self, object: &dyn Object, options: &mut DeleteOptions) -> bool;

    /// Whether an object stays when it is deleted though nothing in its metadata keeps it.
    fn keeps_when_deleted(&self, _object: &dyn Object) -> bool {
        false
    }

    /// Shows in an object that it is going.
    fn mark_deleted(&self, _object: &mut dyn Object, _now: Time) {}

    /// The kind's own fields that it can be selected by, as they are called inside, and their values.
    fn fields(&self, hub: &dyn Object) -> Vec<(String, String)>;

    /// The name that a field of a selector has inside.
    fn field_label(&self, version: &GroupVersionKind, label: &str, value: &str) -> Outcome<(String, String)>;

    /// The table of objects in a version; `list` tells whether they come as one.
    fn table(
        &self,
        version: &GroupVersionKind,
        hubs: Vec<Box<dyn Object>>,
        options: &rhumb_print::Options,
        now: Time,
    ) -> Outcome<Table>;

    /// The fields of the kind for strategic merge patches; `None` if it has none.
    fn strategic(&self, version: &GroupVersionKind) -> Option<&'static StructDesc>;

    /// The fields of the kind for server-side apply; `None` if it is not served in that version.
    fn apply_type(&self, version: &GroupVersionKind) -> Option<apply::Type<'_>>;

    /// The fields of the hub form, if objects differ from it in a version by nothing but what they are called.
    fn hub_table(&self, _version: &GroupVersionKind) -> Option<&'static StructDesc> {
        None
    }

    /// The versions that the kind has.
    fn versions(&self) -> Vec<GroupVersionKind>;

    /// The tree of an object in another version, with nothing filled in.
    fn convert_tree(&self, tree: &Json, version: &GroupVersionKind) -> Outcome<Json>;

    /// The tree of an object in which nothing is set.
    fn empty_tree(&self, version: &GroupVersionKind) -> Json;

    /// The paths that writes through an endpoint don't own.
    fn reset_fields(&self, version: &GroupVersionKind, subresource: Option<&str>) -> &'static [ResetPath];

    /// An object as a Scale; `None` if objects of the kind can't be scaled.
    fn scale(&self, hub: &dyn Object) -> Option<Outcome<Scale>>;

    /// Takes the wanted number of a Scale; false if objects of the kind can't be scaled.
    fn set_scale(&self, hub: &mut dyn Object, scale: &Scale) -> bool;

    /// Whether items of a list carry their kind.
    fn items_carry_kind(&self) -> bool {
        false
    }

    /// Whether clients have defined the kind.
    fn is_custom(&self) -> bool {
        false
    }

    /// Why no objects can be made at this moment, if none can.
    fn creation_refused(&self) -> Option<&'static str> {
        None
    }

    /// The formats that objects can be written in.
    fn formats(&self) -> &'static [Format];
}
