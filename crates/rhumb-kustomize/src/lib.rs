//! Kustomize: builds objects from a kustomization, like `kubectl kustomize`.
//!
//! [`build`] reads the kustomization in a directory, what it is based on, and gives [`Built`]: the objects in
//! their order and, with [`Built::to_yaml`], the text that kubectl prints. Files come through [`Files`], so
//! that a caller can keep them anywhere; nothing else is touched. Remote bases and Helm charts are refused.
//!
//! The way of a build: `target` gathers resources, bases and components and runs generators and transformers
//! for each kustomization; `transformer` lists what can be done to objects, in the modules `transform`,
//! `patch` (with `merge`), `replacement` and `plugin`; at the end names are hashed, `nameref` follows them,
//! `vars` are filled in, and `order` sorts.
//!
//! Objects are kept as trees that remember how scalars were written (`node`, `scalar`), because kustomize's
//! output depends on it. Errors have kustomize's texts.

mod config;
mod crds;
mod decode;
mod defaults;
mod fault;
mod fieldspec;
mod files;
mod generate;
mod id;
mod kustomization;
mod merge;
mod nameref;
mod node;
mod order;
mod origin;
mod patch;
mod path;
mod plugin;
mod read;
mod remote;
mod replacement;
mod resource;
mod scalar;
mod schema;
mod target;
mod text;
mod timestamp;
mod transform;
mod transformer;
mod vars;

use std::fmt;
use std::path::Path;

use serde_json::Value;

pub use files::{Disk, Files, LoadRestrictions};

use fault::{Fault, Outcome};
use files::Loader;
use node::{Node, yaml_text};
use resource::{Resource, Resources};
use target::{Build, Target};

/// Version of kustomize that this is compatible with, as in its label.
pub const VERSION: &str = "v5.8.1";

/// Order of the objects, unless the kustomization sets it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reorder {
    /// Unspecified: like [`Reorder::Legacy`].
    #[default]
    Unspecified,
    /// Namespaces first, webhooks last, and so on.
    Legacy,
    /// Unchanged, as for `apply -k`.
    None,
}

/// Options of a build.
#[derive(Debug, Clone, Copy, Default)]
pub struct Options {
    /// Which files may be read.
    pub load_restrictions: LoadRestrictions,
    /// The order of the objects.
    pub reorder: Reorder,
    /// Whether every object gets the label that tells it was built.
    pub add_managed_by_label: bool,
    /// Whether the caller would let Helm charts be inflated; they are refused either way, in other words.
    pub enable_helm: bool,
}

/// Message for standard error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A line to be printed as it is.
    Warning(String),
    /// A line for the log, which kubectl prints with the level `I`, date, time, process and place before it.
    Log(String),
}

/// A built object.
#[derive(Debug, Clone, PartialEq)]
pub struct BuiltObject {
    /// The object.
    pub value: Value,
    /// The file it was read from, unless it was generated.
    pub file: Option<String>,
}

/// Result of a build.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Built {
    /// The objects in their order.
    pub objects: Vec<BuiltObject>,
    /// Messages.
    pub notices: Vec<Notice>,
}

impl Built {
    /// Returns the objects as `kubectl kustomize` prints them.
    pub fn to_yaml(&self) -> String {
        let mut out = String::new();
        for (at, object) in self.objects.iter().enumerate() {
            if at > 0 {
                out.push_str("---\n");
            }
            out.push_str(&yaml_text(&object.value));
        }
        out
    }
}

/// Error of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KustomizeError {
    message: String,
    notices: Vec<Notice>,
}

impl KustomizeError {
    /// Returns the messages before the error.
    pub fn notices(&self) -> &[Notice] {
        &self.notices
    }
}

impl fmt::Display for KustomizeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for KustomizeError {}

/// Builds the kustomization in a directory.
///
/// # Errors
/// If a file is missing or can't be read, or what the kustomization asks for can't be done.
pub fn build(files: &dyn Files, root: &Path, options: &Options) -> Result<Built, KustomizeError> {
    let mut build = Build::default();
    build.enable_helm = options.enable_helm;
    let result = build_with(files, &root.to_string_lossy(), options, &mut build);
    match result {
        Ok(objects) => Ok(Built { objects, notices: build.notices }),
        Err(Fault(message)) => Err(KustomizeError { message, notices: build.notices }),
    }
}

