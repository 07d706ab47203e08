//! Validation of names and other short texts.
//!
//! Each rule returns what is wrong as a list of messages, empty when the text is legal. The messages reach
//! users inside field errors, so their wording is fixed; each names the regular expression that defines the
//! rule, while the check itself is a loop over bytes. Which field holds which kind of name is the business of
//! the types.

use std::collections::BTreeMap;

pub mod ip;
#[cfg(test)]
mod tests;

/// Maximum length of an RFC 1123 DNS label in bytes.
pub const DNS1123_LABEL_MAX_LENGTH: usize = 63;
/// Maximum length of an RFC 1123 DNS subdomain in bytes.
pub const DNS1123_SUBDOMAIN_MAX_LENGTH: usize = 253;
/// Maximum length of an RFC 1035 DNS label in bytes.
pub const DNS1035_LABEL_MAX_LENGTH: usize = 63;
/// Maximum length of the name part of a label or annotation key in bytes.
pub const LABEL_NAME_MAX_LENGTH: usize = 63;
/// Maximum length of a label value in bytes.
pub const LABEL_VALUE_MAX_LENGTH: usize = 63;
/// Maximum length of a port name in bytes.
pub const PORT_NAME_MAX_LENGTH: usize = 15;
/// Maximum total size of an object's annotations: 256 KiB.
pub const TOTAL_ANNOTATION_SIZE_LIMIT: usize = 256 * 1024;

/// Whether a text is a whole name or a prefix that the server completes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NamePart {
    /// The entire name.
    Whole,
    /// A prefix as in `generateName`; it may end with a dash because more follows.
    Prefix,
}

/// Validation of object names of a type.
pub type NameRule = fn(&str, NamePart) -> Vec<String>;

const DNS1123_LABEL_REGEX: &str = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const DNS1123_LABEL_RULE: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric \
    characters or '-', and must start and end with an alphanumeric character";
const DNS1123_SUBDOMAIN_REGEX: &str = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const DNS1123_SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case \
    alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
const UNDERSCORE_SUBDOMAIN_REGEX: &str =
    r"_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*";
const UNDERSCORE_SUBDOMAIN_RULE: &str = "a lowercase RFC 1123 subdomain must consist of lower case \
    alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character";
const WILDCARD_SUBDOMAIN_REGEX: &str = r"\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*";
const WILDCARD_SUBDOMAIN_RULE: &str = "a wildcard DNS-1123 subdomain must start with '*.', followed by a \
    valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with \
    an alphanumeric character";
const DNS1035_LABEL_REGEX: &str = "[a-z]([-a-z0-9]*[a-z0-9])?";
const DNS1035_LABEL_RULE: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or \
    '-', start with an alphabetic character, and end with an alphanumeric character";
const LABEL_NAME_REGEX: &str = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const LABEL_NAME_RULE: &str = "must consist of alphanumeric characters, '-', '_' or '.', and must start \
    and end with an alphanumeric character";
const LABEL_VALUE_REGEX: &str = "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?";
const LABEL_VALUE_RULE: &str = "a valid label must be an empty string or consist of alphanumeric \
    characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const C_IDENTIFIER_RULE: &str = "a valid C identifier must start with alphabetic character or '_', \
    followed by a string of alphanumeric characters or '_'";
const ENV_VAR_NAME_RULE: &str = "a valid environment variable name must consist of alphabetic characters, \
    digits, '_', '-', or '.', and must not start with a digit";
const RELAXED_ENV_VAR_NAME_RULE: &str = "a valid environment variable name must consist only of printable \
    ASCII characters other than '='";

/// Checks a DNS label as of RFC 1123, in lower case: the names of namespaces and many others.
pub fn is_dns1123_label(value: &str) -> Vec<String> {
    dns1123_label_errors(value.as_bytes())
}

/// Checks a DNS subdomain as of RFC 1123, in lower case: the names of most objects.
pub fn is_dns1123_subdomain(value: &str) -> Vec<String> {
    dns1123_subdomain_errors(value.as_bytes())
}

