//! Service_Accounts in `v1`.

use rhumb_meta::Object;
use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_schema::Schema;

use super::*;

#[derive(Clone, Default, Schema, Object)]
pub struct ServiceAccount {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ObjectMeta,
    #[field(2, keys("name"), merge = "merge", merge_key = "name")]
    pub secrets: Vec<ObjectReference>,
    #[field(3, list = "atomic")]
    pub image_pull_secrets: Vec<LocalObjectReference>,
    #[field(4)]
    pub automount_service_account_token: Option<bool>,
}

#[derive(Clone, Default, Schema, Object)]
pub struct ServiceAccountList {
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    #[field(1)]
    pub metadata: ListMeta,
    #[field(2, required, not_null)]
    pub items: Vec<ServiceAccount>,
}