fn build_with(
    files: &dyn Files,
    root: &str,
    options: &Options,
    build: &mut Build,
) -> Outcome<Vec<BuiltObject>> {
    let loader = Loader::new(files, options.load_restrictions, root)?;
    let mut target = Target::load(loader, build)?;
    target.choose_schemas(build)?;
    let mut resources = target.build(build)?;
    let kustomization = &target.kustomization;
    match &kustomization.sort_options {
        Some(sort) => {
            if options.reorder != Reorder::Unspecified {
                build.notices.push(Notice::Log(
                    "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a \
                     CLI flag ('--reorder'). Using the kustomization file over the CLI flag."
                        .to_owned(),
                ));
            }
            order::sort(&mut resources, sort)?;
        }
        None if options.reorder == Reorder::None => {}
        None => order::sort_by_default(&mut resources),
    }
    let wants = |option: &str| kustomization.build_metadata.iter().any(|wanted| wanted == option);
    if options.add_managed_by_label || wants("managedByLabel") {
        add_managed_by_label(&mut resources)?;
    }
    let (origins, transformations) = (wants("originAnnotations"), wants("transformerAnnotations"));
    resources.list.iter().map(|resource| finish(resource, origins, transformations)).collect()
}

fn add_managed_by_label(resources: &mut Resources) -> Outcome<()> {
    let labels = [("app.kubernetes.io/managed-by".to_owned(), format!("kustomize-{VERSION}"))].into();
    let field = fieldspec::FieldSpec::new("", "", "", "metadata/labels", true);
    transform::add_entries(resources, &labels, &[field])
}

/// Internal annotations, which are removed from the output.
const INTERNAL: [&str; 19] = [
    "internal.config.kubernetes.io/previousKinds",
    "internal.config.kubernetes.io/previousNames",
    "internal.config.kubernetes.io/prefixes",
    "internal.config.kubernetes.io/suffixes",
    "internal.config.kubernetes.io/previousNamespaces",
    "internal.config.kubernetes.io/allowNameChange",
    "internal.config.kubernetes.io/allowKindChange",
    "internal.config.kubernetes.io/refBy",
    "internal.config.kubernetes.io/generatorBehavior",
    "internal.config.kubernetes.io/needsHashSuffix",
    "internal.config.kubernetes.io/path",
    "internal.config.kubernetes.io/index",
    "internal.config.kubernetes.io/seqindent",
    "internal.config.kubernetes.io/id",
    "internal.config.kubernetes.io/annotations-migration-resource-id",
    "config.kubernetes.io/path",
    "config.kubernetes.io/index",
    "config.k8s.io/id",
    "internal.config.kubernetes.io/helm-generated",
];

/// Adds the requested annotations to an object, removes internal ones, and resolves its scalars.
fn finish(resource: &Resource, origins: bool, transformations: bool) -> Outcome<BuiltObject> {
    let mut node: Node = resource.node().clone();
    let mut annotations = node.annotations();
    for key in INTERNAL {
        annotations.remove(key);
    }
    let origin_key = "config.kubernetes.io/origin";
    match &resource.origin {
        Some(origin) if origins => {
            annotations.insert(origin_key.to_owned(), origin.annotation());
        }
        _ if !origins => {
            annotations.remove(origin_key);
        }
        _ => {}
    }
    let changes_key = "alpha.config.kubernetes.io/transformations";
    if !transformations {
        annotations.remove(changes_key);
    } else if !resource.transformations.is_empty() {
        annotations.insert(changes_key.to_owned(), origin::list_annotation(&resource.transformations));
    }
    node.set_annotations(&annotations)?;
    let value = node.to_json().map_err(|error| {
        // kubectl shows what it has of an object that it can't print, which is nothing if that can't be read.
        if error.0.starts_with("yaml: ") { error.under("map[string]interface {}(nil)") } else { error }
    })?;
    Ok(BuiltObject { value, file: resource.file.clone() })
}
