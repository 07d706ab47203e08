//! Warnings about ambiguous IP addresses and CIDR blocks that are accepted for compatibility.

use std::net::{IpAddr, Ipv6Addr};

use rhumb_meta::validation::ip::{parse_cidr_sloppy, parse_ip_sloppy};
use rhumb_schema::text::quoted;
use rhumb_scheme::validation::FieldPath;

/// Warns of an address with needless zeros, of one that hides an IPv4 address, and of other spellings.
pub(crate) fn warn_ip(path: &FieldPath, value: &str) -> Option<String> {
    let ip = parse_ip_sloppy(value)?;
    match value.parse::<IpAddr>() {
        Ok(IpAddr::V6(strict)) if !is_mapped(&strict) => {
            let canonical = strict.to_string();
            (canonical != value).then(|| {
                let (value, canonical) = (quoted(value), quoted(canonical));
                format!("{path}: IPv6 address {value} should be in RFC 5952 canonical format ({canonical})")
            })
        }
        Ok(IpAddr::V4(_)) => None,
        _ => {
            let (value, better) = (quoted(value), quoted(ip.to_string()));
            Some(format!("{path}: non-standard IP address {value} is invalid: use {better}"))
        }
    }
}

/// Warns of a block with bits beyond its prefix, and of spellings as [`warn_ip`] does.
pub(crate) fn warn_cidr(path: &FieldPath, value: &str) -> Vec<String> {
    let Some((ip, cidr)) = parse_cidr_sloppy(value) else { return Vec::new() };
    let mut warnings = Vec::new();
    if ip != cidr.network() {
        let bits = if cidr.is_ipv6() { 128 } else { 32 };
        let (block, single) = (quoted(cidr.to_string()), quoted(format!("{ip}/{bits}")));
        warnings.push(format!(
            "{path}: CIDR value {} is ambiguous in this context (should be {block} or {single}?)",
            quoted(value)
        ));
    }
    match strict_prefix(value) {
        Some((IpAddr::V6(strict), _)) if is_mapped(&strict) => {
            warnings.push(non_standard(path, value, &cidr))
        }
        None => warnings.push(non_standard(path, value, &cidr)),
        Some((IpAddr::V6(strict), length)) if warnings.is_empty() => {
            let canonical = format!("{strict}/{length}");
            if canonical != value {
                let (value, canonical) = (quoted(value), quoted(canonical));
                warnings.push(format!(
                    "{path}: IPv6 CIDR value {value} should be in RFC 5952 canonical format ({canonical})"
                ));
            }
        }
        Some(_) => {}
    }
    warnings
}

fn non_standard(path: &FieldPath, value: &str, better: &dyn std::fmt::Display) -> String {
    let (value, better) = (quoted(value), quoted(better.to_string()));
    format!("{path}: non-standard CIDR value {value} is invalid: use {better}")
}

fn is_mapped(ip: &Ipv6Addr) -> bool {
    ip.to_ipv4_mapped().is_some()
}

/// Reads a block without any leniency.
fn strict_prefix(value: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = value.split_once('/')?;
    let plain =
        length == "0" || (!length.starts_with('0') && length.bytes().all(|byte| byte.is_ascii_digit()));
    let ip: IpAddr = address.parse().ok()?;
    plain.then_some(())?;
    Some((ip, length.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_can_be_misread_are_warned_of() {
        let check = |value: &str, expect: Option<&str>| {
            let expect = expect.map(|text| format!("ip: {text}"));
            assert_eq!(warn_ip(&FieldPath::new("ip"), value), expect, "{value}");
        };
        check("1.2.3.4", None);
        check("fd00::1", None);
        check("no address", None);
        check("001.2.3.4", Some("non-standard IP address \"001.2.3.4\" is invalid: use \"1.2.3.4\""));
        check(
            "::ffff:1.2.3.4",
            Some("non-standard IP address \"::ffff:1.2.3.4\" is invalid: use \"1.2.3.4\""),
        );
        let long = "IPv6 address \"FD00:0::1\" should be in RFC 5952 canonical format (\"fd00::1\")";
        check("FD00:0::1", Some(long));
    }

    #[test]
    fn blocks_that_can_be_misread_are_warned_of() {
        let check = |value: &str, expect: &[&str]| {
            let expect: Vec<String> = expect.iter().map(|text| format!("block: {text}")).collect();
            assert_eq!(warn_cidr(&FieldPath::new("block"), value), expect, "{value}");
        };
        check("10.0.0.0/8", &[]);
        check("fd00::/64", &[]);
        check("no block", &[]);
        let ambiguous = "CIDR value \"10.0.0.5/8\" is ambiguous in this context (should be \"10.0.0.0/8\" or \
                         \"10.0.0.5/32\"?)";
        check("10.0.0.5/8", &[ambiguous]);
        let zeros = "non-standard CIDR value \"10.0.0.0/08\" is invalid: use \"10.0.0.0/8\"";
        check("10.0.0.0/08", &[zeros]);
        let mapped = "non-standard CIDR value \"::ffff:1.2.3.0/120\" is invalid: use \"1.2.3.0/24\"";
        check("::ffff:1.2.3.0/120", &[mapped]);
        let long = "IPv6 CIDR value \"FD00::/64\" should be in RFC 5952 canonical format (\"fd00::/64\")";
        check("FD00::/64", &[long]);
    }
}
