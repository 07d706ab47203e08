//! The kustomization file: fields, deprecations, refusals.

use std::collections::BTreeMap;

use rhumb_codec::yaml::{ReadOptions, to_json};
use serde_json::Value;

use crate::decode::{Strictness, decode, decoded};
use crate::fault::{Fault, Outcome, fail};
use crate::fieldspec::FieldSpec;
use crate::resource::Selector;

/// Allowed names of the file.
pub(crate) const FILE_NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A kustomization.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kustomization {
    pub(crate) kind: String,
    api_version: String,
    metadata: Value,
    pub(crate) openapi: BTreeMap<String, String>,
    pub(crate) name_prefix: String,
    pub(crate) name_suffix: String,
    pub(crate) namespace: String,
    pub(crate) common_labels: BTreeMap<String, String>,
    pub(crate) labels: Vec<Labels>,
    pub(crate) common_annotations: BTreeMap<String, String>,
    pub(crate) patches_strategic_merge: Vec<String>,
    pub(crate) patches_json: Vec<Patch>,
    pub(crate) patches: Vec<Patch>,
    pub(crate) images: Vec<Image>,
    image_tags: Vec<Image>,
    pub(crate) replacements: Vec<ReplacementField>,
    pub(crate) replicas: Vec<Replica>,
    pub(crate) vars: Vec<Var>,
    pub(crate) sort_options: Option<SortOptions>,
    pub(crate) resources: Vec<String>,
    pub(crate) components: Vec<String>,
    pub(crate) crds: Vec<String>,
    bases: Vec<String>,
    pub(crate) config_maps: Vec<GeneratorArgs>,
    pub(crate) secrets: Vec<SecretArgs>,
    pub(crate) helm_globals: Value,
    pub(crate) helm_charts: Vec<Value>,
    helm_chart_args: Vec<Value>,
    pub(crate) generator_options: Option<GeneratorOptions>,
    pub(crate) configurations: Vec<String>,
    pub(crate) generators: Vec<String>,
    pub(crate) transformers: Vec<String>,
    pub(crate) validators: Vec<String>,
    pub(crate) build_metadata: Vec<String>,
}

decoded!(Kustomization as "Kustomization", "types.Kustomization" {
    "kind" in "TypeMeta" => kind,
    "apiVersion" in "TypeMeta" => api_version,
    "metadata" => metadata,
    "openapi" => openapi,
    "namePrefix" => name_prefix,
    "nameSuffix" => name_suffix,
    "namespace" => namespace,
    "commonLabels" => common_labels,
    "labels" => labels,
    "commonAnnotations" => common_annotations,
    "patchesStrategicMerge" => patches_strategic_merge,
    "patchesJson6902" => patches_json,
    "patches" => patches,
    "images" => images,
    "imageTags" => image_tags,
    "replacements" => replacements,
    "replicas" => replicas,
    "vars" => vars,
    "sortOptions" => sort_options,
    "resources" => resources,
    "components" => components,
    "crds" => crds,
    "bases" => bases,
    "configMapGenerator" => config_maps,
    "secretGenerator" => secrets,
    "helmGlobals" => helm_globals,
    "helmCharts" => helm_charts,
    "helmChartInflationGenerator" => helm_chart_args,
    "generatorOptions" => generator_options,
    "configurations" => configurations,
    "generators" => generators,
    "transformers" => transformers,
    "validators" => validators,
    "buildMetadata" => build_metadata,
});

/// Labels to add.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    pub(crate) pairs: BTreeMap<String, String>,
    pub(crate) include_selectors: bool,
    pub(crate) include_templates: bool,
    pub(crate) fields: Vec<FieldSpec>,
}

decoded!(Labels as "Label", "types.Label" {
    "pairs" => pairs,
    "includeSelectors" => include_selectors,
    "includeTemplates" => include_templates,
    "fields" => fields,
});

/// A patch and its target.
#[derive(Debug, Clone, Default)]
pub(crate) struct Patch {
    pub(crate) path: String,
    pub(crate) patch: String,
    pub(crate) target: Option<Selector>,
    pub(crate) options: Option<PatchOptions>,
}

decoded!(Patch as "Patch", "types.Patch" {
    "path" => path,
    "patch" => patch,
    "target" => target,
    "options" => options,
});

