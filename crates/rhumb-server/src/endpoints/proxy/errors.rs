//! What goes wrong on a network, in the words of Go's libraries.

use std::io::{self, ErrorKind};

use rhumb_meta::Time;
use rustls::{AlertDescription, CertificateError};
use rustls_pki_types::ServerName;

/// Why an address can't be reached.
pub(super) fn connecting(error: &io::Error) -> String {
    let why = match error.kind() {
        ErrorKind::ConnectionRefused => "connection refused",
        ErrorKind::ConnectionReset => "connection reset by peer",
        ErrorKind::HostUnreachable => "no route to host",
        ErrorKind::NetworkUnreachable => "network is unreachable",
        ErrorKind::TimedOut => "connection timed out",
        ErrorKind::PermissionDenied => "permission denied",
        ErrorKind::AddrNotAvailable => "cannot assign requested address",
        ErrorKind::InvalidInput => "invalid argument",
        _ => return format!("connect: {error}"),
    };
    format!("connect: {why}")
}

/// The error of TLS within an error of a connection.
pub(super) fn tls_error(error: &io::Error) -> Option<&rustls::Error> {
    error.get_ref()?.downcast_ref()
}

/// Why there is no secret to talk in.
pub(super) fn handshake(error: &io::Error) -> String {
    let Some(told) = tls_error(error) else {
        return match error.kind() {
            ErrorKind::UnexpectedEof => "EOF".to_owned(),
            ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
            _ => error.to_string(),
        };
    };
    match told {
        rustls::Error::InvalidCertificate(why) => {
            format!("tls: failed to verify certificate: x509: {}", certificate(why))
        }
        rustls::Error::AlertReceived(alert) => format!("remote error: tls: {}", self::alert(*alert)),
        rustls::Error::InvalidMessage(_) => "tls: first record does not look like a TLS handshake".to_owned(),
        other => format!("tls: {other}"),
    }
}

fn certificate(why: &CertificateError) -> String {
    let moment = |time: &rustls_pki_types::UnixTime| {
        Time::from_unix(i64::try_from(time.as_secs()).unwrap_or(i64::MAX), 0).to_string()
    };
    match why {
        CertificateError::UnknownIssuer => "certificate signed by unknown authority".to_owned(),
        CertificateError::ExpiredContext { time, not_after } => format!(
            "certificate has expired or is not yet valid: current time {} is after {}",
            moment(time),
            moment(not_after)
        ),
        CertificateError::NotValidYetContext { time, not_before } => format!(
            "certificate has expired or is not yet valid: current time {} is before {}",
            moment(time),
            moment(not_before)
        ),
        CertificateError::NotValidForNameContext { expected, presented } => {
            let (asked, is_address) = match expected {
                ServerName::IpAddress(address) => (std::net::IpAddr::from(*address).to_string(), true),
                other => (other.to_str().into_owned(), false),
            };
            let kind = if is_address { "IpAddress(" } else { "DnsName(" };
            // They come as `DnsName("a")` and `IpAddress(1.2.3.4)`.
            let names: Vec<&str> = presented
                .iter()
                .filter_map(|name| name.strip_prefix(kind)?.strip_suffix(')'))
                .map(|name| name.trim_matches('"'))
                .collect();
            match (names.is_empty(), is_address) {
                (true, true) => {
                    format!("cannot validate certificate for {asked} because it doesn't contain any IP SANs")
                }
                (true, false) => {
                    format!("certificate is not valid for any names, but wanted to match {asked}")
                }
                _ => format!("certificate is valid for {}, not {asked}", names.join(", ")),
            }
        }
        other => other.to_string(),
    }
}

fn alert(alert: AlertDescription) -> String {
    let told = match alert {
        AlertDescription::BadCertificate => "bad certificate",
        AlertDescription::CertificateRequired => "certificate required",
        AlertDescription::CertificateExpired => "expired certificate",
        AlertDescription::CertificateUnknown => "unknown certificate",
        AlertDescription::UnknownCA => "unknown certificate authority",
        AlertDescription::HandshakeFailure => "handshake failure",
        AlertDescription::ProtocolVersion => "protocol version not supported",
        AlertDescription::InternalError => "internal error",
        AlertDescription::AccessDenied => "access denied",
        AlertDescription::UnrecognisedName => "unrecognized name",
        AlertDescription::NoApplicationProtocol => "no application protocol",
        other => return format!("{other:?}"),
    };
    told.to_owned()
}

/// What a request that got no answer died of.
pub(super) fn exchange(error: &hyper::Error) -> String {
    use std::error::Error as _;
    let mut source = error.source();
    while let Some(inner) = source {
        if let Some(inner) = inner.downcast_ref::<io::Error>() {
            return match inner.kind() {
                ErrorKind::ConnectionReset => "read: connection reset by peer".to_owned(),
                ErrorKind::BrokenPipe => "write: broken pipe".to_owned(),
                ErrorKind::UnexpectedEof => "unexpected EOF".to_owned(),
                // A client without a certificate learns only now, in TLS 1.3, that it needs one.
                _ => handshake(inner),
            };
        }
        source = inner.source();
    }
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() {
        return "EOF".to_owned();
    }
    if error.is_parse() {
        return "malformed HTTP response".to_owned();
    }
    error.to_string()
}
