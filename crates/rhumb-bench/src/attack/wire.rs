//! HTTP client for misbehaviour that libraries don't allow: it can stop midway, not read, or read late.
//!
//! HTTP/1.1 over TLS, and connections for HTTP/2. It connects to this machine alone, so whoever answers there is
//! believed: a certificate proves nothing here that the port doesn't, and checking it would take time from the server.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::{Buf, Bytes, BytesMut};
use h2::client::SendRequest;
use rustls::ClientConfig;
use rustls::client::Resumption;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls_pki_types::{CertificateDer, ServerName, UnixTime};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::server::https::{JSON, Length, head_length};

/// Client timeout. Servers limit requests to a minute.
pub(crate) const PATIENCE: Duration = Duration::from_secs(75);
/// Read buffer size.
const PART: usize = 64 << 10;
/// Maximum size of response headers.
const LARGEST_HEAD: usize = 64 << 20;

/// Authentication headers of a request.
#[derive(Clone, Debug)]
pub(crate) struct Credentials(Arc<[(&'static str, String)]>);

impl Credentials {
    /// Returns the headers of a token.
    pub(crate) fn token(token: &str) -> Self {
        Credentials(Arc::new([("authorization", format!("Bearer {token}"))]))
    }

    /// Returns the headers of a token's holder who impersonates a user.
    pub(crate) fn impersonating(token: &str, user: &str) -> Self {
        let authorization = ("authorization", format!("Bearer {token}"));
        Credentials(Arc::new([authorization, ("impersonate-user", user.to_owned())]))
    }
}

/// A reusable request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: Bytes,
}

impl Request {
    /// Creates a GET request.
    pub(crate) fn get(path: impl Into<String>) -> Self {
        Request::new("GET", path, JSON, Bytes::new())
    }

    /// Creates a request with a body of a media type.
    pub(crate) fn new(
        method: &'static str,
        path: impl Into<String>,
        content_type: &'static str,
        body: Bytes,
    ) -> Self {
        Request { method, path: path.into(), headers: vec![("content-type", content_type)], body }
    }

    /// Creates a request that creates an object from JSON.
    pub(crate) fn create(path: impl Into<String>, body: impl Into<Bytes>) -> Self {
        Request::new("POST", path, JSON, body.into())
    }

    /// Adds a header.
    pub(crate) fn with(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Returns the HTTP/1.1 head for a body of some length.
    pub(crate) fn head(&self, who: &Credentials, length: usize) -> Vec<u8> {
        let mut head = format!("{} {} HTTP/1.1\r\nHost: localhost\r\n", self.method, self.path);
        for (name, value) in who.0.iter().map(|(name, value)| (*name, value.as_str())) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        for (name, value) in &self.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {length}\r\n\r\n"));
        head.into_bytes()
    }

    /// Returns the HTTP/2 head.
    pub(crate) fn for_http2(&self, who: &Credentials) -> io::Result<http::Request<()>> {
        let uri = format!("https://localhost{}", self.path);
        let mut request = http::Request::builder().method(self.method).uri(uri);
        for (name, value) in who.0.iter() {
            request = request.header(*name, value);
        }
        for (name, value) in &self.headers {
            request = request.header(*name, *value);
        }
        request.body(()).map_err(io::Error::other)
    }
}

/// A response read to its end.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// The wanted part of the body.
    pub(crate) body: Vec<u8>,
}

/// A server on a local port.
#[derive(Clone)]
pub(crate) struct Target {
    port: u16,
    http1: TlsConnector,
    http2: TlsConnector,
}

impl Target {
    /// The server on a port.
    pub(crate) fn new(port: u16) -> io::Result<Self> {
        let config = |protocol: &[u8]| {
            let provider = Arc::new(rustls::crypto::ring::default_provider());
            let mut config = ClientConfig::builder_with_provider(provider)
                .with_safe_default_protocol_versions()
                .map_err(io::Error::other)?
                .dangerous()
                .with_custom_certificate_verifier(Arc::new(Anyone))
                .with_no_client_auth();
            config.alpn_protocols = vec![protocol.to_vec()];
            // Every handshake is a whole one, as those of clients that come for the first time are.
            config.resumption = Resumption::disabled();
            Ok::<_, io::Error>(TlsConnector::from(Arc::new(config)))
        };
        Ok(Target { port, http1: config(b"http/1.1")?, http2: config(b"h2")? })
    }

    fn address(&self) -> SocketAddr {
        (Ipv4Addr::LOCALHOST, self.port).into()
    }

    /// Returns a connection without TLS.
    pub(crate) async fn plain(&self) -> io::Result<TcpStream> {
        TcpStream::connect(self.address()).await
    }

    /// Returns a connection for HTTP/1.1.
    pub(crate) async fn connect(&self) -> io::Result<Connection> {
        self.upon(self.plain().await?).await
    }

    /// A connection for HTTP/1.1 that takes little before it is read from.
    pub(crate) async fn connect_narrow(&self) -> io::Result<Connection> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(4 << 10)?;
        self.upon(socket.connect(self.address()).await?).await
    }

    async fn upon(&self, stream: TcpStream) -> io::Result<Connection> {
        stream.set_nodelay(true)?;
        let stream = self.http1.connect(name()?, stream).await?;
        Ok(Connection { stream, arrived: BytesMut::new() })
    }

    /// A connection for HTTP/2, whose work is done by a task beside.
    pub(crate) async fn connect_http2(
        &self,
        builder: &h2::client::Builder,
    ) -> io::Result<SendRequest<Bytes>> {
        let stream = self.plain().await?;
        stream.set_nodelay(true)?;
        let stream = self.http2.connect(name()?, stream).await?;
        let (sender, connection) = builder.handshake(stream).await.map_err(io::Error::other)?;
        tokio::spawn(connection);
        Ok(sender)
    }
}

fn name() -> io::Result<ServerName<'static>> {
    ServerName::try_from("localhost").map_err(io::Error::other)
}

