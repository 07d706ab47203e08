//! Optionss in `meta.k8s.io/v1`.

use crate::Object;
use rhumb_schema::Schema;

use super::{TypeMeta};

/// The values that a `DeletionPropagation` has.
pub const DELETION_PROPAGATIONS: &[&str] = &["Orphan", "Background", "Foreground"];
/// The values that a `IncludeObjectPolicy` has.
pub const INCLUDE_OBJECT_POLICYS: &[&str] = &["None", "Metadata", "Object"];
/// The values that a `ResourceVersionMatch` has.
pub const RESOURCE_VERSION_MATCHS: &[&str] = &["NotOlderThan", "Exact"];

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ApplyOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    #[field(2, required)]
    pub force: bool,
    #[field(3, required)]
    pub field_manager: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct CreateOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    #[field(3)]
    pub field_manager: String,
    #[field(4)]
    pub field_validation: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct DeleteOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub grace_period_seconds: Option<i64>,
    #[field(2)]
    pub preconditions: Option<Box<Preconditions>>,
    #[field(3)]
    pub orphan_dependents: Option<bool>,
    #[field(4, values = DELETION_PROPAGATIONS)]
    pub propagation_policy: Option<String>,
    #[field(5, list = "atomic")]
    pub dry_run: Vec<String>,
    #[field(6)]
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct GetOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub resource_version: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct ListOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub label_selector: String,
    #[field(2)]
    pub field_selector: String,
    #[field(3)]
    pub watch: bool,
    #[field(9)]
    pub allow_watch_bookmarks: bool,
    #[field(4)]
    pub resource_version: String,
    #[field(10, values = RESOURCE_VERSION_MATCHS)]
    pub resource_version_match: String,
    #[field(5)]
    pub timeout_seconds: Option<i64>,
    #[field(7)]
    pub limit: i64,
    #[field(8)]
    pub continue_: String,
    #[field(11)]
    pub send_initial_events: Option<bool>,
    #[field(15)]
    pub shard_selector: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct PatchOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    #[field(2)]
    pub force: Option<bool>,
    #[field(3)]
    pub field_manager: String,
    #[field(4)]
    pub field_validation: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema)]
pub struct Preconditions {
    #[field(1)]
    pub uid: Option<String>,
    #[field(2)]
    pub resource_version: Option<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct TableOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, values = INCLUDE_OBJECT_POLICYS)]
    pub include_object: String,
}

#[derive(Clone, Debug, Default, PartialEq, Schema, Object)]
pub struct UpdateOptions {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    #[field(2)]
    pub field_manager: String,
    #[field(3)]
    pub field_validation: String,
}
