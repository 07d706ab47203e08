//! Names of types in generated code.

mod imports;
mod plural;
mod strategy;
pub(crate) mod version;

pub use imports::Imports;
pub use plural::Plural;
pub use strategy::NameStrategy;

use std::collections::BTreeMap;

use crate::universe::{Builtin, Leaf, TypeName, TypeRef};

/// Naming systems of a generator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Namers {
    /// Plurals, with exceptions.
    pub plural: Plural,
    /// Naming systems by name, beside those that there are anyway.
    pub systems: BTreeMap<String, NameStrategy>,
}

impl Namers {
    /// Adds a naming system, or replaces the one of that name.
    #[must_use]
    pub fn with(mut self, system: impl Into<String>, strategy: NameStrategy) -> Self {
        self.systems.insert(system.into(), strategy);
        self
    }

    /// Returns the name of a type in a naming system: `public`, `private`, `raw`, or one that was added. `None` if
    /// there is no such system.
    pub fn name(&self, system: &str, ty: &TypeRef) -> Option<String> {
        match (self.systems.get(system), system) {
            (Some(strategy), _) => Some(strategy.name(ty)),
            (None, "public") => Some(self.public(ty)),
            (None, "private") => Some(self.private(ty)),
            (None, "raw") => Some(self.raw(ty)),
            (None, _) => None,
        }
    }

    /// Returns the name as others see it: `CronTab`; of containers what they hold and how: `CronTabSlice`.
    pub fn public(&self, ty: &TypeRef) -> String {
        NameStrategy::default().name(ty)
    }

    /// Returns the name as a function or variable has it in Rust: `cron_tab`.
    pub fn private(&self, ty: &TypeRef) -> String {
        snake_case(&self.public(ty))
    }

    /// Returns the name with everything around it, as Rust source with full paths: `Option<a::v1::CronTab>`.
    pub fn raw(&self, ty: &TypeRef) -> String {
        match ty {
            TypeRef::Builtin(builtin) => builtin_name(*builtin).to_owned(),
            TypeRef::Leaf(leaf) => leaf_path(*leaf).to_owned(),
            TypeRef::Named(name) => name.to_string(),
            TypeRef::Option(inner) => format!("Option<{}>", self.raw(inner)),
            TypeRef::Boxed(inner) => format!("Box<{}>", self.raw(inner)),
            TypeRef::Slice(inner) => format!("Vec<{}>", self.raw(inner)),
            TypeRef::Map(key, value) => {
                format!("std::collections::BTreeMap<{}, {}>", self.raw(key), self.raw(value))
            }
            TypeRef::Instance(name, arguments) => {
                let arguments: Vec<String> = arguments.iter().map(|argument| self.raw(argument)).collect();
                format!("{name}<{}>", arguments.join(", "))
            }
            TypeRef::Parameter(name) => name.clone(),
            TypeRef::Unknown(_) => "_".to_owned(),
        }
    }

    /// Returns the plural in lower case, as paths of a server have it: `crontabs`.
    pub fn resource(&self, name: &TypeName) -> String {
        self.plural.lower(&name.name)
    }
}

/// Returns a text with a capital at its beginning.
pub fn capital(text: &str) -> String {
    let mut characters = text.chars();
    characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
}

/// Converts `CSIDriverSpec` to `csi_driver_spec`.
pub fn snake_case(name: &str) -> String {
    let characters: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (index, character) in characters.iter().enumerate() {
        if character.is_uppercase() {
            let before = index.checked_sub(1).and_then(|before| characters.get(before));
            let after = characters.get(index + 1);
            let begins = before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(|before| before.is_uppercase())
                    && after.is_some_and(|after| after.is_lowercase()));
            if begins {
                out.push('_');
            }
            out.extend(character.to_lowercase());
        } else {
            out.push(*character);
        }
    }
    out
}

/// Returns a type of the language as Rust writes it.
pub fn builtin_name(builtin: Builtin) -> &'static str {
    match builtin {
        Builtin::Bool => "bool",
        Builtin::Int32 => "i32",
        Builtin::Int64 => "i64",
        Builtin::Uint32 => "u32",
        Builtin::Uint64 => "u64",
        Builtin::Double => "f64",
        Builtin::Text => "String",
    }
}

/// Returns a leaf's own name.
pub fn leaf_name(leaf: Leaf) -> &'static str {
    leaf_path(leaf).rsplit("::").next().unwrap_or_default()
}

/// Returns the path of a leaf.
pub fn leaf_path(leaf: Leaf) -> &'static str {
    match leaf {
        Leaf::Quantity => "rhumb_meta::Quantity",
        Leaf::Time => "rhumb_meta::Time",
        Leaf::MicroTime => "rhumb_meta::MicroTime",
        Leaf::Duration => "rhumb_meta::Duration",
        Leaf::IntOrString => "rhumb_meta::IntOrString",
        Leaf::FieldsV1 => "rhumb_meta::FieldsV1",
        Leaf::RawJson => "rhumb_schema::RawJson",
        Leaf::Tree => "serde_json::Value",
        Leaf::Bytes => "rhumb_schema::ByteString",
    }
}
