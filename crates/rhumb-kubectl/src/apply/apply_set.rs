//! Sets of applied objects (`--applyset`): a parent object remembers which kinds and namespaces the set reaches, and a
//! label on each member says that it belongs to it. What belongs to the set and is not applied any more is pruned.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rhumb_cli::options::DryRun;
use rhumb_cli::resource::{Info, Origin};
use rhumb_cli::{Call, Failure, Outcome, klog};
use rhumb_client::PatchKind;
use rhumb_meta::v1::ListOptions;
use rhumb_meta::{GroupKind, GroupVersionResource, Scope};
use rhumb_schema::text::quoted;
use rhumb_scheme::mapper::RestMapping;
use serde_json::json;
use sha2::{Digest, Sha256};

use super::Apply;
use super::prune::{self, Pruned};
use crate::metadata::{self, annotations, labels, set_labels};
use crate::writing::Writer;

const TOOLING: &str = "applyset.kubernetes.io/tooling";
const NAMESPACES: &str = "applyset.kubernetes.io/additional-namespaces";
const KINDS: &str = "applyset.kubernetes.io/contains-group-kinds";
const RESOURCES: &str = "applyset.kubernetes.io/contains-group-resources";
const ID: &str = "applyset.kubernetes.io/id";
const PART_OF: &str = "applyset.kubernetes.io/part-of";
const IS_PARENT: &str = "applyset.kubernetes.io/is-parent-type";

/// Tool name of the set: kubectl's, so that it can be continued by either program.
const TOOL: &str = "kubectl";

/// Tool version of the set.
const VERSION: &str = "v1.36.4";

/// A set of applied objects.
pub(super) struct ApplySet {
    parent: Info,
    /// The kinds that the set has on the server.
    current_kinds: BTreeMap<String, RestMapping>,
    current_namespaces: BTreeSet<String>,
    /// The kinds that it has after this apply.
    updated_kinds: BTreeMap<String, RestMapping>,
    updated_namespaces: BTreeSet<String>,
}

/// Formats a kind: `Deployment.apps`, or `Pod`.
fn kind_name(mapping: &RestMapping) -> String {
    mapping.kind.group_kind().to_string()
}

impl ApplySet {
    /// Returns the set that the flag names, if that is allowed at all.
    pub(super) async fn of(call: &Call) -> Result<Option<Self>, Failure> {
        if !call.flags.is_given("applyset") {
            return Ok(None);
        }
        let is_enabled =
            std::env::var("KUBECTL_APPLYSET").is_ok_and(|value| value.eq_ignore_ascii_case("true"));
        if !is_enabled {
            let text = format!("unknown flag: --applyset\nSee '{} --help' for usage.", call.path);
            return Err(text.into());
        }
        let reference = call.flags.text("applyset");
        if reference.is_empty() {
            return Ok(None);
        }
        let invalid = |text: String| {
            Failure::message(format!("invalid parent reference {}: {text}", quoted(reference)))
        };
        let (resource, name) = match reference.split_once('/') {
            Some((resource, name)) => {
                let (resource, group) = resource.split_once('.').unwrap_or((resource, ""));
                (GroupVersionResource::new(group.to_owned(), "", resource.to_owned()), name)
            }
            None => (GroupVersionResource::new("", "v1", "secrets"), reference),
        };
        if name.is_empty() {
            return Err(invalid("name cannot be blank".to_owned()));
        }
        let mapper = call.factory.mapper()?;
        let kind = mapper.kind_for(&resource).await.map_err(|error| invalid(error.to_string()))?;
        let mapping =
            mapper.rest_mapping(&kind.group_kind(), &[]).await.map_err(|error| invalid(error.to_string()))?;
        let (namespace, enforced) = call.factory.namespace()?;
        let in_namespace = enforced && mapping.scope == Scope::Namespaced;
        Ok(Some(ApplySet {
            parent: Info {
                mapping,
                namespace: if in_namespace { namespace } else { String::new() },
                name: name.to_owned(),
                origin: Origin::default(),
                object: None,
                resource_version: String::new(),
                subresource: String::new(),
                client: Some(call.factory.client()?.clone()),
                accept: None,
                params: Vec::new(),
            },
            current_kinds: BTreeMap::new(),
            current_namespaces: BTreeSet::new(),
            updated_kinds: BTreeMap::new(),
            updated_namespaces: BTreeSet::new(),
        }))
    }

