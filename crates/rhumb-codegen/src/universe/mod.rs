//! The universe: all requested packages and the types they refer to.
//!
//! It is made once and never changes; generators read it.

mod build;
mod declarations;
mod marks;
mod resolve;
mod tags;
mod types;

pub use tags::{Tag, Tags};
pub use types::{
    Builtin, Constant, Declaration, Function, Kind, Leaf, Member, Package, Submodule, Type, TypeName,
    TypeRef, Variant,
};

pub(crate) use build::build;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::problem::{Outcome, Problem, Problems};
use crate::source::{Found, Sources};

/// A handwritten trait implementation.
pub(crate) struct Implementation {
    /// The last part of the trait's name.
    pub(crate) implemented: String,
    /// The path of the type, as it is written.
    pub(crate) own: String,
    /// The module it stands in.
    pub(crate) module: String,
}

/// All known packages and types.
#[derive(Default)]
pub struct Universe {
    pub(crate) packages: BTreeMap<String, Package>,
    pub(crate) types: BTreeMap<TypeName, Type>,
    pub(crate) conversions: BTreeSet<(TypeName, TypeName)>,
    pub(crate) implementations: Vec<Implementation>,
    pub(crate) peers: Vec<String>,
    /// Names are looked up while generators run, and may lead to modules that were not read yet.
    pub(crate) sources: RefCell<Sources>,
}

impl Universe {
    /// Returns a package by its path, such as `rhumb_api::apps::v1`.
    pub fn package(&self, path: &str) -> Option<&Package> {
        self.packages.get(path)
    }

    /// Returns all packages ordered by path.
    pub fn packages(&self) -> impl Iterator<Item = &Package> {
        self.packages.values()
    }

    /// Returns the packages that were asked for.
    pub fn requested(&self) -> impl Iterator<Item = &Package> {
        self.packages.values().filter(|package| package.requested)
    }

    /// Returns the packages that are read beside those that were asked for because someone said so, in that order.
    pub fn peers(&self) -> impl Iterator<Item = &Package> {
        self.peers.iter().filter_map(|path| self.packages.get(path))
    }

