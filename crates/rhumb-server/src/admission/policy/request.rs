//! A request as policies see it: what it is about, and the objects in the version of the rule that takes it.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rhumb_meta::v1::{CreateOptions, DeleteOptions, UpdateOptions};
use rhumb_meta::{GroupResource, GroupVersionKind, Object};
use rhumb_schema::Struct;
use serde_json::{Map, Value as Json, json};
use tokio::sync::OnceCell;

use super::matching::{Equivalent, Matched, Matching, Target};
use crate::admission::{Attributes, Operation};
use crate::base::failure::{Failure, Outcome};
use crate::base::identity::User;
use crate::registry::Endpoint;
use crate::registry::tree::tree_of;

const NAMESPACES: (&str, &str, &str) = ("", "v1", "namespaces");

/// Which of the two objects is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    New,
    Old,
}

/// A request, with what was made of it for policies so far.
pub(super) struct Request<'a> {
    pub(super) attributes: &'a Attributes<'a>,
    old: Option<&'a dyn Object>,
    new: Option<&'a dyn Object>,
    endpoint: &'a Arc<Endpoint>,
    /// The kind that was sent.
    kind: GroupVersionKind,
    /// The namespace; of a namespace its own name.
    pub(super) namespace: &'a str,
    equivalents: OnceLock<Vec<Equivalent>>,
    namespace_object: OnceCell<Option<Arc<dyn Object>>>,
    trees: Mutex<Vec<(Side, GroupVersionKind, Arc<Json>)>>,
}

impl<'a> Request<'a> {
    /// The request of a plugin.
    pub(super) fn new(
        attributes: &'a Attributes<'a>,
        old: Option<&'a dyn Object>,
        new: Option<&'a dyn Object>,
    ) -> Self {
        let is_namespace = attributes.is_resource(NAMESPACES.0, NAMESPACES.2);
        Request {
            attributes,
            old,
            new,
            endpoint: attributes.endpoint,
            kind: kind_of(attributes.endpoint, attributes.subresource),
            namespace: if is_namespace { attributes.name } else { attributes.namespace },
            equivalents: OnceLock::new(),
            namespace_object: OnceCell::new(),
            trees: Mutex::default(),
        }
    }

