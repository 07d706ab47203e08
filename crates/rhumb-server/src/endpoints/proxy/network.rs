//! Connections to kubelets, pods and whatever else requests are passed on to.
//!
//! Every request has a connection of its own, over HTTP/1.1, which ends with it. What goes wrong is told in the
//! words of Go's network library, because clients are shown them.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpSocket, TcpStream, lookup_host};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::base::cryptography::provider;
use crate::base::pki;
use crate::base::secret::Secret;
use crate::endpoints::proxy::{KubeletOptions, errors};

/// How long it may take to be connected with something that is no kubelet.
const CONNECTING: Duration = Duration::from_secs(30);

/// How kubelets are reached.
#[derive(Clone)]
pub struct KubeletAccess {
    /// Those who vouch for kubelets, as PEM. Without them, certificates of kubelets are not looked at.
    pub authority: Option<String>,
    /// The certificate and the key to show to kubelets, as PEM.
    pub identity: Option<(String, String)>,
    /// The types of addresses by which nodes are reached, the best one first.
    pub preferred_address_types: Vec<String>,
    /// How long it may take to be connected with a kubelet.
    pub timeout: Duration,
}

impl Default for KubeletAccess {
    fn default() -> Self {
        let KubeletOptions { preferred_address_types, timeout, .. } = KubeletOptions::default();
        KubeletAccess { authority: None, identity: None, preferred_address_types, timeout }
    }
}

impl fmt::Debug for KubeletAccess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The key is nobody's business.
        f.debug_struct("KubeletAccess")
            .field("preferred_address_types", &self.preferred_address_types)
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// Who is at the other end, and so whom to trust and what to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// A kubelet. It is shown who the server is.
    Kubelet,
    /// A kubelet whose certificate the client doesn't want to be looked at.
    UnverifiedKubelet,
    /// Anybody. They are reached by their address, which no certificate has.
    Anybody,
}

/// Whether a connection is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// The scheme as URLs have it.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Scheme::Http => "http",
            Scheme::Https => "https",
        }
    }
}

/// What to connect with.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) scheme: Scheme,
    /// A name or an address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether URLs and messages have the port, which they don't if nobody gave it.
    pub(super) shows_port: bool,
    pub(super) trust: Trust,
    /// The addresses that the host was found to have, if somebody looked. No other one is connected with, so that
    /// a name which means something else a moment later leads nowhere else.
    pub(super) addresses: Option<Vec<IpAddr>>,
}

impl Target {
    /// The host and the port as they stand in URLs.
    pub(super) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        if self.shows_port { format!("{host}:{}", self.port) } else { host }
    }
}

/// Bytes to and from somebody.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection.
pub(super) type Connection = Box<dyn Stream>;

/// Why there is no connection.
#[derive(Debug)]
pub(super) enum DialError {
    /// The name means nothing.
    Lookup(String),
    /// An address can't be reached.
    Connect(SocketAddr, io::Error),
    /// Nobody answered in time.
    Timeout(String),
    /// They can't be talked to in secret, or aren't who they should be.
    Tls(io::Error),
}

impl fmt::Display for DialError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DialError::Lookup(host) => write!(f, "dial tcp: lookup {host}: no such host"),
            DialError::Connect(address, error) => {
                write!(f, "dial tcp {address}: {}", errors::connecting(error))
            }
            DialError::Timeout(authority) => write!(f, "dial tcp {authority}: i/o timeout"),
            DialError::Tls(error) => f.write_str(&errors::handshake(error)),
        }
    }
}

/// The ways to everything beyond the server.
pub(crate) struct Network {
    kubelets: ArcSwap<Kubelets>,
    kubelet_authority: Option<String>,
    anybody: TlsConnector,
    timeout: Duration,
    preferred_address_types: Vec<String>,
}

/// The ways to kubelets.
struct Kubelets {
    verified: TlsConnector,
    unverified: TlsConnector,
}

impl Kubelets {
    fn new(authority: Option<&String>, identity: Option<&(String, String)>) -> Result<Self, String> {
        Ok(Kubelets { verified: connector(authority, identity)?, unverified: connector(None, identity)? })
    }
}

impl Network {
    /// Sets it up.
    ///
    /// # Errors
    /// If a certificate or the key can't be used.
    pub(crate) fn new(access: &KubeletAccess) -> Result<Self, String> {
        let kubelets = Kubelets::new(access.authority.as_ref(), access.identity.as_ref())?;
        Ok(Network {
            kubelets: ArcSwap::from_pointee(kubelets),
            kubelet_authority: access.authority.clone(),
            anybody: connector(None, None)?,
            // No time at all stands for no wish.
            timeout: if access.timeout.is_zero() { CONNECTING } else { access.timeout },
            preferred_address_types: access.preferred_address_types.clone(),
        })
    }

