//! TLS, certificates and tokens, and what happens when they change.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use super::server::{Server, answer, json};
use super::{client_with, config};
use crate::Error;
use crate::config::{Auth, Config, ConfigError, Environment, Source};
use crate::rest::Client;

/// An authority.
struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its key, in PEM.
struct Pair {
    certificate: String,
    key: String,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "authority");
        Authority(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    fn pem(&self) -> String {
        self.0.pem()
    }

    fn sign(&self, name: &str) -> Pair {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        Pair { certificate: params.signed_by(&key, &self.0).unwrap().pem(), key: key.serialize_pem() }
    }

    /// A server for a name, which asks for certificates of this authority and takes none as well.
    fn acceptor(&self, name: &str, protocols: &[&[u8]]) -> TlsAcceptor {
        let Pair { certificate, key } = self.sign(name);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.pem().as_bytes()).unwrap()).unwrap();
        let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider))
            .allow_unauthenticated()
            .build()
            .unwrap();
        let chain = vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()];
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(verifier)
            .with_single_cert(chain, key)
            .unwrap();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}

fn inline(pem: &str) -> Source {
    Source::Bytes(pem.as_bytes().into())
}

/// A folder of its own, which goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("rhumb-client-{name}-{}", fastrand::u64(..)));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, content: &str) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Moves the clock that decides when files are read again.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}

fn contains(bytes: &[u8], name: &str) -> bool {
    bytes.windows(name.len()).any(|window| window == name.as_bytes())
}

#[tokio::test]
async fn a_server_is_trusted_by_its_authority() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("127.0.0.1", &[b"http/1.1"]);
    let server = Server::start_with(Some(acceptor), |_, _| json(200, "{}")).await;
    let try_with = async |change: &dyn Fn(&mut Config)| {
        client_with(&server, |config| change(config)).get().absolute("/x").send().await
    };
    try_with(&|config| config.tls.ca = Some(inline(&authority.pem()))).await.unwrap();
    let other = Authority::new().pem();
    let error = try_with(&|config| config.tls.ca = Some(inline(&other))).await.unwrap_err();
    assert!(matches!(error, Error::Connection(_)), "{error:?}");
    assert!(error.chain().contains("certificate"), "{}", error.chain());
    assert_eq!(server.seen().len(), 1, "nothing was sent to whom is not trusted");
    try_with(&|config| config.tls.insecure = true).await.unwrap();
    let elsewhere = |config: &mut Config| {
        config.tls.ca = Some(inline(&authority.pem()));
        config.tls.server_name = Some("elsewhere.example".into());
    };
    assert!(try_with(&elsewhere).await.is_err());
}

#[tokio::test]
async fn the_expected_name_can_be_another() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("api.example", &[]);
    let server = Server::start_with(Some(acceptor), |_, _| json(200, "{}")).await;
    let client = client_with(&server, |config| {
        config.tls.ca = Some(inline(&authority.pem()));
        config.tls.server_name = Some("api.example".into());
    });
    client.get().absolute("/x").send().await.unwrap();
}

#[tokio::test]
async fn what_is_no_certificate_is_told_at_once() {
    let server = Server::start(|_, _| Vec::new()).await;
    let mut config = config(&server);
    config.server = "https://127.0.0.1:1".parse().unwrap();
    config.tls.ca = Some(inline("nothing"));
    assert_eq!(
        Client::new(config.clone()).unwrap_err().to_string(),
        "unable to load root certificates: unable to parse bytes as PEM block"
    );
    config.tls.ca = Some(Source::File(Path::new("/does/not/exist").into()));
    let error = Client::new(config.clone()).unwrap_err();
    assert_eq!(error.to_string(), "open /does/not/exist: no such file or directory");
    config.tls.ca = None;
    let (one, other) = (Authority::new().sign("a"), Authority::new().sign("b"));
    config.tls.identity = Some((inline(&one.certificate), inline(&other.key)));
    assert!(matches!(Client::new(config.clone()), Err(ConfigError::Tls(_))));
    config.tls.identity = Some((inline(""), inline(&one.key)));
    assert!(matches!(Client::new(config), Err(ConfigError::Tls(_))));
}

