//! Requests one certificate and waits until it is signed.

use std::time::{Duration, UNIX_EPOCH};

use rhumb_api::certificates::v1::CertificateSigningRequest;
use rhumb_meta::v1::{CreateOptions, ListOptions};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, CertificateSigningRequestDer};
use x509_parser::certificate::X509Certificate;
use x509_parser::certification_request::X509CertificationRequest;
use x509_parser::prelude::FromDer;

use super::{CertificateError, PrivateKey, Template};
use crate::Client;
use crate::informer::{Event, SharedInformer};

/// Contents of a certificate request.
#[derive(Clone, Debug)]
pub struct SigningRequest {
    name: String,
    signer: String,
    usages: Vec<String>,
    lifetime: Option<Duration>,
    key: PrivateKey,
    pem: Vec<u8>,
}

impl SigningRequest {
    /// Creates a request for a certificate for a key, without name and usages.
    ///
    /// # Errors
    /// The template or the key makes no request.
    pub fn new(template: &Template, key: &PrivateKey, signer: &str) -> Result<Self, CertificateError> {
        let pem = template.request(key)?;
        let (name, signer) = (String::new(), signer.to_owned());
        Ok(SigningRequest { name, signer, usages: Vec::new(), lifetime: None, key: key.clone(), pem })
    }

    /// Sets the name, so that a restarted process with the same key finds its request. Without it the server generates
    /// one with the prefix `csr-`.
    #[must_use]
    pub fn name(mut self, name: &str) -> Self {
        name.clone_into(&mut self.name);
        self
    }

    /// Sets the usages.
    #[must_use]
    pub fn usages<'a>(mut self, usages: impl IntoIterator<Item = &'a str>) -> Self {
        self.usages = usages.into_iter().map(str::to_owned).collect();
        self
    }

    /// Sets the requested lifetime. The signer may choose another.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Option<Duration>) -> Self {
        self.lifetime = lifetime;
        self
    }

    pub(super) fn object(&self) -> CertificateSigningRequest {
        let mut object = CertificateSigningRequest::default();
        match self.name.as_str() {
            "" => object.metadata.generate_name = "csr-".to_owned(),
            name => name.clone_into(&mut object.metadata.name),
        }
        object.spec.request = self.pem.as_slice().into();
        object.spec.signer_name.clone_from(&self.signer);
        object.spec.usages.clone_from(&self.usages);
        object.spec.expiration_seconds =
            self.lifetime.map(|lifetime| i32::try_from(lifetime.as_secs()).unwrap_or(i32::MAX));
        object
    }
}

/// Reference to a request on the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requested {
    /// Name of the request.
    pub name: String,
    /// UID, which distinguishes it from an earlier request of that name.
    pub uid: String,
}

/// Creates a certificate request, or finds an existing one of its name for the same key, subject and signer.
///
/// # Errors
/// The server refuses it or has another of that name, and whenever there is no answer.
pub async fn request_certificate(
    client: &Client,
    request: &SigningRequest,
) -> Result<Requested, CertificateError> {
    let requests = client.certificates_v1().certificate_signing_requests();
    let made = match requests.create(&request.object(), &CreateOptions::default()).await {
        Err(error) if error.is_already_exists() && !request.name.is_empty() => {
            let known = requests.get(&request.name).await.map_err(CertificateError::Request)?;
            let now = client.config().environment.now();
            let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
            compare(&known, request, i64::try_from(now).unwrap_or(i64::MAX))
                .map_err(CertificateError::Incompatible)?;
            known
        }
        made => made.map_err(CertificateError::Request)?,
    };
    Ok(Requested { name: made.metadata.name, uid: made.metadata.uid })
}

/// Waits until a request is approved and signed, and gives the certificate in PEM. It waits for as long as it is
/// polled, whatever happens to the connection.
///
/// # Errors
/// The request is denied, failed or deleted.
pub async fn wait_for_certificate(
    client: &Client,
    requested: &Requested,
) -> Result<Vec<u8>, CertificateError> {
    let deleted = || CertificateError::Deleted { name: requested.name.clone() };
    let selected =
        ListOptions { field_selector: format!("metadata.name={}", requested.name), ..Default::default() };
    let requests = client.certificates_v1().certificate_signing_requests();
    let informer = SharedInformer::builder(requests).select(&selected).build();
    let mut events = informer.events().map_err(|_| deleted())?;
    informer.start();
    if !informer.synced().await || informer.indexer().is_empty() {
        return Err(deleted());
    }
    loop {
        let now = match events.next().await {
            Some(Event::Added { object, .. }) => object,
            Some(Event::Updated { new, .. }) => new,
            Some(Event::Deleted(_)) | None => return Err(deleted()),
        };
        if now.metadata.uid != requested.uid {
            return Err(deleted());
        }
        if let Some(certificate) = issued(&now)? {
            return Ok(certificate);
        }
    }
}

/// Returns the certificate, if the request is approved and signed.
pub(super) fn issued(request: &CertificateSigningRequest) -> Result<Option<Vec<u8>>, CertificateError> {
    let mut is_approved = false;
    for condition in &request.status.conditions {
        let (reason, message) = (condition.reason.clone(), condition.message.clone());
        match condition.type_.as_str() {
            "Denied" => return Err(CertificateError::Denied { reason, message }),
            "Failed" => return Err(CertificateError::Failed { reason, message }),
            "Approved" => is_approved = true,
            _ => {}
        }
    }
    let certificate = &request.status.certificate.0;
    Ok((is_approved && !certificate.is_empty()).then(|| certificate.clone()))
}

/// Tells what keeps a known request from being the one that is wanted.
pub(super) fn compare(
    known: &CertificateSigningRequest,
    wanted: &SigningRequest,
    now: i64,
) -> Result<(), String> {
    let der = |pem: &[u8]| {
        CertificateSigningRequestDer::from_pem_slice(pem)
            .map_err(|error| format!("unable to parse csr: {error}"))
    };
    let (known_der, wanted_der) = (der(&known.spec.request.0)?, der(&wanted.pem)?);
    let read = |der| match X509CertificationRequest::from_der(der) {
        Ok((_, request)) => Ok(request),
        Err(error) => Err(format!("unable to parse csr: {error}")),
    };
    let (known_request, wanted_request) = (read(&known_der)?, read(&wanted_der)?);
    let (known_info, wanted_info) =
        (&known_request.certification_request_info, &wanted_request.certification_request_info);
    if known_info.subject.to_string() != wanted_info.subject.to_string() {
        return Err(format!(
            "csr subjects differ: new: {}, orig: {}",
            known_info.subject, wanted_info.subject
        ));
    }
    if known.spec.signer_name != wanted.signer {
        return Err(format!(
            "csr signerNames differ: new {:?}, orig: {:?}",
            known.spec.signer_name, wanted.signer
        ));
    }
    if known_info.subject_pki.subject_public_key.data.as_ref() != wanted.key.public() {
        return Err("the csr is for another key".to_owned());
    }
    if known_request.verify_signature().is_err() {
        return Err("the csr is not signed by its key".to_owned());
    }
    for certificate in CertificateDer::pem_slice_iter(&known.status.certificate.0) {
        let certificate =
            certificate.map_err(|error| format!("error parsing signed certificate: {error}"))?;
        let (_, certificate) = X509Certificate::from_der(&certificate)
            .map_err(|error| format!("error parsing signed certificate: {error}"))?;
        let not_after = certificate.validity().not_after;
        if now > not_after.timestamp() {
            return Err(format!("one of the certificates for the CSR has expired: {not_after}"));
        }
    }
    Ok(())
}
