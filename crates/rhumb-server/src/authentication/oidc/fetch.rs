//! Fetching documents of an issuer: over TLS, in bounded time and size.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use http::header::{ACCEPT, HOST};
use http::{Request, StatusCode, Uri};
use http_body_util::{BodyExt, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::{CertificateDer, ServerName};
use serde_json::Value as Json;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsConnector;

use crate::base::cryptography::provider;
use crate::base::pki;

/// How long a document may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// How large it may be.
const LARGEST: usize = 1 << 20;

/// Who vouches for an issuer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Trust {
    /// Those whom the machine trusts.
    Machine,
    /// Those of a file, which may change.
    File(PathBuf),
    /// Those of a PEM text.
    Text(String),
}

/// Fetches documents from those for whom some authorities vouch.
pub(super) struct Fetcher {
    trust: Trust,
    /// What the machine trusts is read when it is first needed, because that takes a while.
    connector: ArcSwapOption<ClientConfig>,
}

impl Fetcher {
    /// Creates a fetcher.
    pub(super) fn new(trust: Trust) -> Result<Self, String> {
        let fetcher = Fetcher { trust, connector: ArcSwapOption::empty() };
        fetcher.trust_again()?;
        Ok(fetcher)
    }

    /// Reads the file of the authorities again, if there is one.
    pub(super) fn trust_again(&self) -> Result<(), String> {
        let failed = |why: String| format!("Failed to read the CA contents: {why}");
        let (content, path) = match &self.trust {
            Trust::Machine => return Ok(()),
            Trust::Text(pem) => (pem.clone().into_bytes(), Path::new("certificateAuthority")),
            Trust::File(path) => {
                (std::fs::read(path).map_err(|error| failed(error.to_string()))?, path.as_path())
            }
        };
        let found = pki::certificates(&content, path).map_err(|error| failed(error.to_string()))?;
        self.connector.store(Some(trusting(found)?));
        Ok(())
    }

    fn connector(&self) -> Result<TlsConnector, String> {
        let config = match self.connector.load_full() {
            Some(known) => known,
            None => {
                let config = trusting(rustls_native_certs::load_native_certs().certs)?;
                self.connector.store(Some(Arc::clone(&config)));
                config
            }
        };
        Ok(TlsConnector::from(config))
    }

    /// A document in JSON.
    pub(super) async fn json(&self, url: &str) -> Result<Json, String> {
        let body = timeout(PATIENCE, self.get(url))
            .await
            .map_err(|_| format!("Get {url:?}: it took too long"))?
            .map_err(|why| format!("Get {url:?}: {why}"))?;
        serde_json::from_slice(&body).map_err(|error| format!("Get {url:?}: it is no JSON: {error}"))
    }

    async fn get(&self, url: &str) -> Result<Bytes, String> {
        fn told(error: impl std::fmt::Display) -> String {
            error.to_string()
        }
        let uri: Uri = url.parse().map_err(told)?;
        let (Some("https"), Some(host), Some(authority)) = (uri.scheme_str(), uri.host(), uri.authority())
        else {
            return Err("it is no https URL".to_owned());
        };
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let stream =
            TcpStream::connect((host.as_str(), uri.port_u16().unwrap_or(443))).await.map_err(told)?;
        let name = ServerName::try_from(host).map_err(told)?;
        let stream = self.connector()?.connect(name, stream).await.map_err(told)?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.map_err(told)?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        let request = Request::get(path)
            .header(HOST, authority.as_str())
            .header(ACCEPT, "application/json")
            .body(Empty::<Bytes>::new())
            .map_err(told)?;
        let answer = async {
            let response = sender.send_request(request).await.map_err(told)?;
            if response.status() != StatusCode::OK {
                return Err(format!("the answer is {}", response.status()));
            }
            let body = Limited::new(response.into_body(), LARGEST).collect().await.map_err(told)?;
            Ok(body.to_bytes())
        };
        // The connection is driven by this request alone and ends with it.
        let mut connection = std::pin::pin!(connection);
        let mut answer = std::pin::pin!(answer);
        tokio::select! {
            answer = answer.as_mut() => answer,
            ended = connection.as_mut() => match ended {
                Ok(()) => answer.await,
                Err(error) => Err(told(error)),
            },
        }
    }
}

/// How to talk to those for whom these vouch.
fn trusting(authorities: Vec<CertificateDer<'static>>) -> Result<Arc<ClientConfig>, String> {
    let mut config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots(authorities))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Those that can be used; a machine's store may have some that nobody can read.
fn roots(certificates: Vec<CertificateDer<'static>>) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates);
    roots
}
