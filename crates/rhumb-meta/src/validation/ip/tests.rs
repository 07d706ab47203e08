//! The answers of Kubernetes' own functions: canonical, strict, lenient, and for blocks as an interface.

use super::*;

const ZEROS: &str = "must not have leading 0s";
const MAPPED: &str = "must not be an IPv4-mapped IPv6 address";
const PREFIX_ZEROS: &str = "must not have leading 0s in IP or prefix length";
const HAS_MAPPED: &str = "must not have an IPv4-mapped IPv6 address";
const BITS: &str = "must not have bits set beyond the prefix length";

type Answers<'a, const N: usize> = &'a [(&'a str, &'a [&'a str; N])];

#[rustfmt::skip]
const IPS: Answers<'_, 3> = &[
    ("", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3.4", &["", "", ""]),
    ("01.2.3.4", &[ZEROS, ZEROS, ""]),
    ("1.2.3.256", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3.4.5", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3.", &[NO_IP, NO_IP, NO_IP]),
    ("::", &["", "", ""]),
    ("::1", &["", "", ""]),
    ("1::", &["", "", ""]),
    ("1:2:3:4:5:6:7:8", &["", "", ""]),
    ("1:2:3:4:5:6:7::", &["must be in canonical form (\"1:2:3:4:5:6:7:0\")", "", ""]),
    ("1:2:3:4:5:6:7:8::", &[NO_IP, NO_IP, NO_IP]),
    ("1::2::3", &[NO_IP, NO_IP, NO_IP]),
    ("FE80::0abc", &["must be in canonical form (\"fe80::abc\")", "", ""]),
    ("fe80::00abc", &[ZEROS, ZEROS, ""]),
    ("::ffff:1.2.3.4", &[MAPPED, MAPPED, ""]),
    ("::ffff:01.2.3.4", &[ZEROS, ZEROS, ""]),
    ("::1.2.3.4", &["must be in canonical form (\"::102:304\")", "", ""]),
    ("1:2:3:4:5:6:1.2.3.4", &["must be in canonical form (\"1:2:3:4:5:6:102:304\")", "", ""]),
    ("1:2:3:4:5:6:7:1.2.3.4", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3.4::", &[NO_IP, NO_IP, NO_IP]),
    (":1:2:3:4:5:6:7", &[NO_IP, NO_IP, NO_IP]),
    ("1:2:3:4:5:6:7:", &[NO_IP, NO_IP, NO_IP]),
    (":::", &[NO_IP, NO_IP, NO_IP]),
    ("fe80::1%eth0", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3.4 ", &[NO_IP, NO_IP, NO_IP]),
    ("12345::", &[NO_IP, NO_IP, NO_IP]),
    ("0:0:0:1:0:0:0:1", &["must be in canonical form (\"::1:0:0:0:1\")", "", ""]),
    ("::ffff:102:304", &[MAPPED, MAPPED, ""]),
    ("1.2.3.0000000000004", &[ZEROS, ZEROS, ""]),
    ("1.2.3.16777216", &[NO_IP, NO_IP, NO_IP]),
    ("::00000000001", &[ZEROS, ZEROS, ""]),
    ("a.b.c.d", &[NO_IP, NO_IP, NO_IP]),
    ("abc", &[NO_IP, NO_IP, NO_IP]),
    ("1.2.3.4:5", &[NO_IP, NO_IP, NO_IP]),
    ("1:2", &[NO_IP, NO_IP, NO_IP]),
];

#[rustfmt::skip]
const CIDRS: Answers<'_, 4> = &[
    ("", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.0/24", &["", "", "", ""]),
    ("1.2.3.4/24", &[BITS, BITS, "", ""]),
    ("01.2.3.0/24", &[PREFIX_ZEROS, PREFIX_ZEROS, "", "must be in canonical form (\"1.2.3.0/24\")"]),
    ("1.2.3.0/024", &[PREFIX_ZEROS, PREFIX_ZEROS, "", "must be in canonical form (\"1.2.3.0/24\")"]),
    ("1.2.3.0/0", &[BITS, BITS, "", ""]),
    ("0.0.0.0/0", &["", "", "", ""]),
    ("0.0.0.0/00", &[PREFIX_ZEROS, PREFIX_ZEROS, "", "must be in canonical form (\"0.0.0.0/0\")"]),
    ("1.2.3.4/33", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4/32", &["", "", "", ""]),
    ("::/0", &["", "", "", ""]),
    ("2001:db8::/64", &["", "", "", ""]),
    ("2001:DB8::/64", &["must be in canonical form (\"2001:db8::/64\")", "", "", "must be in canonical form (\"2001:db8::/64\")"]),
    ("2001:db8::1/64", &[BITS, BITS, "", ""]),
    ("::ffff:1.2.3.0/120", &[HAS_MAPPED, HAS_MAPPED, "", "must be in canonical form (\"1.2.3.0/24\")"]),
    ("::ffff:1.2.3.4/120", &[HAS_MAPPED, HAS_MAPPED, "", "must be in canonical form (\"1.2.3.4/24\")"]),
    ("::ffff:1.2.3.4/90", &[HAS_MAPPED, HAS_MAPPED, "", "must be in canonical form (\"1.2.3.4/-6\")"]),
    ("::ffff:0:0/96", &[HAS_MAPPED, HAS_MAPPED, "", "must be in canonical form (\"0.0.0.0/0\")"]),
    ("::/129", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4/", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4/a", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4/2/3", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("/24", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4/+2", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("1.2.3.4/-2", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("fe80::1%eth0/64", &[NO_CIDR, NO_CIDR, NO_CIDR, NO_INTERFACE]),
    ("::1/128", &["", "", "", ""]),
    ("0:0::/32", &["must be in canonical form (\"::/32\")", "", "", "must be in canonical form (\"::/32\")"]),
    ("1.2.3.4/0000000000024", &[PREFIX_ZEROS, PREFIX_ZEROS, "", "must be in canonical form (\"1.2.3.4/24\")"]),
];

#[test]
fn addresses() {
    for (value, expected) in IPS {
        let answers = [
            is_valid_ip(value),
            is_valid_ip_for_legacy_field(value, LegacyForm::Strict, &[]),
            is_valid_ip_for_legacy_field(value, LegacyForm::Lenient, &[]),
        ];
        assert_eq!(answers.map(|errors| errors.join(" | ")), **expected, "{value}");
    }
}

#[test]
fn blocks() {
    for (value, expected) in CIDRS {
        let answers = [
            is_valid_cidr(value),
            is_valid_cidr_for_legacy_field(value, LegacyForm::Strict, &[]),
            is_valid_cidr_for_legacy_field(value, LegacyForm::Lenient, &[]),
            is_valid_interface_address(value),
        ];
        assert_eq!(answers.map(|errors| errors.join(" | ")), **expected, "{value}");
    }
}

#[test]
fn what_the_old_object_had_may_stay() {
    let old = ["010.0.0.1".to_owned(), "10.0.0.1/8".to_owned()];
    assert!(is_valid_ip_for_legacy_field("010.0.0.1", LegacyForm::Strict, &old).is_empty());
    assert!(is_valid_cidr_for_legacy_field("10.0.0.1/8", LegacyForm::Strict, &old).is_empty());
}

#[test]
fn a_block_contains_its_addresses() {
    let (ip, cidr) = parse_cidr_sloppy("::ffff:10.1.2.3/104").expect("a block");
    assert_eq!((ip.to_string(), cidr.to_string()), ("10.1.2.3".into(), "10.0.0.0/8".into()));
    assert!(cidr.contains(ip) && !cidr.is_ipv6());
    assert!(!cidr.contains(Ipv4Addr::new(11, 0, 0, 0).into()));
    assert!(!cidr.contains(Ipv6Addr::LOCALHOST.into()));
}
