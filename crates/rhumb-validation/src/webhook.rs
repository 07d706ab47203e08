//! Where a webhook is, and whose certificates it shows: the rules for its URL, service and authorities, wherever
//! webhooks are registered. What is sent to a webhook is the business of the groups that register them.

use rhumb_api::certificates::x509::{CERTIFICATE, Certificate, PemBlock};
use rhumb_meta::url::Url;
use rhumb_meta::validation::{is_dns1123_subdomain, is_valid_port_num};
use rhumb_schema::ByteString;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

const FORM: &str = "; desired format: https://host[/path]";

/// The words that changed since webhooks took audit events too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wording {
    /// Today's.
    Current,
    /// Those of the release that had audit sinks last.
    AuditSinks,
}

/// A webhook is reached by its URL or its service.
pub(crate) fn client_config(
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
fn webhook_url(text: &str, wording: Wording, path: &FieldPath, errors: &mut FieldErrors) {
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
pub(crate) struct WebhookService<'a> {
    /// The service's namespace.
    pub(crate) namespace: &'a str,
    /// The service's name.
    pub(crate) name: &'a str,
    /// The path of the URL.
    pub(crate) path: Option<&'a str>,
    /// The service's port.
    pub(crate) port: i32,
}

/// The service of a webhook.
fn webhook_service(
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

/// The certificates of the authorities that a webhook's own is checked with: there must be one, if anything is given.
pub(crate) fn ca_bundle(bundle: &ByteString, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(problem) = ca_bundle_problem(&bundle.0) {
        errors.invalid(path, bundle, &format!("unable to load root certificates: {problem}"));
    }
}

/// Returns what keeps a bundle from being used, in the words of Kubernetes' client library. One good certificate is
/// enough, wherever it stands; without any, the first that is wrong is told.
pub(crate) fn ca_bundle_problem(bundle: &[u8]) -> Option<String> {
    if bundle.is_empty() {
        return None;
    }
    let mut first_fault = None;
    let mut blocks = PemBlock::all(bundle);
    for block in blocks.by_ref().filter(|block| block.label == CERTIFICATE && block.headers == 0) {
        match Certificate::from_der(&block.bytes) {
            Ok(_) => return None,
            Err(fault) => _ = first_fault.get_or_insert(fault),
        }
    }
    Some(match first_fault {
        Some(fault) => format!("failed to parse certificate: {fault}"),
        None if blocks.rest().is_empty() => "no valid certificate authority data seen".to_owned(),
        None => "unable to parse bytes as PEM block".to_owned(),
    })
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

#[cfg(test)]
mod tests {
    use super::ca_bundle_problem;

    #[test]
    fn a_bundle_has_a_certificate() {
        let block =
            |label: &str, body: &str| format!("-----BEGIN {label}-----\n{body}\n-----END {label}-----\n");
        let problem = |text: &str| ca_bundle_problem(text.as_bytes()).unwrap_or_default();
        assert_eq!(problem(""), "");
        assert_eq!(problem("xx"), "unable to parse bytes as PEM block");
        assert_eq!(problem(&block("KEY", "MAA=")), "no valid certificate authority data seen");
        assert_eq!(problem(&(block("KEY", "MAA=") + "x")), "unable to parse bytes as PEM block");
        assert!(
            problem(&block("CERTIFICATE", "eHg="))
                .starts_with("failed to parse certificate: x509: malformed")
        );
    }
}
