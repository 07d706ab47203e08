//! What nodes may do: what they need for their pods, and nothing else. Objects that belong to some nodes alone
//! are found in a graph; for everything else all nodes have the same rules. What a node writes is looked at
//! once more when it is admitted.
//!
//! The graph is first made when a node asks for something, so that a server without nodes has none.

mod follow;
mod graph;
mod needs;

use std::sync::OnceLock;

use rhumb_api::rbac::v1::PolicyRule;
use rhumb_schema::text::quoted;

use self::follow::Followed;
use self::graph::{Kind, Thing};
use super::attributes::{Asked, AskedResource, Attributes};
use super::rules;
use crate::base::identity::User;
use crate::registry::Registry;

/// The namespace that nodes have their leases in.
const LEASES: &str = "kube-node-lease";

/// What nodes have, once one of them has asked.
#[derive(Default)]
pub(super) struct Nodes {
    followed: OnceLock<Followed>,
    rules: OnceLock<Vec<PolicyRule>>,
}

/// What is said about a node's wish.
pub(super) enum Verdict {
    Allowed,
    /// Not as far as nodes go, and why; often nothing.
    NoOpinion(String),
}

/// The name of the node that a user is, if it is one. Nobody can say which if it is empty.
pub(crate) fn node_of(user: &User) -> Option<&str> {
    let name = user.name.strip_prefix("system:node:")?;
    user.groups.iter().any(|group| group == "system:nodes").then_some(name)
}

type Say = Result<(), String>;

fn no(why: impl Into<String>) -> Say {
    Err(why.into())
}

impl Nodes {
    /// What a node may do. Nothing is said about those who are no nodes.
    pub(super) async fn decide(&self, registry: &Registry, wanted: &Attributes<'_>) -> Verdict {
        let said = match node_of(wanted.user) {
            None => no(""),
            Some("") => no(format!("unknown node for user {}", quoted(&wanted.user.name))),
            Some(node) => self.judge(registry, node, wanted).await,
        };
        match said {
            Ok(()) => Verdict::Allowed,
            Err(why) => Verdict::NoOpinion(why),
        }
    }

    async fn judge(&self, registry: &Registry, node: &str, wanted: &Attributes<'_>) -> Say {
        let Asked::Resource(asked) = &wanted.asked else { return self.by_rule(wanted) };
        let request = Request { nodes: self, registry, node, verb: &wanted.verb, asked };
        match (asked.group, asked.resource) {
            ("", "secrets") => request.read(Kind::Secret).await,
            ("", "configmaps") => request.read(Kind::ConfigMap).await,
            ("", "persistentvolumeclaims") if asked.subresource == "status" => {
                request.change_status(Kind::Claim).await
            }
            ("", "persistentvolumeclaims") => request.get(Kind::Claim).await,
            ("", "persistentvolumes") => request.get(Kind::Volume).await,
            ("resource.k8s.io", "resourceclaims") => request.get(Kind::ResourceClaim).await,
            ("storage.k8s.io", "volumeattachments") => request.get(Kind::Attachment).await,
            ("", "serviceaccounts") => request.account().await,
            ("coordination.k8s.io", "leases") => request.lease(),
            ("storage.k8s.io", "csinodes") => request.csi_node(),
            ("resource.k8s.io", "resourceslices") => request.slice().await,
            ("", "nodes") => request.node(),
            ("", "pods") => request.pod().await,
            _ => self.by_rule(wanted),
        }
    }

    fn by_rule(&self, wanted: &Attributes<'_>) -> Say {
        let known = self.rules.get_or_init(uniform_rules);
        if known.iter().any(|rule| rules::allows(rule, wanted)) { Ok(()) } else { no("") }
    }
}

/// What all nodes may, beyond what is looked at more closely.
fn uniform_rules() -> Vec<PolicyRule> {
    const READ: &[&str] = &["get", "list", "watch"];
    let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
    let rule = |verbs: &[&str], groups: &[&str], resources: &[&str]| PolicyRule {
        verbs: texts(verbs),
        api_groups: texts(groups),
        resources: texts(resources),
        ..PolicyRule::default()
    };
    let reviews = &["subjectaccessreviews", "localsubjectaccessreviews"];
    vec![
        rule(&["create"], &["authentication.k8s.io"], &["tokenreviews"]),
        rule(&["create"], &["authorization.k8s.io"], reviews),
        rule(READ, &[""], &["services"]),
        rule(&["create", "update", "patch"], &["", "events.k8s.io"], &["events"]),
        rule(&["get"], &[""], &["endpoints"]),
        rule(&["create", "get", "list", "watch"], &["certificates.k8s.io"], &["certificatesigningrequests"]),
        rule(READ, &["storage.k8s.io"], &["csidrivers"]),
        rule(READ, &["node.k8s.io"], &["runtimeclasses"]),
    ]
}

