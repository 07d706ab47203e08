//! Transformers of a kustomization's fields, except patches and replacements.

use std::collections::BTreeMap;

use regex::Regex;

use crate::fault::{Outcome, fail, listed, quote};
use crate::fieldspec::FieldSpec;
use crate::id::{Gvk, ResId};
use crate::kustomization::{Image, Replica};
use crate::node::{Kind, Node};
use crate::resource::{Resource, Resources};
use crate::scalar::{Scalar, Tag};

/// Adds labels or annotations.
pub(crate) fn add_entries(
    resources: &mut Resources,
    entries: &BTreeMap<String, String>,
    fields: &[FieldSpec],
) -> Outcome<()> {
    for resource in &mut resources.list {
        for (key, value) in entries {
            for field in fields {
                resource.edit(|node| {
                    field.apply(node, Some((Kind::Mapping, Tag::Unset)), &mut |map| {
                        map.set_field(key, Node::string(value.as_str()))
                    })
                })?;
            }
        }
    }
    Ok(())
}

/// Prefix or suffix of a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Prefix,
    Suffix,
}

/// Kinds whose names are not for a kustomization to change.
fn keeps_name(id: &ResId) -> bool {
    let apis = Gvk::selector("apiregistration.k8s.io", "", "APIService");
    matches!(id.gvk.kind.as_str(), "CustomResourceDefinition" | "Namespace") || id.gvk.is_selected(&apis)
}

/// Adds to names.
pub(crate) fn rename(resources: &mut Resources, end: End, text: &str, fields: &[FieldSpec]) -> Outcome<()> {
    for resource in &mut resources.list {
        let id = resource.original_id();
        if keeps_name(&id) {
            continue;
        }
        for field in fields.iter().filter(|field| id.gvk.is_selected(&field.gvk)) {
            if field.path == "metadata/name" && !text.is_empty() {
                match end {
                    End::Prefix => resource.prefixes.push(text.to_owned()),
                    End::Suffix => resource.suffixes.push(text.to_owned()),
                }
                resource.remember_id();
            }
            resource.edit(|node| {
                field.apply(node, Some((Kind::Scalar, Tag::Str)), &mut |name| {
                    let new = match end {
                        End::Prefix => format!("{text}{}", name.text()),
                        End::Suffix => format!("{}{text}", name.text()),
                    };
                    name.set_scalar(Scalar::unset(new))
                })
            })?;
        }
    }
    Ok(())
}

/// Role binding subjects that follow a namespace change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Subjects {
    /// Subjects named `default`.
    #[default]
    Default,
    /// All service accounts.
    ServiceAccounts,
    None,
}

impl Subjects {
    pub(crate) fn from_text(text: &str) -> Outcome<Subjects> {
        match text {
            "" | "defaultOnly" => Ok(Subjects::Default),
            "allServiceAccounts" => Ok(Subjects::ServiceAccounts),
            "none" => Ok(Subjects::None),
            other => fail(format!(
                "invalid value {} for setRoleBindingSubjects: must be one of \"defaultOnly\", \"none\" or \
                 \"allServiceAccounts\"",
                quote(other)
            )),
        }
    }
}

/// A namespace change.
#[derive(Debug, Clone, Default)]
pub(crate) struct NamespaceChange {
    pub(crate) namespace: String,
    pub(crate) fields: Vec<FieldSpec>,
    /// Whether only objects without a namespace are changed.
    pub(crate) unset_only: bool,
    pub(crate) subjects: Subjects,
}

impl NamespaceChange {
    pub(crate) fn apply(&self, resources: &mut Resources) -> Outcome<()> {
        if self.namespace.is_empty() {
            return Ok(());
        }
        for at in 0..resources.list.len() {
            let Some(resource) = resources.list.get_mut(at) else { break };
            if resource.is_empty() {
                continue;
            }
            resource.remember_id();
            resource.edit(|node| self.apply_to(node))?;
            let id = resource.current_id();
            let same: Vec<&Resource> =
                resources.with_name(&id.name).filter(|other| id.equals(&other.current_id())).collect();
            if same.len() != 1 {
                let shown: Vec<String> = same.iter().map(|other| other.with_history().to_string()).collect();
                return fail(format!("namespace transformation produces ID conflict: {}", listed(&shown)));
            }
        }
        Ok(())
    }

    /// Changes one object.
    pub(crate) fn apply_to(&self, node: &mut Node) -> Outcome<()> {
        let is_core = node.api_version() == "v1";
        let is_binding = matches!(node.kind(), "RoleBinding" | "ClusterRoleBinding");
        let create = Some((Kind::Scalar, Tag::Str));
        if !Gvk::of(node).cluster_scoped {
            let field = FieldSpec::new("", "", "", "metadata/namespace", true);
            field.apply(node, create, &mut |value| self.set(value))?;
        }
        if is_binding {
            self.set_subjects(node)?;
        }
        for field in &self.fields {
            let is_handled = field.path == "metadata/namespace"
                || (!is_core && field.path == "metadata/name")
                || (is_binding
                    && matches!(field.gvk.kind.as_str(), "RoleBinding" | "ClusterRoleBinding")
                    && field.path == "subjects/namespace");
            if is_handled {
                continue;
            }
            field.apply(node, create, &mut |value| self.set(value)).map_err(|error| {
                if error.0.contains("wrong node kind") {
                    error.under("namespace field specs must target scalar nodes")
                } else {
                    error.under("namespace transformation failed")
                }
            })?;
        }
        Ok(())
    }

