//! A server of HTTP/1.1 that is written by hand, so that it can do what no good server does.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) method: String,
    pub(super) target: String,
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
    /// Which connection it came on.
    pub(super) connection: usize,
    /// The common names in the client's certificate, as bytes that contain them.
    pub(super) certificate: Vec<u8>,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }
}

/// What a server does for a request.
pub(super) enum Step {
    Send(Vec<u8>),
    /// Ends the connection, with what was sent before on its way.
    Close,
    /// Says nothing until the client goes away.
    Hang,
}

/// What a server does for its n-th request.
type Script = dyn Fn(usize, &Seen) -> Vec<Step> + Send + Sync;

/// A server that does for each request what it is told.
pub(super) struct Server {
    address: SocketAddr,
    scheme: &'static str,
    seen: Arc<Mutex<Vec<Seen>>>,
    /// How many connections the clients have ended.
    pub(super) gone: Arc<tokio::sync::Semaphore>,
    task: JoinHandle<()>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// An answer with a body.
pub(super) fn answer(status: u16, headers: &[(&str, &str)], body: impl AsRef<[u8]>) -> Vec<Step> {
    let body = body.as_ref();
    let mut bytes = head(status, headers);
    bytes.truncate(bytes.len() - 2);
    bytes.extend_from_slice(format!("content-length: {}\r\n\r\n", body.len()).as_bytes());
    bytes.extend_from_slice(body);
    vec![Step::Send(bytes)]
}

/// Bytes as they are compressed.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// An answer that is a JSON object.
pub(super) fn json(status: u16, body: &str) -> Vec<Step> {
    answer(status, &[("content-type", "application/json")], body)
}

/// The head of an answer, up to its empty line.
pub(super) fn head(status: u16, headers: &[(&str, &str)]) -> Vec<u8> {
    let mut text = format!("HTTP/1.1 {status} Whatever\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    text.push_str("\r\n");
    text.into_bytes()
}

/// The head of an answer whose body comes in chunks.
pub(super) fn chunked(headers: &[(&str, &str)]) -> Vec<u8> {
    let mut headers = headers.to_vec();
    headers.push(("transfer-encoding", "chunked"));
    head(200, &headers)
}

/// A chunk; an empty one ends the body.
pub(super) fn chunk(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    let mut out = format!("{:x}\r\n", bytes.len()).into_bytes();
    out.extend_from_slice(bytes);
    out.extend_from_slice(b"\r\n");
    out
}

impl Server {
    pub(super) async fn start(script: impl Fn(usize, &Seen) -> Vec<Step> + Send + Sync + 'static) -> Self {
        Server::start_with(None, script).await
    }

    pub(super) async fn start_with(
        tls: Option<TlsAcceptor>,
        script: impl Fn(usize, &Seen) -> Vec<Step> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let script: Arc<Script> = Arc::new(script);
        let seen = Arc::new(Mutex::new(Vec::new()));
        let gone = Arc::new(tokio::sync::Semaphore::new(0));
        let (all, left) = (Arc::clone(&seen), Arc::clone(&gone));
        let task = tokio::spawn(async move {
            let mut connections = 0;
            while let Ok((stream, _)) = listener.accept().await {
                let (script, all, left) = (Arc::clone(&script), Arc::clone(&all), Arc::clone(&left));
                let (tls, number) = (tls.clone(), connections);
                connections += 1;
                tokio::spawn(async move {
                    match tls {
                        None => talk(stream, number, Vec::new(), &*script, &all, &left).await,
                        Some(tls) => {
                            let Ok(stream) = tls.accept(stream).await else { return };
                            let certificates = stream.get_ref().1.peer_certificates();
                            let certificate = certificates.and_then(|all| all.first());
                            let certificate = certificate.map(|one| one.to_vec()).unwrap_or_default();
                            talk(stream, number, certificate, &*script, &all, &left).await;
                        }
                    }
                });
            }
        });
        Server { address, scheme, seen, gone, task }
    }

    pub(super) fn uri(&self) -> String {
        format!("{}://{}", self.scheme, self.address)
    }

    pub(super) fn address(&self) -> SocketAddr {
        self.address
    }

    /// All requests so far.
    pub(super) fn seen(&self) -> Vec<Seen> {
        self.seen.lock().clone()
    }
}

async fn talk(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    connection: usize,
    certificate: Vec<u8>,
    script: &Script,
    all: &Mutex<Vec<Seen>>,
    gone: &tokio::sync::Semaphore,
) {
    while let Some(mut seen) = read_request(&mut stream).await {
        seen.connection = connection;
        seen.certificate.clone_from(&certificate);
        let number = {
            let mut all = all.lock();
            all.push(seen.clone());
            all.len() - 1
        };
        for step in script(number, &seen) {
            match step {
                Step::Send(bytes) => {
                    if stream.write_all(&bytes).await.is_err() || stream.flush().await.is_err() {
                        gone.add_permits(1);
                        return;
                    }
                }
                Step::Close => {
                    let _ = stream.shutdown().await;
                    return;
                }
                Step::Hang => {
                    let mut rest = Vec::new();
                    let _ = stream.read_to_end(&mut rest).await;
                }
            }
        }
    }
    gone.add_permits(1);
}

/// The next request; none if the client is gone.
pub(super) async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Seen> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await.ok()?);
    }
    let text = String::from_utf8(head).ok()?;
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ');
    let mut seen = Seen { method: words.next()?.into(), target: words.next()?.into(), ..Seen::default() };
    for line in lines.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ")?;
        seen.headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = seen.header("content-length").and_then(|length| length.parse().ok()).unwrap_or_default();
    seen.body = vec![0; length];
    stream.read_exact(&mut seen.body).await.ok()?;
    Some(seen)
}
