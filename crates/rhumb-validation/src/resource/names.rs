//! Names in the group: of pools, attributes, capacities, shares, and references to requests.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_api::resource::v1::DeviceClaim;
use rhumb_meta::validation::{is_c_identifier, is_dns1123_subdomain, regex_error};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath, Named};

use crate::core::volume_backend::csi_driver_name;
use crate::meta::dns_label;

/// The most bytes that the name of a pool, or a domain, may have.
pub(super) const MAX_POOL: usize = 253;
/// The most bytes that the part of a name behind the domain may have.
const MAX_IDENTIFIER: usize = 32;
const LOWER_DOMAIN: &str = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const DOMAIN: &str = "an RFC 1123 subdomain must consist of alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const DOMAIN_REGEX: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const NO_REQUEST: &str =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
const NOT_NORMAL: &str = "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters";

/// Whether capital letters will do.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Letters {
    Lower,
    Any,
}

/// Returns what is wrong with a domain, in the words of newer checks, which count bytes and not characters.
pub(super) fn long_name_problems(name: &str, letters: Letters) -> Vec<String> {
    let mut problems = Vec::new();
    if name.len() > MAX_POOL {
        problems.push(format!("must be no more than {MAX_POOL} bytes"));
    }
    let letter = |byte: &u8| match letters {
        Letters::Lower => byte.is_ascii_lowercase() || byte.is_ascii_digit(),
        Letters::Any => byte.is_ascii_alphanumeric(),
    };
    let is_label = |label: &str| {
        let bytes = label.as_bytes();
        bytes.first().is_some_and(letter)
            && bytes.last().is_some_and(letter)
            && bytes.iter().all(|byte| letter(byte) || *byte == b'-')
    };
    if !name.split('.').all(is_label) {
        let (rule, example) = match letters {
            Letters::Lower => (LOWER_DOMAIN, "example.com"),
            Letters::Any => (DOMAIN, "Example.com"),
        };
        problems.push(regex_error(rule, DOMAIN_REGEX, &[example]));
    }
    problems
}

/// Drivers are named as those of CSI are.
pub(super) fn driver_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    csi_driver_name(name, path, errors);
}

/// The name of a pool: domains between slashes.
pub(super) fn pool_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    if name.len() > MAX_POOL {
        errors.too_long(path, MAX_POOL);
    }
    for part in name.split('/') {
        errors.invalid_each(path, part, is_dns1123_subdomain(part));
    }
}

/// The name of an attribute or a capacity, which may have a domain in front. More than one slash goes unnoticed,
/// as in Kubernetes.
pub(super) fn qualified_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let parts: Vec<&str> = name.split('/').collect();
    match parts.as_slice() {
        [name] => identifier(name, path, errors),
        [domain, name] => {
            if domain.is_empty() {
                errors.invalid(path, "", "the domain must not be empty");
            } else {
                driver_name(domain, path, errors);
            }
            if name.is_empty() {
                errors.invalid(path, "", "the name must not be empty");
            } else {
                identifier(name, path, errors);
            }
        }
        _ => {}
    }
}

/// The name of an attribute with its domain.
pub(super) fn fully_qualified_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    qualified_name(name, path, errors);
    if !name.contains('/') {
        let detail = "a fully qualified name must be a domain and a name separated by a slash";
        errors.invalid(path, &Named(name), detail);
    }
}

fn identifier(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.len() > MAX_IDENTIFIER {
        errors.too_long(path, MAX_IDENTIFIER);
    }
    errors.invalid_each(path, name, is_c_identifier(name));
}

/// The identity of a share.
pub(super) fn share_id(id: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if let Some(problem) = uuid_problem(id) {
        errors.invalid(path, id, &format!("error validating uid: {problem}"));
    } else if id.len() != 36 || id.bytes().any(|byte| byte.is_ascii_uppercase()) {
        errors.invalid(path, id, NOT_NORMAL);
    }
}

/// Returns what is wrong with a UUID in any of the forms in which they are written.
fn uuid_problem(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let digits = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    let core = match bytes.len() {
        36 => bytes,
        45 => {
            let (prefix, rest) = bytes.split_at_checked(9)?;
            if !prefix.eq_ignore_ascii_case(b"urn:uuid:") {
                return Some(format!("invalid urn prefix: {}", quoted(prefix)));
            }
            rest
        }
        38 => match bytes {
            [b'{', inner @ .., b'}'] => inner,
            _ => return Some("invalid bracketed UUID format".to_owned()),
        },
        32 => return (!digits(bytes)).then(|| "invalid UUID format".to_owned()),
        length => return Some(format!("invalid UUID length: {length}")),
    };
    let lengths = core.split(|byte| *byte == b'-').map(<[u8]>::len);
    let is_right = lengths.eq([8, 4, 4, 4, 12]) && core.split(|byte| *byte == b'-').all(digits);
    (!is_right).then(|| "invalid UUID format".to_owned())
}

/// The requests of a claim by name, each with its alternatives.
pub(super) struct RequestNames<'a>(BTreeMap<&'a str, BTreeSet<&'a str>>);

impl<'a> RequestNames<'a> {
    pub(super) fn of(claim: &'a DeviceClaim) -> Self {
        let alternatives = |request: &'a rhumb_api::resource::v1::DeviceRequest| {
            request.first_available.iter().map(|alternative| alternative.name.as_str()).collect()
        };
        RequestNames(
            claim.requests.iter().map(|request| (request.name.as_str(), alternatives(request))).collect(),
        )
    }

    fn contain(&self, name: &str) -> bool {
        match name.split_once('/') {
            None => self.0.contains_key(name),
            Some((request, alternative)) => {
                self.0.get(request).is_some_and(|alternatives| alternatives.contains(alternative))
            }
        }
    }

    /// A reference to a request, or to one of its alternatives.
    pub(super) fn reference(&self, name: &str, path: &FieldPath, errors: &mut FieldErrors) {
        if name.split('/').count() > 2 {
            return errors.invalid(path, name, NO_REQUEST);
        }
        for part in name.split('/') {
            dns_label(part, path, errors);
        }
        if !self.contain(name) {
            errors.invalid(path, name, NO_REQUEST);
        }
    }
}

/// Formats a device, or a share of one, as an error shows it.
pub(super) fn device_id(driver: &str, pool: &str, device: &str, share: Option<&str>) -> String {
    let [driver, pool, device, share] =
        [driver, pool, device, share.unwrap_or_default()].map(|part| Named(part).shown());
    format!(r#"{{"Driver":{driver},"Pool":{pool},"Device":{device},"ShareID":{share}}}"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uuids_come_in_four_forms() {
        let normal = "01234567-89ab-cdef-0123-456789abcdef";
        let forms = [
            normal.to_owned(),
            format!("URN:uuid:{normal}"),
            format!("{{{normal}}}"),
            normal.replace('-', ""),
        ];
        for form in forms {
            assert_eq!(uuid_problem(&form), None, "{form}");
        }
        for (text, problem) in [
            ("", "invalid UUID length: 0"),
            ("(01234567-89ab-cdef-0123-456789abcdef)", "invalid bracketed UUID format"),
            ("uuid:urn:01234567-89ab-cdef-0123-456789abcdef", "invalid urn prefix: \"uuid:urn:\""),
            ("0123456-789ab-cdef-0123-456789abcdef", "invalid UUID format"),
            ("0123456789abcdef0123456789abcdeg", "invalid UUID format"),
        ] {
            assert_eq!(uuid_problem(text).as_deref(), Some(problem), "{text}");
        }
    }
}
