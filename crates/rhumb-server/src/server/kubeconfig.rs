//! The file by which clients find a server and are known to it.

use std::fmt::Write;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// How to reach a server, and as whom.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access<'a> {
    /// The server's URL.
    pub(crate) server: &'a str,
    /// The name that its certificate has, if it is not that of the URL.
    pub(crate) server_name: Option<&'a str>,
    /// The certificate of whoever vouches for it, as PEM.
    pub(crate) authority: &'a str,
    /// The client's certificate, as PEM.
    pub(crate) certificate: &'a str,
    /// Its key, as PEM.
    pub(crate) key: &'a str,
}

/// A kubeconfig with everything inline.
pub(crate) fn kubeconfig(access: Access<'_>) -> String {
    let mut text = String::from("apiVersion: v1\nkind: Config\nclusters:\n- name: rhumb\n  cluster:\n");
    let encoded = |pem: &str| STANDARD.encode(pem);
    // Writing to a string doesn't fail.
    let _ = writeln!(text, "    server: {}", access.server);
    if let Some(name) = access.server_name {
        let _ = writeln!(text, "    tls-server-name: {name}");
    }
    let _ = writeln!(text, "    certificate-authority-data: {}", encoded(access.authority));
    text.push_str("users:\n- name: admin\n  user:\n");
    let _ = writeln!(text, "    client-certificate-data: {}", encoded(access.certificate));
    let _ = writeln!(text, "    client-key-data: {}", encoded(access.key));
    text.push_str("contexts:\n- name: rhumb\n  context:\n    cluster: rhumb\n    user: admin\n");
    text.push_str("current-context: rhumb\n");
    text
}

/// The URL by which clients on this machine reach an address that is listened on.
pub(crate) fn url(listening: SocketAddr) -> String {
    let ip = match listening.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("https://{}", SocketAddr::new(ip, listening.port()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_listens_everywhere_is_reached_here() {
        for (listening, expect) in [
            ("0.0.0.0:6443", "https://127.0.0.1:6443"),
            ("[::]:6443", "https://[::1]:6443"),
            ("192.0.2.1:1", "https://192.0.2.1:1"),
        ] {
            assert_eq!(url(listening.parse().unwrap()), expect);
        }
    }
}
