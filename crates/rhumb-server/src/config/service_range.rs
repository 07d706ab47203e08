//! The addresses that services get: `--service-cluster-ip-range`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// A range of addresses, written as `10.0.0.0/24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddressRange {
    base: IpAddr,
    prefix: u8,
}

/// One range of addresses for services, or one of each family; the first is the main one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServiceRanges {
    /// The main range.
    pub primary: AddressRange,
    /// The range of the other family.
    pub secondary: Option<AddressRange>,
}

/// Why ranges can't be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ServiceRangeError {
    /// The first is no range.
    Primary,
    /// The second is no range.
    Secondary,
    /// The first has too few addresses.
    TooSmall,
    /// There are more than two.
    TooMany,
    /// Both are of one family.
    SameFamily,
}

impl fmt::Display for ServiceRangeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Primary => "service-cluster-ip-range[0] is not a valid cidr",
            Self::Secondary => "service-cluster-ip-range[1] is not an ip net",
            Self::TooSmall => {
                "error determining service IP ranges for primary service cidr: the service cluster IP range must \
                 be at least 8 IP addresses"
            }
            Self::TooMany => "--service-cluster-ip-range must not contain more than two entries",
            Self::SameFamily => {
                "--service-cluster-ip-range[0] and --service-cluster-ip-range[1] must be of different IP family"
            }
        })
    }
}

impl std::error::Error for ServiceRangeError {}

impl Default for ServiceRanges {
    fn default() -> Self {
        let base = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0));
        ServiceRanges { primary: AddressRange { base, prefix: 24 }, secondary: None }
    }
}

impl ServiceRanges {
    /// Reads one range, or two with a comma between them. Nothing at all is the default.
    ///
    /// # Errors
    /// If they are no ranges that services could live in.
    pub fn parse(text: &str) -> Result<Self, ServiceRangeError> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let mut parts = text.split(',');
        let primary = parts.next().and_then(AddressRange::parse).ok_or(ServiceRangeError::Primary)?;
        if primary.host_bits() < 3 {
            return Err(ServiceRangeError::TooSmall);
        }
        let secondary = match parts.next() {
            Some(part) => Some(AddressRange::parse(part).ok_or(ServiceRangeError::Secondary)?),
            None => None,
        };
        if parts.next().is_some() {
            return Err(ServiceRangeError::TooMany);
        }
        if secondary.is_some_and(|range| range.base.is_ipv4() == primary.base.is_ipv4()) {
            return Err(ServiceRangeError::SameFamily);
        }
        Ok(ServiceRanges { primary, secondary })
    }

    /// All ranges, the main one first.
    pub fn iter(&self) -> impl Iterator<Item = AddressRange> + use<> {
        std::iter::once(self.primary).chain(self.secondary)
    }
}

impl AddressRange {
    /// Reads a range; bits of the host are dropped, and leading zeros are allowed, as in Kubernetes.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, prefix) = text.split_once('/')?;
        if prefix.is_empty() || prefix.len() > 3 || !prefix.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let prefix: u8 = prefix.parse().ok()?;
        let base = match address.parse::<Ipv6Addr>() {
            Ok(address) if prefix <= 128 => {
                let mask = u128::MAX.checked_shl(128 - u32::from(prefix)).unwrap_or(0);
                IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & mask))
            }
            Ok(_) => return None,
            Err(_) if prefix <= 32 => {
                let mask = u32::MAX.checked_shl(32 - u32::from(prefix)).unwrap_or(0);
                IpAddr::V4(Ipv4Addr::from_bits(sloppy_v4(address)?.to_bits() & mask))
            }
            Err(_) => return None,
        };
        Some(AddressRange { base, prefix })
    }

    /// The address that the range begins with.
    pub fn base(&self) -> IpAddr {
        self.base
    }

    /// How many bits all its addresses share.
    pub fn prefix(&self) -> u8 {
        self.prefix
    }

    /// The first address that is given to anybody: that of the service `kubernetes`.
    pub fn first(&self) -> IpAddr {
        match self.base {
            IpAddr::V4(base) => IpAddr::V4(Ipv4Addr::from_bits(base.to_bits().saturating_add(1))),
            IpAddr::V6(base) => IpAddr::V6(Ipv6Addr::from_bits(base.to_bits().saturating_add(1))),
        }
    }

    fn host_bits(&self) -> u8 {
        let bits: u8 = if self.base.is_ipv4() { 32 } else { 128 };
        bits.saturating_sub(self.prefix)
    }
}

impl fmt::Display for AddressRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

/// An IPv4 address whose numbers may have leading zeros.
fn sloppy_v4(text: &str) -> Option<Ipv4Addr> {
    let mut numbers = [0u8; 4];
    let mut parts = text.split('.');
    for number in &mut numbers {
        let part = parts.next()?;
        if part.is_empty() || !part.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = part.trim_start_matches('0');
        *number = if digits.is_empty() { 0 } else { digits.parse().ok()? };
    }
    parts.next().is_none().then(|| Ipv4Addr::from(numbers))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_kubernetes_reads_them() {
        for (text, expect) in [
            ("", Ok("10.0.0.0/24 10.0.0.1")),
            ("10.96.0.7/12", Ok("10.96.0.0/12 10.96.0.1")),
            ("010.0.0.0/24", Ok("10.0.0.0/24 10.0.0.1")),
            ("fd00::/108", Ok("fd00::/108 fd00::1")),
            ("10.0.0.0/24,fd00::/112", Ok("10.0.0.0/24 10.0.0.1 fd00::/112 fd00::1")),
            ("0.0.0.0/0", Ok("0.0.0.0/0 0.0.0.1")),
            ("10.0.0.0/30", Err(ServiceRangeError::TooSmall)),
            ("10.0.0.0", Err(ServiceRangeError::Primary)),
            ("10.0.0.0/33", Err(ServiceRangeError::Primary)),
            ("10.0.0.0/24,", Err(ServiceRangeError::Secondary)),
            ("10.0.0.0/24,10.1.0.0/24", Err(ServiceRangeError::SameFamily)),
            ("10.0.0.0/24,fd00::/112,fd01::/112", Err(ServiceRangeError::TooMany)),
        ] {
            let found = ServiceRanges::parse(text).map(|ranges| {
                let told: Vec<_> = ranges.iter().map(|range| format!("{range} {}", range.first())).collect();
                told.join(" ")
            });
            assert_eq!(found, expect.map(str::to_owned), "{text:?}");
        }
    }
}
