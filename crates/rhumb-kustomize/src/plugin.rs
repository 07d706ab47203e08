//! Built-in generators and transformers with configuration files. External ones are not run.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::decode::{Decoded, Strictness, decode, decoded};
use crate::fault::{Fault, Outcome, fail};
use crate::fieldspec::FieldSpec;
use crate::files::Loader;
use crate::generate::{Product, generate};
use crate::kustomization::{Image, Patch, PatchOptions, ReplacementField, Replica, SecretArgs};
use crate::node::{Node, yaml_text};
use crate::patch::{configure_merge, read_operations, read_patch};
use crate::read::parse;
use crate::resource::{Resource, Selector};
use crate::transform::{End, NamespaceChange, Subjects};
use crate::transformer::{Transformer, ValueTarget, must_have_fields};
use crate::{kustomization::yaml_to_json, replacement};

decoded!(ValueTarget as "Target", "builtins.Target" {
    "selector" => selector,
    "fieldPath" => field_path,
    "filePathPosition" => file_path_position,
});

#[derive(Default)]
struct FieldsConfig {
    fields: Option<Vec<FieldSpec>>,
    prefix: String,
    suffix: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
    image: Image,
    replica: Replica,
    name: String,
    namespace: String,
    unset_only: bool,
    subjects: String,
    metadata: MetadataConfig,
    replacements: Vec<ReplacementField>,
    value: String,
    targets: Vec<ValueTarget>,
    target_file_path: String,
}

decoded!(FieldsConfig as "Plugin", "builtins.Plugin" {
    "fieldSpecs" => fields,
    "prefix" => prefix,
    "suffix" => suffix,
    "labels" => labels,
    "annotations" => annotations,
    "imageTag" => image,
    "replica" => replica,
    "name" => name,
    "namespace" => namespace,
    "unsetOnly" => unset_only,
    "setRoleBindingSubjects" => subjects,
    "metadata" => metadata,
    "replacements" => replacements,
    "value" => value,
    "targets" => targets,
    "targetFilePath" => target_file_path,
});

#[derive(Default)]
struct MetadataConfig {
    name: String,
    namespace: String,
}

decoded!(MetadataConfig as "ObjectMeta", "types.ObjectMeta" {
    "name" => name,
    "namespace" => namespace,
});

#[derive(Default)]
struct PatchConfig {
    path: String,
    patch: String,
    json_op: String,
    target: Option<Selector>,
    options: Option<PatchOptions>,
    paths: Vec<String>,
    patches: String,
}

decoded!(PatchConfig as "Plugin", "builtins.Plugin" {
    "path" => path,
    "patch" => patch,
    "jsonOp" => json_op,
    "target" => target,
    "options" => options,
    "paths" => paths,
    "patches" => patches,
});

fn read<T: Decoded>(json: &Value) -> Outcome<T> {
    decode(json, Strictness::Lenient)
        .map_err(|problem| Fault(format!("error unmarshaling JSON: while decoding JSON: {problem}")))
}

/// Refuses what kustomize does not bring along.
fn check_builtin(resource: &Resource) -> Outcome<()> {
    if resource.node().api_version() == "builtin" {
        return Ok(());
    }
    fail(format!(
        "external plugins disabled; unable to load external plugin '{}'",
        resource.original_id().gvk.kind
    ))
}

fn failing(resource: &Resource, error: &Fault) -> Fault {
    Fault(format!("plugin {} fails configuration: {error}", resource.original_id()))
}

/// Kinds of generators.
const GENERATORS: [&str; 4] =
    ["ConfigMapGenerator", "SecretGenerator", "IAMPolicyGenerator", "HelmChartInflationGenerator"];

/// Creates the objects that a configured generator makes.
pub(crate) fn run_generator(resource: &Resource, loader: &Loader<'_>) -> Outcome<Resource> {
    check_builtin(resource).map_err(|error| error.under("failed to load generator"))?;
    let kind = resource.node().kind().to_owned();
    let product = match kind.as_str() {
        "ConfigMapGenerator" => Product::ConfigMap,
        "SecretGenerator" => Product::Secret,
        "IAMPolicyGenerator" => return account_with_policy(&resource.node().to_json()?),
        "HelmChartInflationGenerator" => {
            let error = failing(resource, &Fault::from("must specify --enable-helm"));
            return Err(error.under("failed to load generator"));
        }
        _ => {
            let is_known = transformer(resource, loader).is_ok();
            let problem = if is_known {
                format!("plugin {} not a generator", resource.original_id())
            } else {
                format!("unable to load builtin {}", resource.gvk())
            };
            return Err(Fault(problem).under("failed to load generator"));
        }
    };
    let json = resource.node().to_json()?;
    let SecretArgs { mut args } = read(&json).map_err(|error| failing(resource, &error))?;
    let metadata: FieldsConfig = read(&json).map_err(|error| failing(resource, &error))?;
    if args.name.is_empty() {
        args.name = metadata.metadata.name;
    }
    if args.namespace.is_empty() {
        args.namespace = metadata.metadata.namespace;
    }
    generate(product, &args, loader)
}

