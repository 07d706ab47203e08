//! The address at which members of the cluster reach a server, chosen as kube-apiserver does: the one that was given,
//! else the one that is listened on, and if others can't reach that, the one of the interface by which the host
//! reaches others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, UdpSocket};

use super::StartError;
use crate::config::Options;

/// Addresses that are kept for documents: only the default route leads to them.
const FAR: (Ipv4Addr, Ipv6Addr) =
    (Ipv4Addr::new(198, 51, 100, 1), Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1));

/// A family of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    V4,
    V6,
}

impl Family {
    fn of(address: IpAddr) -> Self {
        if address.is_ipv4() { Family::V4 } else { Family::V6 }
    }
}

/// The address that a server with these options tells others. There is none if the host has none to give.
///
/// # Errors
/// If an address was given that can't stand behind the addresses of services.
pub(super) fn address(options: &Options) -> Result<Option<IpAddr>, StartError> {
    let given = options.serving.advertise_address;
    let chosen = choose(given, options.listen.ip(), options.service_ranges.primary.base(), host_address);
    let chosen = chosen.map_err(|address| {
        let range = options.service_ranges.primary;
        StartError::Settings(format!(
            "service IP family \"{range}\" must match public address family \"{address}\""
        ))
    })?;
    if chosen.is_none() {
        tracing::warn!(
            "the host has no address that others could reach, so the service kubernetes has no endpoints; \
             --advertise-address names one"
        );
    }
    Ok(chosen)
}

/// Chooses among the address that was given, the one that is listened on and the host's own. What was given and is of
/// another family than the addresses of services is an error.
fn choose(
    given: Option<IpAddr>,
    listening: IpAddr,
    services: IpAddr,
    host: impl FnOnce(Family) -> Option<IpAddr>,
) -> Result<Option<IpAddr>, IpAddr> {
    let family = Family::of(services);
    match given.filter(|address| !address.is_unspecified()) {
        Some(address) if Family::of(address) != family => Err(address),
        Some(address) => Ok(Some(address)),
        None if listening.is_unspecified() || listening.is_loopback() => Ok(host(family)),
        None => Ok(Some(listening).filter(|address| Family::of(*address) == family)),
    }
}

/// The address that the host has on the interface of its default route.
fn host_address(family: Family) -> Option<IpAddr> {
    let (own, far): (IpAddr, IpAddr) = match family {
        Family::V4 => (Ipv4Addr::UNSPECIFIED.into(), FAR.0.into()),
        Family::V6 => (Ipv6Addr::UNSPECIFIED.into(), FAR.1.into()),
    };
    // Nothing is sent: to be connected is to know by which way packets would go, and under which address.
    let socket = UdpSocket::bind((own, 0)).ok()?;
    socket.connect((far, 9)).ok()?;
    let address = socket.local_addr().ok()?.ip();
    let is_local = match address {
        IpAddr::V4(ip) => ip.is_link_local(),
        IpAddr::V6(ip) => ip.is_unicast_link_local(),
    };
    (!is_local && !address.is_loopback() && !address.is_unspecified()).then_some(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is chosen on a host with one address of each family.
    fn chosen(given: Option<&str>, listening: &str, services: &str) -> Result<Option<String>, String> {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        let host = |family| {
            Some(match family {
                Family::V4 => ip("192.0.2.2"),
                Family::V6 => ip("2001:db8::2"),
            })
        };
        let chosen = choose(given.map(ip), ip(listening), ip(services), host);
        chosen
            .map(|address| address.map(|address| address.to_string()))
            .map_err(|address| address.to_string())
    }

    #[test]
    fn what_others_cannot_reach_is_not_told_to_them() {
        let some = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(chosen(None, "127.0.0.1", "10.0.0.0"), some("192.0.2.2"));
        assert_eq!(chosen(None, "0.0.0.0", "10.0.0.0"), some("192.0.2.2"));
        assert_eq!(chosen(None, "::", "10.0.0.0"), some("192.0.2.2"));
        assert_eq!(chosen(None, "::1", "fd00::"), some("2001:db8::2"));
        assert_eq!(chosen(None, "203.0.113.5", "10.0.0.0"), some("203.0.113.5"));
        assert_eq!(chosen(None, "2001:db8::7", "10.0.0.0"), Ok(None));
    }

    #[test]
    fn what_was_given_counts() {
        assert_eq!(chosen(Some("203.0.113.7"), "127.0.0.1", "10.0.0.0"), Ok(Some("203.0.113.7".to_owned())));
        assert_eq!(chosen(Some("0.0.0.0"), "127.0.0.1", "10.0.0.0"), Ok(Some("192.0.2.2".to_owned())));
        assert_eq!(chosen(Some("2001:db8::7"), "127.0.0.1", "10.0.0.0"), Err("2001:db8::7".to_owned()));
    }

    #[test]
    fn a_host_without_a_way_out_has_no_address() {
        assert_eq!(choose(None, IpAddr::V4(Ipv4Addr::LOCALHOST), [10, 0, 0, 0].into(), |_| None), Ok(None));
    }
}