    /// Returns the label that members carry: a hash of the parent's place.
    fn id(&self) -> String {
        let kind = &self.parent.mapping.kind;
        let place = [&self.parent.name, &self.parent.namespace, &*kind.kind, &*kind.group].join(".");
        format!("applyset-{}-v1", URL_SAFE_NO_PAD.encode(Sha256::digest(place.as_bytes())))
    }

    /// Formats the parent for messages.
    fn name(&self) -> String {
        let resource = &self.parent.mapping.resource;
        quoted(format!("{}.{}/{}", resource.resource, resource.group, self.parent.name))
    }

    fn is_usual_parent(&self) -> bool {
        let resource = &self.parent.mapping.resource;
        resource.group.is_empty()
            && resource.version == "v1"
            && matches!(&*resource.resource, "secrets" | "configmaps")
    }

    /// Refuses parents that can't be one.
    pub(super) async fn validate(&self, call: &Call) -> Outcome {
        let mut failures = Vec::new();
        if self.parent.is_namespaced() && self.parent.namespace.is_empty() {
            failures.push("namespace is required to use namespace-scoped ApplySet".into());
        }
        if !self.is_usual_parent() {
            let permitted = match self.custom_parents(call).await {
                Ok(permitted) => permitted,
                Err(failure) => {
                    failures.push(failure.context("identifying allowed custom resource parent types"));
                    BTreeSet::new()
                }
            };
            let resource = &self.parent.mapping.resource;
            if !permitted.contains(&resource.group_resource().to_string()) {
                let resource = quoted(resource.to_string());
                failures.push(format!("resource {resource} is not permitted as an ApplySet parent").into());
            }
        }
        Failure::all(failures)
    }

    /// Returns the custom resources that may be parents: their definitions say so.
    async fn custom_parents(&self, call: &Call) -> Result<BTreeSet<String>, Failure> {
        let definitions =
            GroupVersionResource::new("apiextensions.k8s.io", "v1", "customresourcedefinitions");
        let options = ListOptions { label_selector: IS_PARENT.to_owned(), ..ListOptions::default() };
        let list = call.factory.client()?.dynamic(&definitions).list(&options).await?;
        Ok(list.items.iter().map(|object| metadata::text(object, "name").to_owned()).collect())
    }

    /// Labels the objects as members.
    pub(super) fn label(&self, infos: &mut [Info]) -> Outcome {
        let id = self.id();
        for info in infos {
            let object = info.object_mut()?;
            let mut found = labels(object);
            if found.contains_key(PART_OF) {
                return Err(format!("ApplySet label {} already set in input data", quoted(PART_OF)).into());
            }
            found.insert(PART_OF.to_owned(), id.clone());
            set_labels(object, found);
        }
        Ok(())
    }

    /// Reads the parent, and has it reach what is there and what is to come, so that nothing is lost on the way.
    pub(super) async fn before_apply(
        &mut self,
        call: &mut Call,
        infos: &[Info],
        dry_run: DryRun,
        field_validation: &str,
    ) -> Outcome {
        self.fetch(call).await?;
        for info in infos {
            self.updated_kinds.entry(kind_name(&info.mapping)).or_insert_with(|| info.mapping.clone());
            if info.is_namespaced() && !info.namespace.is_empty() {
                self.updated_namespaces.insert(info.namespace.clone());
            }
        }
        let kinds = self.current_kinds.keys().chain(self.updated_kinds.keys()).cloned().collect();
        let namespaces = self.current_namespaces.union(&self.updated_namespaces).cloned().collect();
        self.update(call, &kinds, namespaces, dry_run, field_validation).await
    }

