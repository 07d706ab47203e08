//! `CertificatePair`: a certificate with its key, in PEM and for TLS.

use std::error::Error;
use std::fmt;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rhumb_meta::Time;
use rustls::crypto::ring;
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::GeneralName;
use x509_parser::prelude::FromDer;

use crate::config::Identity;

/// A certificate chain with its key.
#[derive(Clone)]
pub struct CertificatePair {
    identity: Identity,
    certified: Arc<CertifiedKey>,
    leaf: Arc<Leaf>,
}

/// Parsed fields of a certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Leaf {
    /// The Unix second from which it is good.
    pub(super) not_before: i64,
    /// The last Unix second in which it is good.
    pub(super) not_after: i64,
    pub(super) common_name: String,
    pub(super) organizations: Vec<String>,
    pub(super) dns_names: Vec<String>,
    pub(super) ip_addresses: Vec<IpAddr>,
}

/// Error of parsing a certificate with its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairError(String);

impl fmt::Display for PairError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no certificate with its key: {}", self.0)
    }
}

impl Error for PairError {}

fn failed(error: impl fmt::Display) -> PairError {
    PairError(error.to_string())
}

impl CertificatePair {
    /// Parses a certificate chain and its key, which may be in the same text.
    ///
    /// # Errors
    /// There is no certificate or no key, or the key is another one's.
    pub fn from_pem(certificate: &[u8], key: &[u8]) -> Result<Self, PairError> {
        let chain: Vec<CertificateDer<'static>> =
            CertificateDer::pem_slice_iter(certificate).collect::<Result<_, _>>().map_err(failed)?;
        let first = chain.first().ok_or_else(|| failed("there is no certificate"))?;
        let leaf = Leaf::read(first)?;
        let key_der = PrivateKeyDer::from_pem_slice(key).map_err(failed)?;
        let certified = CertifiedKey::from_der(chain, key_der, &ring::default_provider()).map_err(failed)?;
        Ok(CertificatePair {
            identity: Identity { certificate: certificate.into(), key: key.into() },
            certified: Arc::new(certified),
            leaf: Arc::new(leaf),
        })
    }

    /// Returns certificate and key in PEM.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// Returns the pair for rustls.
    pub fn certified_key(&self) -> &Arc<CertifiedKey> {
        &self.certified
    }

    /// Returns the start of the certificate's validity.
    pub fn not_before(&self) -> Time {
        Time::from_unix(self.leaf.not_before, 0)
    }

    /// Returns the end of the certificate's validity.
    pub fn not_after(&self) -> Time {
        Time::from_unix(self.leaf.not_after, 0)
    }

    /// Returns the common name of the subject.
    pub fn common_name(&self) -> &str {
        &self.leaf.common_name
    }

    pub(super) fn leaf(&self) -> &Leaf {
        &self.leaf
    }
}

impl fmt::Debug for CertificatePair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CertificatePair").field("leaf", &self.leaf).finish_non_exhaustive()
    }
}

impl Leaf {
    fn read(der: &[u8]) -> Result<Self, PairError> {
        let (_, certificate) = X509Certificate::from_der(der).map_err(failed)?;
        let texts = |names: Vec<&x509_parser::x509::AttributeTypeAndValue<'_>>| -> Vec<String> {
            names.into_iter().filter_map(|name| name.as_str().ok()).map(str::to_owned).collect()
        };
        let subject = certificate.subject();
        let mut leaf = Leaf {
            not_before: certificate.validity().not_before.timestamp(),
            not_after: certificate.validity().not_after.timestamp(),
            common_name: texts(subject.iter_common_name().collect()).pop().unwrap_or_default(),
            organizations: texts(subject.iter_organization().collect()),
            dns_names: Vec::new(),
            ip_addresses: Vec::new(),
        };
        if let Some(names) = certificate.subject_alternative_name().map_err(failed)? {
            for name in &names.value.general_names {
                match name {
                    GeneralName::DNSName(name) => leaf.dns_names.push((*name).to_owned()),
                    GeneralName::IPAddress(bytes) => leaf.ip_addresses.extend(address(bytes)),
                    _ => {}
                }
            }
        }
        Ok(leaf)
    }

    /// Reports whether the certificate is no longer good in a Unix second.
    pub(super) fn is_expired(&self, now: i64) -> bool {
        now > self.not_after
    }

    /// Returns the time from the start of the certificate's validity to a fraction of its lifetime.
    pub(super) fn part_of_life(&self, part: f64) -> Duration {
        let seconds = u64::try_from(self.not_after.saturating_sub(self.not_before)).unwrap_or_default();
        Duration::from_secs(seconds).mul_f64(part)
    }
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}
