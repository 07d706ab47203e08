//! Connection errors in Go's words, which scripts and users look for.

use std::error::Error as StdError;
use std::io;

use rhumb_meta::Time;
use rustls::{AlertDescription, CertificateError};
use rustls_pki_types::{ServerName, UnixTime};

/// Returns the Go text of an error, if it has one.
pub(crate) fn connection_problem(error: &(dyn StdError + 'static)) -> Option<String> {
    let mut found = None;
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = tls_error(error) {
            return Some(tls_problem(error));
        }
        if let Some(error) = error.downcast_ref::<hyper::Error>()
            && error.is_parse()
        {
            found =
                Some("net/http: HTTP/1.x transport connection broken: malformed HTTP response".to_owned());
        }
        if let Some(error) = error.downcast_ref::<io::Error>() {
            found = io_problem(error).or(found);
        }
        next = error.source();
    }
    found
}

/// Reports whether a connection ended before what came over it did.
pub(crate) fn is_unexpected_end(error: &(dyn StdError + 'static)) -> bool {
    std::iter::successors(Some(error), |&error| error.source()).any(|error| {
        error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message)
            || error
                .downcast_ref::<io::Error>()
                .is_some_and(|error| error.kind() == io::ErrorKind::UnexpectedEof)
    })
}

/// Finds the TLS error, which is wrapped in an I/O error.
fn tls_error<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a rustls::Error> {
    error.downcast_ref::<rustls::Error>().or_else(|| {
        error.downcast_ref::<io::Error>().and_then(|error| error.get_ref()?.downcast_ref::<rustls::Error>())
    })
}

fn io_problem(error: &io::Error) -> Option<String> {
    let text = match error.kind() {
        io::ErrorKind::HostUnreachable => "connect: no route to host",
        io::ErrorKind::NetworkUnreachable => "connect: network is unreachable",
        io::ErrorKind::ConnectionReset => "read: connection reset by peer",
        io::ErrorKind::TimedOut => "i/o timeout",
        io::ErrorKind::UnexpectedEof => return Some("EOF".to_owned()),
        _ if error.to_string().contains("failed to lookup address information") => "lookup: no such host",
        _ => return None,
    };
    Some(format!("dial tcp: {text}"))
}

fn tls_problem(error: &rustls::Error) -> String {
    match error {
        rustls::Error::InvalidCertificate(error) => {
            format!("tls: failed to verify certificate: x509: {}", certificate_problem(error))
        }
        rustls::Error::AlertReceived(alert) => format!("remote error: tls: {}", alert_name(*alert)),
        rustls::Error::InvalidMessage(_) => "http: server gave HTTP response to HTTPS client".to_owned(),
        other => format!("tls: {other}"),
    }
}

fn certificate_problem(error: &CertificateError) -> String {
    match error {
        CertificateError::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
        CertificateError::ExpiredContext { time, not_after } => format!(
            "certificate has expired or is not yet valid: current time {} is after {}",
            shown(*time),
            shown(*not_after)
        ),
        CertificateError::NotValidYetContext { time, not_before } => format!(
            "certificate has expired or is not yet valid: current time {} is before {}",
            shown(*time),
            shown(*not_before)
        ),
        CertificateError::Expired | CertificateError::NotValidYet => {
            "certificate has expired or is not yet valid".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => names(expected, presented),
        CertificateError::InvalidPurpose | CertificateError::InvalidPurposeContext { .. } => {
            "certificate specifies an incompatible key usage".to_owned()
        }
        CertificateError::BadSignature => "certificate signed by unknown authority".to_owned(),
        other => other.to_string(),
    }
}

/// Returns which names the certificate has instead of the one that was expected.
fn names(expected: &ServerName<'_>, presented: &[String]) -> String {
    let of = |sort: &str| -> Vec<String> {
        let names = presented.iter().filter_map(|name| name.strip_prefix(sort)?.strip_suffix(')'));
        names.map(|name| name.trim_matches('"').to_owned()).collect()
    };
    match expected {
        ServerName::IpAddress(address) => {
            let address = std::net::IpAddr::from(*address);
            let addresses = of("IpAddress(");
            match addresses.is_empty() {
                true => format!(
                    "cannot validate certificate for {address} because it doesn't contain any IP SANs"
                ),
                false => {
                    let addresses: Vec<String> = addresses.iter().map(|address| plain_ip(address)).collect();
                    format!("certificate is valid for {}, not {address}", addresses.join(", "))
                }
            }
        }
        name => {
            let (name, names) = (name.to_str(), of("DnsName("));
            match names.is_empty() {
                true => format!("certificate is not valid for any names, but wanted to match {name}"),
                false => format!("certificate is valid for {}, not {name}", names.join(", ")),
            }
        }
    }
}

/// Returns an address in its usual form: `0::1` is `::1`.
fn plain_ip(text: &str) -> String {
    text.parse::<std::net::IpAddr>().map_or_else(|_| text.to_owned(), |address| address.to_string())
}

fn shown(time: UnixTime) -> String {
    let mut out = Vec::new();
    Time::from_unix(i64::try_from(time.as_secs()).unwrap_or(i64::MAX), 0).write_rfc3339(&mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn alert_name(alert: AlertDescription) -> String {
    let name = match alert {
        AlertDescription::BadCertificate => "bad certificate",
        AlertDescription::CertificateRequired => "certificate required",
        AlertDescription::CertificateExpired => "expired certificate",
        AlertDescription::CertificateRevoked => "revoked certificate",
        AlertDescription::CertificateUnknown => "unknown certificate",
        AlertDescription::UnsupportedCertificate => "unsupported certificate",
        AlertDescription::UnknownCA => "unknown certificate authority",
        AlertDescription::AccessDenied => "access denied",
        AlertDescription::HandshakeFailure => "handshake failure",
        AlertDescription::ProtocolVersion => "protocol version not supported",
        AlertDescription::UnrecognisedName => "unrecognized name",
        AlertDescription::InternalError => "internal error",
        other => return format!("{other:?}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificates_are_judged_in_known_words() {
        let presented = ["DnsName(\"a\")".to_owned(), "IpAddress(0::1)".to_owned()];
        let name = |text: &str| ServerName::try_from(text.to_owned()).unwrap();
        assert_eq!(names(&name("b"), &presented), "certificate is valid for a, not b");
        assert_eq!(names(&name("10.0.0.1"), &presented), "certificate is valid for ::1, not 10.0.0.1");
        assert_eq!(
            names(&name("10.0.0.1"), &presented[..1]),
            "cannot validate certificate for 10.0.0.1 because it doesn't contain any IP SANs"
        );
        let hidden = io::Error::new(
            io::ErrorKind::InvalidData,
            rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer),
        );
        assert_eq!(
            connection_problem(&hidden).as_deref(),
            Some("tls: failed to verify certificate: x509: certificate signed by unknown authority")
        );
    }
}
