//! The names of signers: a domain, a slash, and a path of one step.

use rhumb_meta::validation::{is_dns1123_label, is_dns1123_subdomain};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

const LONGEST_DOMAIN: usize = 253;
/// The path has room for a namespace and a name in it, with a dot between them.
const LONGEST_NAME: usize = LONGEST_DOMAIN + 1 + 63 + 1 + 253;

/// The name of a signer.
pub(super) fn signer_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let parts = name.split_once('/').filter(|(_, below)| !below.contains('/'));
    let Some((domain, below)) = parts else {
        let detail = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
        return errors.invalid(path, name, detail);
    };
    if domain.len() > LONGEST_DOMAIN {
        errors.too_long(path, LONGEST_DOMAIN);
    }
    first_bad_label(domain, is_dns1123_label, path, errors);
    if !domain.contains('.') {
        errors.invalid(path, domain, "should be a domain with at least two segments separated by dots");
    }
    first_bad_label(below, is_dns1123_subdomain, path, errors);
    if name.len() > LONGEST_NAME {
        errors.too_long(path, LONGEST_NAME);
    }
}

/// Whether the signer is one of Kubernetes' own.
pub(super) fn is_of_kubernetes(signer: &str) -> bool {
    let host = signer.split('/').next().unwrap_or_default();
    host == "kubernetes.io" || host.ends_with(".kubernetes.io")
}

fn first_bad_label(text: &str, rule: fn(&str) -> Vec<String>, path: &FieldPath, errors: &mut FieldErrors) {
    let found = text.split('.').map(|label| (label, rule(label))).find(|(_, found)| !found.is_empty());
    if let Some((label, found)) = found {
        for detail in found {
            errors.invalid(path, text, &format!("validating label {}: {detail}", quoted(label)));
        }
    }
}