/// What a patch may change.
#[derive(Debug, Clone, Default)]
pub(crate) struct PatchOptions {
    pub(crate) allow_name_change: bool,
    pub(crate) allow_kind_change: bool,
}

decoded!(PatchOptions as "PatchArgs", "types.PatchArgs" {
    "allowNameChange" => allow_name_change,
    "allowKindChange" => allow_kind_change,
});

decoded!(Selector as "Selector", "types.Selector" {
    "group" in "ResId.Gvk" => id.gvk.group,
    "version" in "ResId.Gvk" => id.gvk.version,
    "kind" in "ResId.Gvk" => id.gvk.kind,
    "name" in "ResId" => id.name,
    "namespace" in "ResId" => id.namespace,
    "annotationSelector" => annotations,
    "labelSelector" => labels,
});

/// An image replacement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Image {
    pub(crate) name: String,
    pub(crate) new_name: String,
    pub(crate) tag_suffix: String,
    pub(crate) new_tag: String,
    pub(crate) digest: String,
}

decoded!(Image as "Image", "types.Image" {
    "name" => name,
    "newName" => new_name,
    "tagSuffix" => tag_suffix,
    "newTag" => new_tag,
    "digest" => digest,
});

/// A replica count.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replica {
    pub(crate) name: String,
    pub(crate) count: i64,
}

decoded!(Replica as "Replica", "types.Replica" {
    "name" => name,
    "count" => count,
});

/// A replacement, or a file of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplacementField {
    pub(crate) replacement: Replacement,
    pub(crate) path: String,
}

decoded!(ReplacementField as "ReplacementField", "types.ReplacementField" {
    "source" in "Replacement" => replacement.source,
    "targets" in "Replacement" => replacement.targets,
    "sourceValue" in "Replacement" => replacement.source_value,
    "path" => path,
});

/// A value to copy to other fields.
#[derive(Debug, Clone, Default)]
pub(crate) struct Replacement {
    pub(crate) source: Option<Source>,
    pub(crate) targets: Option<Vec<Target>>,
    pub(crate) source_value: Option<String>,
}

decoded!(Replacement as "Replacement", "types.Replacement" {
    "source" => source,
    "targets" => targets,
    "sourceValue" => source_value,
});

/// Source of a replacement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    pub(crate) id: crate::id::ResId,
    pub(crate) field_path: String,
    pub(crate) options: Option<FieldOptions>,
}

decoded!(Source as "SourceSelector", "types.SourceSelector" {
    "group" in "ResId.Gvk" => id.gvk.group,
    "version" in "ResId.Gvk" => id.gvk.version,
    "kind" in "ResId.Gvk" => id.gvk.kind,
    "name" in "ResId" => id.name,
    "namespace" in "ResId" => id.namespace,
    "fieldPath" => field_path,
    "options" => options,
});

/// Target of a replacement.
#[derive(Debug, Clone, Default)]
pub(crate) struct Target {
    pub(crate) select: Option<Selector>,
    pub(crate) reject: Vec<Selector>,
    pub(crate) field_paths: Vec<String>,
    pub(crate) options: Option<FieldOptions>,
}

decoded!(Target as "TargetSelector", "types.TargetSelector" {
    "select" => select,
    "reject" => reject,
    "fieldPaths" => field_paths,
    "options" => options,
});

/// Part of a field.
#[derive(Debug, Clone, Default)]
pub(crate) struct FieldOptions {
    pub(crate) delimiter: String,
    pub(crate) index: isize,
    encoding: String,
    pub(crate) create: bool,
}

decoded!(FieldOptions as "FieldOptions", "types.FieldOptions" {
    "delimiter" => delimiter,
    "index" => index,
    "encoding" => encoding,
    "create" => create,
});

/// A variable with its source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Var {
    pub(crate) name: String,
    pub(crate) id: crate::id::ResId,
    pub(crate) field_path: String,
    /// The variable as written, without defaults.
    pub(crate) written: String,
}

#[derive(Default)]
struct VarTarget {
    api_version: String,
    id: crate::id::ResId,
}

decoded!(VarTarget as "Target", "types.Target" {
    "apiVersion" => api_version,
    "group" in "Gvk" => id.gvk.group,
    "version" in "Gvk" => id.gvk.version,
    "kind" in "Gvk" => id.gvk.kind,
    "name" => id.name,
    "namespace" => id.namespace,
});

