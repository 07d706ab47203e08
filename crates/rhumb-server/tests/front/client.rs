//! A client for one connection, and something to put behind a front.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rhumb_server::environment::{Clock, SystemClock};
use rhumb_server::identity::User;
use rhumb_server::{Behind, Body, Builder, Data, Handler, RequestBody, ResponseFuture, Server, Shutdown};
use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Notify;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub(crate) type Tls = TlsStream<TcpStream>;

/// A certificate and a key, as PEM.
pub(crate) type Identity<'a> = (&'a str, &'a str);

/// Trusts an authority and connects.
pub(crate) async fn connect(
    address: SocketAddr,
    authority: &str,
    identity: Option<Identity<'_>>,
    protocol: &[u8],
    name: &str,
) -> std::io::Result<Tls> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_slice(authority.as_bytes()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots);
    let mut config = match identity {
        Some((certificate, key)) => config
            .with_client_auth_cert(
                vec![CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap()],
                PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap(),
            )
            .unwrap(),
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![protocol.to_vec()];
    let stream = TcpStream::connect(address).await?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

/// An answer that was read to its end.
#[derive(Debug)]
pub(crate) struct Answered {
    pub(crate) code: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: String,
    pub(crate) bytes: Bytes,
}

impl Answered {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }
}

/// A connection to send requests on.
pub(crate) enum Client {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

impl Client {
    pub(crate) async fn http1(server: &Server, identity: Option<Identity<'_>>) -> Self {
        let stream = connect(server.address(), server.ca_certificate(), identity, b"http/1.1", "localhost");
        Client::over_http1(stream.await.unwrap()).await
    }

    pub(crate) async fn over_http1(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Client::Http1(sender)
    }

    pub(crate) async fn http2(server: &Server, identity: Option<Identity<'_>>) -> Self {
        let stream = connect(server.address(), server.ca_certificate(), identity, b"h2", "localhost");
        let stream = stream.await.unwrap();
        let (sender, connection) =
            http2::handshake(TokioExecutor::new(), TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        Client::Http2(sender)
    }

    pub(crate) async fn send(&mut self, request: Request<Full<Bytes>>) -> hyper::Result<Answered> {
        let response = match self {
            Client::Http1(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
            Client::Http2(sender) => {
                sender.ready().await?;
                sender.send_request(request).await?
            }
        };
        let (head, body) = response.into_parts();
        let body = body.collect().await?.to_bytes();
        Ok(Answered {
            code: head.status.as_u16(),
            headers: head.headers,
            body: String::from_utf8_lossy(&body).into_owned(),
            bytes: body,
        })
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answered {
        self.get_with(path, &[]).await
    }

    pub(crate) async fn get_with(&mut self, path: &str, headers: &[(&str, &str)]) -> Answered {
        self.send(self.request(Method::GET, path, headers)).await.unwrap()
    }

    pub(crate) fn request(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
    ) -> Request<Full<Bytes>> {
        let uri = match self {
            Client::Http1(_) => path.to_owned(),
            Client::Http2(_) => format!("https://localhost{path}"),
        };
        let mut request = Request::builder().method(method).uri(uri);
        if let Client::Http1(_) = self {
            request = request.header("host", "localhost");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Full::default()).unwrap()
    }
}

/// Tells who asks; waits on `/wait` until it is let go, on `/watch` until the server ends, and breaks on `/panic`.
pub(crate) struct Fake {
    pub(crate) entered: Notify,
    pub(crate) release: Notify,
    pub(crate) shutdown: Shutdown,
}

impl Handler for Fake {
    fn handle(self: Arc<Self>, request: Request<RequestBody>, user: User) -> ResponseFuture {
        Box::pin(async move {
            match request.uri().path() {
                "/wait" => {
                    self.entered.notify_one();
                    self.release.notified().await;
                }
                "/watch" => {
                    self.entered.notify_one();
                    self.shutdown.requested().await;
                }
                "/panic" => panic!("the handler was told to break"),
                _ => {}
            }
            let text = format!("{} [{}]", user.name, user.groups.join(" "));
            let body: Body =
                Full::new(Data::from(Bytes::from(text))).map_err(|never| match never {}).boxed_unsync();
            Response::new(body)
        })
    }
}

/// Starts a server with a fake behind it.
pub(crate) async fn start(builder: Builder) -> (Server, Arc<Fake>) {
    let mut kept = None;
    let server = builder
        .listen(([127, 0, 0, 1], 0).into())
        .start_with(|foundation| {
            let shutdown = foundation.shutdown.clone();
            let fake = Arc::new(Fake { entered: Notify::new(), release: Notify::new(), shutdown });
            kept = Some(Arc::clone(&fake));
            Box::pin(std::future::ready(Ok(Behind::new(fake))))
        })
        .await
        .unwrap();
    (server, kept.unwrap())
}

/// The time of this machine, shifted.
pub(crate) struct Shifted(pub(crate) SystemClock, pub(crate) i64);

impl Clock for Shifted {
    fn now(&self) -> (i64, u32) {
        let (seconds, nanoseconds) = self.0.now();
        (seconds + self.1, nanoseconds)
    }

    fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// Fails a test that hangs.
pub(crate) async fn in_time<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.expect("it takes too long")
}
