//! Validation of names in fields.

use rhumb_meta::validation as rules;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

/// A DNS label as of RFC 1123.
pub fn dns_label(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, rules::is_dns1123_label(value));
}

/// A DNS subdomain as of RFC 1123.
pub fn dns_subdomain(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, rules::is_dns1123_subdomain(value));
}

/// The name of a host in DNS. An IPv4 address would pass for one, but is none.
pub fn host_name(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    dns_subdomain(value, path, errors);
    no_ip(value, path, errors);
}

/// A host that is named, whatever the rest of its rules.
pub fn no_ip(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if rules::ip::parse_ip_sloppy(value).is_some() {
        errors.invalid(path, value, "must be a DNS name, not an IP address");
    }
}

/// A DNS subdomain whose labels may hold underscores.
pub fn dns_subdomain_with_underscore(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, rules::is_dns1123_subdomain_with_underscore(value));
}

/// A name, optionally behind a DNS subdomain and a slash.
pub fn qualified_name(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    errors.invalid_each(path, value, rules::is_qualified_name(value));
}

/// A domain with at least three segments.
pub fn fully_qualified_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let found = rules::is_dns1123_subdomain(name);
    if name.is_empty() {
        errors.required(path, "");
    } else if !found.is_empty() {
        errors.invalid(path, name, &found.join(","));
    } else if name.split('.').count() < 3 {
        errors.invalid(path, name, "should be a domain with at least three segments separated by dots");
    }
}

/// A domain with at least two segments, with or without the dot at its end.
pub fn fully_qualified_domain_name(name: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if name.is_empty() {
        return errors.required(path, "");
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    let found = rules::is_dns1123_subdomain(name);
    if !found.is_empty() {
        return errors.invalid(path, name, &found.join(","));
    }
    if name.split('.').count() < 2 {
        let detail = "should be a domain with at least two segments separated by dots";
        return errors.invalid(path, name, detail);
    }
    for label in name.split('.') {
        let found = rules::is_dns1123_label(label);
        if !found.is_empty() {
            return errors.invalid(path, label, &found.join(","));
        }
    }
}

/// A domain and, behind a slash, a path: `acme.io/foo`.
pub fn domain_prefixed_path(value: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if value.is_empty() {
        return errors.required(path, "");
    }
    let parts = value.split_once('/').filter(|(host, below)| !host.is_empty() && !below.is_empty());
    let Some((host, below)) = parts else {
        return errors.invalid(path, value, r#"must be a domain-prefixed path (such as "acme.io/foo")"#);
    };
    errors.invalid_each(path, host, rules::is_dns1123_subdomain(host));
    let legal = |byte: u8| byte.is_ascii_alphanumeric() || b"/-._~%!$&'()*+,;=:".contains(&byte);
    if !below.bytes().all(legal) {
        let detail = rules::regex_error("Invalid path", r"[A-Za-z0-9/\-._~%!$&'()*+,;=:]+", &[]);
        errors.invalid(path, below, &detail);
    }
}

/// A domain and, behind a slash, a name: `acme.io/foo`.
pub fn domain_prefixed_key(key: &str, path: &FieldPath, errors: &mut FieldErrors) {
    if key.is_empty() {
        return errors.required(path, "");
    }
    let found = rules::is_qualified_name(key);
    if found.is_empty() && !key.contains('/') {
        return errors.invalid(path, key, r#"must be a domain-prefixed key (such as "acme.io/foo")"#);
    }
    errors.invalid_each(path, key, found);
}
