//! Declared objects by name, for the checker.

use std::collections::HashMap;
use std::sync::Arc;

use rhumb_cel::provider::TypeProvider;
use rhumb_cel::types::Type;

use super::{Declared, Kind, Object};
use crate::names;

/// The objects of declared types; what they don't know another provider is asked for.
pub struct Objects {
    objects: HashMap<Arc<str>, Arc<Fields>>,
    others: Arc<dyn TypeProvider>,
}

/// The types of an object's fields.
type Fields = HashMap<Arc<str>, Type>;

impl Objects {
    /// Collects the objects in types that were [named](Declared::named).
    pub fn new<'d>(types: impl IntoIterator<Item = &'d Declared>, others: Arc<dyn TypeProvider>) -> Self {
        let mut objects = HashMap::new();
        types.into_iter().for_each(|type_| collect(type_, &mut objects));
        Self { objects, others }
    }
}

fn collect(type_: &Declared, objects: &mut HashMap<Arc<str>, Arc<Fields>>) {
    match &type_.kind {
        Kind::Plain(_) => {}
        Kind::List(inner) | Kind::Map(inner) => collect(inner, objects),
        Kind::Object(Object { name, fields }) => {
            let types = fields.iter().map(|(field, type_)| (Arc::clone(field), type_.type_())).collect();
            objects.insert(Arc::clone(name), Arc::new(types));
            fields.values().for_each(|field| collect(field, objects));
        }
    }
}

impl TypeProvider for Objects {
    fn find_object(&self, name: &str) -> Option<Type> {
        match self.objects.get_key_value(name) {
            Some((name, _)) => Some(Type::Object(Arc::clone(name))),
            None => self.others.find_object(name),
        }
    }

    fn find_field(&self, object: &str, field: &str) -> Option<Type> {
        let Some(fields) = self.objects.get(object) else { return self.others.find_field(object, field) };
        // A word that CEL keeps for itself is no name of a variable, but may be one of a field.
        let reserved =
            || names::is_reserved(field).then(|| fields.get(format!("__{field}__").as_str())).flatten();
        fields.get(field).or_else(reserved).cloned()
    }

    fn find_type(&self, name: &str) -> Option<Type> {
        self.others.find_type(name)
    }

    fn enum_value(&self, name: &str) -> Option<i64> {
        self.others.enum_value(name)
    }
}
