//! Selectors and revisions of lists and watches: which objects they are for, and as of when.

use std::sync::Arc;

use rhumb_meta::v1::ListOptions;
use rhumb_meta::{fields, labels};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_store::Revision;
use rhumb_store::cache::{Cached, IndexKey, Predicate, Selection};

use crate::base::failure::{Failure, Outcome};
use crate::endpoints::context::{RequestContext, refuse};
use crate::registry::cached::CachedObject;
use crate::registry::storage::NODE_INDEX;

/// Why a text is no revision, in the words of Go.
pub(crate) struct NoRevision(String);

impl std::fmt::Display for NoRevision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// The revision that a text is; zero for none.
pub(crate) fn parse_revision(text: &str) -> Result<Revision, NoRevision> {
    if text.is_empty() {
        return Ok(Revision::ZERO);
    }
    text.parse().map(Revision).map_err(|_| {
        let shown = rhumb_schema::text::quoted(text);
        let overflow = text.bytes().all(|byte| byte.is_ascii_digit());
        let why = if overflow { "value out of range" } else { "invalid syntax" };
        NoRevision(format!("strconv.ParseUint: parsing {shown}: {why}"))
    })
}

/// The revision that an option names.
pub(crate) fn revision(text: &str) -> Outcome<Revision> {
    parse_revision(text).map_err(|why| {
        let shown = rhumb_schema::text::quoted(text);
        Failure::bad_request(format!("resourceVersion: Invalid value: {shown}: {why}"))
    })
}

/// Refuses options that contradict each other.
pub(crate) fn check(options: &ListOptions, watch: bool) -> Outcome<()> {
    let mut errors = FieldErrors::default();
    let path = FieldPath::new("resourceVersionMatch");
    let wanted = options.resource_version_match.as_str();
    match (watch, options.send_initial_events) {
        (true, initial) => {
            if initial.is_some() && wanted != "NotOlderThan" {
                let why = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
                errors.forbidden(&path, why);
            }
            if initial.is_none() && !wanted.is_empty() {
                let why = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
                errors.forbidden(&path, why);
            }
            if !wanted.is_empty() && wanted != "NotOlderThan" {
                errors.not_supported(&path, wanted, &["NotOlderThan"]);
            }
            // A watch that begins with what there is has a match, though nobody named it.
            let begins_anew = initial.is_none() && matches!(options.resource_version.as_str(), "" | "0");
            if !options.continue_.is_empty() && (begins_anew || !wanted.is_empty()) {
                errors.forbidden(&path, "resourceVersionMatch is forbidden when continue is provided");
            }
        }
        (false, _) if !wanted.is_empty() => {
            if options.resource_version.is_empty() {
                errors
                    .forbidden(&path, "resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            if !options.continue_.is_empty() {
                errors.forbidden(&path, "resourceVersionMatch is forbidden when continue is provided");
            }
            if !matches!(wanted, "Exact" | "NotOlderThan") {
                errors.not_supported(&path, wanted, &["Exact", "NotOlderThan", ""]);
            }
            if wanted == "Exact" && options.resource_version == "0" {
                let why = "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"";
                errors.forbidden(&path, why);
            }
        }
        _ => {}
    }
    if !watch && options.send_initial_events.is_some() {
        errors.forbidden(&FieldPath::new("sendInitialEvents"), "sendInitialEvents is forbidden for list");
    }
    refuse(&errors, "ListOptions")
}

/// The objects that options select.
pub(crate) fn selection(
    call: &RequestContext<'_>,
    options: &ListOptions,
) -> Outcome<Selection<CachedObject>> {
    let storage = call.storage()?;
    let labels = labels::Selector::parse(&options.label_selector)
        .map_err(|error| Failure::bad_request(error.to_string()))?;
    let fields = fields::Selector::parse(&options.field_selector)
        .map_err(|error| Failure::bad_request(error.to_string()))?;
    let kind = &call.endpoint.kind;
    let mut fields = fields.transform(|label, value| call.endpoint.model.field_label(kind, label, value))?;
    if !call.path.name.is_empty() {
        let named = fields.requires_exact_match("metadata.name");
        if !fields.is_empty() && named != Some(call.path.name.as_str()) {
            return Err(Failure::bad_request("fieldSelector metadata.name doesn't match requested name"));
        }
        fields = fields.and(fields::Selector::equal("metadata.name", call.path.name.clone()));
    }
    let mut selection =
        Selection { prefix: storage.namespace_prefix(&call.path.namespace), ..Selection::default() };
    if call.endpoint.resource.resource == "pods"
        && let Some(node) = fields.requires_exact_match(NODE_INDEX).filter(|node| !node.is_empty())
    {
        selection.index = Some(IndexKey { index: NODE_INDEX.to_owned(), key: node.to_owned() });
    }
    if !labels.is_empty() || !fields.is_empty() {
        let storage = Arc::clone(storage);
        let predicate: Predicate<CachedObject> = Arc::new(move |cached: &Cached<CachedObject>| {
            let held = cached.object();
            labels.matches_with(|key| held.label(key))
                && fields.matches_with(|name| match name {
                    "metadata.name" => Some(storage.place(cached.key()).1),
                    "metadata.namespace" => Some(storage.place(cached.key()).0),
                    _ => held.field(name),
                })
        });
        selection.predicate = Some(predicate);
    }
    Ok(selection)
}
