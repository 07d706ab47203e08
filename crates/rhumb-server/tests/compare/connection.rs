//! A plain HTTP/1.1 client: one kept-alive connection, requests one after the other.
//!
//! It is no client for anything but tests: it trusts every certificate, and its only bound is a time to wait.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, ClientConnection, DigitallySignedStruct, SignatureScheme, StreamOwned};

/// The longest silence of a server, which may be waiting for a revision that never comes.
const PATIENCE: Duration = Duration::from_secs(90);

/// A server to compare.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Host and port.
    pub(crate) address: String,
    /// What an administrator shows.
    pub(crate) token: String,
    is_encrypted: bool,
}

impl Target {
    /// A target by its URL, which has a port.
    pub(crate) fn parse(url: &str, token: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let address = rest.trim_end_matches('/').to_owned();
        let is_encrypted = match scheme {
            "https" => true,
            "http" => false,
            _ => return None,
        };
        Some(Self { address, token: token.to_owned(), is_encrypted })
    }

    fn host(&self) -> &str {
        self.address.rsplit_once(':').map_or(self.address.as_str(), |(host, _)| host)
    }
}

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    /// All values of a header.
    pub(crate) fn headers<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let found = self.headers.iter().filter(move |(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The first value of a header.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map_or("", |(_, value)| value)
    }
}

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

/// A connection that is opened when it's needed.
pub(crate) struct Connection {
    target: Target,
    stream: Option<BufReader<Box<dyn Stream>>>,
}

impl Connection {
    pub(crate) fn new(target: &Target) -> Self {
        Self { target: target.clone(), stream: None }
    }

    /// Sends a request and reads the answer to its end. A server may have closed a connection that was idle,
    /// so a second one is tried.
    pub(crate) fn send(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(String, String)],
        body: Option<&[u8]>,
    ) -> io::Result<Response> {
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", self.target.address);
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        if body.is_some() || matches!(method, "POST" | "PUT" | "PATCH") {
            head.push_str(&format!("Content-Length: {}\r\n", body.map_or(0, <[u8]>::len)));
        }
        head.push_str("\r\n");
        let message = [head.as_bytes(), body.unwrap_or_default()].concat();
        self.exchange(method, &message).or_else(|_| self.exchange(method, &message))
    }

    fn exchange(&mut self, method: &str, message: &[u8]) -> io::Result<Response> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => BufReader::new(self.open()?),
        };
        stream.get_mut().write_all(message)?;
        stream.get_mut().flush()?;
        let response = read(&mut stream, method)?;
        if !response.header("Connection").eq_ignore_ascii_case("close") {
            self.stream = Some(stream);
        }
        Ok(response)
    }

    fn open(&self) -> io::Result<Box<dyn Stream>> {
        let tcp = TcpStream::connect(&self.target.address)?;
        tcp.set_read_timeout(Some(PATIENCE))?;
        tcp.set_nodelay(true)?;
        if !self.target.is_encrypted {
            return Ok(Box::new(tcp));
        }
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(Arc::clone(&provider));
        let config = config.with_safe_default_protocol_versions().map_err(io::Error::other)?;
        let trust = config.dangerous().with_custom_certificate_verifier(Arc::new(AnyCertificate(provider)));
        let name = ServerName::try_from(self.target.host().to_owned()).map_err(io::Error::other)?;
        let session = ClientConnection::new(Arc::new(trust.with_no_client_auth()), name);
        Ok(Box::new(StreamOwned::new(session.map_err(io::Error::other)?, tcp)))
    }
}

fn read(stream: &mut impl BufRead, method: &str) -> io::Result<Response> {
    let first = line(stream)?;
    let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other(format!("not an answer: {first}")))?;
    let mut response = Response { status, ..Response::default() };
    loop {
        let line = line(stream)?;
        let Some((name, value)) = line.split_once(':') else { break };
        response.headers.push((name.to_owned(), value.trim().to_owned()));
    }
    if method == "HEAD" || matches!(status, 204 | 304) {
        return Ok(response);
    }
    let mut body = Vec::new();
    if response.header("Transfer-Encoding").eq_ignore_ascii_case("chunked") {
        loop {
            let size = line(stream)?;
            let size = u64::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
            stream.by_ref().take(size).read_to_end(&mut body)?;
            line(stream)?;
            if size == 0 {
                break;
            }
        }
    } else {
        let size = response.header("Content-Length").parse().unwrap_or_default();
        stream.by_ref().take(size).read_to_end(&mut body)?;
    }
    response.body = body;
    Ok(response)
}

fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = Vec::new();
    if stream.read_until(b'\n', &mut line)? == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']).to_owned())
}

/// Trusts whoever answers; servers under test make their certificates themselves.
#[derive(Debug)]
struct AnyCertificate(Arc<CryptoProvider>);

impl ServerCertVerifier for AnyCertificate {
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
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
