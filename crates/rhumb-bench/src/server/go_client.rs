//! HTTP/2 client with the defaults of Go's: window sizes, compression, and client-go's media types.
//!
//! client-go has one connection for all that a process does with a server. A client here stands for a process, so it
//! has a connection of its own and keeps it: 16 clients that write are 16 controllers, 500 watchers as many nodes.
//! What differs from Go is when a window is opened again: h2 tells the server once half of it is used, Go after
//! every 4 KiB that were read.
//!
//! Many clients are on one thread. A thread for each would be woken for every answer, and waking it is the server's
//! time, because the kernel does it while the answer is handed over. Reading is the client's affair, too: a list is
//! only unpacked to see that it is right, after the clock was stopped.

use std::future::poll_fn;
use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::{Bytes, BytesMut};
use flate2::read::GzDecoder;
use h2::RecvStream;
use h2::client::SendRequest;
use http::{HeaderValue, Method, Response, header};
use rustls_pki_types::ServerName;
use tokio::io::BufReader;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;

use super::Outcome;
use super::https::Target;

/// Default `Accept` header of client-go.
pub(crate) const JSON: &str = "application/json, */*";
/// `Accept` header of client-go's typed clients that prefer protobuf.
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf,application/json";

/// Media types of request bodies.
const BODY: &str = "application/json";
const MERGE_PATCH: &str = "application/merge-patch+json";

/// Window sizes of a stream and a connection in Go's client, and its maximum header size.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 1 << 30;
const HEADS: u32 = 10 << 20;

/// How many bytes are taken from a connection at once. rustls takes 4 KiB at a time, and a server that is read from
/// like that is measured by the calls of its client.
const PART: usize = 32 << 10;

/// Result of a list request.
pub(crate) struct Listed {
    /// Time from the request to the last byte.
    pub(crate) took: Duration,
    /// Size without compression.
    pub(crate) length: usize,
    /// Transferred size.
    pub(crate) sent: usize,
}

/// A client with one kept connection. Responses are read in the runtime in which it was created.
pub(crate) struct GoClient {
    sender: SendRequest<Bytes>,
    authorization: HeaderValue,
}

impl GoClient {
    /// Connects, and asks once, so that nothing that happens only on new connections is left to do.
    pub(crate) async fn connect(target: &Target) -> Outcome<Self> {
        let stream = TcpStream::connect(target.address()).await?;
        stream.set_nodelay(true)?;
        let stream = BufReader::with_capacity(PART, stream);
        let mut tls = rustls::ClientConfig::clone(target.tls());
        tls.alpn_protocols = vec![b"h2".to_vec()];
        let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
        let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await?;
        let mut builder = h2::client::Builder::new();
        builder.enable_push(false).max_header_list_size(HEADS);
        builder.initial_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
        let (sender, connection) = builder.handshake(stream).await?;
        tokio::spawn(connection);
        let mut authorization = HeaderValue::from_str(&format!("Bearer {}", target.token()))?;
        authorization.set_sensitive(true);
        let mut client = GoClient { sender, authorization };
        client.expect(Method::GET, "/readyz", Bytes::new(), 200).await?;
        Ok(client)
    }

    /// Sends a request that must end with a status, and reads the answer.
    pub(crate) async fn expect(
        &mut self,
        method: Method,
        path: &str,
        body: impl Into<Bytes>,
        expected: u16,
    ) -> Outcome<Bytes> {
        let (status, answer) = self.exchange(method.clone(), path, JSON, body.into()).await?;
        if status != expected {
            let told = String::from_utf8_lossy(&answer);
            return Err(format!("{method} {path}: {status} {told}").into());
        }
        Ok(answer)
    }

    /// Sends a request. Returns the status and the body, which is unpacked if it came compressed.
    pub(crate) async fn exchange(
        &mut self,
        method: Method,
        path: &str,
        accept: &str,
        body: Bytes,
    ) -> Outcome<(u16, Bytes)> {
        let answer = self.send(method, path, accept, body).await?;
        let (status, is_packed) = (answer.status().as_u16(), is_packed(&answer));
        let answer = taken(answer.into_body()).await?;
        Ok((status, if is_packed { unpacked(&answer)?.into() } else { joined(answer) }))
    }

    /// Reads something that there must be, as it is sent.
    pub(crate) async fn get(&mut self, path: &str, accept: &str) -> Outcome<Listed> {
        let begin = Instant::now();
        let answer = self.send(Method::GET, path, accept, Bytes::new()).await?;
        if answer.status() != 200 {
            return Err(format!("GET {path}: {}", answer.status()).into());
        }
        let is_packed = is_packed(&answer);
        let body = taken(answer.into_body()).await?;
        let took = begin.elapsed();
        let sent = body.iter().map(Bytes::len).sum();
        let length = if is_packed { unpacked(&body)?.len() } else { sent };
        Ok(Listed { took, length, sent })
    }

