//! The addresses of a network, as numbers: which of them Services can have, and in which order they are
//! tried.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The bounds of the part that is left to Services which choose their address themselves.
const SMALLEST_BAND: u128 = 16;
const LARGEST_BAND: u128 = 256;
/// One in so many addresses is in that part.
const BAND_STEP: u128 = 16;
/// How many addresses are tried before a part of a network counts as full.
const TRIES: usize = 1 << 16;

/// A network that Services get addresses from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    v6: bool,
    base: u128,
    first: u128,
    last: u128,
    /// How many addresses at the beginning are given only when all others are taken.
    band: u128,
}

impl Network {
    /// The network of an address and the length of its prefix.
    pub(super) fn new(address: IpAddr, prefix: u8) -> Self {
        let (v6, number, width) = match address {
            IpAddr::V4(v4) => (false, u128::from(u32::from(v4)), 32_u32),
            IpAddr::V6(v6) => (true, u128::from(v6), 128),
        };
        let free = width.saturating_sub(u32::from(prefix));
        let hosts = 1_u128.checked_shl(free).map_or(u128::MAX, |size| size - 1);
        let base = number & !hosts;
        let broadcast = base | hosts;
        // The last address of an IPv4 network means all of them.
        let last = if v6 { broadcast } else { broadcast.saturating_sub(1) };
        let size = hosts.saturating_add(1);
        let band = match size {
            small if small <= SMALLEST_BAND => 0,
            size => (size / BAND_STEP).clamp(SMALLEST_BAND, LARGEST_BAND),
        };
        Network { v6, base, first: base.saturating_add(1), last, band }
    }

    /// The family of its addresses, as Services name it.
    pub(super) fn family(&self) -> &'static str {
        family(self.v6)
    }

    /// The address of the network itself.
    pub(super) fn base(&self) -> IpAddr {
        self.address(self.base)
    }

    /// Whether a Service can have an address of this network.
    pub(super) fn has(&self, address: IpAddr) -> bool {
        let (v6, number) = match address {
            IpAddr::V4(v4) => (false, u128::from(u32::from(v4))),
            IpAddr::V6(v6) => (true, u128::from(v6)),
        };
        v6 == self.v6 && self.first <= number && number <= self.last
    }

    /// All addresses in the order in which they are tried: beginning anywhere behind the part for those who
    /// choose themselves, and at last in that part.
    pub(super) fn candidates(self, random: u64) -> impl Iterator<Item = IpAddr> + Send {
        let above = self.first.saturating_add(self.band);
        let upper = circle(above, self.last, u128::from(random));
        let lower = circle(self.first, above.saturating_sub(1), u128::from(random >> 32));
        let lower = lower.filter(move |_| self.band > 0);
        upper.chain(lower).map(move |number| self.address(number))
    }

    fn address(&self, number: u128) -> IpAddr {
        if self.v6 {
            return Ipv6Addr::from(number).into();
        }
        Ipv4Addr::from(u32::try_from(number).unwrap_or_default()).into()
    }
}

/// How Services name a family.
pub(super) fn family(v6: bool) -> &'static str {
    if v6 { "IPv6" } else { "IPv4" }
}

/// The numbers from one to another, beginning in between.
fn circle(first: u128, last: u128, start: u128) -> impl Iterator<Item = u128> + Send {
    let count = if first > last { 0 } else { (last - first).saturating_add(1) };
    let tries = usize::try_from(count).unwrap_or(usize::MAX).min(TRIES);
    let start = start.checked_rem(count).unwrap_or(0);
    (0..tries).map(move |step| {
        let step = u128::try_from(step).unwrap_or_default();
        first.saturating_add(start.saturating_add(step).checked_rem(count).unwrap_or(0))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_get_addresses_behind_the_part_for_those_who_choose() {
        let network = Network::new(IpAddr::from([10, 0, 0, 0]), 24);
        let all: Vec<IpAddr> = network.candidates(7).collect();
        assert_eq!(all.len(), 254);
        assert_eq!(all.first(), Some(&IpAddr::from([10, 0, 0, 24])));
        let lower = all.iter().position(|ip| *ip == IpAddr::from([10, 0, 0, 16]));
        assert!(lower.is_some_and(|place| place >= 238), "{lower:?}");
    }

    #[test]
    fn neither_the_network_nor_all_of_it_is_an_address() {
        let network = Network::new(IpAddr::from([10, 0, 0, 0]), 24);
        assert!(network.has(IpAddr::from([10, 0, 0, 1])));
        assert!(network.has(IpAddr::from([10, 0, 0, 254])));
        assert!(!network.has(IpAddr::from([10, 0, 0, 0])));
        assert!(!network.has(IpAddr::from([10, 0, 0, 255])));
        assert!(!network.has(IpAddr::from([10, 0, 1, 1])));
    }

    #[test]
    fn small_and_huge_networks_have_ends() {
        let one = Network::new(IpAddr::from([10, 0, 0, 1]), 32);
        assert_eq!(one.candidates(3).count(), 0);
        let wide: IpAddr = "fd00::".parse().expect("an address");
        let wide = Network::new(wide, 64);
        assert!(wide.candidates(u64::MAX).all(|ip| wide.has(ip)));
        assert_eq!(Network::new(IpAddr::from([0, 0, 0, 0]), 0).family(), "IPv4");
    }
}