#[tokio::test]
async fn certificates_are_read_again_when_their_files_change() {
    let authority = Authority::new();
    let acceptor = authority.acceptor("127.0.0.1", &[]);
    let server = Server::start_with(Some(acceptor), |_, _| json(200, "{}")).await;
    let folder = Folder::new("identity");
    let first = authority.sign("first-client");
    let certificate = folder.write("tls.crt", &first.certificate);
    let key = folder.write("tls.key", &first.key);
    let client = client_with(&server, |config| {
        config.tls.ca = Some(inline(&authority.pem()));
        config.tls.identity = Some((Source::File(certificate), Source::File(key)));
    });
    let send = async || {
        client.get().absolute("/x").send().await.unwrap();
        server.seen().pop().unwrap()
    };
    assert!(contains(&send().await.certificate, "first-client"));
    let second = authority.sign("second-client");
    // Half of a change does no harm.
    folder.write("tls.crt", &second.certificate);
    pass(Duration::from_secs(11)).await;
    assert!(contains(&send().await.certificate, "first-client"));
    folder.write("tls.key", &second.key);
    assert!(contains(&send().await.certificate, "first-client"), "files are not read for every request");
    pass(Duration::from_secs(11)).await;
    let seen = send().await;
    assert!(contains(&seen.certificate, "second-client"));
    assert_eq!(seen.connection, 1, "a connection that showed the old one is not used");
}

#[tokio::test]
async fn a_token_is_read_again_when_it_is_not_taken() {
    let folder = Folder::new("token");
    let path = folder.write("token", "old\n");
    let server = Server::start(|_, seen| match seen.header("authorization") {
        Some("Bearer new") => json(200, "{}"),
        _ => answer(401, &[], "who?"),
    })
    .await;
    let client = client_with(&server, |config| config.auth = Auth::TokenFile(path));
    let error = client.get().absolute("/x").send().await.unwrap_err();
    assert!(error.is_unauthorized());
    assert_eq!(server.seen().len(), 1, "the same token is not shown twice");
    folder.write("token", "new");
    client.post().absolute("/x").bytes("body").send().await.unwrap();
    let seen = server.seen();
    assert_eq!(seen.len(), 3);
    assert_eq!((&*seen[1].body, &*seen[2].body), (&b"body"[..], &b"body"[..]));
    let missing = client_with(&server, |config| config.auth = Auth::TokenFile("/does/not/exist".into()));
    assert!(matches!(missing.get().absolute("/x").send().await, Err(Error::Credentials(_))));
}

/// A server of HTTP/2 that allows 100 streams on a connection, and answers only when so many requests have come at the
/// same time.
async fn crowded(authority: &Authority, wanted: usize) -> (String, Arc<tokio::sync::Barrier>) {
    let acceptor = authority.acceptor("127.0.0.1", &[b"h2", b"http/1.1"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let barrier = Arc::new(tokio::sync::Barrier::new(wanted));
    let crowd = Arc::clone(&barrier);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, crowd) = (acceptor.clone(), Arc::clone(&crowd));
            tokio::spawn(async move {
                let stream = acceptor.accept(stream).await.unwrap();
                let service = service_fn(move |_: http::Request<hyper::body::Incoming>| {
                    let crowd = Arc::clone(&crowd);
                    async move {
                        crowd.wait().await;
                        Ok::<_, std::convert::Infallible>(http::Response::new(Full::new(Bytes::from("{}"))))
                    }
                });
                let mut server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                server.max_concurrent_streams(100);
                let _ = server.serve_connection(TokioIo::new(stream), service).await;
            });
        }
    });
    (format!("https://{address}"), barrier)
}

