//! Where a request came from.

use std::net::IpAddr;

use http::HeaderMap;

/// The addresses that a request passed, its client's first. All but the last are what others say.
pub(super) fn addresses(headers: &HeaderMap, peer: Option<IpAddr>) -> Vec<String> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let mut found: Vec<IpAddr> =
        text("x-forwarded-for").split(',').filter_map(|address| address.trim().parse().ok()).collect();
    if let Ok(real) = text("x-real-ip").trim().parse()
        && !found.contains(&real)
    {
        found.push(real);
    }
    if let Some(peer) = peer.map(|peer| peer.to_canonical())
        && found.last() != Some(&peer)
    {
        found.push(peer);
    }
    found.into_iter().map(|address| address.to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn proxies_are_named_in_order() {
        let check = |forwarded: &'static str, real: &'static str, expected: &[&str]| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", HeaderValue::from_static(forwarded));
            headers.insert("x-real-ip", HeaderValue::from_static(real));
            assert_eq!(addresses(&headers, Some(IpAddr::from([127, 0, 0, 1]))), expected);
        };
        check("", "", &["127.0.0.1"]);
        check("1.1.1.1, x, 2.2.2.2", "", &["1.1.1.1", "2.2.2.2", "127.0.0.1"]);
        check("1.1.1.1", "3.3.3.3", &["1.1.1.1", "3.3.3.3", "127.0.0.1"]);
        check("1.1.1.1", "1.1.1.1", &["1.1.1.1", "127.0.0.1"]);
        check("127.0.0.1", "", &["127.0.0.1"]);
        check("::1", "", &["::1", "127.0.0.1"]);
    }
}
