//! The expected messages are what Kubernetes 1.36 answers for the same input.

use super::*;

const LABEL: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const SUBDOMAIN: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const UNDERSCORE: &str = r"a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const WILDCARD: &str = r"a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const LABEL_1035: &str = "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
const KEY: &str = "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')";
const KEY_NAME: &str = "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const KEY_PREFIX: &str = r"prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const VALUE: &str = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const IDENTIFIER: &str = "a valid C identifier must start with alphabetic character or '_', followed by a string of alphanumeric characters or '_' (e.g. 'my_name',  or 'MY_NAME',  or 'MyName', regex used for validation is '[A-Za-z_][A-Za-z0-9_]*')";
const PERCENT: &str = "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
const HEADER: &str = "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')";
const ENV: &str = "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')";
const RELAXED_ENV: &str =
    "a valid environment variable name must consist only of printable ASCII characters other than '='";
const CONFIG_KEY: &str = "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
const PORT_CHARACTERS: &str = "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)";
const PORT_LETTER: &str = "must contain at least one letter (a-z)";
const NOT_DECIMAL: &str = "must be a valid decimal integer in canonical form";

fn check(rule: fn(&str) -> Vec<String>, text: &str, expect: &[&str]) {
    assert_eq!(rule(text), expect, "{text:?}");
}

fn check_prefix(rule: NameRule, text: &str, expect: &[&str]) {
    assert_eq!(rule(text, NamePart::Prefix), expect, "{text:?}");
}

#[test]
fn dns1123_labels() {
    check(is_dns1123_label, "a", &[]);
    check(is_dns1123_label, "0", &[]);
    check(is_dns1123_label, "a-b", &[]);
    check(is_dns1123_label, "a--b", &[]);
    check(is_dns1123_label, "", &[LABEL]);
    check(is_dns1123_label, "-a", &[LABEL]);
    check(is_dns1123_label, "a-", &[LABEL]);
    check(is_dns1123_label, "A", &[LABEL]);
    check(is_dns1123_label, "a.b", &["must not contain dots"]);
    check(is_dns1123_label, "a_b", &[LABEL]);
    check(is_dns1123_label, "a b", &[LABEL]);
    check(is_dns1123_label, "é", &[LABEL]);
    check(is_dns1123_label, "a\n", &[LABEL]);
    check(is_dns1123_label, &"a".repeat(63), &[]);
    check(is_dns1123_label, &"a".repeat(64), &["must be no more than 63 characters"]);
    check(
        is_dns1123_label,
        &("a.".repeat(40) + "a"),
        &["must be no more than 63 characters", "must not contain dots"],
    );
}

#[test]
fn dns1123_subdomains() {
    check(is_dns1123_subdomain, "a", &[]);
    check(is_dns1123_subdomain, "a.b-c.0", &[]);
    check(is_dns1123_subdomain, "", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, ".", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "a..b", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, ".a", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "a.", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "a.-b", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "a-.b", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "A.b", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "a_b", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, "*.a", &[SUBDOMAIN]);
    check(is_dns1123_subdomain, &"a".repeat(253), &[]);
    check(is_dns1123_subdomain, &"a".repeat(254), &["must be no more than 253 characters"]);
    check(
        is_dns1123_subdomain,
        &("a".repeat(254) + "_"),
        &["must be no more than 253 characters", SUBDOMAIN],
    );
}

#[test]
fn subdomains_with_underscores() {
    check(is_dns1123_subdomain_with_underscore, "a", &[]);
    check(is_dns1123_subdomain_with_underscore, "_a._b", &[]);
    check(is_dns1123_subdomain_with_underscore, "a_b", &[]);
    check(is_dns1123_subdomain_with_underscore, "__a", &[UNDERSCORE]);
    check(is_dns1123_subdomain_with_underscore, "a_", &[UNDERSCORE]);
    check(is_dns1123_subdomain_with_underscore, "_", &[UNDERSCORE]);
    check(is_dns1123_subdomain_with_underscore, "", &[UNDERSCORE]);
    check(is_dns1123_subdomain_with_underscore, "-a", &[UNDERSCORE]);
    check(is_dns1123_subdomain_with_underscore, "_a-.b", &[UNDERSCORE]);
    check(is_dns1123_subdomain_with_underscore, &"a".repeat(254), &["must be no more than 253 characters"]);
}

