//! Registered conversions by source and target type: of objects, and of values within them.

use std::any::{Any, TypeId, type_name};
use std::sync::Arc;

use foldhash::HashMap;
use rhumb_meta::Object;
use rhumb_schema::StructDesc;

use crate::convert::{ConvertError, Scope};
use crate::scheme::TypeEntry;
use crate::type_map::TypeMap;

/// Conversion between two object types, boxed.
pub(crate) type ConvertFn =
    Arc<dyn Fn(Box<dyn Object>, &Scope) -> Result<Box<dyn Object>, ConvertError> + Send + Sync>;

/// Conversion between two types.
pub(crate) type ValueFn<A, B> = Box<dyn Fn(A, &Scope) -> Result<B, ConvertError> + Send + Sync>;

/// Precedence of conversions of a pair; among equals the last wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    /// Made by a program; it counts where there is no other.
    Generated,
    /// Written by somebody.
    Written,
    /// The pair has nothing in common.
    Ignored,
}

/// Conversion of values that are not objects: a type-erased [`ValueFn`].
struct Entry {
    precedence: Precedence,
    function: Box<dyn Any + Send + Sync>,
}

/// Conversions of values that are not objects.
#[derive(Default)]
pub(crate) struct Values {
    entries: HashMap<(TypeId, TypeId), Entry>,
    /// Whether any of them goes before what types say of themselves.
    has_written: bool,
}

impl Values {
    /// Registers a conversion, unless one that goes before it is there.
    pub(crate) fn add<A: 'static, B: 'static>(&mut self, precedence: Precedence, function: ValueFn<A, B>) {
        let key = (TypeId::of::<A>(), TypeId::of::<B>());
        if self.entries.get(&key).is_some_and(|known| known.precedence > precedence) {
            return;
        }
        self.has_written |= precedence > Precedence::Generated;
        self.entries.insert(key, Entry { precedence, function: Box::new(function) });
    }

    fn get<A: 'static, B: 'static>(&self, least: Precedence) -> Option<&ValueFn<A, B>> {
        let entry = self.entries.get(&(TypeId::of::<A>(), TypeId::of::<B>()))?;
        if entry.precedence < least { None } else { entry.function.downcast_ref() }
    }
}

/// All conversions of a scheme.
pub(crate) struct Conversions {
    pub(crate) objects: HashMap<(TypeId, TypeId), ConvertFn>,
    pub(crate) values: Values,
    pub(crate) types: Arc<TypeMap<TypeEntry>>,
}

impl Conversions {
    /// Returns the conversion that goes before what the types say of themselves, if there is one.
    #[inline]
    pub(crate) fn written<A: 'static, B: 'static>(&self) -> Option<&ValueFn<A, B>> {
        if self.values.has_written { self.values.get(Precedence::Written) } else { None }
    }

    /// Converts a value of any type by what is registered for exactly this pair.
    pub(crate) fn apply<A: 'static, B: 'static>(&self, from: A, scope: &Scope) -> Result<B, ConvertError> {
        let key = (TypeId::of::<A>(), TypeId::of::<B>());
        if let Some(convert) = self.values.get::<A, B>(Precedence::Generated) {
            return convert(from, scope);
        }
        let unknown = || ConvertError::NoFunction(self.name::<A>(), self.name::<B>());
        let convert = self.objects.get(&key).ok_or_else(unknown)?;
        let mut object = (self.types.get(&key.0).ok_or_else(unknown)?.new)();
        *(&mut *object as &mut dyn Any).downcast_mut::<A>().ok_or_else(unknown)? = from;
        let converted: Box<dyn Any> = convert(object, scope)?;
        converted.downcast::<B>().map(|converted| *converted).map_err(|_| unknown())
    }

    /// Formats a type's name as Go prints it.
    fn name<T: 'static>(&self) -> String {
        match self.types.get(&TypeId::of::<T>()) {
            Some(entry) => go_type(entry.desc),
            None => short(type_name::<T>()),
        }
    }
}

/// Formats a type's name as Go prints it: its package, which is mostly the version, and its own.
pub(crate) fn go_type(desc: &StructDesc) -> String {
    format!("{}.{}", desc.version(), desc.name)
}

/// Returns the last module and the name in a path: `v1.Part` of `toys::v1::Part`.
pub(crate) fn short(path: &str) -> String {
    let mut parts = path.rsplit("::");
    match (parts.next(), parts.next()) {
        (Some(name), Some(module)) if !path.contains(['<', '(', '[', '&']) => format!("{module}.{name}"),
        _ => path.to_owned(),
    }
}
