//! Selection of the proxy for a server.
//!
//! A configuration may name one. Without, the environment decides as it does for Go's programs: `HTTPS_PROXY` or
//! `HTTP_PROXY` by the server's scheme, and `NO_PROXY` with what is reached without.

use std::net::IpAddr;

use http::{HeaderValue, Uri};

use super::path::unescape;
use crate::config::{Config, ConfigError, Environment, ProxyUrl};

/// Returns the proxy for a configuration's server, if there is one.
pub(crate) fn choose(config: &Config) -> Result<Option<ProxyUrl>, ConfigError> {
    if let Some(proxy) = &config.proxy {
        return Ok(Some(proxy.clone()));
    }
    from_environment(&config.environment, &config.server)
}

fn from_environment(environment: &Environment, server: &Uri) -> Result<Option<ProxyUrl>, ConfigError> {
    let either =
        |upper: &str, lower: &str| environment.variable(upper).or_else(|| environment.variable(lower));
    let is_https = server.scheme_str() == Some("https");
    let found = match is_https {
        true => either("HTTPS_PROXY", "https_proxy"),
        // Where a web server starts a program for a request, this variable is the request's header.
        false if environment.variable("REQUEST_METHOD").is_some() => None,
        false => either("HTTP_PROXY", "http_proxy"),
    };
    let Some(address) = found else { return Ok(None) };
    let host = server.host().unwrap_or_default().trim_matches(['[', ']']);
    let port = server.port_u16().unwrap_or(if is_https { 443 } else { 80 });
    if !goes_through(host, port, either("NO_PROXY", "no_proxy").unwrap_or_default()) {
        return Ok(None);
    }
    // An address without a scheme is one of an HTTP proxy.
    let known = ["http://", "https://", "socks5://"].iter().any(|scheme| address.starts_with(scheme));
    let parsed = match address.strip_prefix("socks5h://") {
        Some(rest) => ProxyUrl::parse(&format!("socks5://{rest}")),
        None if known => ProxyUrl::parse(address),
        None => ProxyUrl::parse(&format!("http://{address}")),
    };
    parsed.map(Some)
}

/// Reports whether a host is reached through a proxy in spite of what `NO_PROXY` says.
fn goes_through(host: &str, port: u16, no_proxy: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let address: Option<IpAddr> = host.parse().ok();
    if host == "localhost" || address.is_some_and(|address| address.is_loopback()) {
        return false;
    }
    let exempt = no_proxy.split(',').map(|entry| entry.trim().to_ascii_lowercase()).any(|entry| {
        if entry.is_empty() {
            return false;
        }
        if entry == "*" {
            return true;
        }
        if let Some((network, bits)) = entry.split_once('/') {
            return address.is_some_and(|address| in_network(address, network, bits));
        }
        let (name, wanted) = split_port(&entry);
        if wanted.is_some_and(|wanted| wanted != port) {
            return false;
        }
        if let Ok(wanted) = name.trim_matches(['[', ']']).parse::<IpAddr>() {
            return address == Some(wanted);
        }
        let name = name.strip_prefix('*').filter(|rest| rest.starts_with('.')).unwrap_or(name);
        match name.strip_prefix('.') {
            // With a dot in front, only what is below the name.
            Some(_) => host.ends_with(name),
            None => host == name || host.strip_suffix(name).is_some_and(|rest| rest.ends_with('.')),
        }
    });
    !exempt
}

/// Returns the port behind the last colon, unless the colons are those of an IPv6 address.
fn split_port(entry: &str) -> (&str, Option<u16>) {
    match entry.rsplit_once(':') {
        Some((name, port)) if !name.contains(':') || name.ends_with(']') => match port.parse() {
            Ok(port) => (name, Some(port)),
            Err(_) => (entry, None),
        },
        _ => (entry, None),
    }
}