#[test]
fn wildcards() {
    check(is_wildcard_dns1123_subdomain, "*.a", &[]);
    check(is_wildcard_dns1123_subdomain, "*.a.b", &[]);
    check(is_wildcard_dns1123_subdomain, "*", &[WILDCARD]);
    check(is_wildcard_dns1123_subdomain, "*.", &[WILDCARD]);
    check(is_wildcard_dns1123_subdomain, "*a", &[WILDCARD]);
    check(is_wildcard_dns1123_subdomain, "a.*", &[WILDCARD]);
    check(is_wildcard_dns1123_subdomain, "*.*.a", &[WILDCARD]);
    check(is_wildcard_dns1123_subdomain, "", &[WILDCARD]);
    check(is_wildcard_dns1123_subdomain, "*.A", &[WILDCARD]);
}

#[test]
fn dns1035_labels() {
    check(is_dns1035_label, "a", &[]);
    check(is_dns1035_label, "a1", &[]);
    check(is_dns1035_label, "a-1", &[]);
    check(is_dns1035_label, "1a", &[LABEL_1035]);
    check(is_dns1035_label, "", &[LABEL_1035]);
    check(is_dns1035_label, "-a", &[LABEL_1035]);
    check(is_dns1035_label, "a-", &[LABEL_1035]);
    check(is_dns1035_label, "a.b", &[LABEL_1035]);
    check(is_dns1035_label, "A", &[LABEL_1035]);
    check(is_dns1035_label, &"a".repeat(64), &["must be no more than 63 characters"]);
}

#[test]
fn label_keys() {
    check(is_qualified_name, "a", &[]);
    check(is_qualified_name, "A.b_c-0", &[]);
    check(is_qualified_name, "example.com/A", &[]);
    check(is_qualified_name, "", &["name part must be non-empty", KEY_NAME]);
    check(
        is_qualified_name,
        "/",
        &["prefix part must be non-empty", "name part must be non-empty", KEY_NAME],
    );
    check(is_qualified_name, "/a", &["prefix part must be non-empty"]);
    check(is_qualified_name, "a/", &["name part must be non-empty", KEY_NAME]);
    check(is_qualified_name, "a/b/c", &[KEY]);
    check(is_qualified_name, "_a", &[KEY_NAME]);
    check(is_qualified_name, "a_", &[KEY_NAME]);
    check(is_qualified_name, "é", &[KEY_NAME]);
    check(is_qualified_name, "A/b", &[KEY_PREFIX]);
    check(is_qualified_name, "a..b/c", &[KEY_PREFIX]);
    check(is_qualified_name, "a b", &[KEY_NAME]);
    check(is_qualified_name, &"a".repeat(63), &[]);
    check(is_qualified_name, &"a".repeat(64), &["name part must be no more than 63 bytes"]);
    check(
        is_qualified_name,
        &("a/".to_owned() + &"a".repeat(64)),
        &["name part must be no more than 63 bytes"],
    );
    check(is_qualified_name, "A_/-", &[KEY_PREFIX, KEY_NAME]);
    check(is_qualified_name, &("a.".repeat(127) + "a/b"), &["prefix part must be no more than 253 bytes"]);
}

