//! Parameters of requests for custom resources.
//!
//! OpenAPI 2 names those that many requests have, by a hash of Kubernetes' words for them. The names are part
//! of the document that clients read, so they are kept, though the words are ours.

use serde_json::{Value as Json, json};

use super::Dialect;

/// Parameter: name, type, shared name in OpenAPI 2, and description.
pub(super) struct Parameter(&'static str, &'static str, &'static str, &'static str);

pub(super) const PRETTY: Parameter =
    Parameter("pretty", "string", "pretty-tJGM1-ng", "Whether the answer is laid out for people.");
const DRY_RUN: Parameter =
    Parameter("dryRun", "string", "", "With All, everything is done but keeping the change.");
const FIELD_VALIDATION: Parameter = Parameter(
    "fieldValidation",
    "string",
    "",
    "What becomes of unknown and repeated fields: Ignore, Warn or Strict.",
);
const RESOURCE_VERSION: Parameter = Parameter(
    "resourceVersion",
    "string",
    "resourceVersion-5WAnf1kx",
    "The version that the answer must be as new as.",
);

pub(super) const LIST: [Parameter; 11] = [
    Parameter(
        "allowWatchBookmarks",
        "boolean",
        "allowWatchBookmarks-HC2hJt-J",
        "Asks a watch for bookmarks now and then.",
    ),
    Parameter("continue", "string", "continue-QfD61s0i", "The token that the page before has given."),
    Parameter("fieldSelector", "string", "fieldSelector-xIcQKXFG", "Only objects with these fields."),
    Parameter("labelSelector", "string", "labelSelector-5Zw57w4C", "Only objects with these labels."),
    Parameter("limit", "integer", "limit-1NfNmdNH", "How many objects a page may have."),
    RESOURCE_VERSION,
    Parameter(
        "resourceVersionMatch",
        "string",
        "resourceVersionMatch-t8XhRHeC",
        "How the version that is asked for is meant: Exact or NotOlderThan.",
    ),
    Parameter(
        "sendInitialEvents",
        "boolean",
        "sendInitialEvents-rLXlEK_k",
        "Begins a watch with the objects that there are.",
    ),
    Parameter("shardSelector", "string", "shardSelector-Kgyki_3_", "Only objects of these shards."),
    Parameter("timeoutSeconds", "integer", "timeoutSeconds-yvYezaOC", "How long the request may last."),
    Parameter("watch", "boolean", "watch-XNNPZGbK", "Whether changes are sent as they happen."),
];

pub(super) const GET: [Parameter; 1] = [RESOURCE_VERSION];

pub(super) const WRITE: [Parameter; 3] = [
    DRY_RUN,
    Parameter("fieldManager", "string", "fieldManager-Qy4HdaTW", "The name of who makes the change."),
    FIELD_VALIDATION,
];

pub(super) const PATCH: [Parameter; 4] = [
    DRY_RUN,
    Parameter("fieldManager", "string", "fieldManager-7c6nTn1T", "The name of who makes the change."),
    FIELD_VALIDATION,
    Parameter("force", "boolean", "force-tOGGb0Yi", "Whether an apply takes fields from other managers."),
];

pub(super) const DELETE: [Parameter; 5] = [
    DRY_RUN,
    Parameter(
        "gracePeriodSeconds",
        "integer",
        "gracePeriodSeconds--K5HaBOS",
        "How long the object may take to end.",
    ),
    Parameter(
        "ignoreStoreReadErrorWithClusterBreakingPotential",
        "boolean",
        "ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj",
        "Removes an object that can't be read, whatever it leaves behind.",
    ),
    Parameter(
        "orphanDependents",
        "boolean",
        "orphanDependents-uRB25kX5",
        "Whether objects that this one owns stay; propagationPolicy says more.",
    ),
    Parameter(
        "propagationPolicy",
        "string",
        "propagationPolicy-6jk3prlO",
        "What becomes of objects that this one owns: Orphan, Background or Foreground.",
    ),
];

pub(super) fn query(parameter: &Parameter, dialect: Dialect) -> Json {
    let Parameter(name, type_, shared, words) = parameter;
    match dialect {
        Dialect::V2 if !shared.is_empty() => json!({ "$ref": format!("#/parameters/{shared}") }),
        Dialect::V2 => {
            json!({ "name": name, "in": "query", "description": words, "type": type_, "uniqueItems": true })
        }
        Dialect::V3 => json!({
            "name": name, "in": "query", "description": words,
            "schema": { "type": type_, "uniqueItems": true },
        }),
    }
}

pub(super) fn namespace(dialect: Dialect) -> Json {
    match dialect {
        Dialect::V2 => json!({ "$ref": "#/parameters/namespace-vgWSWtn3" }),
        Dialect::V3 => in_path("namespace", "The namespace that the object lives in.", dialect),
    }
}

pub(super) fn name(kind: &str, dialect: Dialect) -> Json {
    in_path("name", &format!("name of the {kind}"), dialect)
}

fn in_path(name: &str, words: &str, dialect: Dialect) -> Json {
    match dialect {
        Dialect::V2 => json!({
            "name": name, "in": "path", "required": true, "description": words,
            "type": "string", "uniqueItems": true,
        }),
        Dialect::V3 => json!({
            "name": name, "in": "path", "required": true, "description": words,
            "schema": { "type": "string", "uniqueItems": true },
        }),
    }
}
