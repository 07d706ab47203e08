//! `flowcontrol.apiserver.k8s.io/v1`: how an API server shares its capacity among requests when it's busy.

use rhumb_meta::v1::{ListMeta, ObjectMeta, TypeMeta};
use rhumb_meta::{Object, Time};
use rhumb_schema::Schema;

/// The capacity of a level whose requests never wait.
#[derive(Clone, Default, Schema)]
pub struct ExemptPriorityLevelConfiguration {
    /// Its part of the server's capacity, in relation to the other levels. Defaults to 0.
    #[field(1)]
    pub nominal_concurrency_shares: Option<i32>,
    /// How much of its part others may use while it's idle, from 0 to 100. Defaults to 0.
    #[field(2)]
    pub lendable_percent: Option<i32>,
}

/// How the requests of a FlowSchema are divided into flows, which get equal treatment.
#[derive(Clone, Default, Schema)]
pub struct FlowDistinguisherMethod {
    /// ByUser or ByNamespace.
    #[field(1, required)]
    pub type_: String,
}

/// Which requests go to which priority level.
#[derive(Clone, Default, Schema, Object)]
pub struct FlowSchema {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// The requests, and where they go.
    #[field(2)]
    pub spec: FlowSchemaSpec,
    /// Whether its priority level exists.
    #[field(3)]
    pub status: FlowSchemaStatus,
}

/// An aspect of a FlowSchema's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct FlowSchemaCondition {
    /// Which aspect; Dangling says that the priority level doesn't exist.
    #[field(1)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2)]
    pub status: String,
    /// When the status last changed from one value to another.
    #[field(3)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(4)]
    pub reason: String,
    /// What happened, for people.
    #[field(5)]
    pub message: String,
}

/// A list of FlowSchema objects.
#[derive(Clone, Default, Schema, Object)]
pub struct FlowSchemaList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<FlowSchema>,
}

/// Which requests go to which priority level.
#[derive(Clone, Default, Schema)]
pub struct FlowSchemaSpec {
    /// The level they go to.
    #[field(1, required)]
    pub priority_level_configuration: PriorityLevelConfigurationReference,
    /// Where schemas compete for a request, the lowest number wins: 1 to 10000. Defaults to 1000.
    #[field(2, shown)]
    pub matching_precedence: i32,
    /// How its requests are divided into flows. Unset for a single flow.
    #[field(3)]
    pub distinguisher_method: Option<Box<FlowDistinguisherMethod>>,
    /// The requests: those that match at least one rule. Empty for none.
    #[field(4, list = "atomic")]
    pub rules: Vec<PolicyRulesWithSubjects>,
}

/// What is observed of a FlowSchema.
#[derive(Clone, Default, Schema)]
pub struct FlowSchemaStatus {
    /// Aspects of its state, one entry per type.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<FlowSchemaCondition>,
}

/// The members of a group.
#[derive(Clone, Default, Schema)]
pub struct GroupSubject {
    /// The group. * for all groups.
    #[field(1, required)]
    pub name: String,
}

/// What happens to requests beyond a level's capacity.
#[derive(Clone, Default, Schema)]
pub struct LimitResponse {
    /// Queue lets them wait; Reject refuses them with code 429.
    #[field(1, required)]
    pub type_: String,
    /// The queues, for type Queue only.
    #[field(2)]
    pub queuing: Option<Box<QueuingConfiguration>>,
}

/// The capacity of a level, and what happens to requests beyond it.
#[derive(Clone, Default, Schema)]
pub struct LimitedPriorityLevelConfiguration {
    /// Its part of the server's capacity, in relation to the other levels. Defaults to 30.
    #[field(1, shown)]
    pub nominal_concurrency_shares: Option<i32>,
    /// What happens to requests beyond its capacity.
    #[field(2)]
    pub limit_response: LimitResponse,
    /// How much of its part others may use while it's idle, from 0 to 100. Defaults to 0.
    #[field(3)]
    pub lendable_percent: Option<i32>,
    /// How much it may borrow from others, as a percentage of its own part. Unset for no limit.
    #[field(4)]
    pub borrowing_limit_percent: Option<i32>,
}

/// Requests for paths outside the API's resources.
#[derive(Clone, Default, Schema)]
pub struct NonResourcePolicyRule {
    /// The verbs, such as get; * for all.
    #[field(1, required, list = "set")]
    pub verbs: Vec<String>,
    /// The paths, such as /healthz. `*` stands for all, and `/metrics/*` for everything below one.
    #[field(6, json = "nonResourceURLs", required, list = "set")]
    pub non_resource_urls: Vec<String>,
}

/// Requests, by who makes them and what they ask for.
#[derive(Clone, Default, Schema)]
pub struct PolicyRulesWithSubjects {
    /// Who: one of these.
    #[field(1, required, list = "atomic")]
    pub subjects: Vec<Subject>,
    /// Requests for resources; one rule must match.
    #[field(2, list = "atomic")]
    pub resource_rules: Vec<ResourcePolicyRule>,
    /// Requests for other paths; one rule must match. Between both lists there must be at least one rule.
    #[field(3, list = "atomic")]
    pub non_resource_rules: Vec<NonResourcePolicyRule>,
}

