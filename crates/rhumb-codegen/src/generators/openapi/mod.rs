//! `openapi`: OpenAPI v2 and v3 definitions of a package's types, without paths.
//!
//! They are what a server with these types says at run time. Beside, the types are held against the rules for APIs
//! ([`rules`]): a violation fails the run unless the file of exceptions ([`exceptions`]) knows it.
//!
//! | flag | meaning |
//! |---|---|
//! | `exceptions` | the file of exceptions, instead of `violation_exceptions.list` in the crate's directory |
//! | `update-exceptions` | write that file instead of failing |
//! | `enums` | list the values that texts may have |

mod exceptions;
mod models;
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde_json::{Value as Json, json};

use self::models::{Dialect, Models};
use super::api_version::{self, ApiVersion};
use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::problem::{Outcome, Problems};
use crate::universe::{Package, Type, Universe};

/// The tool.
pub(super) const TOOL: Tool = Tool {
    name: "openapi",
    about: "OpenAPI 2 and 3 definitions of types, checked against the API rules",
    targets,
};

fn targets(universe: &Universe, options: &Options) -> Outcome<Vec<Target>> {
    let mut problems = Problems::default();
    let mut targets = Vec::new();
    let mut crates: BTreeMap<PathBuf, Vec<(&Package, Vec<&Type>)>> = BTreeMap::new();
    for package in universe.requested() {
        let Some(version) = api_version::of_package(universe, package) else { continue };
        let Some(starts) = problems.take(starts(universe, package)) else { continue };
        if starts.is_empty() {
            continue;
        }
        let Some(covered) = problems.take(covered(universe, package, &starts)) else { continue };
        crates.entry(package.crate_dir.clone()).or_default().push((package, covered));
        let document = |dialect| Document {
            dialect,
            package: package.path.clone(),
            version: version.clone(),
            starts: starts.iter().map(|ty| ty.name.clone()).collect(),
        };
        let mut target = Target::of(package, document(Dialect::V2));
        target.generators.push(Box::new(document(Dialect::V3)));
        targets.push(target);
    }
    for (crate_dir, packages) in &crates {
        let file = match options.flag("exceptions") {
            Some(file) => PathBuf::from(file),
            None => crate_dir.join("violation_exceptions.list"),
        };
        let found = packages.iter().flat_map(|(_, types)| types).flat_map(|ty| rules::check(universe, ty));
        let mut found: Vec<rules::Violation> = found.collect();
        found.sort();
        let checked: BTreeSet<&str> = packages.iter().map(|(package, _)| &*package.path).collect();
        if options.is_on("update-exceptions") {
            let Some(text) = problems.take(exceptions::update(&file, &found, &checked)) else { continue };
            targets.push(exceptions_target(&file, text));
        } else {
            problems.take(exceptions::check(&file, &found, &checked));
        }
    }
    problems.or(targets)
}

/// Returns the types that a package's documents begin with: its kinds, and what `+k8s:openapi-gen=true` stands on.
fn starts<'a>(universe: &'a Universe, package: &'a Package) -> Outcome<Vec<&'a Type>> {
    let all = package.tags.truth("k8s:openapi-gen")?;
    let mut starts = Vec::new();
    let exported = package.exports.values().filter_map(|name| universe.get(name)).filter(|ty| {
        // A version may share kinds with another of its group.
        ty.is_object() && ty.name.package.rsplit_once("::").map(|(group, _)| group) == parent(&package.path)
    });
    for ty in universe.types_of(package).chain(exported) {
        let own = ty.tags.truth("k8s:openapi-gen")?;
        let is_model =
            !matches!(ty.kind, crate::universe::Kind::Alias(_) | crate::universe::Kind::Generic(_));
        if own.or(all).unwrap_or_else(|| ty.is_object()) && is_model {
            starts.push(ty);
        }
    }
    Ok(starts)
}

fn parent(path: &str) -> Option<&str> {
    path.rsplit_once("::").map(|(above, _)| above)
}

/// Returns the types of a package that its documents describe.
fn covered<'a>(universe: &'a Universe, package: &Package, starts: &[&'a Type]) -> Outcome<Vec<&'a Type>> {
    let mut problems = Problems::default();
    let mut covered: BTreeMap<_, &'a Type> = BTreeMap::new();
    for start in starts {
        for ty in problems.take(universe.reachable(start)).into_iter().flatten() {
            if ty.name.package == package.path {
                covered.insert(&ty.name, ty);
            }
        }
    }
    problems.or(covered.into_values().collect())
}

/// Generates one document.
struct Document {
    dialect: Dialect,
    package: String,
    version: ApiVersion,
    starts: Vec<crate::universe::TypeName>,
}

impl Generator for Document {
    fn name(&self) -> &'static str {
        "openapi"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn init(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let universe = context.universe;
        let mut models = Models::new(universe, &self.package, &self.version, self.dialect);
        models.enums = context.options.is_on("enums");
        let starts: Vec<&Type> = self.starts.iter().filter_map(|name| universe.get(name)).collect();
        out.value(document(self.dialect, &self.version, models.all(&starts)?));
        Ok(())
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        match self.dialect {
            Dialect::V2 => "openapi.v2.json".to_owned(),
            Dialect::V3 => "openapi.v3.json".to_owned(),
        }
    }

    fn file_type(&self) -> &'static str {
        "json"
    }
}

fn document(dialect: Dialect, version: &ApiVersion, definitions: BTreeMap<String, Json>) -> Json {
    let title = if version.group.is_empty() { "core" } else { &version.group };
    let info = json!({ "title": title, "version": version.version });
    match dialect {
        Dialect::V2 => json!({ "swagger": "2.0", "info": info, "paths": {}, "definitions": definitions }),
        Dialect::V3 => json!({
            "openapi": "3.0.0",
            "info": info,
            "paths": {},
            "components": { "schemas": definitions },
        }),
    }
}

/// Generates the exceptions file.
struct Exceptions {
    name: String,
    text: String,
}

fn exceptions_target(file: &Path, text: String) -> Target {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    Target {
        package: None,
        dir: file.parent().map(Path::to_path_buf).unwrap_or_default(),
        below: PathBuf::new(),
        generators: vec![Box::new(Exceptions { name, text })],
    }
}

impl Generator for Exceptions {
    fn name(&self) -> &'static str {
        "openapi"
    }

    fn init(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        out.text(self.text.clone());
        Ok(())
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        self.name.clone()
    }

    fn file_type(&self) -> &'static str {
        "text"
    }
}
