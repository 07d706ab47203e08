//! Transformers, ready to run.

use std::collections::BTreeMap;

use crate::fault::{Outcome, fail};
use crate::fieldspec::FieldSpec;
use crate::files::Loader;
use crate::generate::hash;
use crate::kustomization::{Image, Kustomization, Replacement, Replica};
use crate::node::Node;
use crate::origin::Origin;
use crate::patch::{Change, configure, configure_merge, configure_operations, trouble};
use crate::resource::{Resources, Selector};
use crate::scalar::Scalar;
use crate::schema::Schemas;
use crate::transform::{End, NamespaceChange, add_entries, rename, set_images, set_replicas};
use crate::{config::Config, replacement};

/// A transformer.
#[derive(Debug, Clone)]
pub(crate) enum Transformer {
    Patch(Change),
    Namespace(NamespaceChange),
    Rename(End, String, Vec<FieldSpec>),
    Entries(BTreeMap<String, String>, Vec<FieldSpec>),
    Replicas(Replica, Vec<FieldSpec>),
    Images(Image, Vec<FieldSpec>),
    Replacements(Vec<Replacement>),
    Hash,
    Value(String, Vec<ValueTarget>),
    Several(Vec<Transformer>),
}

/// Target field of a value.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueTarget {
    pub(crate) selector: Option<Selector>,
    pub(crate) field_path: String,
    pub(crate) file_path_position: i64,
}

/// A transformer with the origin that annotations record.
pub(crate) struct Configured {
    pub(crate) transformer: Transformer,
    pub(crate) origin: Option<Origin>,
}

impl Transformer {
    /// Changes the objects.
    pub(crate) fn apply(&self, resources: &mut Resources, schemas: &Schemas) -> Outcome<()> {
        match self {
            Transformer::Patch(change) => change.apply(resources, schemas),
            Transformer::Namespace(change) => change.apply(resources),
            Transformer::Rename(end, text, fields) => rename(resources, *end, text, fields),
            Transformer::Entries(entries, fields) => add_entries(resources, entries, fields),
            Transformer::Replicas(replica, fields) => set_replicas(resources, replica, fields),
            Transformer::Images(image, fields) => set_images(resources, image, fields),
            Transformer::Replacements(replacements) => replacement::apply(resources, replacements),
            Transformer::Hash => add_hashes(resources),
            Transformer::Value(value, targets) => {
                targets.iter().try_for_each(|target| target.apply(value, resources))
            }
            Transformer::Several(all) => all.iter().try_for_each(|one| one.apply(resources, schemas)),
        }
    }
}

impl Configured {
    /// Changes the objects and notes that at them.
    pub(crate) fn run(&self, resources: &mut Resources, schemas: &Schemas) -> Outcome<()> {
        self.transformer.apply(resources, schemas)?;
        if let Some(origin) = &self.origin {
            for resource in &mut resources.list {
                if resource.origin.is_none() {
                    // What has no origin was made by the transformer.
                    resource.origin = Some(origin.clone());
                } else {
                    resource.transformations.push(origin.clone());
                }
            }
        }
        resources.drop_empty();
        Ok(())
    }
}

/// Ends the names of generated objects with their hashes.
pub(crate) fn add_hashes(resources: &mut Resources) -> Outcome<()> {
    for resource in resources.list.iter_mut().filter(|resource| resource.needs_hash) {
        let name = format!("{}-{}", resource.node().name(), hash(resource.node())?);
        resource.remember_id();
        resource.edit(|node| node.set_name(&name))?;
    }
    Ok(())
}

impl ValueTarget {
    fn apply(&self, value: &str, resources: &mut Resources) -> Outcome<()> {
        let chosen = match &self.selector {
            Some(selector) => resources.select(selector)?,
            None => (0..resources.list.len()).collect(),
        };
        for at in chosen {
            let Some(resource) = resources.list.get_mut(at) else { continue };
            if self.field_path == "metadata/namespace" {
                let change = NamespaceChange { namespace: value.to_owned(), ..NamespaceChange::default() };
                resource.edit(|node| change.apply_to(node))?;
            } else {
                resource.edit(|node| self.set(node, value))?;
            }
        }
        Ok(())
    }

    fn set(&self, node: &mut Node, value: &str) -> Outcome<()> {
        let field = FieldSpec::new("", "", "", &self.field_path, true);
        let position = usize::try_from(self.file_path_position).unwrap_or(0);
        field.apply(node, Some((crate::node::Kind::Scalar, crate::scalar::Tag::Unset)), &mut |field| {
            let text = match position.checked_sub(1) {
                Some(at) => insert_part(field.value_text(), at, value),
                None => value.to_owned(),
            };
            field.set_scalar(Scalar::unset(text))
        })
    }
}