/// A priority level: a share of an API server's capacity that other requests can't exhaust.
#[derive(Clone, Default, Schema, Object)]
pub struct PriorityLevelConfiguration {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The object's metadata.
    #[field(1)]
    pub metadata: ObjectMeta,
    /// How much capacity it has.
    #[field(2)]
    pub spec: PriorityLevelConfigurationSpec,
    /// What is observed of it.
    #[field(3)]
    pub status: PriorityLevelConfigurationStatus,
}

/// An aspect of a priority level's state and whether it holds.
#[derive(Clone, Default, Schema)]
pub struct PriorityLevelConfigurationCondition {
    /// Which aspect the condition is about.
    #[field(1)]
    pub type_: String,
    /// True, False or Unknown.
    #[field(2)]
    pub status: String,
    /// When the status last changed from one value to another.
    #[field(3)]
    pub last_transition_time: Time,
    /// One CamelCase word for why the status is what it is, for programs.
    #[field(4)]
    pub reason: String,
    /// What happened, for people.
    #[field(5)]
    pub message: String,
}

/// A list of PriorityLevelConfiguration objects.
#[derive(Clone, Default, Schema, Object)]
pub struct PriorityLevelConfigurationList {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// The list's metadata.
    #[field(1)]
    pub metadata: ListMeta,
    /// The objects of the list.
    #[field(2, required, not_null)]
    pub items: Vec<PriorityLevelConfiguration>,
}

/// A priority level.
#[derive(Clone, Default, Schema)]
pub struct PriorityLevelConfigurationReference {
    /// Its name.
    #[field(1, required)]
    pub name: String,
}

/// How much capacity a level has. The field that type names is set.
#[derive(Clone, Default, Schema)]
pub struct PriorityLevelConfigurationSpec {
    /// Limited, or Exempt for requests that never wait. Exempt is for the level of that name only.
    #[field(1, required)]
    pub type_: String,
    /// The capacity of a Limited level, and what happens beyond it.
    #[field(2)]
    pub limited: Option<Box<LimitedPriorityLevelConfiguration>>,
    /// The capacity of an Exempt level.
    #[field(3)]
    pub exempt: Option<Box<ExemptPriorityLevelConfiguration>>,
}

/// What is observed of a priority level.
#[derive(Clone, Default, Schema)]
pub struct PriorityLevelConfigurationStatus {
    /// Aspects of its state, one entry per type.
    #[field(1, keys("type"), merge = "merge", merge_key = "type")]
    pub conditions: Vec<PriorityLevelConfigurationCondition>,
}

/// The queues of a level. Each flow is dealt a few of them, and its requests go to the shortest.
#[derive(Clone, Default, Schema)]
pub struct QueuingConfiguration {
    /// How many there are. Defaults to 64; 1 makes all flows wait in one line.
    #[field(1, shown)]
    pub queues: i32,
    /// How many each flow is dealt, at most as many as there are. Defaults to 8.
    #[field(2, shown)]
    pub hand_size: i32,
    /// How many requests may wait in each; more are refused. Defaults to 50.
    #[field(3, shown)]
    pub queue_length_limit: i32,
}

/// Requests for resources.
#[derive(Clone, Default, Schema)]
pub struct ResourcePolicyRule {
    /// The verbs, such as get or list; * for all.
    #[field(1, required, list = "set")]
    pub verbs: Vec<String>,
    /// The groups, with an empty string for the core group; * for all.
    #[field(2, required, list = "set")]
    pub api_groups: Vec<String>,
    /// The resources, with subresources as in pods/log; * for all.
    #[field(3, required, list = "set")]
    pub resources: Vec<String>,
    /// Whether requests without a namespace match. Defaults to false.
    #[field(4)]
    pub cluster_scope: bool,
    /// The namespaces whose requests match; * for all. Required unless clusterScope is true.
    #[field(5, shown, list = "set")]
    pub namespaces: Vec<String>,
}

/// A ServiceAccount, or all of a namespace.
#[derive(Clone, Default, Schema)]
pub struct ServiceAccountSubject {
    /// Its namespace.
    #[field(1, required)]
    pub namespace: String,
    /// Its name. * for all of the namespace.
    #[field(2, required)]
    pub name: String,
}

/// Who makes a request. The field that kind names is set.
#[derive(Clone, Default, Schema)]
pub struct Subject {
    /// User, Group or ServiceAccount.
    #[field(1, required)]
    pub kind: String,
    /// The user.
    #[field(2)]
    pub user: Option<Box<UserSubject>>,
    /// The group.
    #[field(3)]
    pub group: Option<Box<GroupSubject>>,
    /// The ServiceAccount.
    #[field(4)]
    pub service_account: Option<Box<ServiceAccountSubject>>,
}

/// A user.
#[derive(Clone, Default, Schema)]
pub struct UserSubject {
    /// The user's name. * for all users.
    #[field(1, required)]
    pub name: String,
}
