//! Which old value a new one stands for, and whether it is the same: errors in what was not touched are
//! forgiven.

use serde_json::Value as Json;

use crate::compile::{ListType, Node, Type, Types};

/// A value, what it was before, and what is known of it.
#[derive(Clone, Copy)]
pub(crate) struct Pair<'a> {
    pub(crate) new: &'a Json,
    pub(crate) old: &'a Json,
    pub(crate) schema: &'a Node,
}

impl<'a> Pair<'a> {
    /// The pair at a field. There is none for fields that no schema describes, even if both have them.
    pub(crate) fn key(&self, name: &str) -> Option<Pair<'a>> {
        let (old, new) = (self.old.as_object()?.get(name)?, self.new.as_object()?.get(name)?);
        Some(Pair { new, old, schema: self.schema.field(name)? })
    }

    /// The pair at an element: only elements of lists with keys can be found again.
    pub(crate) fn index(&self, index: usize) -> Option<Pair<'a>> {
        let new = self.new.as_array()?.get(index)?;
        let old = self.counterpart(new)?;
        Some(Pair { new, old, schema: self.schema.items.as_deref()? })
    }

    fn counterpart(&self, new: &Json) -> Option<&'a Json> {
        let olds = self.old.as_array().filter(|_| self.is_keyed())?;
        let keys = &self.schema.rules.as_ref()?.map_keys;
        let scalar = |item: &'a Json, key: &str| {
            item.get(key).filter(|value| !value.is_object() && !value.is_array() && !value.is_null())
        };
        let is_same = |old: &&'a Json| {
            keys.iter().all(|key| {
                let wanted = new
                    .get(&**key)
                    .filter(|value| !value.is_object() && !value.is_array() && !value.is_null());
                wanted.is_some() && scalar(old, key) == wanted
            })
        };
        olds.iter().find(is_same).filter(|_| !keys.is_empty())
    }

    fn is_keyed(&self) -> bool {
        self.schema.list == ListType::Map && self.schema.types == Types::One(Type::Array)
    }

    pub(crate) fn is_same(&self) -> bool {
        match (self.new, self.old) {
            (Json::Array(new), Json::Array(old)) => {
                if new.len() != old.len() {
                    return false;
                }
                if self.schema.list != ListType::Map {
                    return new == old;
                }
                (0..new.len()).all(|index| self.index(index).is_some_and(|pair| pair.is_same()))
            }
            (Json::Object(new), Json::Object(old)) => {
                new.len() == old.len()
                    && new.keys().all(|name| self.key(name).is_some_and(|pair| pair.is_same()))
            }
            (new, old) => new == old,
        }
    }
}