#[test]
fn annotation_keys() {
    check(is_annotation_key, "a", &[]);
    check(is_annotation_key, "Example.COM/a", &[]);
    check(is_annotation_key, "", &["name part must be non-empty", KEY_NAME]);
    check(is_annotation_key, "a/b/c", &[KEY]);
    check(is_annotation_key, "-", &[KEY_NAME]);
    check(is_annotation_key, "\u{130}/\u{212a}", &[]);
    check(is_annotation_key, "É/a", &[KEY_PREFIX]);
}

#[test]
fn label_values() {
    check(is_valid_label_value, "", &[]);
    check(is_valid_label_value, "a", &[]);
    check(is_valid_label_value, "A.b_c-0", &[]);
    check(is_valid_label_value, "-a", &[VALUE]);
    check(is_valid_label_value, "a.", &[VALUE]);
    check(is_valid_label_value, "a/b", &[VALUE]);
    check(is_valid_label_value, " ", &[VALUE]);
    check(is_valid_label_value, "é", &[VALUE]);
    check(is_valid_label_value, &"a".repeat(63), &[]);
    check(is_valid_label_value, &"a".repeat(64), &["must be no more than 63 bytes"]);
}

#[test]
fn c_identifiers() {
    check(is_c_identifier, "a", &[]);
    check(is_c_identifier, "_", &[]);
    check(is_c_identifier, "A0_", &[]);
    check(is_c_identifier, "", &[IDENTIFIER]);
    check(is_c_identifier, "0a", &[IDENTIFIER]);
    check(is_c_identifier, "a-b", &[IDENTIFIER]);
}

#[test]
fn port_names() {
    check(is_valid_port_name, "a", &[]);
    check(is_valid_port_name, "http-2", &[]);
    check(is_valid_port_name, "80", &[PORT_LETTER]);
    check(is_valid_port_name, "", &[PORT_CHARACTERS, PORT_LETTER]);
    check(is_valid_port_name, "-", &[PORT_LETTER, "must not begin or end with a hyphen"]);
    check(is_valid_port_name, "a--b", &["must not contain consecutive hyphens"]);
    check(is_valid_port_name, "-a", &["must not begin or end with a hyphen"]);
    check(is_valid_port_name, "a-", &["must not begin or end with a hyphen"]);
    check(is_valid_port_name, "A", &[PORT_CHARACTERS, PORT_LETTER]);
    check(is_valid_port_name, "a_b", &[PORT_CHARACTERS]);
    check(is_valid_port_name, "telnet", &[]);
    check(is_valid_port_name, "a123456789012345", &["must be no more than 15 characters"]);
    check(
        is_valid_port_name,
        "--",
        &[PORT_LETTER, "must not contain consecutive hyphens", "must not begin or end with a hyphen"],
    );
}

#[test]
fn percentages() {
    check(is_valid_percent, "0%", &[]);
    check(is_valid_percent, "100%", &[]);
    check(is_valid_percent, "%", &[PERCENT]);
    check(is_valid_percent, "1", &[PERCENT]);
    check(is_valid_percent, "", &[PERCENT]);
    check(is_valid_percent, "-1%", &[PERCENT]);
    check(is_valid_percent, "1%%", &[PERCENT]);
    check(is_valid_percent, "1.5%", &[PERCENT]);
}

#[test]
fn http_headers() {
    check(is_http_header_name, "X-Header", &[]);
    check(is_http_header_name, "-", &[]);
    check(is_http_header_name, "", &[HEADER]);
    check(is_http_header_name, "a_b", &[HEADER]);
    check(is_http_header_name, "a:b", &[HEADER]);
    check(is_http_header_name, "a b", &[HEADER]);
}

#[test]
fn environment_variables() {
    check(is_env_var_name, "a", &[]);
    check(is_env_var_name, "A_b.c-0", &[]);
    check(is_env_var_name, "-", &[]);
    check(is_env_var_name, ".a", &[]);
    check(is_env_var_name, "", &[ENV]);
    check(is_env_var_name, "0a", &[ENV]);
    check(is_env_var_name, "a=b", &[ENV]);
    check(is_env_var_name, ".", &["must not be '.'"]);
    check(is_env_var_name, "..", &["must not be '..'"]);
    check(is_env_var_name, "..a", &["must not start with '..'"]);
    check(is_env_var_name, "...", &["must not start with '..'"]);
    check(is_env_var_name, "é", &[ENV]);
}