    async fn fetch(&mut self, call: &Call) -> Outcome {
        let name = self.name();
        let parent = match Writer::default().get(&self.parent).await {
            Ok(parent) => parent,
            Err(failure) if failure.is_not_found() => {
                return match self.is_usual_parent() {
                    true => Ok(()),
                    false => Err("custom resource ApplySet parents cannot be created automatically".into()),
                };
            }
            Err(failure) => {
                return Err(failure.context(&format!("failed to fetch ApplySet parent object {name}")));
            }
        };
        let (labels, annotations) = (labels(&parent), annotations(&parent));
        let Some(tooling) = annotations.get(TOOLING) else {
            return Err(format!(
                "ApplySet parent object {name} already exists and is missing required annotation {}",
                quoted(TOOLING)
            )
            .into());
        };
        let tool = tooling.rsplit_once('/').map_or(tooling.as_str(), |(tool, _)| tool);
        if tool != TOOL {
            return Err(format!(
                "ApplySet parent object {name} already exists and is managed by tooling {} instead of {}",
                quoted(tool),
                quoted(TOOL)
            )
            .into());
        }
        let id = self.id();
        match labels.get(ID) {
            None => {
                return Err(format!(
                    "ApplySet parent object {name} exists and does not have required label {ID}"
                )
                .into());
            }
            Some(found) if *found != id => {
                return Err(format!(
                    "ApplySet parent object {name} exists and has incorrect value for label {} (got: {found}, want: {id})",
                    quoted(ID)
                )
                .into());
            }
            Some(_) => {}
        }
        self.current_kinds = kinds(call, &annotations)
            .await
            .map_err(|failure| failure.context(&format!("parsing ApplySet annotation on {name}")))?;
        let namespaces = annotations.get(NAMESPACES).map(String::as_str).unwrap_or_default();
        self.current_namespaces =
            namespaces.split(',').filter(|namespace| !namespace.is_empty()).map(str::to_owned).collect();
        if self.parent.is_namespaced() {
            self.current_namespaces.insert(self.parent.namespace.clone());
        }
        Ok(())
    }

    async fn update(
        &self,
        call: &mut Call,
        kinds: &BTreeSet<String>,
        mut namespaces: BTreeSet<String>,
        dry_run: DryRun,
        field_validation: &str,
    ) -> Outcome {
        if dry_run == DryRun::Client {
            return Ok(());
        }
        namespaces.remove(&self.parent.namespace);
        let join = |names: BTreeSet<String>| names.into_iter().collect::<Vec<_>>().join(",");
        let (version, kind) = self.parent.mapping.kind.to_api_version_and_kind();
        let mut metadata = json!({
            "name": self.parent.name,
            "annotations": {
                TOOLING: format!("{TOOL}/{VERSION}"),
                KINDS: join(kinds.clone()),
                NAMESPACES: join(namespaces),
            },
            "labels": {ID: self.id()},
        });
        if let Some(metadata) = metadata.as_object_mut().filter(|_| !self.parent.namespace.is_empty()) {
            metadata.insert("namespace".to_owned(), json!(self.parent.namespace));
        }
        let patch = metadata::json(&json!({"apiVersion": version, "kind": kind, "metadata": metadata}));
        let writer = Writer {
            dry_run,
            field_manager: format!("{TOOL}-applyset"),
            field_validation: field_validation.to_owned(),
            subresource: String::new(),
        };
        let done = match writer.patch(&self.parent, PatchKind::Apply, &patch, Some(false)).await {
            Err(failure) if failure.server_error().is_some_and(rhumb_client::Error::is_conflict) => {
                call.warn(klog::warning(
                    "applyset.go:447",
                    &format!(
                        "WARNING: failed to update ApplySet: {}\nApplySet field manager {} should own these fields. \
                         Retrying with conflicts forced.",
                        failure.bare(),
                        writer.field_manager
                    ),
                ));
                writer.patch(&self.parent, PatchKind::Apply, &patch, Some(true)).await
            }
            done => done,
        };
        done.map(drop).map_err(|failure| failure.context("failed to update ApplySet"))
    }

