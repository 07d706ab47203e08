//! Validation functions of types, wherever they occur in an object.

use std::any::Any;
use std::sync::Arc;

use foldhash::HashMap;
use rhumb_meta::Object;
use rhumb_schema::{Described, Struct, StructDesc, Value, View};

use super::{FieldErrors, FieldPath};
use crate::reach::address;

type ValidateFn = Arc<dyn Fn(&dyn Struct, &FieldPath, &mut FieldErrors) + Send + Sync>;

/// Validation functions of all types.
#[derive(Default)]
pub(crate) struct Validations {
    functions: HashMap<usize, Vec<ValidateFn>>,
}

impl Validations {
    pub(crate) fn add<T: Described>(
        &mut self,
        desc: &'static StructDesc,
        validate: fn(&T, &FieldPath, &mut FieldErrors),
    ) {
        self.functions.entry(address(desc)).or_default().push(Arc::new(move |value, path, errors| {
            if let Some(value) = (value as &dyn Any).downcast_ref::<T>() {
                validate(value, path, errors);
            }
        }));
    }

    pub(crate) fn run(&self, object: &dyn Object, errors: &mut FieldErrors) {
        if !self.functions.is_empty() {
            self.visit(object, &FieldPath::root(), errors);
        }
    }

    fn visit(&self, value: &dyn Value, path: &FieldPath, errors: &mut FieldErrors) {
        match value.view() {
            View::Struct(value) => {
                for validate in self.functions.get(&address(value.desc())).into_iter().flatten() {
                    validate(value, path, errors);
                }
                for (position, field) in value.desc().fields.iter().enumerate() {
                    if field.shape.element_struct().is_some() {
                        let below = if field.inline { path.clone() } else { path.child(field.json) };
                        self.visit(value.field(position), &below, errors);
                    }
                }
            }
            View::List(list) => {
                for (index, element) in (0..list.len()).filter_map(|at| list.get(at)).enumerate() {
                    self.visit(element, &path.index(index), errors);
                }
            }
            View::Map(map) => {
                map.entries().for_each(|(key, value)| self.visit(value, &path.key(key), errors))
            }
            _ => {}
        }
    }
}