/// Checks a DNS subdomain whose labels may also hold underscores, as service records have them.
pub fn is_dns1123_subdomain_with_underscore(value: &str) -> Vec<String> {
    let mut errors = too_many_characters(value.as_bytes(), DNS1123_SUBDOMAIN_MAX_LENGTH);
    if !value.as_bytes().split(|b| *b == b'.').all(underscore_label) {
        errors.push(regex_error(UNDERSCORE_SUBDOMAIN_RULE, UNDERSCORE_SUBDOMAIN_REGEX, &["example.com"]));
    }
    errors
}

/// Checks a DNS subdomain below a wildcard: `*.example.com`.
pub fn is_wildcard_dns1123_subdomain(value: &str) -> Vec<String> {
    let mut errors = too_many_characters(value.as_bytes(), DNS1123_SUBDOMAIN_MAX_LENGTH);
    if !value.strip_prefix("*.").is_some_and(|domain| dns1123_subdomain(domain.as_bytes())) {
        errors.push(regex_error(WILDCARD_SUBDOMAIN_RULE, WILDCARD_SUBDOMAIN_REGEX, &["*.example.com"]));
    }
    errors
}

/// Checks a DNS label as of RFC 1035, which doesn't start with a digit: the names of services.
pub fn is_dns1035_label(value: &str) -> Vec<String> {
    dns1035_label_errors(value.as_bytes())
}

/// Checks the key of a label: a name, optionally behind a DNS subdomain and a slash.
pub fn is_qualified_name(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let examples = ["MyName", "my.name", "123-abc"];
    let (prefix, name) = match value.split_once('/') {
        None => (None, value),
        Some((_, name)) if name.contains('/') => {
            let rule = regex_error(LABEL_NAME_RULE, LABEL_NAME_REGEX, &examples);
            let prefix = "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
            return vec![format!("a valid label key {rule} {prefix}")];
        }
        Some((prefix, name)) => (Some(prefix), name),
    };
    match prefix {
        None => {}
        Some("") => errors.push(format!("prefix part {}", empty_error())),
        Some(prefix) => {
            if prefix.len() > DNS1123_SUBDOMAIN_MAX_LENGTH {
                errors.push(format!("prefix part {}", max_bytes_error(DNS1123_SUBDOMAIN_MAX_LENGTH)));
            }
            if !dns1123_subdomain(prefix.as_bytes()) {
                let rule = regex_error(DNS1123_SUBDOMAIN_RULE, DNS1123_SUBDOMAIN_REGEX, &["example.com"]);
                errors.push(format!("prefix part {rule}"));
            }
        }
    }
    if name.is_empty() {
        errors.push(format!("name part {}", empty_error()));
    } else if name.len() > LABEL_NAME_MAX_LENGTH {
        errors.push(format!("name part {}", max_bytes_error(LABEL_NAME_MAX_LENGTH)));
    }
    if !label_name(name.as_bytes()) {
        errors.push(format!("name part {}", regex_error(LABEL_NAME_RULE, LABEL_NAME_REGEX, &examples)));
    }
    errors
}

/// Checks the key of an annotation: a qualified name whose prefix may also be in upper case.
pub fn is_annotation_key(value: &str) -> Vec<String> {
    is_qualified_name(&value.chars().map(lower_case).collect::<String>())
}

/// Checks the value of a label.
pub fn is_valid_label_value(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.len() > LABEL_VALUE_MAX_LENGTH {
        errors.push(max_bytes_error(LABEL_VALUE_MAX_LENGTH));
    }
    if !value.is_empty() && !label_name(value.as_bytes()) {
        errors.push(regex_error(LABEL_VALUE_RULE, LABEL_VALUE_REGEX, &["MyValue", "my_value", "12345"]));
    }
    errors
}