#[tokio::test]
async fn more_requests_at_once_than_a_connection_takes_do_not_wait_for_each_other() {
    let authority = Authority::new();
    let (server, _barrier) = crowded(&authority, 250).await;
    let mut config = Config::new(server.parse().unwrap());
    config.environment = Environment::empty();
    config.tls.ca = Some(inline(&authority.pem()));
    let client = Client::new(config).unwrap();
    let requests: Vec<_> = (0..250).map(|_| tokio::spawn(client.get().absolute("/x").send())).collect();
    for request in requests {
        let response = tokio::time::timeout(Duration::from_secs(60), request).await.expect("no answer");
        assert_eq!(response.unwrap().unwrap().body, "{}");
    }
}

fn h2_frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// Takes three requests on a connection of HTTP/2 and then no more, as servers do that share their load: what came
/// before is answered, what comes after is not looked at. Tells the body of each request that it has answered.
async fn take_three(
    mut connection: impl AsyncRead + AsyncWrite + Unpin,
    tell: mpsc::UnboundedSender<Bytes>,
) -> std::io::Result<()> {
    const DATA: u8 = 0;
    const HEADERS: u8 = 1;
    const SETTINGS: u8 = 4;
    const PING: u8 = 6;
    const GO_AWAY: u8 = 7;
    const OK: u8 = 0x88;
    connection.read_exact(&mut [0; 24]).await?;
    connection.write_all(&h2_frame(SETTINGS, 0, 0, &[])).await?;
    let (mut taken, mut answered) = (Vec::new(), 0);
    while answered < 3 {
        let mut head = [0; 9];
        connection.read_exact(&mut head).await?;
        let mut payload = vec![0; usize::from(head[1]) << 8 | usize::from(head[2])];
        connection.read_exact(&mut payload).await?;
        let stream = u32::from_be_bytes([head[5], head[6], head[7], head[8]]);
        let out = match head[3] {
            HEADERS if taken.len() < 3 => {
                taken.push(stream);
                let last = [stream.to_be_bytes(), [0; 4]].concat();
                if taken.len() == 3 { h2_frame(GO_AWAY, 0, 0, &last) } else { Vec::new() }
            }
            DATA if taken.contains(&stream) && !payload.is_empty() => {
                tell.send(payload.into()).unwrap();
                answered += 1;
                [h2_frame(HEADERS, 4, stream, &[OK]), h2_frame(DATA, 1, stream, b"{}")].concat()
            }
            SETTINGS if head[4] == 0 => h2_frame(SETTINGS, 1, 0, &[]),
            PING if head[4] == 0 => h2_frame(PING, 1, 0, &payload),
            _ => Vec::new(),
        };
        connection.write_all(&out).await?;
    }
    connection.shutdown().await?;
    tokio::io::copy(&mut connection, &mut tokio::io::sink()).await.map(drop)
}

async fn restless(authority: &Authority) -> (String, mpsc::UnboundedReceiver<Bytes>) {
    let acceptor = authority.acceptor("127.0.0.1", &[b"h2"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, tell) = (acceptor.clone(), tell.clone());
            tokio::spawn(async move { take_three(acceptor.accept(stream).await?, tell).await });
        }
    });
    (format!("https://{address}"), told)
}

#[tokio::test]
async fn a_server_that_sheds_connections_gets_every_request_once() {
    let authority = Authority::new();
    let (server, mut told) = restless(&authority).await;
    let mut config = Config::new(server.parse().unwrap());
    config.environment = Environment::empty();
    config.tls.ca = Some(inline(&authority.pem()));
    let client = Client::new(config).unwrap();
    for round in 0..9 {
        let requests: Vec<_> = (0..8)
            .map(|index| tokio::spawn(client.post().absolute("/x").bytes(format!("{round}-{index}")).send()))
            .collect();
        for request in requests {
            request.await.unwrap().unwrap();
        }
    }
    let mut bodies = Vec::new();
    while let Ok(body) = told.try_recv() {
        bodies.push(body);
    }
    assert_eq!(bodies.len(), 72);
    bodies.sort();
    bodies.dedup();
    assert_eq!(bodies.len(), 72);
}
