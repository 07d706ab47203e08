//! ServiceAccounts: who pods are to the API server.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use super::*;

/// Who the processes of a pod are to the API server.
#[derive(Clone, Default, Schema, Object)]
pub struct ServiceAccount {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The secrets that its pods may mount, where they may mount no others. Deprecated: tokens are not kept
    /// here any more.
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub secrets: Vec<ObjectReference>,
    /// Secrets for pulling images, given to its pods that name none.
    #[field(3, list = "atomic")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    /// Whether its pods get a token, unless they say otherwise themselves.
    #[field(4)]
    pub automount_service_account_token: Option<bool>,
}

/// A list of ServiceAccount objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ServiceAccountList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<ServiceAccount>,
}