/// Says whether annotations are too large together, and how large they are.
pub fn annotations_size_error(annotations: &BTreeMap<String, String>) -> Option<String> {
    let total: usize = annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
    (total > TOTAL_ANNOTATION_SIZE_LIMIT)
        .then(|| format!("annotations size {total} is larger than limit {TOTAL_ANNOTATION_SIZE_LIMIT}"))
}

/// Checks an identifier of the C language.
pub fn is_c_identifier(value: &str) -> Vec<String> {
    let letter = |b: u8| b.is_ascii_alphabetic() || b == b'_';
    match value.as_bytes() {
        [first, rest @ ..] if letter(*first) && rest.iter().all(|b| letter(*b) || b.is_ascii_digit()) => {
            vec![]
        }
        _ => {
            let examples = ["my_name", "MY_NAME", "MyName"];
            vec![regex_error(C_IDENTIFIER_RULE, "[A-Za-z_][A-Za-z0-9_]*", &examples)]
        }
    }
}

/// Checks the number of a port; zero is none.
pub fn is_valid_port_num(port: i64) -> Vec<String> {
    is_in_range(port, 1, 65535)
}

/// Checks the number of a Unix user.
pub fn is_valid_user_id(uid: i64) -> Vec<String> {
    is_in_range(uid, 0, i64::from(i32::MAX))
}

/// Checks the number of a Unix group.
pub fn is_valid_group_id(gid: i64) -> Vec<String> {
    is_in_range(gid, 0, i64::from(i32::MAX))
}

/// Checks that a number lies between two others or equals one of them.
pub fn is_in_range(value: i64, min: i64, max: i64) -> Vec<String> {
    if (min..=max).contains(&value) { vec![] } else { vec![inclusive_range_error(min, max)] }
}

/// Checks the name of a port.
pub fn is_valid_port_name(port: &str) -> Vec<String> {
    let mut errors = too_many_characters(port.as_bytes(), PORT_NAME_MAX_LENGTH);
    let mut broken = |is_broken: bool, rule: &str| {
        if is_broken {
            errors.push(rule.to_owned());
        }
    };
    broken(
        port.is_empty() || !port.bytes().all(lower_or_dash),
        "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)",
    );
    broken(!port.bytes().any(|b| b.is_ascii_lowercase()), "must contain at least one letter (a-z)");
    broken(port.contains("--"), "must not contain consecutive hyphens");
    broken(port.starts_with('-') || port.ends_with('-'), "must not begin or end with a hyphen");
    errors
}

/// Checks a percentage: digits and a percent sign.
pub fn is_valid_percent(percent: &str) -> Vec<String> {
    match percent.strip_suffix('%') {
        Some(number) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => vec![],
        _ => vec![regex_error(
            "a valid percent string must be a numeric string followed by an ending '%'",
            "[0-9]+%",
            &["1%", "93%"],
        )],
    }
}

/// Checks the name of an HTTP header.
pub fn is_http_header_name(value: &str) -> Vec<String> {
    if !value.is_empty() && value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
        return vec![];
    }
    let rule = "a valid HTTP header must consist of alphanumeric characters or '-'";
    vec![regex_error(rule, "[-A-Za-z0-9]+", &["X-Header-Name"])]
}

/// Checks the name of an environment variable by the strict rule, that of a portable name with dots and
/// dashes.
pub fn is_env_var_name(value: &str) -> Vec<String> {
    let mut errors = Vec::new();
    if value.is_empty()
        || value.starts_with(|c: char| c.is_ascii_digit())
        || !value.bytes().all(key_character)
    {
        let examples = ["my.env-name", "MY_ENV.NAME", "MyEnvName1"];
        errors.push(regex_error(ENV_VAR_NAME_RULE, "[-._a-zA-Z][-._a-zA-Z0-9]*", &examples));
    }
    errors.extend(directory_name_error(value));
    errors
}

