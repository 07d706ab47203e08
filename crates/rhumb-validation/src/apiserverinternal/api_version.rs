//! Validation of `apiVersion` values.

use rhumb_meta::validation::{empty_error, is_dns1035_label, is_dns1123_subdomain, regex_error};

const RULE: &str = "a DNS-1035 label, which must consist of lower case alphanumeric characters or '-', start with an \
    alphabetic character, and end with an alphanumeric character";

/// Checks a version, optionally behind a group and a slash.
pub(super) fn is_api_version(text: &str) -> Vec<String> {
    let (group, version) = match text.split('/').collect::<Vec<_>>().as_slice() {
        [version] => (None, *version),
        [group, version] => (Some(*group), *version),
        _ => {
            let rule = regex_error(RULE, "[a-z]([-a-z0-9]*[a-z0-9])?", &["my-name", "abc-123"]);
            return vec![format!(
                "an apiVersion is {rule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyVersion')"
            )];
        }
    };
    let group = group.map(|group| part("group", group, is_dns1123_subdomain)).unwrap_or_default();
    group.into_iter().chain(part("version", version, is_dns1035_label)).collect()
}

fn part(name: &str, text: &str, rule: fn(&str) -> Vec<String>) -> Vec<String> {
    let found = if text.is_empty() { vec![empty_error()] } else { rule(text) };
    found.into_iter().map(|error| format!("{name} part: {error}")).collect()
}
