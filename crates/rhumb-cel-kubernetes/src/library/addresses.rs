//! IP addresses and networks as Go's `net/netip` reads them, with its errors.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rhumb_schema::text::quoted;

/// An address, and whether a zone was written behind it.
pub(super) struct Parsed {
    pub(super) address: IpAddr,
    pub(super) zone: bool,
}

/// Why a text is no address.
struct Wrong<'t> {
    problem: &'static str,
    /// Where the reader stopped.
    at: &'t str,
}

const fn wrong<'t, T>(problem: &'static str, at: &'t str) -> Result<T, Wrong<'t>> {
    Err(Wrong { problem, at })
}

/// Reads an address.
pub(super) fn parse_address(text: &str) -> Result<Parsed, String> {
    let parsed = match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => v4(text).map(|fields| Parsed { address: IpAddr::V4(fields.into()), zone: false }),
        Some(b':') => v6(text),
        Some(_) => wrong("missing IPv6 address", ""),
        None => wrong("unable to parse IP", ""),
    };
    parsed.map_err(|Wrong { problem, at }| {
        let at = if at.is_empty() { String::new() } else { format!(" (at {})", quoted(at)) };
        format!("ParseAddr({}): {problem}{at}", quoted(text))
    })
}

/// Reads an address and the length of a prefix.
pub(super) fn parse_prefix(text: &str) -> Result<(IpAddr, u8), String> {
    let wrong = |problem: String| format!("netip.ParsePrefix({}): {problem}", quoted(text));
    let (address, bits) = text.rsplit_once('/').ok_or_else(|| wrong("no '/'".to_owned()))?;
    let parsed = parse_address(address).map_err(wrong)?;
    if parsed.zone {
        return Err(wrong("IPv6 zones cannot be present in a prefix".to_owned()));
    }
    let bad = || wrong(format!("bad bits after slash: {}", quoted(bits)));
    if bits.len() > 1 && !bits.starts_with(|c: char| matches!(c, '1'..='9')) {
        return Err(bad());
    }
    let number: i64 = bits.parse().map_err(|_| bad())?;
    let most = if parsed.address.is_ipv4() { 32 } else { 128 };
    match u8::try_from(number) {
        Ok(bits) if bits <= most => Ok((parsed.address, bits)),
        _ => Err(wrong("prefix length out of range".to_owned())),
    }
}

fn v4(text: &str) -> Result<[u8; 4], Wrong<'_>> {
    let mut fields = [0u8; 4];
    let (mut value, mut position, mut digits) = (0u16, 0, 0);
    let bytes = text.as_bytes();
    for (index, byte) in bytes.iter().enumerate() {
        let rest = text.get(index..).unwrap_or_default();
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && value == 0 {
                    return wrong("IPv4 field has octet with leading zero", "");
                }
                value = value * 10 + u16::from(byte - b'0');
                digits += 1;
                if value > 255 {
                    return wrong("IPv4 field has value >255", "");
                }
            }
            b'.' => {
                let before = index.checked_sub(1).and_then(|before| bytes.get(before));
                if before.is_none() || index == bytes.len() - 1 || before == Some(&b'.') {
                    return wrong("IPv4 field must have at least one digit", rest);
                }
                if position == 3 {
                    return wrong("IPv4 address too long", "");
                }
                set(&mut fields, position, value);
                position += 1;
                value = 0;
                digits = 0;
            }
            _ => return wrong("unexpected character", rest),
        }
    }
    if position < 3 {
        return wrong("IPv4 address too short", "");
    }
    set(&mut fields, 3, value);
    Ok(fields)
}

fn set(fields: &mut [u8; 4], position: usize, value: u16) {
    if let (Some(field), Ok(value)) = (fields.get_mut(position), u8::try_from(value)) {
        *field = value;
    }
}