/// Checks the name of an environment variable by the relaxed rule, which refuses only what cannot work.
pub fn is_relaxed_env_var_name(value: &str) -> Vec<String> {
    if value.is_empty() {
        vec![format!("environment variable name {}", empty_error())]
    } else if !value.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'=') {
        vec![RELAXED_ENV_VAR_NAME_RULE.to_owned()]
    } else {
        vec![]
    }
}

/// Checks the key of an entry in a config map or a secret.
pub fn is_config_map_key(value: &str) -> Vec<String> {
    let mut errors = too_many_characters(value.as_bytes(), DNS1123_SUBDOMAIN_MAX_LENGTH);
    if value.is_empty() || !value.bytes().all(key_character) {
        let rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
        errors.push(regex_error(rule, "[-._a-zA-Z0-9]+", &["key.name", "KEY_NAME", "key-name"]));
    }
    errors.extend(directory_name_error(value));
    errors
}

/// Checks an integer in decimal notation without a plus sign or needless zeros.
pub fn is_decimal_integer(value: &str) -> Vec<String> {
    let wrong = match value.as_bytes() {
        [] => return vec![empty_error()],
        b"0" => false,
        [b'-', digits @ ..] | digits => {
            digits.first().is_none_or(|b| *b == b'0') || !digits.iter().all(u8::is_ascii_digit)
        }
    };
    if wrong { vec!["must be a valid decimal integer in canonical form".to_owned()] } else { vec![] }
}

/// Checks a name that stands in a URL path: the weakest rule a name of an object can have.
///
/// The empty name passes: callers ask for a name separately.
pub fn is_path_segment_name(name: &str) -> Vec<String> {
    match name {
        "." | ".." => vec![format!("may not be '{name}'")],
        _ => is_path_segment_prefix(name),
    }
}

/// Checks the start of a name that will stand in a URL path.
pub fn is_path_segment_prefix(name: &str) -> Vec<String> {
    let forbidden = ['/', '%'].into_iter().filter(|c| name.contains(*c));
    forbidden.map(|c| format!("may not contain '{c}'")).collect()
}

/// Returns the [`NameRule`] of objects whose name stands in a URL path and is not restricted further.
pub fn name_is_path_segment(name: &str, part: NamePart) -> Vec<String> {
    match part {
        NamePart::Whole => is_path_segment_name(name),
        NamePart::Prefix => is_path_segment_prefix(name),
    }
}

/// Returns the [`NameRule`] of objects whose name is a DNS subdomain.
pub fn name_is_dns_subdomain(name: &str, part: NamePart) -> Vec<String> {
    dns1123_subdomain_errors(&completed(name, part))
}

/// Returns the [`NameRule`] of objects whose name is a DNS label as of RFC 1123.
pub fn name_is_dns_label(name: &str, part: NamePart) -> Vec<String> {
    dns1123_label_errors(&completed(name, part))
}

/// Returns the [`NameRule`] of objects whose name is a DNS label as of RFC 1035.
pub fn name_is_dns1035_label(name: &str, part: NamePart) -> Vec<String> {
    dns1035_label_errors(&completed(name, part))
}

/// Returns the message about a text that is too long.
pub fn max_len_error(length: usize) -> String {
    format!("must be no more than {length} characters")
}

/// Returns the message about an empty text where there must be some.
pub fn empty_error() -> String {
    "must be non-empty".to_owned()
}

/// Returns the message about a number outside its range.
pub fn inclusive_range_error(low: i64, high: i64) -> String {
    format!("must be between {low} and {high}, inclusive")
}

/// Returns the message about a text that doesn't have its required form, with examples of texts that do.
pub fn regex_error(rule: &str, regex: &str, examples: &[&str]) -> String {
    if examples.is_empty() {
        return format!("{rule} (regex used for validation is '{regex}')");
    }
    let examples: Vec<String> = examples.iter().map(|example| format!("'{example}', ")).collect();
    format!("{rule} (e.g. {}regex used for validation is '{regex}')", examples.join(" or "))
}

// Labels speak of bytes where the older rules speak of characters; both count bytes.
fn max_bytes_error(length: usize) -> String {
    format!("must be no more than {length} bytes")
}