#[test]
fn relaxed_environment_variables() {
    check(is_relaxed_env_var_name, "a", &[]);
    check(is_relaxed_env_var_name, "0 !~", &[]);
    check(is_relaxed_env_var_name, "", &["environment variable name must be non-empty"]);
    check(is_relaxed_env_var_name, "a=b", &[RELAXED_ENV]);
    check(is_relaxed_env_var_name, "=", &[RELAXED_ENV]);
    check(is_relaxed_env_var_name, "é", &[RELAXED_ENV]);
    check(is_relaxed_env_var_name, "a\tb", &[RELAXED_ENV]);
    check(is_relaxed_env_var_name, "\u{7f}", &[RELAXED_ENV]);
    check(is_relaxed_env_var_name, "..", &[]);
}

#[test]
fn config_map_keys() {
    check(is_config_map_key, "a", &[]);
    check(is_config_map_key, "A_b.c-0", &[]);
    check(is_config_map_key, "", &[CONFIG_KEY]);
    check(is_config_map_key, "a/b", &[CONFIG_KEY]);
    check(is_config_map_key, ".", &["must not be '.'"]);
    check(is_config_map_key, "..", &["must not be '..'"]);
    check(is_config_map_key, "..a", &["must not start with '..'"]);
    check(is_config_map_key, ".a", &[]);
    check(is_config_map_key, "a b", &[CONFIG_KEY]);
    check(is_config_map_key, &"a".repeat(253), &[]);
    check(is_config_map_key, &"a".repeat(254), &["must be no more than 253 characters"]);
}

#[test]
fn decimal_integers() {
    check(is_decimal_integer, "0", &[]);
    check(is_decimal_integer, "10", &[]);
    check(is_decimal_integer, "-1", &[]);
    check(is_decimal_integer, "", &["must be non-empty"]);
    check(is_decimal_integer, "-", &[NOT_DECIMAL]);
    check(is_decimal_integer, "-0", &[NOT_DECIMAL]);
    check(is_decimal_integer, "00", &[NOT_DECIMAL]);
    check(is_decimal_integer, "01", &[NOT_DECIMAL]);
    check(is_decimal_integer, "+1", &[NOT_DECIMAL]);
    check(is_decimal_integer, "1a", &[NOT_DECIMAL]);
    check(is_decimal_integer, "99999999999999999999", &[]);
}

#[test]
fn path_segments() {
    check(is_path_segment_name, "a", &[]);
    check(is_path_segment_name, "", &[]);
    check(is_path_segment_name, "A:b", &[]);
    check(is_path_segment_name, ".", &["may not be '.'"]);
    check(is_path_segment_name, "..", &["may not be '..'"]);
    check(is_path_segment_name, "...", &[]);
    check(is_path_segment_name, "a/b", &["may not contain '/'"]);
    check(is_path_segment_name, "a%b", &["may not contain '%'"]);
    check(is_path_segment_name, "/%", &["may not contain '/'", "may not contain '%'"]);
    check(is_path_segment_name, "%/", &["may not contain '/'", "may not contain '%'"]);
}

#[test]
fn path_segment_prefixes() {
    check(is_path_segment_prefix, "a", &[]);
    check(is_path_segment_prefix, ".", &[]);
    check(is_path_segment_prefix, "..", &[]);
    check(is_path_segment_prefix, "a/", &["may not contain '/'"]);
    check(is_path_segment_prefix, "%", &["may not contain '%'"]);
}

