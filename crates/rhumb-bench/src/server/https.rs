//! Minimal HTTPS client: one connection, HTTP/1.1, keep-alive, blocking.
//!
//! It looks at the status, the length and the chunks of an answer and at nothing else. It is what servers are started
//! and set up with; what is measured is asked for as Go's clients do. The tests that kill and compare servers use it
//! too.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};

/// Media type of JSON.
pub(crate) const JSON: &str = "application/json";

/// Media type of merge patches.
const MERGE_PATCH: &str = "application/merge-patch+json";

/// Timeout after which a silent server counts as dead.
const PATIENCE: Duration = Duration::from_secs(60);

/// Read buffer size.
const PART: usize = 128 << 10;

/// Number of bytes searched for the end of a line without copying.
const LINE: usize = 1 << 10;

/// A server with administrator credentials.
#[derive(Clone)]
pub(crate) struct Target {
    port: u16,
    token: Arc<str>,
    tls: Arc<ClientConfig>,
}

impl Target {
    /// The server on a port of this machine that somebody in a file of certificates vouches for.
    pub(crate) fn new(port: u16, authorities: &Path, token: &str) -> io::Result<Self> {
        let pem = std::fs::read(authorities)?;
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&pem) {
            roots.add(certificate.map_err(io::Error::other)?).map_err(io::Error::other)?;
        }
        let tls = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        Ok(Target { port, token: token.into(), tls: Arc::new(tls) })
    }

    /// Returns the address.
    pub(super) fn address(&self) -> (&'static str, u16) {
        ("127.0.0.1", self.port)
    }

    /// Returns the administrator's token.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// Returns the TLS configuration.
    pub(super) fn tls(&self) -> &ClientConfig {
        &self.tls
    }

    /// Returns a new connection.
    pub(crate) fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(self.address())?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
        let session = ClientConnection::new(Arc::clone(&self.tls), name).map_err(io::Error::other)?;
        let stream = BufReader::with_capacity(LINE, StreamOwned::new(session, Wire::new(stream)));
        Ok(Connection { stream, target: self.clone(), line: Vec::new(), head: Vec::new() })
    }
}

/// What is below TLS. It takes what has arrived in large parts, as most clients do; rustls takes 4 KiB at a time, and
/// a server that is read from like that is measured by the calls of its client.
struct Wire(BufReader<TcpStream>);

impl Wire {
    fn new(stream: TcpStream) -> Self {
        Wire(BufReader::with_capacity(PART, stream))
    }
}

impl Read for Wire {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.0.read(into)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.get_mut().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.get_mut().flush()
    }
}

/// Framing of a response body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Length {
    /// A known length.
    Known(usize),
    /// Chunked.
    Chunks,
}

/// Writes a request down.
fn write_request(
    out: &mut Vec<u8>,
    target: &Target,
    method: &str,
    path: &str,
    accept: &str,
    body: &[u8],
) -> io::Result<()> {
    let content_type = if method == "PATCH" { MERGE_PATCH } else { JSON };
    write!(
        out,
        "{method} {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {}\r\nAccept: {accept}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n",
        target.token,
        body.len()
    )?;
    out.extend_from_slice(body);
    Ok(())
}

/// Returns the status in the head of an answer, and the way to the end of the body.
pub(crate) fn head_length(head: &[u8]) -> io::Result<(u16, Length)> {
    let status = head.get(9..12).and_then(|code| std::str::from_utf8(code).ok()?.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("an answer without a status"))?;
    let mut length = Length::Known(0);
    for line in String::from_utf8_lossy(head).lines() {
        let (name, value) = line.split_once(':').unwrap_or_default();
        if name.eq_ignore_ascii_case("content-length") {
            length = Length::Known(value.trim().parse().map_err(io::Error::other)?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") {
            length = Length::Chunks;
        }
    }
    Ok((status, length))
}

/// A connection for sequential requests.
pub(crate) struct Connection {
    stream: BufReader<StreamOwned<ClientConnection, Wire>>,
    target: Target,
    line: Vec<u8>,
    head: Vec<u8>,
}

impl Connection {
    /// Sends a request and reads the whole answer into `into`. Returns its status.
    pub(crate) fn exchange(
        &mut self,
        method: &str,
        path: &str,
        accept: &str,
        body: &[u8],
        into: &mut Vec<u8>,
    ) -> io::Result<u16> {
        self.send(method, path, accept, body)?;
        let (status, length) = self.head()?;
        into.clear();
        match length {
            Length::Known(length) => {
                into.resize(length, 0);
                self.stream.read_exact(into)?;
            }
            Length::Chunks => while self.chunk(into)? {},
        }
        Ok(status)
    }

    /// Sends a request whose answer goes on. Returns its status.
    pub(crate) fn follow(&mut self, path: &str) -> io::Result<u16> {
        self.send("GET", path, JSON, b"")?;
        match self.head()? {
            (200, Length::Known(_)) => Err(io::Error::other("a watch with a known end")),
            (status, _) => Ok(status),
        }
    }

    /// Adds the next chunk to `into`; false at the end of the answer.
    pub(crate) fn chunk(&mut self, into: &mut Vec<u8>) -> io::Result<bool> {
        let size = self.chunk_size()?;
        let start = into.len();
        into.resize(start.saturating_add(size), 0);
        self.stream.read_exact(into.get_mut(start..).unwrap_or_default())?;
        self.line()?;
        Ok(size != 0)
    }

    /// Reads the size of the next chunk.
    fn chunk_size(&mut self) -> io::Result<usize> {
        self.line()?;
        let size = std::str::from_utf8(&self.line).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
        size.ok_or_else(|| io::Error::other("a chunk without a size"))
    }

    /// Sends a request.
    fn send(&mut self, method: &str, path: &str, accept: &str, body: &[u8]) -> io::Result<()> {
        self.head.clear();
        write_request(&mut self.head, &self.target, method, path, accept, body)?;
        let stream = self.stream.get_mut();
        stream.write_all(&self.head)?;
        stream.flush()
    }

    /// Returns the status and the way to the end of the body.
    fn head(&mut self) -> io::Result<(u16, Length)> {
        let mut head = Vec::new();
        loop {
            self.line()?;
            head.extend_from_slice(&self.line);
            head.extend_from_slice(b"\r\n");
            if self.line.is_empty() {
                return head_length(&head);
            }
        }
    }

    /// Reads a line, without its end.
    fn line(&mut self) -> io::Result<()> {
        self.line.clear();
        self.stream.read_until(b'\n', &mut self.line)?;
        if self.line.pop() != Some(b'\n') {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(())
    }
}
