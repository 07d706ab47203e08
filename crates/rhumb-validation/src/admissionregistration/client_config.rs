//! Where a webhook is: the rules for its URL or service, wherever webhooks are registered.

use rhumb_meta::validation::{is_dns1123_subdomain, is_valid_port_num};
use rhumb_scheme::validation::{FieldErrors, FieldPath};

use super::url::Url;

const FORM: &str = "; desired format: https://host[/path]";

/// The words that changed since webhooks took audit events too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wording {
    /// Today's.
    Current,
    /// Those of the release that had audit sinks last.
    AuditSinks,
}

/// A webhook is reached by its URL or its service.
pub fn client_config(
    url: Option<&String>,
    service: Option<&WebhookService<'_>>,
    wording: Wording,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    match (url, service) {
        (Some(url), None) => webhook_url(url, wording, &path.child("url"), errors),
        (None, Some(service)) => webhook_service(service, wording, &path.child("service"), errors),
        _ => errors.required(path, "exactly one of url or service is required"),
    }
}

/// The URL of a webhook: a host, perhaps a port and a path. Audit events may go without TLS.
pub fn webhook_url(text: &str, wording: Wording, path: &FieldPath, errors: &mut FieldErrors) {
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return errors.required(path, &format!("url must be a valid URL: {error}{FORM}")),
    };
    if wording == Wording::Current && url.scheme != "https" {
        errors.invalid(path, &url.scheme, &format!("'https' is the only allowed URL scheme{FORM}"));
    }
    if url.host.is_empty() {
        let participle = if wording == Wording::Current { "specified" } else { "provided" };
        errors.invalid(path, &url.host, &format!("host must be {participle}{FORM}"));
    }
    if let Some(user) = &url.user {
        errors.invalid(path, user, "user information is not permitted in the URL");
    }
    if !url.fragment.is_empty() {
        errors.invalid(path, &url.fragment, "fragments are not permitted in the URL");
    }
    if !url.query.is_empty() {
        errors.invalid(path, &url.query, "query parameters are not permitted in the URL");
    }
}

/// A service that answers for a webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookService<'a> {
    /// The service's namespace.
    pub namespace: &'a str,
    /// The service's name.
    pub name: &'a str,
    /// The path of the URL.
    pub path: Option<&'a str>,
    /// The service's port.
    pub port: i32,
}

/// The service of a webhook.
pub fn webhook_service(
    service: &WebhookService<'_>,
    wording: Wording,
    path: &FieldPath,
    errors: &mut FieldErrors,
) {
    // Kubernetes confuses the two: a missing namespace is told at the name, and a missing name at the namespace.
    let (first, second) = match wording {
        Wording::Current => (("name", service.namespace, ""), ("namespace", service.name, "")),
        Wording::AuditSinks => (
            ("name", service.namespace, "service name is required"),
            ("namespace", service.name, "service namespace is required"),
        ),
    };
    for (field, value, detail) in [first, second] {
        if value.is_empty() {
            errors.required(&path.child(field), detail);
        }
    }
    let found = is_valid_port_num(i64::from(service.port));
    if !found.is_empty() {
        let detail = format!("port is not valid: {}", found.join(", "));
        errors.invalid(&path.child("port"), &service.port, &detail);
    }
    if let Some(text) = service.path {
        url_path(text, &path.child("path"), errors);
    }
}

fn url_path(text: &str, path: &FieldPath, errors: &mut FieldErrors) {
    match text {
        "" | "/" => return,
        "//" => return errors.invalid(path, text, "segment[0] may not be empty"),
        _ => {}
    }
    if !text.starts_with('/') {
        errors.invalid(path, text, "must start with a '/'");
    }
    // The first character goes, whatever it is.
    let steps = text.char_indices().nth(1).and_then(|(start, _)| text.get(start..)).unwrap_or_default();
    let steps = steps.strip_suffix('/').unwrap_or(steps);
    for (index, step) in steps.split('/').enumerate() {
        if step.is_empty() {
            errors.invalid(path, text, &format!("segment[{index}] may not be empty"));
            continue;
        }
        for detail in is_dns1123_subdomain(step) {
            errors.invalid(path, text, &format!("segment[{index}]: {detail}"));
        }
    }
}
