//! `crd`: CustomResourceDefinitions from types, one file per group and kind.
//!
//! Every type with `type_meta` and an `ObjectMeta` in the packages that were asked for is a kind. What the type can't
//! say is said in markers, comments in kubebuilder's words; our own attributes count as well. The files stand in
//! `config/crd` of the crate.

mod definition;
mod markers;
mod schema;
mod validation;
mod value;

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::api_version;
use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Type, TypeName, Universe};

/// The tool.
pub(super) const TOOL: Tool = Tool {
    name: "crd",
    about: "CustomResourceDefinitions in YAML, with schemas from types and markers",
    targets,
};

fn targets(universe: &Universe, _: &Options) -> Outcome<Vec<Target>> {
    let mut problems = Problems::default();
    let mut kinds: BTreeMap<(String, String), Vec<TypeName>> = BTreeMap::new();
    for package in universe.requested().filter(|package| !package.tags.has("kubebuilder:skip")) {
        for ty in universe.types_of(package).filter(|ty| is_kind(ty)) {
            match api_version::of_type(universe, ty) {
                Some(version) if version.group.is_empty() => {}
                Some(version) => {
                    kinds.entry((version.group, api_version::kind(ty))).or_default().push(ty.name.clone());
                }
                None => problems.push(Problem::at(
                    &ty.place,
                    format!(
                        "the group of {} is not said: write `#[resource(group = \"…\", version = \"…\")]` on it, or \
                         `// +groupName=…` at the top of the package",
                        ty.name.name
                    ),
                )),
            }
        }
    }
    let mut targets = Vec::new();
    for ((group, kind), types) in kinds {
        let home = types.first().and_then(|name| universe.package(&name.package));
        let Some(definition) = problems.take(definition::make(universe, &group, &kind, &types)) else {
            continue;
        };
        targets.push(Target {
            package: None,
            dir: home.map(|home| home.crate_dir.join("config").join("crd")).unwrap_or_default(),
            below: PathBuf::new(),
            generators: vec![Box::new(Definition { group, definition })],
        });
    }
    problems.or(targets)
}

/// Reports whether a type is a kind that can have a definition.
fn is_kind(ty: &Type) -> bool {
    ty.has_metadata() && !ty.tags.has("kubebuilder:skip") && !ty.tags.has("kubebuilder:skipversion")
}

/// Generates one definition.
struct Definition {
    group: String,
    definition: definition::Definition,
}

impl Generator for Definition {
    fn name(&self) -> &'static str {
        "crd"
    }

    fn init(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.value(self.definition.document.clone());
        Ok(())
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        format!("{}_{}.yaml", self.group, self.definition.plural)
    }

    fn file_type(&self) -> &'static str {
        "yaml"
    }
}
