//! Naming systems built from the words of packages and types.

use super::{builtin_name, capital, leaf_name, snake_case};
use crate::universe::{TypeName, TypeRef};

/// Rules of a naming system. By default a name is the type's, followed by its container: `CronTabSlice`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NameStrategy {
    /// Prefix of names.
    pub prefix: String,
    /// Suffix of names.
    pub suffix: String,
    /// Number of trailing package segments before the type's name.
    pub packages: usize,
    /// Parts of packages' paths that are passed over.
    pub ignored: Vec<String>,
    /// Whether names are written as those of functions are: `cron_tab_slice`.
    pub snake_case: bool,
}

impl NameStrategy {
    /// Returns the name of a type.
    pub fn name(&self, ty: &TypeRef) -> String {
        let name = self.words(ty);
        let name = if self.snake_case { snake_case(&name) } else { name };
        format!("{}{name}{}", self.prefix, self.suffix)
    }

    /// Returns the name with a capital at the beginning of each word.
    fn words(&self, ty: &TypeRef) -> String {
        match ty {
            TypeRef::Builtin(builtin) => capital(builtin_name(*builtin)),
            TypeRef::Leaf(leaf) => leaf_name(*leaf).to_owned(),
            TypeRef::Named(name) => self.declared(name),
            TypeRef::Option(inner) | TypeRef::Boxed(inner) => self.words(inner) + "Pointer",
            TypeRef::Slice(inner) => self.words(inner) + "Slice",
            TypeRef::Map(key, value) => format!("{}To{}Map", self.words(key), self.words(value)),
            TypeRef::Instance(name, arguments) => {
                self.declared(name)
                    + &arguments.iter().map(|argument| self.words(argument)).collect::<String>()
            }
            TypeRef::Parameter(name) => name.clone(),
            TypeRef::Unknown(_) => "Unknown".to_owned(),
        }
    }

    fn declared(&self, name: &TypeName) -> String {
        let parts: Vec<&str> = name
            .package
            .split("::")
            .filter(|part| !self.ignored.iter().any(|ignored| ignored == part))
            .collect();
        let first = parts.len().saturating_sub(self.packages);
        let packages =
            parts.into_iter().skip(first).map(|part| part.split('_').map(capital).collect::<String>());
        packages.collect::<String>() + &capital(&name.name)
    }
}
