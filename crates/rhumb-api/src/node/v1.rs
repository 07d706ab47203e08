//! `node.k8s.io/v1`: the container runtimes that pods can choose between.

use std::collections::BTreeMap;

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Quantity};
use rhumb_schema::Schema;

use crate::core::v1::Toleration;

/// A container runtime that nodes have, which pods choose by `runtimeClassName`.
#[derive(Clone, Default, Schema, Object)]
pub struct RuntimeClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// What the node's runtime calls the configuration, a DNS label. It can't be changed.
    #[field(2, required)]
    pub handler: String,
    /// What a pod of this class costs beyond its containers.
    #[field(3)]
    pub overhead: Option<Box<Overhead>>,
    /// Which nodes have the runtime; all of them if it isn't said.
    #[field(4)]
    pub scheduling: Option<Box<Scheduling>>,
}

/// What a pod costs beyond its containers.
#[derive(Clone, Default, Schema)]
pub struct Overhead {
    /// A fixed amount of each resource for every pod.
    #[field(1)]
    pub pod_fixed: BTreeMap<String, Quantity>,
}

/// Which nodes have a runtime.
#[derive(Clone, Default, Schema)]
pub struct Scheduling {
    /// Labels of those nodes, which are added to the pod's own selector.
    #[field(1, atomic)]
    pub node_selector: BTreeMap<String, String>,
    /// Taints of those nodes that pods of this class bear, added to the pod's own.
    #[field(2, list = "atomic")]
    pub tolerations: Vec<Toleration>,
}

/// A list of RuntimeClasses.
#[derive(Clone, Default, Schema, Object)]
pub struct RuntimeClassList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<RuntimeClass>,
}