fn too_many_characters(value: &[u8], limit: usize) -> Vec<String> {
    if value.len() > limit { vec![max_len_error(limit)] } else { vec![] }
}

fn dns1123_label_errors(value: &[u8]) -> Vec<String> {
    let mut errors = too_many_characters(value, DNS1123_LABEL_MAX_LENGTH);
    if dns1123_label(value) {
        return errors;
    }
    // A legal subdomain that is no label can only be so because of its dots, and saying that helps more.
    errors.push(if dns1123_subdomain(value) {
        "must not contain dots".to_owned()
    } else {
        regex_error(DNS1123_LABEL_RULE, DNS1123_LABEL_REGEX, &["my-name", "123-abc"])
    });
    errors
}

fn dns1123_subdomain_errors(value: &[u8]) -> Vec<String> {
    let mut errors = too_many_characters(value, DNS1123_SUBDOMAIN_MAX_LENGTH);
    if !dns1123_subdomain(value) {
        errors.push(regex_error(DNS1123_SUBDOMAIN_RULE, DNS1123_SUBDOMAIN_REGEX, &["example.com"]));
    }
    errors
}

fn dns1035_label_errors(value: &[u8]) -> Vec<String> {
    let mut errors = too_many_characters(value, DNS1035_LABEL_MAX_LENGTH);
    if !(dns1123_label(value) && value.first().is_some_and(u8::is_ascii_lowercase)) {
        errors.push(regex_error(DNS1035_LABEL_RULE, DNS1035_LABEL_REGEX, &["my-name", "abc-123"]));
    }
    errors
}

/// Replaces the dash that a prefix may end with, so that the rule for whole names can be applied.
///
/// The byte before the dash goes too, whatever it is: existing objects were admitted by that rule. The result
/// is bytes because that byte may be the end of a longer character.
fn completed(name: &str, part: NamePart) -> Vec<u8> {
    let mut bytes = name.as_bytes().to_vec();
    if part == NamePart::Prefix && bytes.len() > 1 && bytes.ends_with(b"-") {
        bytes.truncate(bytes.len() - 2);
        bytes.push(b'a');
    }
    bytes
}

fn directory_name_error(value: &str) -> Option<String> {
    match value {
        "." | ".." => Some(format!("must not be '{value}'")),
        _ => value.starts_with("..").then(|| "must not start with '..'".to_owned()),
    }
}

/// Lowers one character to exactly one, which `char::to_lowercase` does for all but the dotted capital I.
fn lower_case(c: char) -> char {
    if c == '\u{130}' { 'i' } else { c.to_lowercase().next().unwrap_or(c) }
}

/// Reports whether the text is made of inner bytes and has an end byte at either end.
fn enclosed(value: &[u8], end: fn(u8) -> bool, inner: fn(u8) -> bool) -> bool {
    match value {
        [] => false,
        [only] => end(*only),
        [first, middle @ .., last] => end(*first) && end(*last) && middle.iter().all(|b| inner(*b)),
    }
}

fn dns1123_label(value: &[u8]) -> bool {
    enclosed(value, lower_alphanumeric, lower_or_dash)
}

fn dns1123_subdomain(value: &[u8]) -> bool {
    value.split(|b| *b == b'.').all(dns1123_label)
}

fn underscore_label(value: &[u8]) -> bool {
    let rest = value.strip_prefix(b"_").unwrap_or(value);
    enclosed(rest, lower_alphanumeric, |b| lower_or_dash(b) || b == b'_')
}

fn label_name(value: &[u8]) -> bool {
    enclosed(value, |b| b.is_ascii_alphanumeric(), key_character)
}

fn lower_alphanumeric(b: u8) -> bool {
    b.is_ascii_lowercase() || b.is_ascii_digit()
}

fn lower_or_dash(b: u8) -> bool {
    lower_alphanumeric(b) || b == b'-'
}

fn key_character(b: u8) -> bool {
    b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.')
}