    /// Begins to watch.
    pub(crate) async fn watch(&mut self, path: &str) -> Outcome<Watch> {
        let answer = self.send(Method::GET, path, JSON, Bytes::new()).await?;
        if answer.status() != 200 || is_packed(&answer) {
            return Err(format!("a watch begins with {:?}", answer.into_parts().0).into());
        }
        Ok(Watch(answer.into_body()))
    }

    /// Sends a request. Answers when the head of the answer is there.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        accept: &str,
        body: Bytes,
    ) -> Outcome<Response<RecvStream>> {
        let mut request = http::Request::builder()
            .uri(format!("https://localhost{path}"))
            .header(header::ACCEPT, accept)
            .header(header::ACCEPT_ENCODING, "gzip")
            .header(header::AUTHORIZATION, self.authorization.clone())
            .header(header::USER_AGENT, "rhumb-bench");
        if !body.is_empty() {
            let content_type = if method == Method::PATCH { MERGE_PATCH } else { BODY };
            request =
                request.header(header::CONTENT_TYPE, content_type).header(header::CONTENT_LENGTH, body.len());
        }
        let request = request.method(method).body(())?;
        poll_fn(|context| self.sender.poll_ready(context)).await?;
        let (answer, mut stream) = self.sender.send_request(request, body.is_empty())?;
        if !body.is_empty() {
            stream.send_data(body, true)?;
        }
        Ok(answer.await?)
    }
}

/// A watch that costs its reader little, to leave the processor to the server.
pub(crate) struct Watch(RecvStream);

impl Watch {
    /// Waits for more. Returns how many events ended.
    pub(crate) async fn events(&mut self) -> Outcome<u64> {
        let part = self.0.data().await.ok_or("a watch ended")??;
        self.0.flow_control().release_capacity(part.len())?;
        Ok(memchr::memchr_iter(b'\n', &part).count() as u64)
    }
}

/// Blocking client.
pub(crate) struct Waiting {
    runtime: Runtime,
    client: GoClient,
}

impl Waiting {
    /// Connects.
    pub(crate) fn connect(target: &Target) -> Outcome<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let client = runtime.block_on(GoClient::connect(target))?;
        Ok(Waiting { runtime, client })
    }

    /// [`GoClient::expect`].
    pub(crate) fn expect(
        &mut self,
        method: Method,
        path: &str,
        body: impl Into<Bytes>,
        expected: u16,
    ) -> Outcome<Bytes> {
        self.runtime.block_on(self.client.expect(method, path, body, expected))
    }

    /// [`GoClient::exchange`].
    pub(crate) fn exchange(
        &mut self,
        method: Method,
        path: &str,
        accept: &str,
        body: impl Into<Bytes>,
    ) -> Outcome<(u16, Bytes)> {
        self.runtime.block_on(self.client.exchange(method, path, accept, body.into()))
    }

    /// [`GoClient::get`].
    pub(crate) fn get(&mut self, path: &str, accept: &str) -> Outcome<Listed> {
        self.runtime.block_on(self.client.get(path, accept))
    }
}

fn is_packed<T>(answer: &Response<T>) -> bool {
    answer.headers().get(header::CONTENT_ENCODING).is_some_and(|encoding| encoding == "gzip")
}

/// Returns the pieces of a body.
async fn taken(mut body: RecvStream) -> Outcome<Vec<Bytes>> {
    let mut pieces = Vec::new();
    while let Some(piece) = body.data().await {
        let piece = piece?;
        body.flow_control().release_capacity(piece.len())?;
        pieces.push(piece);
    }
    Ok(pieces)
}

fn joined(mut pieces: Vec<Bytes>) -> Bytes {
    if pieces.len() <= 1 {
        return pieces.pop().unwrap_or_default();
    }
    let mut all = BytesMut::with_capacity(pieces.iter().map(Bytes::len).sum());
    pieces.iter().for_each(|piece| all.extend_from_slice(piece));
    all.freeze()
}

/// Returns a body that was compressed once.
fn unpacked(pieces: &[Bytes]) -> io::Result<Vec<u8>> {
    let packed = pieces.concat();
    let mut plain = Vec::new();
    GzDecoder::new(&*packed).read_to_end(&mut plain)?;
    Ok(plain)
}