    /// Deletes the members that were not applied, and has the parent forget what is no longer there.
    pub(super) async fn prune(&self, call: &mut Call, apply: &Apply) -> Outcome {
        let mut printer = call.printer(apply.dry_run)?;
        let client = call.factory.client()?.clone();
        let selector = format!("{PART_OF}={}", self.id());
        let mut members = Vec::new();
        for mapping in self.current_kinds.values() {
            let namespaces: Vec<String> = match mapping.scope {
                Scope::Namespaced => self.current_namespaces.iter().cloned().collect(),
                Scope::Cluster => vec![String::new()],
            };
            for namespace in namespaces {
                let place = (mapping.clone(), namespace);
                let found = prune::list(&client, &place, &selector).await.map_err(|failure| {
                    failure.context(&format!("listing {} objects for pruning", mapping.kind))
                })?;
                let gone = found
                    .into_iter()
                    .filter(|object| !apply.visited_uids.contains(metadata::text(object, "uid")));
                members.extend(gone.map(|object| Pruned {
                    mapping: mapping.clone(),
                    namespace: place.1.clone(),
                    object,
                }));
            }
        }
        for member in &members {
            if apply.dry_run != DryRun::Client {
                prune::delete(&client, member, &apply.deletion, apply.dry_run).await.map_err(|failure| {
                    let name = metadata::text(&member.object, "name");
                    let slash = if member.namespace.is_empty() { "" } else { "/" };
                    let kind = kind_name(&member.mapping);
                    failure.context(&format!("pruning {kind} {}{slash}{name}", member.namespace))
                })?;
            }
            printer.print(&mut call.streams, &member.object, "pruned")?;
        }
        let kinds = self.updated_kinds.keys().cloned().collect();
        self.update(call, &kinds, self.updated_namespaces.clone(), apply.dry_run, apply.field_validation)
            .await
            .map_err(|failure| failure.context("apply and prune succeeded, but ApplySet update failed"))
    }
}

/// Returns the kinds that a parent says the set has.
async fn kinds(
    call: &Call,
    annotations: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, RestMapping>, Failure> {
    let mapper = call.factory.mapper()?;
    let mut found = BTreeMap::new();
    let Some(kinds) = annotations.get(KINDS) else {
        let Some(resources) = annotations.get(RESOURCES).filter(|resources| !resources.is_empty()) else {
            return Err(format!(
                "kubectl requires the {} annotation to be set on all ApplySet parent objects",
                quoted(KINDS)
            )
            .into());
        };
        for name in resources.split(',') {
            let (resource, group) = name.split_once('.').unwrap_or((name, ""));
            let kind =
                mapper.kind_for(&GroupVersionResource::new(group.to_owned(), "", resource.to_owned())).await;
            let kind = kind.map_err(|error| {
                Failure::message(format!(
                    "invalid group resource in {} annotation: {error}",
                    quoted(RESOURCES)
                ))
            })?;
            let mapping = mapper.rest_mapping(&kind.group_kind(), &[]).await.map_err(|error| {
                let annotation = quoted(RESOURCES);
                Failure::message(format!(
                    "could not find kind for resource in {annotation} annotation: {error}"
                ))
            })?;
            found.insert(kind_name(&mapping), mapping);
        }
        return Ok(found);
    };
    for name in kinds.split(',').filter(|name| !name.is_empty()) {
        let (kind, group) = name.split_once('.').unwrap_or((name, ""));
        let mapping = mapper
            .rest_mapping(&GroupKind::new(group.to_owned(), kind.to_owned()), &[])
            .await
            .map_err(|error| {
                let annotation = quoted(KINDS);
                Failure::message(format!(
                    "could not find mapping for kind in {annotation} annotation: {error}"
                ))
            })?;
        found.insert(kind_name(&mapping), mapping);
    }
    Ok(found)
}
