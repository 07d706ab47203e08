//! Request options by verb, sent as query parameters or, for deletion, as a body.

use rhumb_schema::Schema;

use super::TypeMeta;
use crate::Object;

/// Values of `DeletionPropagation`.
pub const DELETION_PROPAGATIONS: &[&str] = &["Orphan", "Background", "Foreground"];
/// Values of `IncludeObjectPolicy`.
pub const INCLUDE_OBJECT_POLICYS: &[&str] = &["None", "Metadata", "Object"];
/// Values of `ResourceVersionMatch`.
pub const RESOURCE_VERSION_MATCHS: &[&str] = &["NotOlderThan", "Exact"];

/// Options of a server-side apply.
#[derive(Clone, Default, Schema, Object)]
pub struct ApplyOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// With All, do everything but store the result.
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    /// Take over fields that others own, in place of failing with a conflict.
    #[field(2, required)]
    pub force: bool,
    /// Who is applying. Use the same name each time: it decides which fields are removed.
    #[field(3, required)]
    pub field_manager: String,
}

/// Options of a create.
#[derive(Clone, Default, Schema, Object)]
pub struct CreateOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// With All, do everything but store the result.
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    /// The name to record changed fields under. Defaults to the start of the user agent.
    #[field(3)]
    pub field_manager: String,
    /// What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict, which refuses
    /// them.
    #[field(4)]
    pub field_validation: String,
}

/// Options of a deletion.
#[derive(Clone, Default, Schema, Object)]
pub struct DeleteOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// How many seconds to allow for shutting down: 0 for at once; unset for what the kind or object says.
    #[field(1)]
    pub grace_period_seconds: Option<i64>,
    /// Delete only if these hold; otherwise the answer is a conflict.
    #[field(2)]
    pub preconditions: Option<Box<Preconditions>>,
    /// Old form of propagationPolicy, which can't be combined with it: true keeps the dependents.
    #[field(3)]
    pub orphan_dependents: Option<bool>,
    /// What happens to dependents: Orphan keeps them, Background deletes them afterwards, Foreground deletes
    /// them first.
    #[field(4, values = DELETION_PROPAGATIONS)]
    pub propagation_policy: Option<String>,
    /// With All, do everything but delete.
    #[field(5, list = "atomic")]
    pub dry_run: Vec<String>,
    /// Remove an object that can't be read from the store, without regard to finalizers and preconditions.
    /// Whatever it stood for may be left behind.
    #[field(6)]
    pub ignore_store_read_error_with_cluster_breaking_potential: Option<bool>,
}

/// Options of a get as they were until Kubernetes 1.18: whether what the server filled in was wanted.
#[derive(Clone, Default, Schema, Object)]
#[schema(retired)]
pub struct ExportOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Leave out what only the server can set.
    #[field(1, required)]
    pub export: bool,
    /// Keep what belongs to the cluster, such as the namespace.
    #[field(2, required)]
    pub exact: bool,
}

/// Options of a get.
#[derive(Clone, Default, Schema, Object)]
pub struct GetOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Unset for the newest state; 0 for any state the server has at hand; otherwise one at least this new.
    #[field(1)]
    pub resource_version: String,
}

/// Options of a list, a watch, or a deletion of many objects.
#[derive(Clone, Default, Schema, Object)]
pub struct ListOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// Only objects whose labels match, as in app=web,tier!=test.
    #[field(1)]
    pub label_selector: String,
    /// Only objects whose fields match, as in status.phase=Running. Few fields per kind can be used.
    #[field(2)]
    pub field_selector: String,
    /// Stream changes in place of a list.
    #[field(3)]
    pub watch: bool,
    /// Whether the stream may hold bookmarks, which tell how far it has come.
    #[field(9)]
    pub allow_watch_bookmarks: bool,
    /// For a watch, where to start; for a list, how old its data may be. 0 allows anything the server has at
    /// hand.
    #[field(4)]
    pub resource_version: String,
    /// How a list takes resourceVersion: NotOlderThan or Exact.
    #[field(10, values = RESOURCE_VERSION_MATCHS)]
    pub resource_version_match: String,
    /// End the request after this many seconds, whatever happens.
    #[field(5)]
    pub timeout_seconds: Option<i64>,
    /// At most this many objects on a page; the answer has a continue token if there are more. 0 for all.
    #[field(7)]
    pub limit: i64,
    /// The token of the page before. The other options must be the same as for that page.
    #[field(8)]
    pub continue_: String,
    /// Begin a watch with the existing objects, then a bookmark. Needs resourceVersionMatch NotOlderThan.
    #[field(11)]
    pub send_initial_events: Option<bool>,
    /// Only objects whose hash, of a field such as metadata.uid, falls in a range.
    #[field(15)]
    pub shard_selector: String,
}

/// Options of a patch.
#[derive(Clone, Default, Schema, Object)]
pub struct PatchOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// With All, do everything but store the result.
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    /// For server-side apply only: take over fields that others own. Not allowed with other patches.
    #[field(2)]
    pub force: Option<bool>,
    /// The name to record changed fields under. Required for server-side apply.
    #[field(3)]
    pub field_manager: String,
    /// What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict, which refuses
    /// them.
    #[field(4)]
    pub field_validation: String,
}

/// What must hold for an object to be deleted.
#[derive(Clone, Default, Schema)]
pub struct Preconditions {
    /// It has this UID.
    #[field(1)]
    pub uid: Option<String>,
    /// It has this resource version, so nobody has changed it since.
    #[field(2)]
    pub resource_version: Option<String>,
}

/// Options of a request whose answer is a table.
#[derive(Clone, Default, Schema, Object)]
pub struct TableOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// What each row has of its object: None, Metadata (the default) or Object for all of it.
    #[field(1, values = INCLUDE_OBJECT_POLICYS)]
    pub include_object: String,
}

/// Options of an update.
#[derive(Clone, Default, Schema, Object)]
pub struct UpdateOptions {
    /// The version and kind.
    #[field(0, inline)]
    pub type_meta: TypeMeta,
    /// With All, do everything but store the result.
    #[field(1, list = "atomic")]
    pub dry_run: Vec<String>,
    /// The name to record changed fields under. Defaults to the start of the user agent.
    #[field(2)]
    pub field_manager: String,
    /// What to do about unknown and duplicate fields: Ignore, Warn (the default) or Strict, which refuses
    /// them.
    #[field(3)]
    pub field_validation: String,
}
