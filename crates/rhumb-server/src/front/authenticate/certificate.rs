//! Knowing clients by their certificates: the common name is the user, the organizations are the groups.

use std::sync::Arc;
use std::time::Duration;

use rustls::RootCertStore;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls_pki_types::{CertificateDer, UnixTime};
use sha2::{Digest, Sha256};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::Refused;
use crate::environment::Clock;
use crate::front::tls::provider;
use crate::identity::User;

/// What a user's extra says about the certificate that was shown.
const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";
/// The attribute of a subject that holds the user's UID: 1.3.6.1.4.1.57683.2.
const UID_ATTRIBUTE: &str = "1.3.6.1.4.1.57683.2";

/// The certificate that a connection came with, and what became of it.
pub(crate) struct Presented {
    verdict: Result<Option<User>, Refused>,
    /// The certificate is good until then, in seconds since 1970.
    good_until: i64,
}

/// Knows clients by certificates of some authorities.
pub(crate) struct CertificateAuthenticator {
    verifier: Arc<dyn ClientCertVerifier>,
    clock: Arc<dyn Clock>,
}

impl CertificateAuthenticator {
    /// Knows those for whom one of these vouches.
    pub(crate) fn new(roots: Arc<RootCertStore>, clock: Arc<dyn Clock>) -> Result<Self, rustls::Error> {
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider())
            .build()
            .map_err(|error| rustls::Error::General(error.to_string()))?;
        Ok(CertificateAuthenticator { verifier, clock })
    }

    /// Looks at what a connection came with: once, because signatures take their time.
    pub(crate) fn present(&self, chain: &[CertificateDer<'_>]) -> Option<Presented> {
        let (leaf, others) = chain.split_first()?;
        let seconds = u64::try_from(self.clock.now().0).unwrap_or_default();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let verdict = match self.verifier.verify_client_cert(leaf, others, now) {
            Ok(_) => user_of(leaf),
            Err(error) => Err(Refused(format!("verifying certificate failed: {error}"))),
        };
        let good_until = X509Certificate::from_der(leaf)
            .map_or(i64::MIN, |(_, certificate)| certificate.validity().not_after.timestamp());
        Some(Presented { verdict, good_until })
    }

    /// Whose certificate it is; none if it names nobody. A certificate that ends during a connection ends with it.
    pub(crate) fn user(&self, presented: &Presented) -> Result<Option<User>, Refused> {
        if presented.verdict.is_ok() && presented.good_until < self.clock.now().0 {
            return Err(Refused("the certificate has expired".to_owned()));
        }
        presented.verdict.clone()
    }
}

fn user_of(leaf: &CertificateDer<'_>) -> Result<Option<User>, Refused> {
    let (_, certificate) = X509Certificate::from_der(leaf)
        .map_err(|error| Refused(format!("malformed certificate: {error}")))?;
    let subject = certificate.subject();
    // Of several common names the last one counts, as in Go.
    let Some(name) = subject.iter_common_name().filter_map(|name| name.as_str().ok()).last() else {
        return Ok(None);
    };
    if name.is_empty() {
        return Ok(None);
    }
    let mut uids = subject
        .iter_attributes()
        .filter(|attribute| attribute.attr_type().to_id_string() == UID_ATTRIBUTE)
        .map(|attribute| attribute.as_str().map(str::to_owned));
    let uid = match (uids.next(), uids.next()) {
        (None, _) => String::new(),
        (Some(Ok(uid)), None) if !uid.is_empty() => uid,
        (Some(Ok(_)), None) => return Err(Refused("UID cannot be an empty string".to_owned())),
        (Some(Err(_)), _) => return Err(Refused("unable to parse UID into a string".to_owned())),
        (Some(_), Some(_)) => return Err(Refused("expected 1 UID, but found multiple".to_owned())),
    };
    let fingerprint: String =
        Sha256::digest(leaf.as_ref()).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(Some(User {
        name: name.to_owned(),
        uid,
        groups: subject
            .iter_organization()
            .filter_map(|group| group.as_str().ok())
            .map(str::to_owned)
            .collect(),
        extra: [(CREDENTIAL.to_owned(), vec![format!("X509SHA256={fingerprint}")])].into(),
    }))
}
