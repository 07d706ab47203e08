//! Lists as Go's clients ask for them: over HTTP/2, with windows as large as theirs, and compressed.
//!
//! Reading is the client's affair, so an answer is only unpacked to see that it is right, after the clock was stopped.

use std::io::{self, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use flate2::read::GzDecoder;
use h2::client::SendRequest;
use rustls_pki_types::ServerName;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::Outcome;
use super::https::Target;

/// The windows of a stream and of a connection that Go's client offers.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 1 << 30;

/// What a list was.
pub(crate) struct Listed {
    /// From the request to the last byte.
    pub(crate) took: Duration,
    /// How long it is without compression.
    pub(crate) length: usize,
}

/// Asks for a list on a connection that was opened before the clock starts.
pub(crate) fn list(target: &Target, path: &str, accept: &str) -> Outcome<Listed> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut sender = connect(target).await?;
        ask(&mut sender, target, "/readyz", "*/*").await?;
        let begin = Instant::now();
        let (packed, body) = ask(&mut sender, target, path, accept).await?;
        let took = begin.elapsed();
        let length = if packed { unpacked(&body)? } else { body.iter().map(Bytes::len).sum() };
        Ok(Listed { took, length })
    })
}

async fn connect(target: &Target) -> Outcome<SendRequest<Bytes>> {
    let stream = TcpStream::connect(target.address()).await?;
    stream.set_nodelay(true)?;
    let mut tls = rustls::ClientConfig::clone(target.tls());
    tls.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from("localhost").map_err(io::Error::other)?;
    let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await?;
    let mut builder = h2::client::Builder::new();
    builder.initial_window_size(STREAM_WINDOW).initial_connection_window_size(CONNECTION_WINDOW);
    let (sender, connection) = builder.handshake(stream).await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// An answer that must be a success: whether it is compressed, and its body.
async fn ask(
    sender: &mut SendRequest<Bytes>,
    target: &Target,
    path: &str,
    accept: &str,
) -> Outcome<(bool, Vec<Bytes>)> {
    let request = http::Request::get(format!("https://localhost{path}"))
        .header("accept", accept)
        .header("accept-encoding", "gzip")
        .header("authorization", format!("Bearer {}", target.token()))
        .body(())?;
    futures_util::future::poll_fn(|context| sender.poll_ready(context)).await?;
    let (response, _) = sender.send_request(request, true)?;
    let response = response.await?;
    if response.status() != 200 {
        return Err(format!("GET {path}: {}", response.status()).into());
    }
    let packed = response.headers().get("content-encoding").is_some_and(|encoding| encoding == "gzip");
    let (mut body, mut pieces) = (response.into_body(), Vec::new());
    while let Some(piece) = body.data().await {
        let piece = piece?;
        body.flow_control().release_capacity(piece.len())?;
        pieces.push(piece);
    }
    Ok((packed, pieces))
}

/// How long a body is that was compressed once.
fn unpacked(body: &[Bytes]) -> io::Result<usize> {
    let body = body.concat();
    let mut plain = Vec::new();
    GzDecoder::new(&*body).read_to_end(&mut plain)
}
