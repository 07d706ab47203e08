//! An OpenID issuer on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use bytes::Bytes;
use http::Response;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::ServerConfig;
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

/// What an issuer calls itself in the document of its path `/elsewhere`.
pub(crate) const ELSEWHERE: &str = "https://elsewhere.example.com/issuer";

pub(crate) struct Issuer {
    pub(crate) url: String,
    /// The names of the keys that it publishes; they are all the same key.
    pub(crate) published: Arc<Mutex<Vec<String>>>,
    /// How often its keys were asked for.
    pub(crate) asked: Arc<AtomicUsize>,
    /// Whether it tells its keys, or lets those who ask for them wait.
    pub(crate) tells: watch::Sender<bool>,
    key: RsaKeyPair,
}

impl Issuer {
    /// Starts one with a certificate and its key.
    pub(crate) async fn start(certificate: &str, key: &str) -> Self {
        let pem = include_bytes!("../keys/rsa.pem");
        let pkcs8 = PrivatePkcs8KeyDer::from_pem_slice(pem).unwrap();
        let signing = RsaKeyPair::from_pkcs8(pkcs8.secret_pkcs8_der()).unwrap();
        let parts = ring::rsa::PublicKeyComponents::<Vec<u8>>::from(signing.public());
        let (n, e) = (BASE64.encode(parts.n), BASE64.encode(parts.e));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
                PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
            )
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let published = Arc::new(Mutex::new(vec!["one".to_owned()]));
        let asked = Arc::new(AtomicUsize::new(0));
        let (tells, told) = watch::channel(true);
        let issuer =
            Issuer { url: url.clone(), published: Arc::clone(&published), asked, tells, key: signing };
        let (asked, tls) = (Arc::clone(&issuer.asked), TlsAcceptor::from(Arc::new(config)));
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let Ok(stream) = tls.accept(stream).await else { continue };
                let answer = async |request: http::Request<hyper::body::Incoming>| {
                    let document = match request.uri().path() {
                        "/.well-known/openid-configuration" => {
                            json!({"issuer": url, "jwks_uri": format!("{url}/keys")})
                        }
                        "/elsewhere" => json!({"issuer": ELSEWHERE, "jwks_uri": format!("{url}/keys")}),
                        "/keys" => {
                            asked.fetch_add(1, Ordering::SeqCst);
                            // If the test is over, nobody waits for an answer.
                            let _ = told.clone().wait_for(|tells| *tells).await;
                            let jwk =
                                |id: &String| json!({"kty": "RSA", "kid": id, "n": n, "e": e, "use": "sig"});
                            json!({"keys": published.lock().iter().map(jwk).collect::<Vec<_>>()})
                        }
                        _ => Value::Null,
                    };
                    let body = Full::new(Bytes::from(document.to_string()));
                    Ok::<_, std::convert::Infallible>(Response::new(body))
                };
                let connection = hyper::server::conn::http1::Builder::new()
                    .serve_connection(TokioIo::new(stream), service_fn(answer));
                let _ = connection.await;
            }
        });
        issuer
    }

    /// A token that says this, signed with the key of a name.
    pub(crate) fn token(&self, id: &str, claims: &Value) -> String {
        let part = |value: &Value| BASE64.encode(value.to_string());
        let text = format!("{}.{}", part(&json!({"alg": "RS256", "kid": id})), part(claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), text.as_bytes(), &mut signature).unwrap();
        format!("{text}.{}", BASE64.encode(signature))
    }
}