fn v6(text: &str) -> Result<Parsed, Wrong<'_>> {
    let (mut rest, zone) = match text.split_once('%') {
        Some((_, "")) => return wrong("zone must be a non-empty string", ""),
        Some((address, _)) => (address, true),
        None => (text, false),
    };
    let mut fields: Vec<u16> = Vec::with_capacity(8);
    let mut ellipsis = None;
    if let Some(after) = rest.strip_prefix("::") {
        ellipsis = Some(0);
        rest = after;
        if rest.is_empty() {
            return Ok(Parsed { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), zone });
        }
    }
    while fields.len() < 8 {
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        if digits > 4 {
            return wrong("each group must have 4 or less digits", rest);
        }
        if digits == 0 {
            return wrong("each colon-separated field must have at least one digit", rest);
        }
        let (field, after) = rest.split_at(digits);
        if after.starts_with('.') {
            if ellipsis.is_none() && fields.len() != 6 {
                return wrong("embedded IPv4 address must replace the final 2 fields of the address", rest);
            }
            if fields.len() > 6 {
                return wrong("too many hex fields to fit an embedded IPv4 at the end of the address", rest);
            }
            let [a, b, c, d] = v4(rest)?;
            fields.extend([u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])]);
            rest = "";
            break;
        }
        fields.push(u16::from_str_radix(field, 16).unwrap_or_default());
        rest = after;
        if rest.is_empty() {
            break;
        }
        let Some(after) = rest.strip_prefix(':') else {
            return wrong("unexpected character, want colon", rest);
        };
        if after.is_empty() {
            return wrong("colon must be followed by more characters", rest);
        }
        rest = after;
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return wrong("multiple :: in address", rest);
            }
            ellipsis = Some(fields.len());
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return wrong("trailing garbage after address", rest);
    }
    let missing = 8 - fields.len().min(8);
    match ellipsis {
        None if missing > 0 => return wrong("address string too short", ""),
        Some(_) if missing == 0 => {
            return wrong("the :: must expand to at least one field of zeros", "");
        }
        Some(at) => {
            fields.splice(at..at, std::iter::repeat_n(0, missing));
        }
        None => {}
    }
    let fields: [u16; 8] = fields.try_into().unwrap_or_default();
    Ok(Parsed { address: IpAddr::V6(fields.into()), zone })
}

/// Reports whether an address is an IPv4 address written as an IPv6 address.
pub(super) fn is_mapped(address: IpAddr) -> bool {
    matches!(address, IpAddr::V6(address) if address.to_ipv4_mapped().is_some())
}

/// Returns the network that an address with a prefix is in.
pub(super) fn masked(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let mask = u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
            IpAddr::V4(Ipv4Addr::from(u32::from(address) & mask))
        }
        IpAddr::V6(address) => {
            let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
            IpAddr::V6(Ipv6Addr::from(u128::from(address) & mask))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, &str>) {
        let parsed = parse_address(text).map(|parsed| parsed.address.to_string());
        match expected {
            Ok(address) => assert_eq!(parsed.as_deref(), Ok(address), "{text}"),
            Err(problem) => {
                assert_eq!(parsed, Err(format!("ParseAddr({}): {problem}", quoted(text))), "{text}");
            }
        }
    }

    #[test]
    fn addresses_are_read_as_go_reads_them() {
        check("127.0.0.1", Ok("127.0.0.1"));
        check("::", Ok("::"));
        check("::1", Ok("::1"));
        check("2001:DB8::abcd", Ok("2001:db8::abcd"));
        check("1:2:3:4:5:6:7:8", Ok("1:2:3:4:5:6:7:8"));
        check("1:2:3:4:5:6:1.2.3.4", Ok("1:2:3:4:5:6:102:304"));
        check("127.0.0.256", Err("IPv4 field has value >255"));
        check("127.0.0", Err("IPv4 address too short"));
        check("127.0.0.1.2", Err("IPv4 address too long"));
        check("127.00.0.1", Err("IPv4 field has octet with leading zero"));
        check("127..0.1", Err("IPv4 field must have at least one digit (at \".0.1\")"));
        check("127.0.0.x", Err("unexpected character (at \"x\")"));
        check("a", Err("unable to parse IP"));
        check("%eth", Err("missing IPv6 address"));
        check(":::1", Err("each colon-separated field must have at least one digit (at \":1\")"));
        check("1:2", Err("address string too short"));
        check("1::2::3", Err("multiple :: in address (at \":3\")"));
        check("1:2:3:4:5:6:7:8:9", Err("trailing garbage after address (at \"9\")"));
        check("12345::", Err("each group must have 4 or less digits (at \"12345::\")"));
        check("1:", Err("colon must be followed by more characters (at \":\")"));
        check("::1%", Err("zone must be a non-empty string"));
        check("1:2:3:4:5:6:7::8", Err("the :: must expand to at least one field of zeros"));
    }

    #[test]
    fn prefixes_are_read_as_go_reads_them() {
        assert_eq!(parse_prefix("10.0.0.0/8"), Ok((Ipv4Addr::new(10, 0, 0, 0).into(), 8)));
        for (text, problem) in [
            ("10.0.0.0", "no '/'"),
            ("10.0.0.0/33", "prefix length out of range"),
            ("10.0.0.0/08", "bad bits after slash: \"08\""),
            ("10.0.0.0/", "bad bits after slash: \"\""),
            ("fe80::1%a/8", "IPv6 zones cannot be present in a prefix"),
        ] {
            assert_eq!(parse_prefix(text), Err(format!("netip.ParsePrefix({}): {problem}", quoted(text))));
        }
    }
}
