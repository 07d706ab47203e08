//! The keys and certificates of a server: made at the first start, kept, and renewed when they come of age.
//!
//! What lies in the directory is the truth: the authority's key above all, from which everything else is made anew if
//! it is missing. A key that is there is never replaced, because others rely on it.

pub(crate) mod files;
mod issue;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use rcgen::{Issuer, KeyPair};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

use crate::base::environment::{Clock, Entropy};
use crate::base::identity::MASTERS;
pub(crate) use issue::Names;

/// The name that the administrator's certificate is made out to.
pub(crate) const ADMIN: &str = "admin";
/// The name that the server shows to kubelets.
const KUBELET_CLIENT: &str = "kube-apiserver-kubelet-client";

/// Why a server has no keys or certificates to work with.
#[derive(Debug)]
#[non_exhaustive]
pub enum PkiError {
    /// A file can't be read or written.
    File(PathBuf, io::Error),
    /// A file is not what it has to be.
    Content(PathBuf, String),
    /// Something could not be made.
    Make(rcgen::Error),
}

impl fmt::Display for PkiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PkiError::File(path, _) => write!(f, "the file {} can't be used", path.display()),
            PkiError::Content(path, why) => write!(f, "the file {} can't be used: {why}", path.display()),
            PkiError::Make(_) => f.write_str("a certificate couldn't be made"),
        }
    }
}

impl std::error::Error for PkiError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            PkiError::File(_, error) => Some(error),
            PkiError::Content(..) => None,
            PkiError::Make(error) => Some(error),
        }
    }
}

impl From<rcgen::Error> for PkiError {
    fn from(error: rcgen::Error) -> Self {
        PkiError::Make(error)
    }
}

/// The keys and certificates of a server, all as PEM.
pub(crate) struct Pki {
    /// The certificate of the authority.
    pub(crate) authority: String,
    /// The authority's key, by which certificates are issued.
    pub(crate) authority_key: String,
    /// The certificate that clients see.
    pub(crate) serving: Pair,
    /// The administrator's certificate.
    pub(crate) admin: Pair,
    /// The certificate that the server shows to kubelets.
    pub(crate) kubelet_client: Pair,
    /// The key by which tokens of service accounts are signed.
    pub(crate) service_account_key: String,
}

/// A certificate with its key.
pub(crate) struct Pair {
    /// The certificate.
    pub(crate) certificate: String,
    /// The key.
    pub(crate) key: String,
}