    fn set(&self, value: &mut Node) -> Outcome<()> {
        if self.unset_only && !value.value_text().is_empty() {
            return Ok(());
        }
        value.set_scalar(Scalar::string(self.namespace.as_str()))
    }

    fn set_subjects(&self, node: &mut Node) -> Outcome<()> {
        let (key, wanted) = match self.subjects {
            Subjects::None => return Ok(()),
            Subjects::Default => ("name", "default"),
            Subjects::ServiceAccounts => ("kind", "ServiceAccount"),
        };
        let Some(subjects) = node.get_mut("subjects") else { return Ok(()) };
        let prefix = "setting namespace on (cluster)role binding subjects";
        subjects.expect(Kind::Sequence).map_err(|error| error.under(prefix))?;
        let Node::Sequence(subjects) = subjects else { return Ok(()) };
        for subject in subjects {
            if subject.get(key).is_some_and(|value| value.value_text() == wanted)
                && let Some(namespace) = subject.get_or_create("namespace", Kind::Scalar)?
            {
                self.set(namespace)?;
            }
        }
        Ok(())
    }
}

/// Sets counts of replicas.
pub(crate) fn set_replicas(
    resources: &mut Resources,
    replica: &Replica,
    fields: &[FieldSpec],
) -> Outcome<()> {
    let mut found = false;
    for field in fields {
        let chosen = resources.known_by(|id| id.name == replica.name && id.gvk.is_selected(&field.gvk));
        for at in chosen {
            found = true;
            let Some(resource) = resources.list.get_mut(at) else { continue };
            resource.edit(|node| {
                field.apply(node, Some((Kind::Scalar, Tag::Int)), &mut |value| {
                    value.set_scalar(Scalar::of(replica.count.to_string(), Tag::Int))
                })
            })?;
        }
    }
    if !found {
        let kinds: Vec<&Gvk> = fields.iter().map(|field| &field.gvk).collect();
        return fail(format!(
            "resource with name {} does not match a config with the following GVK {}",
            replica.name,
            listed(&kinds)
        ));
    }
    Ok(())
}

/// Changes images, in every list of containers and in the fields of the tables.
pub(crate) fn set_images(resources: &mut Resources, image: &Image, fields: &[FieldSpec]) -> Outcome<()> {
    // A pattern that can't be read fits nothing.
    let pattern = format!("^{}(:[a-zA-Z0-9_.{{}}-]*)?(@sha256:[a-zA-Z0-9_.{{}}-]*)?$", image.name);
    let Ok(pattern) = Regex::new(&pattern) else { return Ok(()) };
    let change = ImageChange { image, pattern };
    for resource in &mut resources.list {
        if resource.node().kind() == "CustomResourceDefinition" {
            continue;
        }
        resource.edit(|node| {
            change.in_containers(node)?;
            fields.iter().try_for_each(|field| field.apply(node, None, &mut |value| change.set(value)))
        })?;
    }
    Ok(())
}

struct ImageChange<'i> {
    image: &'i Image,
    pattern: Regex,
}

impl ImageChange<'_> {
    fn in_containers(&self, node: &mut Node) -> Outcome<()> {
        match node {
            Node::Scalar(_) => Ok(()),
            Node::Sequence(items) => items.iter_mut().try_for_each(|item| self.in_containers(item)),
            Node::Mapping(entries) => entries.iter_mut().try_for_each(|(key, value)| {
                self.in_containers(value)?;
                if let ("containers" | "initContainers", Node::Sequence(containers)) = (key.as_str(), value) {
                    for container in containers {
                        container.expect(Kind::Mapping)?;
                        if let Some(image) = container.get_mut("image") {
                            self.set(image)?;
                        }
                    }
                }
                Ok(())
            }),
        }
    }

    fn set(&self, value: &mut Node) -> Outcome<()> {
        value.expect(Kind::Scalar)?;
        if !self.pattern.is_match(value.text()) {
            return Ok(());
        }
        let (mut name, mut tag, mut digest) = split_image(value.text());
        let image = self.image;
        if !image.new_name.is_empty() {
            name.clone_from(&image.new_name);
        }
        if !image.new_tag.is_empty() || !image.digest.is_empty() {
            tag.clone_from(&image.new_tag);
            digest.clone_from(&image.digest);
        } else if !image.tag_suffix.is_empty() {
            tag.push_str(&image.tag_suffix);
            digest.clear();
        }
        for (mark, part) in [(':', tag), ('@', digest)] {
            if !part.is_empty() {
                name.push(mark);
                name.push_str(&part);
            }
        }
        value.set_scalar(Scalar::unset(name))
    }
}

/// Cuts an image into name, tag and digest. A colon before the first slash belongs to the host.
fn split_image(image: &str) -> (String, String, String) {
    let host = image.find('/').unwrap_or(0);
    let search = image.get(host..).unwrap_or_default();
    let (rest, digest) = match search.split_once('@') {
        Some((rest, digest)) => (rest, digest),
        None => (search, ""),
    };
    let (name, tag) = rest.split_once(':').unwrap_or((rest, ""));
    let name = format!("{}{name}", image.get(..host).unwrap_or_default());
    (name, tag.to_owned(), digest.to_owned())
}