/// Puts a part into a path with slashes.
fn insert_part(path: &str, at: usize, part: &str) -> String {
    if part.is_empty() {
        return path.to_owned();
    }
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    parts.insert(at.min(parts.len()), part);
    let joined = parts.join("/");
    if is_absolute { format!("/{joined}") } else { joined }
}

/// Returns the transformers that a kustomization's own fields ask for, in the order they run.
pub(crate) fn of_kustomization(
    kustomization: &Kustomization,
    config: &Config,
    loader: &Loader<'_>,
) -> Outcome<Vec<(&'static str, Transformer)>> {
    let k = kustomization;
    let mut list: Vec<(&'static str, Transformer)> = Vec::new();
    if !k.patches_strategic_merge.is_empty() {
        let kind = "PatchStrategicMergeTransformer";
        let change = configure_merge(&k.patches_strategic_merge, "", loader).map_err(|error| {
            let config = serde_json::json!({ "paths": k.patches_strategic_merge });
            trouble(error, kind, &crate::node::yaml_text(&config))
        })?;
        list.push((kind, Transformer::Patch(change)));
    }
    for patch in &k.patches {
        list.push(("PatchTransformer", Transformer::Patch(configure(patch, loader)?)));
    }
    if !k.namespace.is_empty() {
        let change = NamespaceChange {
            namespace: k.namespace.clone(),
            fields: config.namespace.clone(),
            ..NamespaceChange::default()
        };
        list.push(("NamespaceTransformer", Transformer::Namespace(change)));
    }
    if !k.name_prefix.is_empty() {
        let prefix = Transformer::Rename(End::Prefix, k.name_prefix.clone(), config.name_prefix.clone());
        list.push(("PrefixTransformer", prefix));
    }
    if !k.name_suffix.is_empty() {
        let suffix = Transformer::Rename(End::Suffix, k.name_suffix.clone(), config.name_suffix.clone());
        list.push(("SuffixTransformer", suffix));
    }
    list.extend(labels(k, config)?.into_iter().map(|labels| ("LabelTransformer", labels)));
    if !k.common_annotations.is_empty() {
        let annotations =
            Transformer::Entries(k.common_annotations.clone(), config.common_annotations.clone());
        list.push(("AnnotationsTransformer", annotations));
    }
    for patch in &k.patches_json {
        list.push(("PatchJson6902Transformer", Transformer::Patch(configure_operations(patch, loader)?)));
    }
    for replica in &k.replicas {
        let replicas = Transformer::Replicas(replica.clone(), config.replicas.clone());
        list.push(("ReplicaCountTransformer", replicas));
    }
    for image in &k.images {
        list.push(("ImageTagTransformer", Transformer::Images(image.clone(), config.images.clone())));
    }
    if !k.replacements.is_empty() {
        let kind = "ReplacementTransformer";
        let replacements = replacement::configure(&k.replacements, loader).map_err(|error| {
            let entries = k.replacements.iter().map(|entry| {
                if entry.path.is_empty() {
                    serde_json::json!({})
                } else {
                    serde_json::json!({ "path": entry.path })
                }
            });
            let config = serde_json::json!({ "Replacements": entries.collect::<Vec<_>>() });
            trouble(error, kind, &crate::node::yaml_text(&config))
        })?;
        list.push((kind, Transformer::Replacements(replacements)));
    }
    Ok(list)
}

fn labels(kustomization: &Kustomization, config: &Config) -> Outcome<Vec<Transformer>> {
    use crate::fieldspec::{merge_all, merge_one};
    let mut list = Vec::new();
    if kustomization.labels.is_empty() && kustomization.common_labels.is_empty() {
        return Ok(list);
    }
    for labels in &kustomization.labels {
        let mut fields = labels.fields.clone();
        let merged = merge_all(&mut fields, &config.labels).and_then(|()| {
            if labels.include_selectors {
                return merge_all(&mut fields, &config.common_labels);
            }
            if labels.include_templates {
                merge_all(&mut fields, &config.template_labels)?;
            }
            merge_one(&mut fields, FieldSpec::new("", "", "", "metadata/labels", true))
        });
        merged.map_err(|error| error.under("failed to merge labels"))?;
        list.push(Transformer::Entries(labels.pairs.clone(), fields));
    }
    list.push(Transformer::Entries(kustomization.common_labels.clone(), config.common_labels.clone()));
    Ok(list)
}

/// Checks that fields were given where a transformer of its own file must say them.
pub(crate) fn must_have_fields(fields: &Option<Vec<FieldSpec>>) -> Outcome<Vec<FieldSpec>> {
    match fields {
        Some(fields) => Ok(fields.clone()),
        None => fail("fieldSpecs is not expected to be nil"),
    }
}
