//! Knowing clients by their certificates: the common name is the user, the organizations are the groups.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use rustls::RootCertStore;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls_pki_types::{CertificateDer, UnixTime};
use sha2::{Digest, Sha256};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::Refused;
use crate::base::cryptography::provider;
use crate::base::environment::Clock;
use crate::base::identity::User;

/// What a user's extra says about the certificate that was shown.
const CREDENTIAL: &str = "authentication.kubernetes.io/credential-id";
/// The attribute of a subject that holds the user's UID: 1.3.6.1.4.1.57683.2.
const UID_ATTRIBUTE: &str = "1.3.6.1.4.1.57683.2";

/// The certificate that a connection came with, and what became of it.
pub(crate) struct Presented {
    chain: Vec<CertificateDer<'static>>,
    looked: Mutex<Arc<Looked>>,
}

/// What a look at a certificate gave, while certain authorities were trusted.
struct Looked {
    generation: u64,
    client: Result<Option<User>, Refused>,
    /// The name of a proxy; none if no proxies are known.
    proxy: Option<Result<String, Refused>>,
    /// The certificate is good until then, in seconds since 1970.
    good_until: i64,
}

/// Those who vouch for clients, and those who vouch for proxies.
pub(crate) struct Trusted {
    clients: Arc<dyn ClientCertVerifier>,
    proxies: Option<Arc<dyn ClientCertVerifier>>,
    generation: u64,
}

impl Trusted {
    /// Those whom these vouch for are known.
    pub(crate) fn new(
        clients: Arc<RootCertStore>,
        proxies: Option<Arc<RootCertStore>>,
    ) -> Result<Self, rustls::Error> {
        let verifier = |roots| {
            WebPkiClientVerifier::builder_with_provider(roots, provider())
                .build()
                .map_err(|error| rustls::Error::General(error.to_string()))
        };
        let proxies = proxies.map(verifier).transpose()?;
        Ok(Trusted { clients: verifier(clients)?, proxies, generation: 0 })
    }
}

/// Knows clients by certificates of some authorities.
pub(crate) struct CertificateAuthenticator {
    trusted: ArcSwap<Trusted>,
    clock: Arc<dyn Clock>,
}

impl CertificateAuthenticator {
    /// Knows those for whom one of these vouches.
    pub(crate) fn new(trusted: Trusted, clock: Arc<dyn Clock>) -> Self {
        CertificateAuthenticator { trusted: ArcSwap::from_pointee(trusted), clock }
    }

    /// Trusts others from now on, also on connections that are open.
    pub(crate) fn trust(&self, mut trusted: Trusted) {
        trusted.generation = self.trusted.load().generation.wrapping_add(1);
        self.trusted.store(Arc::new(trusted));
    }

    /// Looks at what a connection came with: once, because signatures take their time.
    pub(crate) fn present(&self, chain: &[CertificateDer<'_>]) -> Option<Presented> {
        let chain: Vec<_> = chain.iter().map(|certificate| certificate.clone().into_owned()).collect();
        let looked = Mutex::new(Arc::new(self.look(&chain)?));
        Some(Presented { chain, looked })
    }

    fn look(&self, chain: &[CertificateDer<'static>]) -> Option<Looked> {
        let (leaf, others) = chain.split_first()?;
        let trusted = self.trusted.load();
        let seconds = u64::try_from(self.clock.now().0).unwrap_or_default();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        let verified =
            |verifier: &Arc<dyn ClientCertVerifier>| match verifier.verify_client_cert(leaf, others, now) {
                Ok(_) => Ok(()),
                Err(error) => Err(Refused(format!("verifying certificate failed: {error}"))),
            };
        let client = verified(&trusted.clients).and_then(|()| user_of(leaf));
        let proxy = trusted.proxies.as_ref().map(|verifier| {
            verified(verifier).map_err(|Refused(why)| Refused(format!("of proxies: {why}")))?;
            Ok(user_of(leaf)?.map(|user| user.name).unwrap_or_default())
        });
        let good_until = X509Certificate::from_der(leaf)
            .map_or(i64::MIN, |(_, certificate)| certificate.validity().not_after.timestamp());
        Some(Looked { generation: trusted.generation, client, proxy, good_until })
    }

    /// What is known of a certificate now. One that ends during a connection ends with it.
    fn known(&self, presented: &Presented) -> Result<Arc<Looked>, Refused> {
        let mut looked = presented.looked.lock();
        if looked.generation != self.trusted.load().generation
            && let Some(again) = self.look(&presented.chain)
        {
            *looked = Arc::new(again);
        }
        if looked.good_until < self.clock.now().0 {
            return Err(Refused("the certificate has expired".to_owned()));
        }
        Ok(Arc::clone(&looked))
    }

    /// Whose certificate it is; none if it names nobody.
    pub(crate) fn user(&self, presented: &Presented) -> Result<Option<User>, Refused> {
        self.known(presented)?.client.clone()
    }

    /// The proxy whose certificate it is; none if no proxies are known.
    pub(crate) fn proxy(&self, presented: &Presented) -> Result<Option<String>, Refused> {
        self.known(presented)?.proxy.clone().transpose()
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