    /// Returns the packages directly below one, such as the versions of a group.
    pub fn below<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = &'a Package> {
        self.packages.values().filter(|other| {
            other
                .path
                .strip_prefix(&package.path)
                .and_then(|rest| rest.strip_prefix("::"))
                .is_some_and(|rest| !rest.contains("::"))
        })
    }

    /// Returns the package that one stands in, such as the group of a version.
    pub fn above(&self, package: &Package) -> Option<&Package> {
        package.path.rsplit_once("::").and_then(|(above, _)| self.packages.get(above))
    }

    /// Returns a type by its name.
    pub fn get(&self, name: &TypeName) -> Option<&Type> {
        self.types.get(name)
    }

    /// Returns all types ordered by package and name.
    pub fn types(&self) -> impl Iterator<Item = &Type> {
        self.types.values()
    }

    /// Returns the types that a package declares, by name.
    pub fn types_of<'a>(&'a self, package: &'a Package) -> impl Iterator<Item = &'a Type> {
        package.types.iter().filter_map(|name| self.types.get(name))
    }

    /// Returns the type that a package calls by a name: one of its own, or one that it re-exports.
    pub fn find(&self, package: &Package, name: &str) -> Option<&Type> {
        let own = TypeName { package: package.path.clone(), name: name.to_owned() };
        self.types.get(&own).or_else(|| self.types.get(package.exports.get(name)?))
    }

    /// Returns the type that a path means in a module: `super::v1::Pod`, seen from `a::core::v2`.
    pub fn resolve(&self, module: &str, path: &str) -> Option<TypeName> {
        let mut sources = self.sources.borrow_mut();
        match sources.find(module, &parts(path))? {
            Found::Type(home, name) => Some(TypeName { package: sources.home(&home), name }),
            _ => None,
        }
    }

    /// Returns the path of the module that a path means in a module.
    pub fn resolve_module(&self, module: &str, path: &str) -> Option<String> {
        match self.sources.borrow_mut().find(module, &parts(path))? {
            Found::Module(path) => Some(path),
            _ => None,
        }
    }

    /// Returns a path that is written in a module, from the name of its crate: `super::v1::Pod` becomes
    /// `a::core::v1::Pod`, and `Time` what it was imported as.
    pub fn whole_path(&self, module: &str, path: &str) -> String {
        let mut absolute = self.sources.borrow_mut().absolute(module, &parts(path));
        if let Some(first) = absolute.first_mut().filter(|first| *first == "crate") {
            *first = module.split("::").next().unwrap_or(module).to_owned();
        }
        absolute.join("::")
    }

    /// Reports whether someone wrote a conversion by hand: `impl Convert<To> for From`.
    pub fn has_conversion(&self, from: &TypeName, to: &TypeName) -> bool {
        self.conversions.contains(&(from.clone(), to.clone()))
    }

    /// Reports whether someone implemented a trait for a type by hand: `impl Trait for Type`.
    pub fn implements(&self, ty: &TypeName, name: &str) -> bool {
        self.implementations.iter().any(|found| {
            found.implemented == name
                && found.own.rsplit("::").next() == Some(&ty.name)
                && self.resolve(&found.module, &found.own).as_ref() == Some(ty)
        })
    }

    /// Returns the trait that a path means in a module, with the path of the module that declares it.
    pub fn find_trait(&self, module: &str, path: &str) -> Option<(String, syn::ItemTrait)> {
        let mut sources = self.sources.borrow_mut();
        let Found::Other(found) = sources.find(module, &parts(path))? else { return None };
        let (home, name) = found.rsplit_once("::")?;
        let item = sources.get(home)?.traits.iter().find(|item| item.ident == name)?;
        Some((home.to_owned(), item.clone()))
    }

    /// Resolves aliases of a type.
    pub fn underlying<'a>(&'a self, mut ty: &'a TypeRef) -> &'a TypeRef {
        // Aliases can't be circular in Rust; the bound is for source that doesn't compile.
        for _ in 0..64 {
            match ty {
                TypeRef::Named(name) => match self.types.get(name).map(|found| &found.kind) {
                    Some(Kind::Alias(target)) => ty = target,
                    _ => return ty,
                },
                _ => return ty,
            }
        }
        ty
    }

    /// Returns a type and all types reachable from its members, each once, in order of discovery.
    ///
    /// # Errors
    /// Every member on the way whose type is not known or not supported.
    pub fn reachable<'a>(&'a self, start: &'a Type) -> Outcome<Vec<&'a Type>> {
        let order = self.reach([start]);
        let mut problems = Problems::default();
        order.iter().for_each(|ty| problems.0.extend(self.problems_of(ty)));
        problems.or(order)
    }

    /// Returns the types reachable from several types; members of unknown types are ignored.
    pub fn reach<'a>(&'a self, starts: impl IntoIterator<Item = &'a Type>) -> Vec<&'a Type> {
        let (mut seen, mut order) = (BTreeSet::new(), Vec::new());
        let mut queue: std::collections::VecDeque<&Type> = starts.into_iter().collect();
        while let Some(ty) = queue.pop_front() {
            if !seen.insert(&ty.name) {
                continue;
            }
            order.push(ty);
            let members = ty.members.iter().map(|member| &member.ty);
            let alias = if let Kind::Alias(target) = &ty.kind { Some(target) } else { None };
            for target in members.chain(alias) {
                target.each_name(&mut |name| queue.extend(self.types.get(name)));
            }
        }
        order
    }

    /// Returns the members of a type whose own types are not known or not supported.
    pub fn problems_of(&self, ty: &Type) -> Vec<Problem> {
        let mut found = ty.problems.clone();
        let members = ty.members.iter().map(|member| (&member.ty, &member.place));
        let alias = if let Kind::Alias(target) = &ty.kind { Some((target, &ty.place)) } else { None };
        for (target, place) in members.chain(alias) {
            target.each_unknown(&mut |why| found.push(Problem::at(place, why)));
        }
        found
    }
}

fn parts(path: &str) -> Vec<String> {
    path.trim_start_matches("::").split("::").map(|part| part.trim().to_owned()).collect()
}