#[derive(Default)]
struct VarField {
    field_path: String,
}

decoded!(VarField as "FieldSelector", "types.FieldSelector" {
    "fieldPath" => field_path,
});

#[derive(Default)]
struct VarParts {
    name: String,
    target: VarTarget,
    field: VarField,
}

decoded!(VarParts as "Var", "types.Var" {
    "name" => name,
    "objref" => target,
    "fieldref" => field,
});

impl crate::decode::Decoded for Var {
    fn go_type() -> String {
        VarParts::go_type()
    }

    fn take(&mut self, value: &Value, decoder: &mut crate::decode::Decoder) {
        let mut parts = VarParts::default();
        parts.take(value, decoder);
        let mut id = parts.target.id;
        let written = format!("{{{} {} {{{}}}}}", parts.name, id.gvk, parts.field.field_path);
        // An API version says more than group and version on their own.
        match parts.target.api_version.split('/').collect::<Vec<_>>().as_slice() {
            [group, version] => (id.gvk.group, id.gvk.version) = ((*group).to_owned(), (*version).to_owned()),
            [version] if !version.is_empty() => id.gvk.version = (*version).to_owned(),
            _ => {}
        }
        let field_path = if parts.field.field_path.is_empty() {
            "metadata.name".to_owned()
        } else {
            parts.field.field_path
        };
        *self = Var { name: parts.name, id, field_path, written };
    }
}

impl std::fmt::Display for Var {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{{{} {} {{{}}}}}", self.name, self.id.gvk, self.field_path)
    }
}

/// Order of the output.
#[derive(Debug, Clone, Default)]
pub(crate) struct SortOptions {
    pub(crate) order: String,
    pub(crate) legacy: Option<LegacyOrder>,
}

decoded!(SortOptions as "SortOptions", "types.SortOptions" {
    "order" => order,
    "legacySortOptions" => legacy,
});

/// Kinds that come first and last.
#[derive(Debug, Clone, Default)]
pub(crate) struct LegacyOrder {
    pub(crate) first: Vec<String>,
    pub(crate) last: Vec<String>,
}

decoded!(LegacyOrder as "LegacySortOptions", "types.LegacySortOptions" {
    "orderFirst" => first,
    "orderLast" => last,
});

/// A ConfigMap to generate.
#[derive(Debug, Clone, Default)]
pub(crate) struct GeneratorArgs {
    pub(crate) namespace: String,
    pub(crate) name: String,
    pub(crate) behavior: String,
    pub(crate) literals: Vec<String>,
    pub(crate) files: Vec<String>,
    pub(crate) envs: Vec<String>,
    env: String,
    pub(crate) options: Option<GeneratorOptions>,
    /// The type of a Secret.
    pub(crate) secret_type: String,
}

decoded!(GeneratorArgs as "ConfigMapArgs", "types.ConfigMapArgs" {
    "namespace" in "GeneratorArgs" => namespace,
    "name" in "GeneratorArgs" => name,
    "behavior" in "GeneratorArgs" => behavior,
    "literals" in "GeneratorArgs.KvPairSources" => literals,
    "files" in "GeneratorArgs.KvPairSources" => files,
    "envs" in "GeneratorArgs.KvPairSources" => envs,
    "env" in "GeneratorArgs.KvPairSources" => env,
    "options" in "GeneratorArgs" => options,
});

/// A Secret to generate: like a ConfigMap, with a type.
#[derive(Debug, Clone, Default)]
pub(crate) struct SecretArgs {
    pub(crate) args: GeneratorArgs,
}

decoded!(SecretArgs as "SecretArgs", "types.SecretArgs" {
    "namespace" in "GeneratorArgs" => args.namespace,
    "name" in "GeneratorArgs" => args.name,
    "behavior" in "GeneratorArgs" => args.behavior,
    "literals" in "GeneratorArgs.KvPairSources" => args.literals,
    "files" in "GeneratorArgs.KvPairSources" => args.files,
    "envs" in "GeneratorArgs.KvPairSources" => args.envs,
    "env" in "GeneratorArgs.KvPairSources" => args.env,
    "options" in "GeneratorArgs" => args.options,
    "type" => args.secret_type,
});

