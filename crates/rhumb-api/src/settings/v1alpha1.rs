//! `settings.k8s.io/v1alpha1`: what is put into pods on creation; Kubernetes has given it up.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::{EnvFromSource, EnvVar, Volume, VolumeMount};

/// What is added to pods of a namespace when they are made.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct PodPreset {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodPresetSpec,
}

/// A list of pod presets.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct PodPresetList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects.
    #[field(2, required, not_null)]
    pub items: Vec<PodPreset>,
}

/// What is added, and to which pods.
#[derive(Clone, Default, Schema)]
pub struct PodPresetSpec {
    /// Selects pods by their labels; empty selects all.
    #[field(1)]
    pub selector: LabelSelector,
    /// Variables that every container gets.
    #[field(2)]
    pub env: Vec<EnvVar>,
    /// Sources of variables that every container gets.
    #[field(3)]
    pub env_from: Vec<EnvFromSource>,
    /// Volumes that the pod gets.
    #[field(4)]
    pub volumes: Vec<Volume>,
    /// Where every container mounts volumes.
    #[field(5)]
    pub volume_mounts: Vec<VolumeMount>,
}