    /// Shows another certificate to kubelets from now on.
    ///
    /// # Errors
    /// If it or its key can't be used.
    pub(crate) fn show(&self, certificate: &str, key: &Secret) -> Result<(), String> {
        let identity = (certificate.to_owned(), key.expose().to_owned());
        let kubelets = Kubelets::new(self.kubelet_authority.as_ref(), Some(&identity))?;
        self.kubelets.store(Arc::new(kubelets));
        Ok(())
    }

    /// The types of addresses by which nodes are reached, the best one first.
    pub(super) fn preferred_address_types(&self) -> &[String] {
        &self.preferred_address_types
    }

    /// Connects with somebody.
    pub(super) async fn connect(&self, target: &Target) -> Result<Connection, DialError> {
        let patience = if target.trust == Trust::Anybody { CONNECTING } else { self.timeout };
        let late = || DialError::Timeout(target.authority());
        timeout(patience, self.connected(target)).await.map_err(|_| late())?
    }

    async fn connected(&self, target: &Target) -> Result<Connection, DialError> {
        let stream = reach(target).await?;
        // Small pieces go at once; if that can't be had, they go all the same.
        let _ = stream.set_nodelay(true);
        if target.scheme == Scheme::Http {
            return Ok(Box::new(stream));
        }
        let connector = match target.trust {
            Trust::Kubelet => self.kubelets.load().verified.clone(),
            Trust::UnverifiedKubelet => self.kubelets.load().unverified.clone(),
            Trust::Anybody => self.anybody.clone(),
        };
        let peer = stream.peer_addr().map_err(DialError::Tls)?.ip();
        // Names of nodes need not be names that certificates can have. They match none then.
        let name =
            ServerName::try_from(target.host.clone()).unwrap_or_else(|_| ServerName::IpAddress(peer.into()));
        let stream = connector.connect(name, stream).await.map_err(DialError::Tls)?;
        Ok(Box::new(stream))
    }
}

/// The addresses of a host.
pub(super) async fn addresses_of(host: &str) -> Result<Vec<IpAddr>, DialError> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![address]);
    }
    let unknown = || DialError::Lookup(host.to_owned());
    let found = lookup_host((host, 0)).await.map_err(|_| unknown())?;
    Ok(found.map(|address| address.ip()).collect())
}

/// Tries the addresses of a target until one answers; what is wrong with the first is what is told.
async fn reach(target: &Target) -> Result<TcpStream, DialError> {
    let addresses = match &target.addresses {
        Some(addresses) => addresses.clone(),
        None => addresses_of(&target.host).await?,
    };
    let mut first = None;
    for address in addresses {
        let address = SocketAddr::new(address, target.port);
        match open(address).await {
            Ok(stream) => return Ok(stream),
            Err(error) => {
                first.get_or_insert(DialError::Connect(address, error));
            }
        }
    }
    Err(first.unwrap_or_else(|| DialError::Lookup(target.host.clone())))
}

async fn open(address: SocketAddr) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    // A node that went without a word is noticed at last.
    socket.set_keepalive(true)?;
    socket.connect(address).await
}

fn connector(
    authority: Option<&String>,
    identity: Option<&(String, String)>,
) -> Result<TlsConnector, String> {
    let provider = provider();
    let verifier: Arc<dyn ServerCertVerifier> = match authority {
        Some(pem) => {
            let mut roots = RootCertStore::empty();
            let path = std::path::Path::new("kubelet-certificate-authority");
            for root in pki::certificates(pem.as_bytes(), path).map_err(|error| error.to_string())? {
                roots.add(root).map_err(|error| error.to_string())?;
            }
            WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
                .build()
                .map_err(|error| error.to_string())?
        }
        None => Arc::new(Unverified(Arc::clone(&provider))),
    };
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match identity {
        Some((certificate, key)) => {
            let path = std::path::Path::new("kubelet-client-certificate");
            let chain = pki::certificates(certificate.as_bytes(), path).map_err(|error| error.to_string())?;
            let key = pki::private_key(key).map_err(|error| error.to_string())?;
            builder.with_client_auth_cert(chain, key).map_err(|error| error.to_string())?
        }
        None => builder.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Takes every certificate whose key the other side has.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