/// Returns a service account that stands for one of a cloud.
fn account_with_policy(json: &Value) -> Outcome<Resource> {
    let text = |pointer: &str| json.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    if text("/cloud") != "gke" {
        return fail(format!("cloud provider {} not supported yet", text("/cloud")));
    }
    let account = format!(
        "{}@{}.iam.gserviceaccount.com",
        text("/serviceAccount/name"),
        text("/serviceAccount/projectId")
    );
    let mut object = serde_json::json!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": {
            "annotations": { "iam.gke.io/gcp-service-account": account },
            "name": text("/kubernetesService/name"),
        },
    });
    let namespace = text("/kubernetesService/namespace");
    if let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut)
        && !namespace.is_empty()
    {
        metadata.insert("namespace".to_owned(), Value::String(namespace.to_owned()));
    }
    let node = parse(yaml_text(&object).as_bytes())?;
    node.map(Resource::new).ok_or_else(|| Fault::from("no service account was made"))
}

/// Returns the transformer that a resource configures.
pub(crate) fn transformer(resource: &Resource, loader: &Loader<'_>) -> Outcome<Transformer> {
    check_builtin(resource)?;
    let kind = resource.node().kind().to_owned();
    if GENERATORS.contains(&kind.as_str()) {
        return fail(format!("plugin {} not a transformer", resource.original_id()));
    }
    let json = resource.node().to_json()?;
    match configured(&kind, &json, loader) {
        Ok(Some(transformer)) => Ok(transformer),
        Ok(None) => fail(format!("unable to load builtin {}", resource.gvk())),
        Err(error) => Err(failing(resource, &error)),
    }
}

fn configured(kind: &str, json: &Value, loader: &Loader<'_>) -> Outcome<Option<Transformer>> {
    if kind.starts_with("Patch") {
        return patch(kind, json, loader);
    }
    let config: FieldsConfig = read(json)?;
    let fields = config.fields.clone().unwrap_or_default();
    let prefix = |config: &FieldsConfig| -> Outcome<Transformer> {
        Ok(Transformer::Rename(End::Prefix, config.prefix.clone(), must_have_fields(&config.fields)?))
    };
    let suffix = |config: &FieldsConfig| -> Outcome<Transformer> {
        Ok(Transformer::Rename(End::Suffix, config.suffix.clone(), must_have_fields(&config.fields)?))
    };
    let transformer = match kind {
        "AnnotationsTransformer" => Transformer::Entries(config.annotations, fields),
        "LabelTransformer" => Transformer::Entries(config.labels, fields),
        "HashTransformer" => Transformer::Hash,
        "ImageTagTransformer" => Transformer::Images(config.image, fields),
        "ReplicaCountTransformer" => Transformer::Replicas(config.replica, fields),
        "PrefixTransformer" => prefix(&config)?,
        "SuffixTransformer" => suffix(&config)?,
        "PrefixSuffixTransformer" => Transformer::Several(vec![prefix(&config)?, suffix(&config)?]),
        "NamespaceTransformer" => Transformer::Namespace(NamespaceChange {
            namespace: config.metadata.namespace,
            fields,
            unset_only: config.unset_only,
            subjects: Subjects::from_text(&config.subjects)?,
        }),
        "ReplacementTransformer" => {
            Transformer::Replacements(replacement::configure(&config.replacements, loader)?)
        }
        "ValueAddTransformer" => value(config, loader)?,
        _ => return Ok(None),
    };
    Ok(Some(transformer))
}

fn patch(kind: &str, json: &Value, loader: &Loader<'_>) -> Outcome<Option<Transformer>> {
    let config: PatchConfig = read(json)?;
    let patch = |text: String| Patch {
        path: config.path.clone(),
        patch: text,
        target: config.target.clone(),
        options: config.options.clone(),
    };
    let change = match kind {
        "PatchTransformer" => read_patch(&patch(config.patch.clone()), loader, &yaml_text(json))?,
        "PatchJson6902Transformer" => read_operations(&patch(config.json_op.clone()), loader)?,
        "PatchStrategicMergeTransformer" => configure_merge(&config.paths, &config.patches, loader)?,
        _ => return Ok(None),
    };
    Ok(Some(Transformer::Patch(change)))
}

fn value(config: FieldsConfig, loader: &Loader<'_>) -> Outcome<Transformer> {
    let mut value = config.value.trim().to_owned();
    if value.is_empty() {
        loader.root().rsplit('/').next().unwrap_or_default().clone_into(&mut value);
    }
    let mut targets = config.targets;
    if !config.target_file_path.is_empty() {
        let more: FieldsConfig = read(&yaml_to_json(&loader.load(&config.target_file_path)?)?)?;
        targets.extend(more.targets);
    }
    if targets.is_empty() {
        return fail("must specify at least one target");
    }
    for target in &targets {
        if target.field_path.is_empty() {
            return fail("fieldPath cannot be empty");
        }
        if target.file_path_position < 0 {
            return fail(format!(
                "value of FilePathPosition ({}) cannot be negative",
                target.file_path_position
            ));
        }
    }
    Ok(Transformer::Value(value, targets))
}

/// Reports whether two lists of objects are the same, but for the label that validators leave behind.
pub(crate) fn is_unchanged(before: &[Resource], after: &[Resource]) -> bool {
    let shown = |resource: &Resource| -> Node {
        let mut node = resource.node().clone();
        let mut labels = node.labels();
        if labels.remove("validated-by").is_some() && node.set_labels(&labels).is_err() {
            return resource.node().clone();
        }
        node
    };
    before.len() == after.len() && before.iter().zip(after).all(|(one, other)| shown(one) == shown(other))
}