fn in_network(address: IpAddr, network: &str, bits: &str) -> bool {
    let Ok(bits) = bits.parse::<u32>() else { return false };
    match (address, network.parse()) {
        (IpAddr::V4(address), Ok(IpAddr::V4(network))) if bits <= 32 => {
            let mask = u32::MAX.checked_shl(32 - bits).unwrap_or_default();
            u32::from(address) & mask == u32::from(network) & mask
        }
        (IpAddr::V6(address), Ok(IpAddr::V6(network))) if bits <= 128 => {
            let mask = u128::MAX.checked_shl(128 - bits).unwrap_or_default();
            u128::from(address) & mask == u128::from(network) & mask
        }
        _ => false,
    }
}

/// Returns the name and the password for a proxy, without escapes.
pub(crate) fn login(proxy: &ProxyUrl) -> Option<(String, String)> {
    let (name, password) = proxy.user_info()?;
    Some((unescape(name)?, unescape(password)?))
}

/// Returns the header that shows a proxy the name and the password.
pub(crate) fn authorization(proxy: &ProxyUrl) -> Option<HeaderValue> {
    use base64::Engine;
    let (name, password) = login(proxy)?;
    let pair = base64::engine::general_purpose::STANDARD.encode(format!("{name}:{password}"));
    let mut value = HeaderValue::from_str(&format!("Basic {pair}")).ok()?;
    value.set_sensitive(true);
    Some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(server: &str, variables: &[(&str, &str)], expect: Option<&str>) {
        let environment = variables.iter().fold(Environment::empty(), |environment, (name, value)| {
            environment.with_variable(*name, *value)
        });
        let found = from_environment(&environment, &server.parse().unwrap()).unwrap();
        let found = found.map(|proxy| format!("{}://{}:{}", proxy.scheme(), proxy.host(), proxy.port()));
        assert_eq!(found.as_deref(), expect, "{server} {variables:?}");
    }

    #[test]
    fn the_environment_names_the_proxy() {
        let both = &[("HTTPS_PROXY", "a:1"), ("http_proxy", "socks5://b")];
        check("https://x.io", both, Some("http://a:1"));
        check("http://x.io", both, Some("socks5://b:1080"));
        check("https://x.io", &[("HTTPS_PROXY", "https://a"), ("https_proxy", "b")], Some("https://a:443"));
        check("https://x.io", &[("HTTP_PROXY", "a:1")], None);
        check("http://x.io", &[("HTTP_PROXY", "a:1"), ("REQUEST_METHOD", "GET")], None);
        check("https://localhost:6443", both, None);
        check("https://127.0.0.2", both, None);
        check("https://[::1]", both, None);
        check("https://x.io", &[("HTTPS_PROXY", "socks5h://a")], Some("socks5://a:1080"));
    }

    #[test]
    fn what_is_exempt_is_reached_directly() {
        for (server, no_proxy, direct) in [
            ("https://x.io", "*", true),
            ("https://x.io", "y.io, X.io", true),
            ("https://a.x.io", "x.io", true),
            ("https://ax.io", "x.io", false),
            ("https://x.io", ".x.io", false),
            ("https://a.x.io", ".x.io", true),
            ("https://a.x.io", "*.x.io", true),
            ("https://x.io", "x.io:6443", false),
            ("https://x.io:6443", "x.io:6443", true),
            ("https://10.1.2.3", "10.0.0.0/8", true),
            ("https://11.1.2.3", "10.0.0.0/8", false),
            ("https://10.1.2.3", "0.0.0.0/0", true),
            ("https://10.1.2.3", "10.1.2.3", true),
            ("https://10.1.2.3:6443", "10.1.2.3:443", false),
            ("https://[fd00::1]", "fd00::/8", true),
            ("https://[fd00::1]:6443", "[fd00::1]:6443", true),
            ("https://[fd00::1]", "fd00::1", true),
            ("https://x.io", "10.0.0.0/99,,/,:", false),
        ] {
            let expect = if direct { None } else { Some("http://p:1") };
            check(server, &[("HTTPS_PROXY", "p:1"), ("NO_PROXY", no_proxy)], expect);
        }
    }

    #[test]
    fn the_login_has_no_escapes() {
        let proxy = ProxyUrl::parse("http://me:p%40ss@h:1").unwrap();
        assert_eq!(login(&proxy), Some(("me".into(), "p@ss".into())));
        assert_eq!(authorization(&proxy).unwrap().to_str().unwrap(), "Basic bWU6cEBzcw==");
    }
}
