//! Validation of signer names.

use rhumb_meta::validation::{is_dns1123_label, is_dns1123_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

const MAX_DOMAIN: usize = 253;
const MAX_NAME: usize = MAX_DOMAIN + 1 + 253 + 63 + 1;

/// Reports whether the name is one that the Kubernetes project keeps for itself.
pub(crate) fn is_of_kubernetes(name: &str) -> bool {
    let host = name.split_once('/').map_or(name, |(host, _)| host);
    host == "kubernetes.io" || host.ends_with(".kubernetes.io")
}

/// The name of a signer: `example.com/name`.
pub(crate) fn signer_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let parts = name.split_once('/').filter(|(_, rest)| !rest.contains('/'));
    let Some((domain, rest)) = parts else {
        let detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return errors.invalid(path, name, detail);
    };
    if domain.len() > MAX_DOMAIN {
        errors.too_long(path, MAX_DOMAIN);
    }
    first_problem(domain, is_dns1123_label, path, errors);
    if !domain.contains('.') {
        errors.invalid(path, domain, "should be a domain with at least two segments separated by dots");
    }
    first_problem(rest, is_dns1123_subdomain, path, errors);
    if name.len() > MAX_NAME {
        errors.too_long(path, MAX_NAME);
    }
}

/// Tells of the first segment that breaks a rule; more would only repeat it.
fn first_problem(segments: &str, rule: fn(&str) -> Vec<String>, path: &FieldPath, errors: &mut FieldErrors) {
    let mut broken =
        segments.split('.').map(|segment| (segment, rule(segment))).filter(|(_, e)| !e.is_empty());
    if let Some((segment, problems)) = broken.next() {
        for problem in problems {
            let detail = format!("validating label {}: {problem}", quoted(segment));
            errors.invalid(path, segments, &detail);
        }
    }
}