/// Options of generated objects.
#[derive(Debug, Clone, Default)]
pub(crate) struct GeneratorOptions {
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) annotations: BTreeMap<String, String>,
    pub(crate) disable_name_suffix_hash: bool,
    pub(crate) immutable: bool,
}

decoded!(GeneratorOptions as "GeneratorOptions", "types.GeneratorOptions" {
    "labels" => labels,
    "annotations" => annotations,
    "disableNameSuffixHash" => disable_name_suffix_hash,
    "immutable" => immutable,
});

/// Deprecated fields with their replacements and the tool that converts them.
const DEPRECATED: [(&str, &str, &str); 6] = [
    ("bases", "resources", ""),
    ("commonLabels", "labels", ""),
    ("imageTags", "images", ""),
    ("patchesJson6902", "patches", ""),
    ("patchesStrategicMerge", "patches", ""),
    ("vars", "replacements", "[EXPERIMENTAL] "),
];

/// Converts a YAML document to JSON.
pub(crate) fn yaml_to_json(text: &[u8]) -> Outcome<Value> {
    let mut json = Vec::new();
    to_json(text, &ReadOptions::default(), &mut json).map_err(|error| Fault(error.to_string()))?;
    serde_json::from_slice(&json).map_err(|error| Fault(error.to_string()))
}

impl Kustomization {
    /// Reads a kustomization file; `warn` gets what is to be said about deprecated fields.
    pub(crate) fn read(text: &[u8], root: &str, warn: &mut dyn FnMut(String)) -> Outcome<Kustomization> {
        let json = yaml_to_json(text).map_err(|error| error.under("invalid Kustomization"))?;
        let mut kustomization: Kustomization = decode(&json, Strictness::Strict)
            .map_err(|problem| Fault(problem).under("invalid Kustomization"))?;
        let has = |name: &str| json.get(name).is_some_and(|value| !value.is_null());
        for (field, instead, stage) in DEPRECATED {
            if has(field) {
                warn(format!(
                    "# Warning: '{field}' is deprecated. Please use '{instead}' instead. {stage}Run \
                     'kustomize edit fix' to update your Kustomization automatically."
                ));
            }
        }
        kustomization.modernize();
        if says_nothing(&json) {
            return fail("kustomization.yaml is empty");
        }
        kustomization.check(root)?;
        Ok(kustomization)
    }

    /// Moves what stands under old names to where it belongs.
    fn modernize(&mut self) {
        if self.kind.is_empty() {
            self.kind = "Kustomization".to_owned();
        }
        self.resources.append(&mut self.bases);
        self.images.append(&mut self.image_tags);
        let secrets = self.secrets.iter_mut().map(|secret| &mut secret.args);
        for args in self.config_maps.iter_mut().chain(secrets) {
            if !args.env.is_empty() {
                args.envs.push(std::mem::take(&mut args.env));
            }
        }
        self.helm_charts.append(&mut self.helm_chart_args);
    }

    fn check(&self, root: &str) -> Outcome<()> {
        let mut problems = Vec::new();
        if !matches!(self.kind.as_str(), "Kustomization" | "Component") {
            problems.push("kind should be Kustomization or Component".to_owned());
        }
        let version = if self.kind == "Component" { "v1alpha1" } else { "v1beta1" };
        let wanted = format!("kustomize.config.k8s.io/{version}");
        if !self.api_version.is_empty() && self.api_version != wanted {
            problems.push(format!("apiVersion for {} should be {wanted}", self.kind));
        }
        if problems.is_empty() {
            return Ok(());
        }
        fail(format!("Failed to read kustomization file under {root}:\n{}", problems.join("\n")))
    }

    pub(crate) fn is_component(&self) -> bool {
        self.kind == "Component"
    }
}

/// Reports whether a kustomization has nothing but its kind.
fn says_nothing(json: &Value) -> bool {
    let Value::Object(map) = json else { return true };
    map.iter().all(|(key, value)| match (key.as_str(), value) {
        ("kind" | "apiVersion", _) | (_, Value::Null) => true,
        ("namePrefix" | "nameSuffix" | "namespace", Value::String(text)) => text.is_empty(),
        ("bases" | "imageTags" | "helmChartInflationGenerator", Value::Array(items)) => items.is_empty(),
        _ => false,
    })
}
