//! Built-in generators.

mod api_version;
mod client;
mod conversion;
mod crd;
mod deepcopy;
mod defaulter;
mod derived;
mod embed;
pub mod import_boss;
mod informer;
mod kinds;
mod lister;
mod messages;
mod openapi;
mod protobuf;
mod register;
mod relocate;
mod said;

use crate::generator::{Generator, Options, Target, Tool};
use crate::problem::{Outcome, Place, Problem, Problems};
use crate::universe::{Package, Type, TypeName, Universe};

/// All tools in the order of `rhumb gen list`.
pub const TOOLS: &[Tool] = &[
    deepcopy::TOOL,
    derived::SCHEMA,
    derived::OBJECT,
    derived::RESOURCE,
    defaulter::TOOL,
    conversion::TOOL,
    register::TOOL,
    openapi::TOOL,
    protobuf::TOOL,
    crd::TOOL,
    client::TOOL,
    lister::TOOL,
    informer::TOOL,
    embed::TOOL,
    messages::TOOL,
];

/// Returns the tools behind names, in the order of the names.
///
/// # Errors
/// If there is no tool of a name.
pub fn named(names: &[&str]) -> Outcome<Vec<Tool>> {
    let find = |name: &&str| {
        TOOLS.iter().find(|tool| tool.name == *name).copied().ok_or_else(|| {
            let known: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            Problem::new(format!("there is no generator {name:?}; there are {}", known.join(", "))).into()
        })
    };
    names.iter().map(find).collect()
}

/// Returns a target for every requested package with the tag.
pub(crate) fn per_package<G: Generator + 'static>(
    universe: &Universe,
    wanted: impl Fn(&Package) -> bool,
    generator: impl Fn() -> G,
) -> Outcome<Vec<Target>> {
    Ok(universe
        .requested()
        .filter(|package| wanted(package))
        .map(|package| Target::of(package, generator()))
        .collect())
}

/// Returns what a tag of a package and of a type together say of a type: `+NAME=package` (or anything but `false`) on
/// the package is for all of its types, `+NAME=true` or `+NAME=false` on a type for this one.
pub(crate) fn is_wanted(package: &Package, ty: &Type, tag: &str) -> bool {
    match ty.tags.value(tag) {
        Some("false") => false,
        Some(_) => true,
        None => package.tags.value(tag).is_some_and(|value| value != "false"),
    }
}

/// Returns the packages that a tag of a package names, in their order. The tag may stand several times; `false` names
/// none.
pub(crate) fn named_packages(universe: &Universe, package: &Package, tag: &str) -> Outcome<Vec<String>> {
    let mut problems = Problems::default();
    let mut found: Vec<String> = Vec::new();
    for tag in package.tags.all(tag).filter(|tag| tag.value() != "false") {
        let module = universe.resolve_module(&package.path, tag.value());
        match module.filter(|module| universe.package(module).is_some()) {
            Some(module) if found.contains(&module) => {}
            Some(module) => found.push(module),
            None => problems.push(Problem::at(
                &tag.place,
                format!(
                    "there is no package `{}`: write a path as `use` in this file would, such as `super::v1`",
                    tag.value()
                ),
            )),
        }
    }
    problems.or(found)
}

/// Reports a type whose declaration is not available.
pub(crate) fn not_found(name: &TypeName, place: &Place) -> Problem {
    let home = name.package.split("::").next().unwrap_or_default();
    let message = format!(
        "the type {name} was not found: fetch the source of {home} with `cargo fetch`, or give it with \
         --source {home}=DIRECTORY"
    );
    Problem::at(place, message)
}

/// Returns the tools whose files the packages that were asked for declare as modules, in the order of [`TOOLS`].
pub fn declared(universe: &Universe) -> Vec<Tool> {
    let is_declared = |tool: &&Tool| {
        let module = Options::default().module_of(tool.name);
        universe.requested().any(|package| package.module(&module).is_some())
    };
    TOOLS.iter().filter(is_declared).copied().collect()
}
