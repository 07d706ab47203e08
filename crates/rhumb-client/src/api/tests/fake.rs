//! A server that keeps what it is asked and answers what it is told to.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::config::{Config, ContentType};
use crate::rest::Client;

/// A request as it came.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    pub(super) method: String,
    /// Path and query.
    pub(super) target: String,
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Seen {
    pub(super) fn header(&self, name: &str) -> &str {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str()).unwrap_or_default()
    }

    /// Method, path and query in one line.
    pub(super) fn line(&self) -> String {
        format!("{} {}", self.method, self.target)
    }

    pub(super) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }
}

/// What to answer: the status, the media type, the body.
pub(super) type Reply = (u16, &'static str, Vec<u8>);

pub(super) fn json(status: u16, body: &serde_json::Value) -> Reply {
    (status, "application/json", body.to_string().into_bytes())
}

/// A running server; it goes away with the test's runtime.
pub(super) struct Fake {
    port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Fake {
    /// Starts a server that answers every request by a function.
    pub(super) async fn start(answer: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (kept, answer) = (Arc::clone(&seen), Arc::new(answer));
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                tokio::spawn(serve(connection, Arc::clone(&kept), Arc::clone(&answer)));
            }
        });
        Fake { port, seen }
    }

    /// A client of it.
    pub(super) fn client(&self, content_type: ContentType) -> Client {
        let server = format!("http://127.0.0.1:{}", self.port).parse().expect("an address");
        let mut config = Config::new(server);
        config.content_type = content_type;
        config.default_namespace = "home".to_owned();
        Client::new(config).expect("a client")
    }

    /// What was asked since the last time.
    pub(super) fn take(&self) -> Vec<Seen> {
        std::mem::take(&mut *self.seen.lock())
    }

    /// The one request that was sent since the last time.
    pub(super) fn one(&self) -> Seen {
        let mut seen = self.take();
        assert_eq!(seen.len(), 1, "{seen:?}");
        seen.remove(0)
    }
}

/// Answers the requests of one connection until the client ends it.
async fn serve<A: Fn(&Seen) -> Reply>(
    mut connection: TcpStream,
    kept: Arc<Mutex<Vec<Seen>>>,
    answer: Arc<A>,
) {
    let mut bytes = Vec::new();
    loop {
        let Some(end) = bytes.windows(4).position(|part| part == b"\r\n\r\n") else {
            match connection.read_buf(&mut bytes).await {
                Ok(1..) => continue,
                _ => return,
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let mut seen = Seen {
            method: first.next().unwrap_or_default(),
            target: first.next().unwrap_or_default(),
            ..Seen::default()
        };
        let headers = lines.filter_map(|line| line.split_once(": "));
        seen.headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let length: usize = seen.header("content-length").parse().unwrap_or_default();
        let whole = end + 4 + length;
        while bytes.len() < whole {
            if !matches!(connection.read_buf(&mut bytes).await, Ok(1..)) {
                return;
            }
        }
        seen.body = bytes[end + 4..whole].to_vec();
        bytes.drain(..whole);
        let (status, media_type, body) = answer(&seen);
        kept.lock().push(seen);
        let head = format!(
            "HTTP/1.1 {status} Told\r\ncontent-type: {media_type}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        let sent = connection.write_all(&[head.as_bytes(), &body].concat()).await;
        if sent.is_err() {
            return;
        }
    }
}
