//! Fields owned by the creator of an object, written directly from the object.
//!
//! Most writes create an object of which nobody owned anything before. Then no sets are needed: `fieldsV1` lists
//! what the object has and the empty one has not, in one walk. Where the walk goes, and in which order, is known of
//! a kind without any object, so it is planned once ([`CreatedFields::new`]). What comes out is, to the byte, what
//! [`Endpoint::update`] gives for the empty object and the new one.

mod key;
mod plan;
mod text;

use std::fmt;

use rhumb_meta::Time;
use rhumb_meta::v1::ManagedFieldsEntry;
use rhumb_schema::{StructDesc, Value, View};
use serde_json::Value as Json;

use super::endpoint::Endpoint;
use super::filter::Filter;
use super::managers::{self, ManagerId, Operation};
use plan::Step;
use text::Writer;

/// Plan for the `fieldsV1` of new objects of a kind.
pub struct CreatedFields {
    desc: &'static StructDesc,
    /// The steps at every struct that the walk comes to, each in the order of names. The first one is the object.
    plans: Vec<Vec<Step>>,
}

impl CreatedFields {
    /// The plan for a kind with a table. `empty` is the tree of an object in which nothing is set, and `filter` is
    /// what the strategy resets. `None` if the kind needs the long way.
    pub fn new(desc: &'static StructDesc, empty: &Json, filter: Option<&Filter>) -> Option<Self> {
        Some(CreatedFields { desc, plans: plan::of(desc, empty, filter)? })
    }

    /// Returns the fields of an object; `None` if it is of another type, or they can't be told.
    fn text(&self, object: &dyn Value) -> Option<Vec<u8>> {
        match object.view() {
            View::Struct(value) if std::ptr::eq(value.desc(), self.desc) => {
                Writer::object(&self.plans, value)
            }
            _ => None,
        }
    }
}

impl fmt::Debug for CreatedFields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CreatedFields({})", self.desc.name)
    }
}

impl Endpoint<'_> {
    /// Returns the managed fields of an object that a create made, if the request brought none: what
    /// [`Endpoint::update`] gives for the empty object and the tree of this one, without making a tree. The object has
    /// no managed fields itself. `None` if it needs the long way.
    pub fn create(
        &self,
        fields: &CreatedFields,
        object: &dyn Value,
        manager: &str,
        now: Time,
    ) -> Option<Vec<ManagedFieldsEntry>> {
        let text = fields.text(object)?;
        if text == b"{}" {
            return Some(Vec::new());
        }
        let id = ManagerId::new(manager, Operation::Update, self.api_version, self.subresource);
        Some(vec![managers::entry(&id, self.api_version, Some(now), text)])
    }
}
