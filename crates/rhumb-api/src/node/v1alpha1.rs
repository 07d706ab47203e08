//! `node.k8s.io/v1alpha1`: what v1 has on its first level stands in a spec.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;
use rhumb_scheme::{Convert, ConvertError, Scope};

use super::v1;

pub use super::v1::{Overhead, Scheduling};

/// A container runtime that nodes have, which pods choose by `runtimeClassName`.
#[derive(Clone, Default, Schema, Object)]
pub struct RuntimeClass {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The runtime, its cost and its nodes.
    #[field(2, required)]
    pub spec: RuntimeClassSpec,
}

/// The runtime, its cost and its nodes.
#[derive(Clone, Default, Schema)]
pub struct RuntimeClassSpec {
    /// What the node's runtime calls the configuration, a DNS label; `handler` in v1.
    #[field(1, required)]
    pub runtime_handler: String,
    /// What a pod of this class costs beyond its containers.
    #[field(2)]
    pub overhead: Option<Box<Overhead>>,
    /// Which nodes have the runtime; all of them if it isn't said.
    #[field(3)]
    pub scheduling: Option<Box<Scheduling>>,
}

/// A list of RuntimeClasses.
#[derive(Clone, Default, Schema, Object, Convert)]
#[convert(hub = v1::RuntimeClassList)]
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

impl Convert<v1::RuntimeClass> for RuntimeClass {
    fn convert(self, _scope: &Scope) -> Result<v1::RuntimeClass, ConvertError> {
        let RuntimeClass { type_meta, metadata, spec } = self;
        let RuntimeClassSpec { runtime_handler: handler, overhead, scheduling } = spec;
        Ok(v1::RuntimeClass { type_meta, metadata, handler, overhead, scheduling })
    }
}

impl Convert<RuntimeClass> for v1::RuntimeClass {
    fn convert(self, _scope: &Scope) -> Result<RuntimeClass, ConvertError> {
        let v1::RuntimeClass { type_meta, metadata, handler: runtime_handler, overhead, scheduling } = self;
        let spec = RuntimeClassSpec { runtime_handler, overhead, scheduling };
        Ok(RuntimeClass { type_meta, metadata, spec })
    }
}