    fn target(&self) -> Target<'_> {
        let Attributes { operation, resource, subresource, name, .. } = self.attributes;
        Target {
            operation: operation.as_str(),
            group: &resource.group,
            version: &self.endpoint.kind.version,
            resource: &resource.resource,
            subresource,
            namespace: self.namespace,
            name,
        }
    }

    fn equivalents(&self) -> &[Equivalent] {
        self.equivalents.get_or_init(|| {
            let subresource = self.attributes.subresource;
            let resources = self.attributes.cluster.admitter().registry.resources();
            let mut others: Vec<&Arc<Endpoint>> = resources.sharing(self.endpoint).collect();
            others.sort_by_key(|other| other.form);
            let has_part =
                |other: &&Arc<Endpoint>| subresource.is_empty() || other.part(subresource).is_some();
            let others = others.into_iter().filter(has_part);
            others
                .map(|other| Equivalent { endpoint: Arc::clone(other), kind: kind_of(other, subresource) })
                .collect()
        })
    }

    /// The resource that a policy or binding takes the request for, if it does.
    ///
    /// # Errors
    /// If it can't be told whether it does.
    pub(super) async fn matched(&self, matching: &Matching) -> Result<Option<Matched<'_>>, String> {
        let Some(matched) = matching.resource(&self.target(), &|| self.equivalents()) else {
            return Ok(None);
        };
        let objects = match &matching.objects {
            Ok(selector) => {
                let is_selected =
                    |object: Option<&dyn Object>| object.is_some_and(|it| it.is_selected(selector));
                if !selector.is_empty() && !is_selected(self.new) && !is_selected(self.old) {
                    return Ok(None);
                }
                Ok(())
            }
            Err(error) => Err(error.clone()),
        };
        if !self.is_in_namespaces(matching).await? {
            return Ok(None);
        }
        objects.map(|()| Some(matched))
    }

    /// Whether the namespace is one of those that are selected. What is in none is always taken.
    async fn is_in_namespaces(&self, matching: &Matching) -> Result<bool, String> {
        let request = self.attributes;
        let is_namespace = request.is_resource(NAMESPACES.0, NAMESPACES.2);
        if self.namespace.is_empty() && !is_namespace {
            return Ok(true);
        }
        let selector = matching.namespaces.as_ref().map_err(Clone::clone)?;
        if selector.is_empty() {
            return Ok(true);
        }
        if is_namespace && request.subresource.is_empty() && request.operation.stores() {
            // Nobody else knows it yet.
            return Ok(self.new.is_some_and(|new| new.is_selected(selector)));
        }
        let found = self.look_up().await.map_err(|failure| failure.to_string())?;
        match found {
            Some(namespace) => Ok(namespace.is_selected(selector)),
            None => Err(self.no_namespace().to_string()),
        }
    }

    async fn look_up(&self) -> Outcome<&Option<Arc<dyn Object>>> {
        let cluster = &self.attributes.cluster;
        self.namespace_object.get_or_try_init(|| cluster.get(NAMESPACES, "", self.namespace)).await
    }

    fn no_namespace(&self) -> Failure {
        Failure::not_found(&GroupResource::new_static(NAMESPACES.0, NAMESPACES.2), self.namespace)
    }

    /// The namespace that the object is in, if it is in one.
    pub(super) async fn namespace(&self) -> Outcome<Option<&Arc<dyn Object>>> {
        if self.namespace.is_empty() || self.attributes.is_resource(NAMESPACES.0, NAMESPACES.2) {
            return Ok(None);
        }
        self.look_up().await?.as_ref().map(Some).ok_or_else(|| self.no_namespace())
    }

    fn seen_as<'m>(&'m self, matched: &'m Matched<'_>) -> (&'m Arc<Endpoint>, &'m GroupVersionKind) {
        match matched {
            Matched::Requested => (self.endpoint, &self.kind),
            Matched::Equivalent(other) => (&other.endpoint, &other.kind),
        }
    }

    /// One of the objects as a tree in the version of the resource that was matched; null if there is none.
    pub(super) fn tree(&self, side: Side, matched: &Matched<'_>) -> Outcome<Arc<Json>> {
        let object = match side {
            Side::New => self.new,
            Side::Old => self.old,
        };
        let Some(object) = object else { return Ok(Arc::new(Json::Null)) };
        let (endpoint, kind) = self.seen_as(matched);
        let mut trees = self.trees.lock();
        if let Some((.., tree)) = trees.iter().find(|(known, in_kind, _)| *known == side && in_kind == kind) {
            return Ok(Arc::clone(tree));
        }
        let tree = if *kind == endpoint.kind {
            tree_of(&*endpoint.model.external(object.clone_object(), kind)?)
        } else {
            // What is below an object is of a built-in kind, whatever the object is.
            let scheme = &self.attributes.cluster.admitter().registry.scheme;
            let moved = scheme.move_to_version(object.clone_object(), &kind.group_version());
            let mut moved = moved.map_err(Failure::internal)?;
            moved.set_gvk(kind);
            tree_of(&*moved)
        };
        let tree = Arc::new(tree);
        trees.push((side, kind.clone(), Arc::clone(&tree)));
        Ok(tree)
    }

    /// The request itself; `resource` is the one that was matched.
    pub(super) fn described(&self, resource: &Matched<'_>, kind: &Matched<'_>) -> Json {
        let request = self.attributes;
        let (endpoint, _) = self.seen_as(resource);
        let (_, kind) = self.seen_as(kind);
        let mut tree = json!({
            "uid": "",
            "kind": named_kind(kind),
            "resource": named_resource(endpoint),
            "requestKind": named_kind(&self.kind),
            "requestResource": named_resource(self.endpoint),
            "operation": request.operation.as_str(),
            "userInfo": user_info(request.user),
            "object": null,
            "oldObject": null,
            "dryRun": request.dry_run,
            "options": self.options(),
        });
        if let Json::Object(fields) = &mut tree {
            let texts = [
                ("subResource", request.subresource),
                ("requestSubResource", request.subresource),
                ("name", request.name),
                ("namespace", self.namespace),
            ];
            for (field, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
                fields.insert(field.to_owned(), text.into());
            }
        }
        tree
    }

    fn options(&self) -> Json {
        let request = self.attributes;
        match request.operation {
            Operation::Create => {
                options("CreateOptions", &request.options::<CreateOptions>().unwrap_or_default())
            }
            Operation::Update => {
                options("UpdateOptions", &request.options::<UpdateOptions>().unwrap_or_default())
            }
            Operation::Delete => {
                let none = DeleteOptions::default();
                options("DeleteOptions", request.delete_options.unwrap_or(&none))
            }
            Operation::Connect => Json::Null,
        }
    }

    /// The resource that the authorizer is asked about for the request: group, resource, and so on.
    pub(super) fn resource(&self) -> (&str, &str) {
        (&self.attributes.resource.group, &self.attributes.resource.resource)
    }
}

