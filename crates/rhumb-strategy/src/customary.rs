//! Default strategy of kinds without one, the same as for custom resources.
//!
//! The generation starts at 1 and counts changes of everything but the metadata. A kind whose status is written
//! apart loses what a writer of one says of the other. Fields are found by their names in the kind's table, so that
//! this works for any type.

use rhumb_meta::GroupVersion;
use rhumb_meta::Object;
use rhumb_meta::v1::DeleteOptions;
use rhumb_schema::{Struct, Value, View, ViewMut, equal, from_tree, to_tree};

use crate::context::Context;
use crate::facts::Facts;
use crate::registry::AnyStrategy;
use crate::reset::{ResetPath, SPEC_AND_METADATA, STATUS};
use crate::scale::ScalingError;
use rhumb_api::autoscaling::v1::Scale;

/// Where the status of a kind is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusWritten {
    /// Through the subresource `status`, and only there.
    #[default]
    Apart,
    /// Together with the object.
    Within,
}

/// Default strategy.
pub(crate) struct Customary {
    pub(crate) status: StatusWritten,
}

impl Customary {
    fn is_status(&self, name: &str) -> bool {
        self.status == StatusWritten::Apart && name == "status"
    }
}

/// Returns the fields that make up an object beside its metadata: positions and names.
fn content(holder: &dyn Struct) -> Vec<(usize, &'static str)> {
    let fields = holder.desc().fields.iter().enumerate();
    fields
        .filter(|(_, field)| !field.inline && field.json != "metadata")
        .map(|(position, field)| (position, field.json))
        .collect()
}

/// Makes a field what it is in another object of the same type.
fn take(new: &mut dyn Value, old: &dyn Value) {
    if equal(new, old) {
        return;
    }
    new.reset();
    if !matches!(old.view(), View::Null) {
        // A value reads what it wrote itself.
        let _ = from_tree(&to_tree(old), new);
    }
}

impl AnyStrategy for Customary {
    fn facts(&self) -> Facts {
        Facts::CUSTOM
    }

    fn begin_create(&self, _: &mut dyn Object) {}

    fn begin_update(&self, _: &mut dyn Object, _: &dyn Object) {}

    fn prepare_create(&self, object: &mut dyn Object, _: &Context) -> Vec<String> {
        if let ViewMut::Struct(holder) = object.view_mut() {
            for (position, name) in content(holder) {
                if self.is_status(name) {
                    holder.field_mut(position).reset();
                }
            }
        }
        object.edit_metadata(&mut |meta| meta.generation = 1);
        Vec::new()
    }

    fn prepare_update(&self, new: &mut dyn Object, old: &dyn Object, part: Option<&str>, _: &Context) {
        let (ViewMut::Struct(fresh), View::Struct(before)) = (new.view_mut(), old.view()) else { return };
        let writes_status = self.status == StatusWritten::Apart && part == Some("status");
        let mut changed = false;
        for (position, name) in content(fresh) {
            if self.is_status(name) != writes_status {
                take(fresh.field_mut(position), before.field(position));
            } else if !writes_status {
                changed |= !equal(fresh.field(position), before.field(position));
            }
        }
        let Some(old) = old.metadata() else { return };
        new.edit_metadata(&mut |meta| {
            if writes_status {
                let managed = std::mem::take(&mut meta.managed_fields);
                *meta = old.as_ref().clone();
                meta.managed_fields = managed;
            }
            let step = i64::from(changed);
            meta.generation = old.generation.saturating_add(step);
        });
    }

    fn canonicalize(&self, _: &mut dyn Object) {}

    fn on_read(&self, object: &mut dyn Object) {
        // What a server stored that did not count yet.
        object.edit_metadata(&mut |meta| meta.generation = meta.generation.max(1));
    }

    fn warnings_create(&self, _: &dyn Object) -> Vec<String> {
        Vec::new()
    }

    fn warnings_update(&self, _: &dyn Object, _: &dyn Object, _: Option<&str>) -> Vec<String> {
        Vec::new()
    }

    fn reset_fields(&self, _: &GroupVersion, part: Option<&str>) -> &'static [ResetPath] {
        match (self.status, part) {
            (StatusWritten::Within, _) => &[],
            (StatusWritten::Apart, Some("status")) => SPEC_AND_METADATA,
            (StatusWritten::Apart, _) => STATUS,
        }
    }

    fn check_graceful_delete(&self, _: &dyn Object, _: &mut DeleteOptions) -> bool {
        false
    }

    fn scale(&self, _: &dyn Object) -> Option<Result<Scale, ScalingError>> {
        None
    }

    fn set_scale(&self, _: &mut dyn Object, _: &Scale) -> bool {
        false
    }
}
