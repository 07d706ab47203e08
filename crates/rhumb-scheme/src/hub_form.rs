//! Normalisation of values in the hub.
//!
//! A kind whose type is the hub's own is converted for free, yet the hub may want things said in one way only: of
//! two fields that mean the same, or of a field that may be absent in a version but not in the hub. Functions
//! registered here bring a value into that form whenever it passes the hub, wherever in an object it stands. They
//! change nothing in a value that has the form already.

use std::sync::Arc;

use foldhash::HashMap;
use rhumb_schema::{Struct, StructDesc, Value, View, ViewMut};

use crate::convert::ConvertError;
use crate::reach::{Reach, address};

/// Type-erased normalisation function.
pub(crate) type HubFormFn = Arc<dyn Fn(&mut dyn Struct) -> Result<(), ConvertError> + Send + Sync>;

/// Normalisation of one struct.
#[derive(Default)]
struct Plan {
    functions: Vec<HubFormFn>,
    descend: Vec<usize>,
}

/// Plans of all structs that have a normalisation or contain one that has.
#[derive(Default)]
pub(crate) struct HubForms {
    plans: HashMap<usize, Plan>,
}

impl HubForms {
    /// Works out the way to every struct that has a function.
    pub(crate) fn plan(reach: &Reach, functions: &[(&'static StructDesc, HubFormFn)]) -> Self {
        let mut plans: HashMap<usize, Plan> = HashMap::default();
        for (desc, function) in functions {
            plans.entry(address(desc)).or_default().functions.push(function.clone());
        }
        for (struct_at, descend) in reach.ways_to(plans.keys().copied()) {
            plans.entry(struct_at).or_default().descend = descend;
        }
        HubForms { plans }
    }

    /// Brings a value and all that is in it into the hub's form.
    pub(crate) fn apply(&self, value: &mut dyn Value) -> Result<(), ConvertError> {
        if matches!(value.view(), View::Null) {
            return Ok(());
        }
        match value.view_mut() {
            ViewMut::Struct(value) => {
                let Some(plan) = self.plans.get(&address(value.desc())) else { return Ok(()) };
                for function in &plan.functions {
                    function(value)?;
                }
                plan.descend.iter().try_for_each(|position| self.apply(value.field_mut(*position)))
            }
            ViewMut::List(list) => {
                for index in 0..list.len() {
                    if let Some(element) = list.get_mut(index) {
                        self.apply(element)?;
                    }
                }
                Ok(())
            }
            ViewMut::Map(map) => map.values_mut().try_for_each(|value| self.apply(value)),
            _ => Ok(()),
        }
    }
}