/// The kind that a resource takes, or that what is below its objects does.
fn kind_of(endpoint: &Endpoint, subresource: &str) -> GroupVersionKind {
    endpoint.part(subresource).map_or_else(|| endpoint.kind.clone(), |part| part.kind.clone())
}

fn named_kind(kind: &GroupVersionKind) -> Json {
    json!({"group": kind.group.as_ref(), "version": kind.version.as_ref(), "kind": kind.kind.as_ref()})
}

fn named_resource(endpoint: &Endpoint) -> Json {
    let resource = &endpoint.resource;
    let (group, plural) = (resource.group.as_ref(), resource.resource.as_ref());
    json!({"group": group, "version": endpoint.kind.version.as_ref(), "resource": plural})
}

fn user_info(user: &User) -> Json {
    let mut info = Map::new();
    for (field, text) in [("username", &user.name), ("uid", &user.uid)] {
        if !text.is_empty() {
            info.insert(field.to_owned(), text.as_str().into());
        }
    }
    if !user.groups.is_empty() {
        info.insert("groups".to_owned(), user.groups.clone().into());
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(key, values)| (key.clone(), values.clone().into()));
        info.insert("extra".to_owned(), Json::Object(extra.collect()));
    }
    Json::Object(info)
}

fn options<T: Struct>(kind: &str, options: &T) -> Json {
    let mut tree = rhumb_schema::to_tree(options);
    if let Json::Object(fields) = &mut tree {
        fields.insert("apiVersion".to_owned(), "meta.k8s.io/v1".into());
        fields.insert("kind".to_owned(), kind.into());
    }
    tree
}

/// What expressions see of a namespace.
pub(super) fn namespace_tree(namespace: &dyn Object) -> Json {
    const METADATA: &[&str] = &[
        "name",
        "generateName",
        "namespace",
        "uid",
        "resourceVersion",
        "generation",
        "creationTimestamp",
        "deletionTimestamp",
        "deletionGracePeriodSeconds",
        "labels",
        "annotations",
        "finalizers",
    ];
    let mut tree = tree_of(namespace);
    if let Json::Object(fields) = &mut tree {
        fields.retain(|field, _| matches!(field.as_str(), "metadata" | "spec" | "status"));
        if let Some(Json::Object(metadata)) = fields.get_mut("metadata") {
            metadata.retain(|field, _| METADATA.contains(&field.as_str()));
        }
    }
    tree
}
