//! `harbor.example.com/v1alpha1`.

use rhumb_meta::{Object, ObjectMeta, Resource, TypeMeta};
use rhumb_schema::Schema;

// +kubebuilder:unservedversion
// +kubebuilder:deprecatedversion:warning="harbor.example.com/v1alpha1 Berth is deprecated; use v1"

/// A place where a ship lies.
#[derive(Clone, Default, Schema, Object, Resource)]
#[resource(group = "harbor.example.com", version = "v1alpha1", namespaced)]
pub struct Berth {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How long it is, in meters.
    #[field(2, required)]
    pub length: i64,
}