/// An HTTP/1.1 connection.
pub(crate) struct Connection {
    stream: TlsStream<TcpStream>,
    arrived: BytesMut,
}

impl Connection {
    /// Sends a request.
    pub(crate) async fn send(&mut self, request: &Request, who: &Credentials) -> io::Result<()> {
        self.send_bytes(&request.head(who, request.body.len())).await?;
        self.send_bytes(&request.body).await
    }

    /// Sends bytes as they are.
    pub(crate) async fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await?;
        self.stream.flush().await
    }

    /// Sends a request and reads the answer, and so much of its body into memory.
    pub(crate) async fn exchange(
        &mut self,
        request: &Request,
        who: &Credentials,
        kept: usize,
    ) -> io::Result<Answer> {
        // A server may answer before it has read everything, and then reads no more.
        let sent = self.send(request, who).await;
        match (self.answer(kept).await, sent) {
            (Err(_), Err(error)) => Err(error),
            (answered, _) => answered,
        }
    }

    /// Reads an answer, and so much of its body into memory.
    pub(crate) async fn answer(&mut self, kept: usize) -> io::Result<Answer> {
        let head = self.head().await?;
        let (status, length) = head_length(&head)?;
        let mut answer = Answer { status, body: Vec::new() };
        match length {
            Length::Known(length) => self.take(length, kept, &mut answer.body).await?,
            Length::Chunks => loop {
                let size = self.chunk_size().await?;
                self.take(size, kept, &mut answer.body).await?;
                self.take(2, 0, &mut Vec::new()).await?;
                if size == 0 {
                    break;
                }
            },
        }
        Ok(answer)
    }

    /// Reads the head of an answer. Nothing is lost if it is given up and called again.
    pub(crate) async fn head(&mut self) -> io::Result<Bytes> {
        let mut looked = 0;
        loop {
            let rest = self.arrived.get(looked..).unwrap_or_default();
            if let Some(place) = memchr::memmem::find(rest, b"\r\n\r\n") {
                return Ok(self.arrived.split_to(looked + place + 4).freeze());
            }
            looked = self.arrived.len().saturating_sub(3);
            if looked > LARGEST_HEAD {
                return Err(io::Error::other("a head without an end"));
            }
            self.more().await?;
        }
    }

    /// Returns the size of the next chunk.
    async fn chunk_size(&mut self) -> io::Result<usize> {
        loop {
            if let Some(place) = memchr::memchr(b'\n', &self.arrived) {
                let line = self.arrived.split_to(place + 1);
                let size = std::str::from_utf8(&line).ok();
                let size = size.and_then(|text| usize::from_str_radix(text.trim_ascii(), 16).ok());
                return size.ok_or_else(|| io::Error::other("a chunk without a size"));
            }
            self.more().await?;
        }
    }

    /// Takes so many bytes of a body, and keeps the first of them.
    async fn take(&mut self, mut left: usize, kept: usize, into: &mut Vec<u8>) -> io::Result<()> {
        while left > 0 {
            if self.arrived.is_empty() {
                self.more().await?;
            }
            let part = left.min(self.arrived.len());
            let wanted = part.min(kept.saturating_sub(into.len()));
            into.extend_from_slice(self.arrived.get(..wanted).unwrap_or_default());
            self.arrived.advance(part);
            left -= part;
        }
        Ok(())
    }

    async fn more(&mut self) -> io::Result<()> {
        self.arrived.reserve(PART);
        match self.stream.read_buf(&mut self.arrived).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

/// Accepts all certificates.
#[derive(Debug)]
struct Anyone;

impl ServerCertVerifier for Anyone {
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
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &rustls::DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<rustls::SignatureScheme> {
        rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_says_who_sends_it() {
        let who = Credentials::impersonating("secret", "mallory");
        let head = Request::get("/api").with("accept", "x/y").head(&who, 3);
        let expect = "GET /api HTTP/1.1\r\nHost: localhost\r\nauthorization: Bearer secret\r\n\
                      impersonate-user: mallory\r\ncontent-type: application/json\r\naccept: x/y\r\n\
                      Content-Length: 3\r\n\r\n";
        assert_eq!(String::from_utf8(head).unwrap(), expect);
    }
}
