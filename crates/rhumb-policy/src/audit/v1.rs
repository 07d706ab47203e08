//! `audit.k8s.io/v1`: policies and events.

use std::collections::BTreeMap;

use rhumb_api::authentication::v1::UserInfo;
use rhumb_meta::v1::{ObjectMeta, Status, TypeMeta};
use rhumb_meta::{MicroTime, Object};
use rhumb_schema::{RawJson, Schema};

/// What is written of which requests.
#[derive(Clone, Default, Schema, Object)]
pub struct Policy {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata, which nobody reads.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The first rule that fits a request decides.
    #[field(2, required)]
    pub rules: Vec<PolicyRule>,
    /// Stages that no events are made at.
    #[field(3)]
    pub omit_stages: Vec<String>,
    /// Whether the managed fields of objects are left out, unless a rule says otherwise.
    #[field(4)]
    pub omit_managed_fields: bool,
}

/// What is written of requests that fit. An empty list fits everything.
#[derive(Clone, Default, Schema)]
pub struct PolicyRule {
    /// None, Metadata, Request or RequestResponse.
    #[field(1, required)]
    pub level: String,
    /// Users by name.
    #[field(2)]
    pub users: Vec<String>,
    /// Groups; a user that is in one of them fits.
    #[field(3)]
    pub user_groups: Vec<String>,
    /// Verbs, in small letters.
    #[field(4)]
    pub verbs: Vec<String>,
    /// Resources.
    #[field(5)]
    pub resources: Vec<GroupResources>,
    /// Namespaces; an empty name stands for what is in none.
    #[field(6)]
    pub namespaces: Vec<String>,
    /// Paths that are no resources, perhaps with a `*` at the end.
    #[field(7, json = "nonResourceURLs")]
    pub non_resource_urls: Vec<String>,
    /// Stages that no events are made at, besides those of the policy.
    #[field(8)]
    pub omit_stages: Vec<String>,
    /// Whether the managed fields of objects are left out.
    #[field(9)]
    pub omit_managed_fields: Option<bool>,
}

/// Resources of a group.
#[derive(Clone, Default, Schema)]
pub struct GroupResources {
    /// The group; `*` stands for all of them.
    #[field(1)]
    pub group: String,
    /// Resources, as in `pods`, `pods/log`, `*`, `pods/*` and `*/scale`.
    #[field(2)]
    pub resources: Vec<String>,
    /// Names of objects.
    #[field(3)]
    pub resource_names: Vec<String>,
}

/// What is written about a request at one of its stages.
#[derive(Clone, Default, Schema, Object)]
pub struct Event {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// How much of the request it shows.
    #[field(1, required)]
    pub level: String,
    /// Tells requests apart; all events of one have the same.
    #[field(2, required, json = "auditID")]
    pub audit_id: String,
    /// Where on its way the request is.
    #[field(3, required)]
    pub stage: String,
    /// The path and query, as the client sent them.
    #[field(4, required, json = "requestURI")]
    pub request_uri: String,
    /// The verb, or for what is no resource the method in small letters.
    #[field(5, required)]
    pub verb: String,
    /// Who asked.
    #[field(6, required)]
    pub user: UserInfo,
    /// Whom they spoke for.
    #[field(7)]
    pub impersonated_user: Option<Box<UserInfo>>,
    /// How it was found that they may.
    #[field(17)]
    pub authentication_metadata: Option<Box<AuthenticationMetadata>>,
    /// Where the request came from, the client first and then proxies. All but the last are hearsay.
    #[field(8, json = "sourceIPs")]
    pub source_ips: Vec<String>,
    /// What program the client says it is.
    #[field(16)]
    pub user_agent: String,
    /// What the request is about.
    #[field(9)]
    pub object_ref: Option<Box<ObjectReference>>,
    /// How it went.
    #[field(10)]
    pub response_status: Option<Box<Status>>,
    /// What was sent.
    #[field(11)]
    pub request_object: Option<RawJson>,
    /// What was answered.
    #[field(12)]
    pub response_object: Option<RawJson>,
    /// When the request came.
    #[field(13, required)]
    pub request_received_timestamp: Option<MicroTime>,
    /// When it was at this stage.
    #[field(14, required)]
    pub stage_timestamp: Option<MicroTime>,
    /// What those who worked on the request noted.
    #[field(15)]
    pub annotations: BTreeMap<String, String>,
}

/// How it was found that somebody may speak for somebody else.
#[derive(Clone, Default, Schema)]
pub struct AuthenticationMetadata {
    /// The verb of the narrower right that was used.
    #[field(1)]
    pub impersonation_constraint: String,
}

/// What a request is about.
#[derive(Clone, Default, Schema)]
pub struct ObjectReference {
    /// The resource's plural.
    #[field(1)]
    pub resource: String,
    /// The namespace.
    #[field(2)]
    pub namespace: String,
    /// The object's name.
    #[field(3)]
    pub name: String,
    /// Tells objects apart that had the same name.
    #[field(4)]
    pub uid: String,
    /// The group; empty for the oldest one.
    #[field(5)]
    pub api_group: String,
    /// The version, without the group.
    #[field(6)]
    pub api_version: String,
    /// The state of the object that the request is about.
    #[field(7)]
    pub resource_version: String,
    /// The subresource.
    #[field(8)]
    pub subresource: String,
}

impl Event {
    /// The event as a line of a log, with the line's end.
    pub fn write_line(&self, out: &mut Vec<u8>) {
        rhumb_schema::text::encode(self, out);
        out.push(b'\n');
    }
}
