//! Validation of IP addresses and CIDR blocks.
//!
//! Fields that are older than the strict rules take more than new ones: needless zeros, which some programs read as
//! octal, IPv4 addresses dressed as IPv6, and blocks with bits set beyond their prefix. What the lenient parsers here
//! read is what Kubernetes reads; whether it is also accepted is up to the rule of the field.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rhumb_schema::text::quoted;

#[cfg(test)]
mod tests;

const NO_IP: &str = "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)";
const NO_CIDR: &str = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)";
const NO_INTERFACE: &str = "must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or 2001:db8::1/64)";

/// How a field that is older than the strict rules is validated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegacyForm {
    /// Needless zeros, mapped addresses and bits beyond the prefix are refused, other spellings are not.
    Strict,
    /// Accepts everything that can be parsed.
    Lenient,
}

/// CIDR block: `10.0.0.0/8`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cidr {
    network: IpAddr,
    length: u8,
}

impl Cidr {
    /// Returns the first address of the block.
    pub fn network(&self) -> IpAddr {
        self.network
    }

    /// Returns the prefix length in bits.
    pub fn prefix_length(&self) -> u8 {
        self.length
    }

    /// Reports whether its addresses are IPv6.
    pub fn is_ipv6(&self) -> bool {
        self.network.is_ipv6()
    }

    /// Reports whether an address is in the block.
    pub fn contains(&self, ip: IpAddr) -> bool {
        let ip = ip.to_canonical();
        ip.is_ipv4() == self.network.is_ipv4() && masked(ip, self.length) == self.network
    }
}

impl fmt::Display for Cidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.network, self.length)
    }
}

fn masked(ip: IpAddr, length: u8) -> IpAddr {
    match ip {
        IpAddr::V4(ip) => {
            let mask = u32::MAX.checked_shl(32u32.saturating_sub(length.into())).unwrap_or(0);
            Ipv4Addr::from_bits(ip.to_bits() & mask).into()
        }
        IpAddr::V6(ip) => {
            let mask = u128::MAX.checked_shl(128u32.saturating_sub(length.into())).unwrap_or(0);
            Ipv6Addr::from_bits(ip.to_bits() & mask).into()
        }
    }
}

/// Reads an address, passing over needless zeros. An IPv4 address that is written as IPv6 is read as IPv4.
pub fn parse_ip_sloppy(text: &str) -> Option<IpAddr> {
    sloppy(text).map(|ip| ip.to_canonical())
}

/// Reads an address and the block around it, passing over needless zeros.
pub fn parse_cidr_sloppy(text: &str) -> Option<(IpAddr, Cidr)> {
    let (ip, length) = sloppy_prefix(text)?;
    let network = masked(ip, length);
    let cidr = match network.to_canonical() {
        canonical @ IpAddr::V4(_) if network.is_ipv6() => {
            Cidr { network: canonical, length: length.saturating_sub(96) }
        }
        _ => Cidr { network, length },
    };
    Some((ip.to_canonical(), cidr))
}

fn sloppy_prefix(text: &str) -> Option<(IpAddr, u8)> {
    let (address, length) = text.split_once('/')?;
    let ip = sloppy(address)?;
    let (length, rest) = decimal(length)?;
    let most = if ip.is_ipv4() { 32 } else { 128 };
    (rest.is_empty() && length <= most).then_some(())?;
    Some((ip, u8::try_from(length).ok()?))
}

fn sloppy(text: &str) -> Option<IpAddr> {
    match text.bytes().find(|byte| matches!(byte, b'.' | b':'))? {
        b'.' => sloppy_v4(text).map(IpAddr::V4),
        _ => sloppy_v6(text).map(IpAddr::V6),
    }
}

fn sloppy_v4(text: &str) -> Option<Ipv4Addr> {
    let mut octets = [0u8; 4];
    let mut parts = text.split('.');
    for octet in &mut octets {
        let (number, rest) = decimal(parts.next()?)?;
        if !rest.is_empty() {
            return None;
        }
        *octet = u8::try_from(number).ok()?;
    }
    parts.next().is_none().then(|| Ipv4Addr::from(octets))
}

fn sloppy_v6(text: &str) -> Option<Ipv6Addr> {
    let (head, tail) = match text.split_once("::") {
        Some((head, tail)) => (head, Some(tail)),
        None => (text, None),
    };
    // The dotted form may only stand at the very end.
    let mut groups = hex_groups(head, tail.is_none())?;
    match tail {
        None => {}
        Some(tail) => {
            let behind = hex_groups(tail, true)?;
            let zeros = 8usize.checked_sub(groups.len() + behind.len()).filter(|zeros| *zeros > 0)?;
            groups.resize(groups.len() + zeros, 0);
            groups.extend(behind);
        }
    }
    <[u16; 8]>::try_from(groups).ok().map(Ipv6Addr::from)
}

