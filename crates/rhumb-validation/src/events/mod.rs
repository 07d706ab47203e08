//! Validation of events. Those of the core group and of `events.k8s.io` are one kind inside, yet the older versions
//! accept much that `events.k8s.io/v1` refuses.

use rhumb_api::core::v1::Event;
use rhumb_meta::validation::{is_dns1123_subdomain, name_is_dns_subdomain};
use rhumb_scheme::validation::{BadValue, Context, FieldErrors, FieldPath, Rules, Shown};
use rhumb_scheme::{RegisterError, SchemeBuilder};

use crate::internal_form::internal;
use crate::meta::{Scope, immutable_field, object_meta, object_meta_update, qualified_name};

const MAX_WORD: usize = 128;
const MAX_MESSAGE: usize = 1024;
const OTHER_NAMESPACE: &str = "does not match event.namespace";

/// Registers the rules of the group's kinds.
///
/// # Errors
/// If a kind has rules already.
pub(crate) fn register(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {
    builder.rules::<Event>(Rules::create(create).update(update))?;
    Ok(())
}

/// Reports whether the request came in the core group.
fn is_core(context: &Context) -> bool {
    context.request_version.group.is_empty() && context.request_version.version == "v1"
}

fn is_lenient(context: &Context) -> bool {
    is_core(context)
        || (context.request_version.group == "events.k8s.io" && context.request_version.version == "v1beta1")
}

fn create(event: &Event, context: &Context, errors: &mut FieldErrors) {
    every_version(event, context, errors);
    if is_lenient(context) {
        return;
    }
    let metadata = FieldPath::new("metadata");
    object_meta(&event.metadata, Scope::Namespaced, name_is_dns_subdomain, &metadata, errors);
    series(event, errors);
    if event.event_time.is_zero() {
        errors.required(&FieldPath::new("eventTime"), "");
    }
    if !matches!(event.type_.as_str(), "Normal" | "Warning") {
        errors.invalid(&FieldPath::new("type"), "", &format!("has invalid value: {}", event.type_));
    }
    for (given, field) in [
        (!event.first_timestamp.is_zero(), "firstTimestamp"),
        (!event.last_timestamp.is_zero(), "lastTimestamp"),
        (event.count != 0, "count"),
        (!event.source.component.is_empty() || !event.source.host.is_empty(), "source"),
    ] {
        if given {
            errors.invalid(&FieldPath::new(field), "", "needs to be unset");
        }
    }
}

/// Of an event that was told only its series goes on.
fn update(new: &Event, old: &Event, context: &Context, errors: &mut FieldErrors) {
    every_version(new, context, errors);
    if is_lenient(context) {
        return;
    }
    object_meta_update(&new.metadata, &old.metadata, &FieldPath::new("metadata"), errors);
    if new.series != old.series {
        series(new, errors);
    }
    let mut stays = |same: bool, field: &str, value: &dyn BadValue| {
        if !same {
            errors.invalid(&FieldPath::new(field), &Shown(value.shown()), "field is immutable");
        }
    };
    let object = internal(&new.involved_object);
    stays(new.involved_object == old.involved_object, "involvedObject", &object);
    stays(new.reason == old.reason, "reason", &new.reason);
    stays(new.message == old.message, "message", &new.message);
    stays(new.source == old.source, "source", &internal(&new.source));
    stays(new.first_timestamp == old.first_timestamp, "firstTimestamp", &new.first_timestamp);
    stays(new.last_timestamp == old.last_timestamp, "lastTimestamp", &new.last_timestamp);
    stays(new.count == old.count, "count", &new.count);
    stays(new.reason == old.reason, "reason", &new.reason);
    stays(new.type_ == old.type_, "type", &new.type_);
    let to_micros = |event: &Event| (event.event_time.unix_seconds(), event.event_time.nanos() / 1000);
    stays(to_micros(new) == to_micros(old), "eventTime", &new.event_time);
    stays(new.action == old.action, "action", &new.action);
    stays(new.related == old.related, "related", &internal(&new.related));
    let path = FieldPath::new("reportingController");
    immutable_field(&new.reporting_component, &old.reporting_component, &path, errors);
    let path = FieldPath::new("reportingInstance");
    immutable_field(&new.reporting_instance, &old.reporting_instance, &path, errors);
}

fn series(event: &Event, errors: &mut FieldErrors) {
    let Some(series) = &event.series else { return };
    if series.count < 2 {
        errors.invalid(&FieldPath::new("series.count"), "", "should be at least 2");
    }
    if series.last_observed_time.is_zero() {
        errors.required(&FieldPath::new("series.lastObservedTime"), "");
    }
}

/// What holds in all versions. An event with a time to the microsecond is of the new form.
fn every_version(event: &Event, context: &Context, errors: &mut FieldErrors) {
    let (own, of_object) = (event.metadata.namespace.as_str(), event.involved_object.namespace.as_str());
    let is_new = !event.event_time.is_zero();
    let fits = match (of_object, is_new) {
        ("", true) => matches!(own, "default" | "kube-system"),
        ("", false) => matches!(own, "" | "default"),
        (_, true) => true,
        (of_object, false) => own == of_object,
    };
    if !fits {
        let path = FieldPath::new("involvedObject").child("namespace");
        errors.invalid(&path, of_object, OTHER_NAMESPACE);
    }
    if is_new {
        new_form(event, context, errors);
    }
    errors.invalid_each(&FieldPath::new("namespace"), own, is_dns1123_subdomain(own));
}

fn new_form(event: &Event, context: &Context, errors: &mut FieldErrors) {
    let controller = if is_core(context) { "reportingComponent" } else { "reportingController" };
    let path = FieldPath::new(controller);
    if event.reporting_component.is_empty() {
        errors.required(&path, "");
    }
    qualified_name(&event.reporting_component, &path, errors);
    for (word, field) in [
        (&event.reporting_instance, "reportingInstance"),
        (&event.action, "action"),
        (&event.reason, "reason"),
    ] {
        let path = FieldPath::new(field);
        if word.is_empty() {
            errors.required(&path, "");
        }
        if word.len() > MAX_WORD {
            errors.invalid(&path, "", &format!("can have at most {MAX_WORD} characters"));
        }
    }
    if event.message.len() > MAX_MESSAGE {
        let detail = format!("can have at most {MAX_MESSAGE} characters");
        errors.invalid(&FieldPath::new("message"), "", &detail);
    }
}