/// What a node asks of a resource.
struct Request<'a> {
    nodes: &'a Nodes,
    registry: &'a Registry,
    node: &'a str,
    verb: &'a str,
    asked: &'a AskedResource<'a>,
}

impl Request<'_> {
    /// Whether it is about an object that belongs to the node.
    async fn own(&self, kind: Kind) -> Say {
        if self.asked.name.is_empty() {
            return no("No Object name found");
        }
        let followed = self.nodes.followed.get_or_init(|| follow::start(self.registry));
        followed.filled().await;
        let thing = Thing::new(kind, self.asked.namespace, &self.asked.name);
        if followed.graph.read().belongs(&thing, self.node) {
            return Ok(());
        }
        no(format!("no relationship found between node '{}' and this object", self.node))
    }

    async fn read(&self, kind: Kind) -> Say {
        if !matches!(self.verb, "get" | "list" | "watch") {
            return no("can only read resources of this type");
        }
        if !self.asked.subresource.is_empty() {
            return no("cannot read subresource");
        }
        if self.asked.namespace.is_empty() {
            return no("can only read namespaced object of this type");
        }
        self.own(kind).await
    }

    async fn get(&self, kind: Kind) -> Say {
        if self.verb != "get" {
            return no("can only get individual resources of this type");
        }
        if !self.asked.subresource.is_empty() {
            return no("cannot get subresource");
        }
        self.own(kind).await
    }

    async fn change_status(&self, kind: Kind) -> Say {
        if !matches!(self.verb, "update" | "patch") {
            return no("can only get/update/patch this type");
        }
        self.own(kind).await
    }

    async fn account(&self) -> Say {
        if self.verb == "get" && self.asked.subresource.is_empty() {
            return self.read(Kind::Account).await;
        }
        if self.verb != "create" || self.asked.name.is_empty() {
            return no("can only create tokens for individual service accounts");
        }
        if self.asked.subresource != "token" {
            return no("can only create token subresource of serviceaccount");
        }
        self.own(Kind::Account).await
    }

    fn lease(&self) -> Say {
        if !matches!(self.verb, "get" | "create" | "update" | "patch" | "delete") {
            return no("can only get, create, update, patch, or delete a node lease");
        }
        if self.asked.namespace != LEASES {
            return no(format!("can only access leases in the {} system namespace", quoted(LEASES)));
        }
        // The name of a new one is not known here; it is looked at when the object is.
        if self.verb != "create" && self.asked.name != self.node {
            return no("can only access node lease with the same name as the requesting node");
        }
        Ok(())
    }

    fn csi_node(&self) -> Say {
        if !matches!(self.verb, "get" | "create" | "update" | "patch" | "delete") {
            return no("can only get, create, update, patch, or delete a CSINode");
        }
        if !self.asked.subresource.is_empty() {
            return no("cannot authorize CSINode subresources");
        }
        if self.verb != "create" && self.asked.name != self.node {
            return no("can only access CSINode with the same name as the requesting node");
        }
        Ok(())
    }

    /// Whether only objects of this node are selected.
    fn selects_own(&self) -> bool {
        self.asked.fields.iter().any(|(field, value)| field == "spec.nodeName" && value == self.node)
    }

    async fn slice(&self) -> Say {
        if !self.asked.subresource.is_empty() {
            return no("cannot authorize ResourceSlice subresources");
        }
        match self.verb {
            "create" => Ok(()),
            "get" | "update" | "patch" | "delete" => self.own(Kind::ResourceSlice).await,
            "watch" | "list" | "deletecollection" if self.selects_own() => Ok(()),
            "watch" | "list" | "deletecollection" => {
                no("can only list/watch/deletecollection resourceslices with nodeName field selector")
            }
            _ => no("only the following verbs are allowed for a ResourceSlice: get, watch, list, create, \
                     update, patch, delete, deletecollection"),
        }
    }

    fn node(&self) -> Say {
        match (self.asked.subresource, self.verb) {
            ("", "create" | "update" | "patch") | ("status", "update" | "patch") => Ok(()),
            ("", "get" | "list" | "watch") => match self.asked.name.as_ref() {
                name if name == self.node => Ok(()),
                "" => no(format!("node '{}' cannot read all nodes, only its own Node object", self.node)),
                name => no(format!("node '{}' cannot read '{name}', only its own Node object", self.node)),
            },
            _ => no(""),
        }
    }

    async fn pod(&self) -> Say {
        match (self.asked.subresource, self.verb) {
            ("", "get") => self.own(Kind::Pod).await,
            ("", "list" | "watch") if self.selects_own() => Ok(()),
            ("", "list" | "watch") if !self.asked.name.is_empty() => self.own(Kind::Pod).await,
            ("", "list" | "watch") => no("can only list/watch pods with spec.nodeName field selector"),
            ("", "create" | "delete") | ("status", "update" | "patch") | ("eviction", "create") => Ok(()),
            _ => no(""),
        }
    }
}