fn hex_groups(text: &str, may_end_dotted: bool) -> Option<Vec<u16>> {
    let mut groups = Vec::new();
    if text.is_empty() {
        return Some(groups);
    }
    let mut parts = text.split(':').peekable();
    while let Some(part) = parts.next() {
        if part.contains('.') {
            if !may_end_dotted || parts.peek().is_some() {
                return None;
            }
            let [a, b, c, d] = sloppy_v4(part)?.octets();
            groups.extend([u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])]);
        } else {
            if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                return None;
            }
            let digits = part.trim_start_matches('0');
            groups.push(if digits.is_empty() { 0 } else { u16::from_str_radix(digits, 16).ok()? });
        }
    }
    Some(groups)
}

/// The number a text begins with, and the rest.
fn decimal(text: &str) -> Option<(u32, &str)> {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    let (digits, rest) = text.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())?;
    let significant = digits.trim_start_matches('0');
    Some((if significant.is_empty() { 0 } else { significant.parse().ok()? }, rest))
}

fn ip_errors(value: &str, form: LegacyForm) -> (Option<IpAddr>, Vec<String>) {
    let Some(ip) = sloppy(value) else { return (None, vec![NO_IP.to_owned()]) };
    let mut errors = Vec::new();
    if form == LegacyForm::Strict {
        match value.parse::<IpAddr>() {
            Err(_) => errors.push("must not have leading 0s".to_owned()),
            Ok(IpAddr::V6(ip)) if ip.to_ipv4_mapped().is_some() => {
                errors.push("must not be an IPv4-mapped IPv6 address".to_owned());
            }
            Ok(_) => {}
        }
    }
    (Some(ip.to_canonical()), errors)
}

/// Checks an address in a field that is older than the strict rules. What the old object had may stay.
pub fn is_valid_ip_for_legacy_field(value: &str, form: LegacyForm, valid_old: &[String]) -> Vec<String> {
    if valid_old.iter().any(|old| old == value) { vec![] } else { ip_errors(value, form).1 }
}

/// Checks an address: strict, and in its canonical form.
pub fn is_valid_ip(value: &str) -> Vec<String> {
    let (ip, mut errors) = ip_errors(value, LegacyForm::Strict);
    if let (Some(ip), true) = (ip, errors.is_empty()) {
        errors.extend(not_canonical(value, &ip.to_string()));
    }
    errors
}

fn not_canonical(value: &str, canonical: &str) -> Option<String> {
    (value != canonical).then(|| format!("must be in canonical form ({})", quoted(canonical)))
}

fn cidr_errors(value: &str, form: LegacyForm) -> (Option<Cidr>, Vec<String>) {
    let Some((_, cidr)) = parse_cidr_sloppy(value) else { return (None, vec![NO_CIDR.to_owned()]) };
    let mut errors = Vec::new();
    if form == LegacyForm::Strict {
        let strict = value.split_once('/').and_then(|(address, length)| {
            let ip: IpAddr = address.parse().ok()?;
            (length == "0" || !length.starts_with('0')).then_some(())?;
            Some((ip, length.parse::<u8>().ok()?))
        });
        match strict {
            None => errors.push("must not have leading 0s in IP or prefix length".to_owned()),
            Some((IpAddr::V6(ip), _)) if ip.to_ipv4_mapped().is_some() => {
                errors.push("must not have an IPv4-mapped IPv6 address".to_owned());
            }
            Some((ip, length)) if masked(ip, length) != ip => {
                errors.push("must not have bits set beyond the prefix length".to_owned());
            }
            Some(_) => {}
        }
    }
    (Some(cidr), errors)
}

/// Checks a block in a field that is older than the strict rules. What the old object had may stay.
pub fn is_valid_cidr_for_legacy_field(value: &str, form: LegacyForm, valid_old: &[String]) -> Vec<String> {
    if valid_old.iter().any(|old| old == value) { vec![] } else { cidr_errors(value, form).1 }
}

/// Checks a block: strict, and in its canonical form.
pub fn is_valid_cidr(value: &str) -> Vec<String> {
    let (cidr, mut errors) = cidr_errors(value, LegacyForm::Strict);
    if let (Some(cidr), true) = (cidr, errors.is_empty()) {
        errors.extend(not_canonical(value, &cidr.to_string()));
    }
    errors
}

/// Checks the address of an interface with the length of its network's prefix: `192.168.1.5/24`.
pub fn is_valid_interface_address(value: &str) -> Vec<String> {
    let Some((ip, length)) = sloppy_prefix(value) else { return vec![NO_INTERFACE.to_owned()] };
    let canonical = ip.to_canonical();
    // Kubernetes takes the difference also where it makes no sense, and shows a negative length then.
    let length = i16::from(length);
    let length = if canonical.is_ipv4() && length > 32 { length - 96 } else { length };
    not_canonical(value, &format!("{canonical}/{length}")).into_iter().collect()
}
