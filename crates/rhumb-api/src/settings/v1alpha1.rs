//! `settings.k8s.io/v1alpha1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{LabelSelector, ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use crate::core::v1::{EnvFromSource, EnvVar, Volume, VolumeMount};

#[derive(Clone, Default, Schema, Object)]
pub struct PodPreset {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2)]
    pub spec: PodPresetSpec,
}

#[derive(Clone, Default, Schema, Object)]
pub struct PodPresetList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<PodPreset>,
}

#[derive(Clone, Default, Schema)]
pub struct PodPresetSpec {
    #[field(1)]
    pub selector: LabelSelector,
    #[field(2)]
    pub env: Vec<EnvVar>,
    #[field(3)]
    pub env_from: Vec<EnvFromSource>,
    #[field(4)]
    pub volumes: Vec<Volume>,
    #[field(5)]
    pub volume_mounts: Vec<VolumeMount>,
}