/// Where keys and certificates are kept.
pub(crate) enum Place<'a> {
    /// Nowhere: they live as long as the server, which has these already.
    Memory(Option<&'a Pki>),
    /// In this directory.
    Directory(&'a Path),
}

impl Pki {
    /// Reads what is kept and makes what is missing.
    pub(crate) fn prepare(
        place: &Place<'_>,
        names: &Names,
        clock: &dyn Clock,
        entropy: &dyn Entropy,
    ) -> Result<Self, PkiError> {
        let keeper = Keeper { place, entropy };
        if let Place::Directory(directory) = place {
            files::make_directory(directory)
                .map_err(|error| PkiError::File(directory.to_path_buf(), error))?;
        }
        let authority_key = keeper.authority_key()?;
        let signer = keeper.parsed("ca.key", &authority_key)?;
        let authority = keeper.kept_or("ca.crt", || Ok(issue::authority(&signer, clock, entropy)?))?;
        let issuer = keeper.issuer(&authority, signer)?;
        let trusted = keeper.certificate("ca.crt", &authority)?;

        let serving_key = keeper.kept_or("apiserver.key", || Ok(issue::key()?))?;
        let serving_pair = keeper.parsed("apiserver.key", &serving_key)?;
        let serving = keeper.renewed(
            "apiserver.crt",
            |kept| is_good(kept, &trusted, &serving_pair, clock) && covers(kept, names),
            || issue::serving(&issuer, &serving_pair, names, clock, entropy),
        )?;
        let admin_key = keeper.kept_or("admin.key", || Ok(issue::key()?))?;
        let admin_pair = keeper.parsed("admin.key", &admin_key)?;
        let admin = keeper.renewed(
            "admin.crt",
            |kept| is_good(kept, &trusted, &admin_pair, clock),
            || issue::client(&issuer, &admin_pair, ADMIN, MASTERS, clock, entropy),
        )?;
        let kubelet_key = keeper.kept_or("kubelet-client.key", || Ok(issue::key()?))?;
        let kubelet_pair = keeper.parsed("kubelet-client.key", &kubelet_key)?;
        let kubelet = keeper.renewed(
            "kubelet-client.crt",
            |kept| is_good(kept, &trusted, &kubelet_pair, clock),
            || issue::client(&issuer, &kubelet_pair, KUBELET_CLIENT, MASTERS, clock, entropy),
        )?;
        let service_account_key = keeper.kept_or("service-account.key", || Ok(issue::key()?))?;
        keeper.parsed("service-account.key", &service_account_key)?;
        Ok(Pki {
            authority,
            authority_key,
            serving: Pair { certificate: serving, key: serving_key },
            admin: Pair { certificate: admin, key: admin_key },
            kubelet_client: Pair { certificate: kubelet, key: kubelet_key },
            service_account_key,
        })
    }

    /// What a directory would have under a name.
    fn part(&self, name: &str) -> Option<&String> {
        Some(match name {
            "ca.crt" => &self.authority,
            "ca.key" => &self.authority_key,
            "apiserver.crt" => &self.serving.certificate,
            "apiserver.key" => &self.serving.key,
            "admin.crt" => &self.admin.certificate,
            "admin.key" => &self.admin.key,
            "kubelet-client.crt" => &self.kubelet_client.certificate,
            "kubelet-client.key" => &self.kubelet_client.key,
            "service-account.key" => &self.service_account_key,
            _ => return None,
        })
    }

    /// When the first of the certificates comes of age, in seconds since 1970.
    pub(crate) fn renew_at(&self) -> i64 {
        let ends = [&self.serving, &self.admin, &self.kubelet_client].map(|pair| {
            let der = CertificateDer::from_pem_slice(pair.certificate.as_bytes()).ok()?;
            let (_, found) = X509Certificate::from_der(&der).ok()?;
            Some(found.validity().not_after.timestamp())
        });
        issue::renew_at(ends.into_iter().map(|end| end.unwrap_or(i64::MIN)).min().unwrap_or(i64::MIN))
    }
}

/// The certificates of a PEM file, which must have one at least.
pub(crate) fn certificates(pem: &[u8], path: &Path) -> Result<Vec<CertificateDer<'static>>, PkiError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|error| PkiError::Content(path.to_path_buf(), error.to_string()))?;
    if found.is_empty() {
        return Err(PkiError::Content(path.to_path_buf(), "it has no certificate".to_owned()));
    }
    Ok(found)
}

/// The private key of a PEM text.
pub(crate) fn private_key(pem: &str) -> Result<PrivateKeyDer<'static>, rustls_pki_types::pem::Error> {
    PrivateKeyDer::from_pem_slice(pem.as_bytes())
}

/// Reads and writes the files of one place.
struct Keeper<'a> {
    place: &'a Place<'a>,
    entropy: &'a dyn Entropy,
}

