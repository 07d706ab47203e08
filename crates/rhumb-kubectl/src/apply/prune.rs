//! `--prune`: deletes applied objects that are no longer wanted.

use std::collections::{BTreeSet, HashSet};

use rhumb_cli::options::DryRun;
use rhumb_cli::{Call, Failure, Outcome, klog};
use rhumb_client::Client;
use rhumb_meta::v1::ListOptions;
use rhumb_meta::{GroupKind, Scope};
use rhumb_scheme::Unstructured;
use rhumb_scheme::mapper::RestMapping;

use crate::deletion::Deletion;
use crate::writing::delete_options;
use crate::{last_applied, metadata};

/// A kind whose objects may be pruned.
pub(crate) struct Prunable {
    group: String,
    version: String,
    kind: String,
    scope: Scope,
}

/// Kinds pruned by default.
const USUAL: &[(&str, &str, &str, Scope)] = &[
    ("", "v1", "ConfigMap", Scope::Namespaced),
    ("", "v1", "Endpoints", Scope::Namespaced),
    ("", "v1", "PersistentVolumeClaim", Scope::Namespaced),
    ("", "v1", "Pod", Scope::Namespaced),
    ("", "v1", "ReplicationController", Scope::Namespaced),
    ("", "v1", "Secret", Scope::Namespaced),
    ("", "v1", "Service", Scope::Namespaced),
    ("batch", "v1", "Job", Scope::Namespaced),
    ("batch", "v1", "CronJob", Scope::Namespaced),
    ("networking.k8s.io", "v1", "Ingress", Scope::Namespaced),
    ("apps", "v1", "DaemonSet", Scope::Namespaced),
    ("apps", "v1", "Deployment", Scope::Namespaced),
    ("apps", "v1", "ReplicaSet", Scope::Namespaced),
    ("apps", "v1", "StatefulSet", Scope::Namespaced),
    ("", "v1", "Namespace", Scope::Cluster),
    ("", "v1", "PersistentVolume", Scope::Cluster),
];

/// Returns the kinds that `--prune-allowlist` names.
///
/// # Errors
/// One is not written as a kind, or the server doesn't have it.
pub(crate) async fn parse(call: &Call, names: &[String]) -> Result<Vec<Prunable>, Failure> {
    let mapper = call.factory.mapper()?;
    let mut prunable = Vec::new();
    for name in names {
        let parts: Vec<&str> = name.split('/').collect();
        let [group, version, kind] = parts[..] else {
            return Err(format!(
                "invalid GroupVersionKind format: {name}, please follow <group/version/kind>"
            )
            .into());
        };
        let group = if group == "core" { "" } else { group };
        let mapping =
            mapper.rest_mapping(&GroupKind::new(group.to_owned(), kind.to_owned()), &[version]).await?;
        prunable.push(Prunable {
            group: group.to_owned(),
            version: version.to_owned(),
            kind: kind.to_owned(),
            scope: mapping.scope,
        });
    }
    Ok(prunable)
}

/// Selection of objects to prune.
pub(crate) struct Question<'a> {
    /// The kinds; none are the usual ones.
    pub(crate) prunable: &'a [Prunable],
    /// The namespaces.
    pub(crate) namespaces: &'a BTreeSet<String>,
    /// The objects that are wanted, by their uids.
    pub(crate) visited: &'a HashSet<String>,
    /// The labels.
    pub(crate) selector: &'a str,
    /// Whether there is a namespace to work in.
    pub(crate) is_namespaced: bool,
}

/// An object to prune.
pub(crate) struct Pruned {
    /// Mapping.
    pub(crate) mapping: RestMapping,
    /// Namespace.
    pub(crate) namespace: String,
    /// The object.
    pub(crate) object: Unstructured,
}

