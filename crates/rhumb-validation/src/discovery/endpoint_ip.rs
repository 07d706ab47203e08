//! Addresses that traffic can be sent to.

use std::net::IpAddr;

use rhumb_meta::validation::ip::parse_ip_sloppy;
use rhumb_scheme::validation::{FieldErrors, FieldPath};

/// An address of an endpoint: none that means "here", "this link" or "nowhere".
pub(super) fn endpoint_ip(text: &str, path: &FieldPath, errors: &mut FieldErrors) {
    let Some(ip) = parse_ip_sloppy(text) else {
        return errors.invalid(path, text, "must be a valid IP address");
    };
    if ip.is_unspecified() {
        errors.invalid(path, text, &format!("may not be unspecified ({text})"));
    }
    if ip.is_loopback() {
        errors.invalid(path, text, "may not be in the loopback range (127.0.0.0/8, ::1/128)");
    }
    let (link_local, multicast) = match ip {
        IpAddr::V4(ip) => (ip.is_link_local(), matches!(ip.octets(), [224, 0, 0, _])),
        IpAddr::V6(ip) => {
            let [first, second, ..] = ip.octets();
            (ip.is_unicast_link_local(), first == 0xff && second & 0x0f == 0x02)
        }
    };
    if link_local {
        errors.invalid(path, text, "may not be in the link-local range (169.254.0.0/16, fe80::/10)");
    }
    if multicast {
        errors.invalid(path, text, "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)");
    }
}