#[test]
fn generated_names() {
    check_prefix(name_is_dns_subdomain, "a-", &[]);
    check_prefix(name_is_dns_subdomain, "a--", &[]);
    check_prefix(name_is_dns_subdomain, "a.-", &[]);
    check_prefix(name_is_dns_subdomain, "-", &[SUBDOMAIN]);
    check_prefix(name_is_dns_subdomain, "--", &[]);
    check_prefix(name_is_dns_subdomain, "a", &[]);
    check_prefix(name_is_dns_subdomain, "A-", &[]);
    check_prefix(name_is_dns_subdomain, "é-", &[SUBDOMAIN]);
    check_prefix(name_is_dns_subdomain, "0-", &[]);
    check_prefix(name_is_dns_subdomain, "", &[SUBDOMAIN]);
    check_prefix(name_is_dns_label, "a-", &[]);
    check_prefix(name_is_dns_label, "a--", &[]);
    check_prefix(name_is_dns_label, "a.-", &[]);
    check_prefix(name_is_dns_label, "-", &[LABEL]);
    check_prefix(name_is_dns_label, "--", &[]);
    check_prefix(name_is_dns_label, "a", &[]);
    check_prefix(name_is_dns_label, "A-", &[]);
    check_prefix(name_is_dns_label, "é-", &[LABEL]);
    check_prefix(name_is_dns_label, "0-", &[]);
    check_prefix(name_is_dns_label, "", &[LABEL]);
    check_prefix(name_is_dns1035_label, "a-", &[]);
    check_prefix(name_is_dns1035_label, "a--", &[]);
    check_prefix(name_is_dns1035_label, "a.-", &[]);
    check_prefix(name_is_dns1035_label, "-", &[LABEL_1035]);
    check_prefix(name_is_dns1035_label, "--", &[]);
    check_prefix(name_is_dns1035_label, "a", &[]);
    check_prefix(name_is_dns1035_label, "A-", &[]);
    check_prefix(name_is_dns1035_label, "é-", &[LABEL_1035]);
    check_prefix(name_is_dns1035_label, "0-", &[]);
    check_prefix(name_is_dns1035_label, "", &[LABEL_1035]);
}

#[test]
fn whole_names_get_no_leniency() {
    assert_eq!(name_is_dns_subdomain("a-", NamePart::Whole), [SUBDOMAIN]);
    assert_eq!(name_is_dns_label("a-", NamePart::Whole), [LABEL]);
    assert_eq!(name_is_dns1035_label("a-", NamePart::Whole), [LABEL_1035]);
    assert_eq!(name_is_path_segment("..", NamePart::Whole), ["may not be '..'"]);
    assert!(name_is_path_segment("..", NamePart::Prefix).is_empty());
}

#[test]
fn numbers() {
    let port_range = ["must be between 1 and 65535, inclusive"];
    assert_eq!(is_valid_port_num(0), port_range);
    assert_eq!(is_valid_port_num(65536), port_range);
    assert_eq!(is_valid_port_num(i64::MIN), port_range);
    assert!(is_valid_port_num(1).is_empty() && is_valid_port_num(65535).is_empty());
    let id_range = ["must be between 0 and 2147483647, inclusive"];
    assert_eq!(is_valid_user_id(-1), id_range);
    assert_eq!(is_valid_group_id(2147483648), id_range);
    assert!(is_valid_user_id(0).is_empty() && is_valid_group_id(2147483647).is_empty());
}

#[test]
fn annotations_have_a_common_limit() {
    let of_size = |size| BTreeMap::from([("a".to_owned(), "b".repeat(size - 1))]);
    assert_eq!(annotations_size_error(&of_size(TOTAL_ANNOTATION_SIZE_LIMIT)), None);
    let message = "annotations size 262145 is larger than limit 262144";
    assert_eq!(annotations_size_error(&of_size(262145)).as_deref(), Some(message));
}

#[test]
fn regex_messages_without_examples() {
    assert_eq!(regex_error("must be x", "x", &[]), "must be x (regex used for validation is 'x')");
}