impl Keeper<'_> {
    fn path(&self, name: &str) -> PathBuf {
        match self.place {
            Place::Memory(_) => PathBuf::from(name),
            Place::Directory(directory) => directory.join(name),
        }
    }

    fn read(&self, name: &str) -> Result<Option<String>, PkiError> {
        match self.place {
            Place::Memory(known) => Ok(known.and_then(|known| known.part(name)).cloned()),
            Place::Directory(_) => {
                files::read(&self.path(name)).map_err(|error| PkiError::File(self.path(name), error))
            }
        }
    }

    /// What is kept under a name, or else what is made and kept from now on.
    fn kept_or(
        &self,
        name: &str,
        make: impl FnOnce() -> Result<String, PkiError>,
    ) -> Result<String, PkiError> {
        if let Some(kept) = self.read(name)? {
            return Ok(kept);
        }
        let made = make()?;
        match self.place {
            Place::Memory(_) => Ok(made),
            Place::Directory(_) => files::create(&self.path(name), made, self.entropy)
                .map_err(|error| PkiError::File(self.path(name), error)),
        }
    }

    /// The certificate that is kept under a name if it is still good, or else a new one in its place.
    fn renewed(
        &self,
        name: &str,
        is_good: impl FnOnce(&X509Certificate<'_>) -> bool,
        make: impl FnOnce() -> Result<String, rcgen::Error>,
    ) -> Result<String, PkiError> {
        if let Some(kept) = self.read(name)? {
            let good = CertificateDer::from_pem_slice(kept.as_bytes())
                .is_ok_and(|der| X509Certificate::from_der(&der).is_ok_and(|(_, found)| is_good(&found)));
            if good {
                return Ok(kept);
            }
        }
        let made = make()?;
        if let Place::Directory(_) = self.place {
            files::replace(&self.path(name), &made, self.entropy)
                .map_err(|error| PkiError::File(self.path(name), error))?;
        }
        Ok(made)
    }

    /// The authority's key. Without it a certificate that is still there would vouch for nobody, and what clients
    /// trust would change in silence.
    fn authority_key(&self) -> Result<String, PkiError> {
        if self.read("ca.key")?.is_none() && self.read("ca.crt")?.is_some() {
            let why = "the certificate ca.crt is there and its key is not; restore ca.key, or remove ca.crt to \
                       start with a new authority, which clients must be told about";
            return Err(PkiError::Content(self.path("ca.key"), why.to_owned()));
        }
        self.kept_or("ca.key", || Ok(issue::key()?))
    }

    fn parsed(&self, name: &str, pem: &str) -> Result<KeyPair, PkiError> {
        KeyPair::from_pem(pem).map_err(|error| PkiError::Content(self.path(name), error.to_string()))
    }

    fn issuer(&self, authority: &str, key: KeyPair) -> Result<Issuer<'static, KeyPair>, PkiError> {
        Issuer::from_ca_cert_pem(authority, key)
            .map_err(|error| PkiError::Content(self.path("ca.crt"), error.to_string()))
    }

    fn certificate(&self, name: &str, pem: &str) -> Result<CertificateDer<'static>, PkiError> {
        CertificateDer::from_pem_slice(pem.as_bytes())
            .map_err(|error| PkiError::Content(self.path(name), error.to_string()))
    }
}

/// Whether a certificate is of this authority and for this key, and good for long enough.
fn is_good(
    kept: &X509Certificate<'_>,
    authority: &CertificateDer<'_>,
    key: &KeyPair,
    clock: &dyn Clock,
) -> bool {
    let Ok((_, authority)) = X509Certificate::from_der(authority) else { return false };
    let validity = kept.validity();
    kept.issuer() == authority.subject()
        && kept.verify_signature(Some(authority.public_key())).is_ok()
        && kept.public_key().subject_public_key.data.as_ref() == key.public_key_raw()
        && issue::is_fresh(validity.not_before.timestamp(), validity.not_after.timestamp(), clock)
}

/// Whether a certificate has all these names.
fn covers(kept: &X509Certificate<'_>, names: &Names) -> bool {
    let Ok(Some(found)) = kept.subject_alternative_name() else { return false };
    let has = |wanted: &GeneralName<'_>| found.value.general_names.contains(wanted);
    names.hosts.iter().all(|host| has(&GeneralName::DNSName(host)))
        && names.addresses.iter().all(|address| match address {
            std::net::IpAddr::V4(ip) => has(&GeneralName::IPAddress(&ip.octets())),
            std::net::IpAddr::V6(ip) => has(&GeneralName::IPAddress(&ip.octets())),
        })
}