impl Question<'_> {
    /// Returns the places to look in, those with a namespace first.
    ///
    /// # Errors
    /// The server doesn't have a kind.
    pub(crate) async fn places(&self, call: &mut Call) -> Result<Vec<(RestMapping, String)>, Failure> {
        let usual: Vec<Prunable>;
        let prunable = match self.prunable {
            [] => {
                if self.is_namespaced {
                    call.warn(klog::warning(
                        "prune.go:71",
                        "Deprecated: kubectl apply will no longer prune non-namespaced resources by default when used \
                         with the --namespace flag in a future release. To preserve the current behaviour, list the \
                         resources you want to target explicitly in the --prune-allowlist flag.",
                    ));
                }
                usual = USUAL
                    .iter()
                    .map(|(group, version, kind, scope)| Prunable {
                        group: (*group).to_owned(),
                        version: (*version).to_owned(),
                        kind: (*kind).to_owned(),
                        scope: *scope,
                    })
                    .collect();
                usual.as_slice()
            }
            named => named,
        };
        let mapper = call.factory.mapper()?;
        let (mut namespaced, mut others) = (Vec::new(), Vec::new());
        for Prunable { group, version, kind, scope } in prunable {
            let mapping =
                mapper.rest_mapping(&GroupKind::new(group.clone(), kind.clone()), &[version]).await.map_err(|error| {
                    let is_namespaced = *scope == Scope::Namespaced;
                    Failure::message(format!(
                        "error retrieving RESTMappings to prune: invalid resource {group}/{version}, Kind={kind}, \
                         Namespaced={is_namespaced}: {error}"
                    ))
                })?;
            match scope {
                Scope::Namespaced => namespaced.push(mapping),
                Scope::Cluster => others.push((mapping, String::new())),
            }
        }
        let mut places = Vec::new();
        for namespace in self.namespaces {
            places.extend(namespaced.iter().map(|mapping| (mapping.clone(), namespace.clone())));
        }
        places.extend(others);
        Ok(places)
    }

    /// Returns the objects to prune in one namespace: applied, matching the labels, and not wanted.
    ///
    /// # Errors
    /// The server can't be asked.
    pub(crate) async fn found(
        &self,
        client: &Client,
        place: &(RestMapping, String),
    ) -> Result<Vec<Pruned>, Failure> {
        let objects = list(client, place, self.selector).await?;
        let is_pruned = |object: &Unstructured| {
            last_applied::original(object).is_some() && !self.visited.contains(metadata::text(object, "uid"))
        };
        let (mapping, namespace) = place;
        Ok(objects
            .into_iter()
            .filter(is_pruned)
            .map(|object| Pruned { mapping: mapping.clone(), namespace: namespace.clone(), object })
            .collect())
    }
}

/// Returns the objects of a kind in a namespace that a selector chooses.
pub(super) async fn list(
    client: &Client,
    (mapping, namespace): &(RestMapping, String),
    selector: &str,
) -> Result<Vec<Unstructured>, Failure> {
    let api = client.dynamic(&mapping.resource);
    let api = if namespace.is_empty() { api } else { api.namespace(namespace) };
    let options = ListOptions { label_selector: selector.to_owned(), ..ListOptions::default() };
    let mut objects = api.list(&options).await?.items;
    let (version, kind) = mapping.kind.to_api_version_and_kind();
    for object in &mut objects {
        // Objects in a list don't always say their kind.
        if object.get(&["kind"]).is_none() {
            object.set(&["apiVersion"], version.as_str().into());
            object.set(&["kind"], kind.as_str().into());
        }
    }
    Ok(objects)
}

/// Deletes an object that is pruned.
pub(super) async fn delete(
    client: &Client,
    pruned: &Pruned,
    deletion: &Deletion,
    dry_run: DryRun,
) -> Result<(), Failure> {
    let api = client.dynamic(&pruned.mapping.resource);
    let api = if pruned.namespace.is_empty() { api } else { api.namespace(&pruned.namespace) };
    let mut options = delete_options(deletion.cascade, deletion.grace_period);
    options.dry_run = dry_run.param();
    api.delete(metadata::text(&pruned.object, "name"), &options).await?;
    Ok(())
}

/// Deletes all that is to be pruned.
///
/// # Errors
/// Something can't be listed or deleted.
pub(super) async fn delete_all(
    call: &mut Call,
    question: &Question<'_>,
    deletion: &Deletion,
    dry_run: DryRun,
) -> Outcome {
    let client = call.factory.client()?.clone();
    for place in question.places(call).await? {
        let scope = if place.1.is_empty() { "nonNamespaced" } else { "namespaced" };
        let failed =
            |failure: Failure| failure.context(&format!("error pruning {scope} object {}", place.0.kind));
        for pruned in question.found(&client, &place).await.map_err(failed)? {
            if dry_run != DryRun::Client {
                delete(&client, &pruned, deletion, dry_run).await.map_err(failed)?;
            }
            call.printer(dry_run)?.print(&mut call.streams, &pruned.object, "pruned")?;
        }
    }
    Ok(())
}
