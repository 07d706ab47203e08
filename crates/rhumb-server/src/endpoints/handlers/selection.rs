//! Which objects a list or a watch is for, and as of when.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::v1::ListOptions;
use rhumb_meta::{fields, labels};
use rhumb_scheme::validation::{FieldErrors, FieldPath};
use rhumb_store::Revision;
use rhumb_store::cache::{At, Cache, Cached, IndexKey, Predicate, Selection};

use crate::base::failure::{Failure, Outcome};
use crate::endpoints::context::{Call, refuse};
use crate::registry::storage::{Held, NODE_INDEX, Objects};

/// How long a read waits for a revision that has not been seen yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long a read of the newest state waits for the cache before it asks the store itself.
const SHORT_PATIENCE: Duration = Duration::from_millis(250);

/// What ends the waiting of a read. One that is not filled yet has nothing to answer with, so it gets its time.
pub(crate) fn deadline_of(cache: &Cache<Objects>, at: At) -> impl Future<Output = ()> + use<> {
    let short = at == At::Newest && cache.revision().is_some();
    tokio::time::sleep(if short { SHORT_PATIENCE } else { PATIENCE })
}

/// What ends the waiting for a revision.
pub(crate) fn deadline() -> impl Future<Output = ()> {
    tokio::time::sleep(PATIENCE)
}

/// The revision that a text is.
pub(crate) fn revision(text: &str) -> Outcome<Revision> {
    if text.is_empty() {
        return Ok(Revision::ZERO);
    }
    text.parse().map(Revision).map_err(|_| {
        let shown = rhumb_schema::text::quoted(text);
        let overflow = text.bytes().all(|byte| byte.is_ascii_digit());
        let why = if overflow { "value out of range" } else { "invalid syntax" };
        Failure::bad_request(format!(
            "resourceVersion: Invalid value: {shown}: strconv.ParseUint: parsing {shown}: {why}"
        ))
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
pub(crate) fn selection(call: &Call<'_>, options: &ListOptions) -> Outcome<Selection<Held>> {
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
        let predicate: Predicate<Held> = Arc::new(move |cached: &Cached<Held>| {
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
