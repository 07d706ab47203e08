//! Connection pool of a client.
//!
//! A server allows so many requests at once on one HTTP/2 connection, and a watch is a request that stays. So
//! connections are kept in lanes: when a lane has as many requests as a server surely allows, the next one opens. What
//! TLS needs is read again from its files now and then; when it has changed, new lanes are opened, and the old ones
//! close when their last request is done.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Extensions, HeaderValue, Request, Response};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::{CaptureConnection, Connected, capture_connection};
use hyper_util::client::legacy::{Client as HyperClient, Error as HyperError};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use parking_lot::Mutex;
use tokio::time::Instant;

use super::connect::{Connector, Taken};
use super::{proxy, tls};
use crate::Error;
use crate::config::{Config, ConfigError, Identity, ProxyUrl, TlsConfig};

/// Maximum number of concurrent requests per connection. kube-apiserver allows 100 streams.
const LANE: usize = 90;
/// Idle timeout of connections.
const IDLE: Duration = Duration::from_secs(90);
/// Time of silence after which a connection is pinged,
const PING_AFTER: Duration = Duration::from_secs(30);
/// and the time in which it must answer.
const PING_TIMEOUT: Duration = Duration::from_secs(15);
/// Receive window per stream.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 64 << 20;
/// Maximum frame size; with 16 KiB, a large list would be mostly frame overhead.
const FRAME: u32 = 1 << 20;
/// Maximum size of response headers; each warning is one.
const MAX_HEADERS: u32 = 1 << 20;
/// Time after the end of a connection in which the outcome of its requests is known.
const LAST_WORD: Duration = Duration::from_secs(1);
/// Interval of reloading certificate files.
const FILES_PERIOD: Duration = Duration::from_secs(10);

/// Connections of a client.
pub(crate) struct Pool {
    tls: TlsConfig,
    is_https: bool,
    has_files: bool,
    proxy: Option<ProxyUrl>,
    live: Mutex<Arc<Live>>,
}

/// Connections that accept new requests.
struct Live {
    said: Option<Identity>,
    material: tls::Material,
    read_at: Mutex<Instant>,
    connector: Connector,
    lanes: Mutex<Vec<Arc<Lane>>>,
}

struct Lane {
    client: HyperClient<Connector, Full<Bytes>>,
    requests: AtomicUsize,
}

/// Slot of a request on a connection, held until the response is read.
pub(crate) struct Ticket(Arc<Lane>);

impl Pool {
    pub(crate) fn new(config: &Config) -> Result<Self, ConfigError> {
        let tls = config.tls.clone();
        let is_https = config.server.scheme_str() == Some("https");
        let proxy = proxy::choose(config)?;
        let live = Live::new(&tls, is_https, proxy.clone(), None)?;
        let has_files = is_https && tls::has_files(&tls);
        Ok(Pool { tls, is_https, has_files, proxy, live: Mutex::new(Arc::new(live)) })
    }

    /// Returns a place for a request that shows the server this certificate, if an exec plugin said one.
    pub(crate) async fn ticket(&self, said: Option<&Identity>) -> Result<Ticket, Error> {
        Ok(self.live(said).await?.ticket())
    }

    /// Makes connections outside the pool, by the same rules.
    pub(crate) async fn connector(&self, said: Option<&Identity>) -> Result<Connector, Error> {
        Ok(self.live(said).await?.connector.clone())
    }

    /// Returns the `Proxy-Authorization` header for plain HTTP proxies.
    pub(crate) fn proxy_authorization(&self) -> Option<HeaderValue> {
        let proxy = self.proxy.as_ref().filter(|proxy| !self.is_https && proxy.scheme() != "socks5")?;
        proxy::authorization(proxy)
    }

    async fn live(&self, said: Option<&Identity>) -> Result<Arc<Live>, Error> {
        let live = Arc::clone(&self.live.lock());
        let is_same = live.said.as_ref() == said;
        let now = Instant::now();
        if is_same && !(self.has_files && live.is_due(now)) {
            return Ok(live);
        }
        let (tls, is_https, proxy) = (self.tls.clone(), self.is_https, self.proxy.clone());
        let said = said.cloned();
        let known = Arc::clone(&live);
        let renewed = tokio::task::spawn_blocking(move || {
            let material = tls::Material::read(&tls, said.as_ref())?;
            match known.said == said && known.material == material {
                true => Ok(None),
                false => Live::made_of(&tls, is_https, proxy, said, material).map(Some),
            }
        });
        match renewed.await {
            Ok(Ok(Some(renewed))) => {
                let renewed = Arc::new(renewed);
                *self.live.lock() = Arc::clone(&renewed);
                Ok(renewed)
            }
            Ok(Ok(None)) => Ok(live),
            // Files are sometimes halfway written or away for a moment; what was there before may still do.
            _ if is_same => Ok(live),
            Ok(Err(error)) => Err(Error::Credentials(error.into())),
            Err(error) => Err(Error::Credentials(error.into())),
        }
    }
}

impl Live {
    fn new(
        tls: &TlsConfig,
        is_https: bool,
        proxy: Option<ProxyUrl>,
        said: Option<Identity>,
    ) -> Result<Self, ConfigError> {
        let material = tls::Material::read(tls, said.as_ref())?;
        Live::made_of(tls, is_https, proxy, said, material)
    }

    fn made_of(
        tls: &TlsConfig,
        is_https: bool,
        proxy: Option<ProxyUrl>,
        said: Option<Identity>,
        material: tls::Material,
    ) -> Result<Self, ConfigError> {
        let settings = match is_https {
            true => Some((tls::client_config(tls, &material)?, tls.server_name.clone())),
            false => None,
        };
        let proxy_tls = match &proxy {
            Some(proxy) if proxy.scheme() == "https" => Some(tls::proxy_config()?),
            _ => None,
        };
        let connector = Connector::new(settings, proxy, proxy_tls);
        Ok(Live { said, material, read_at: Mutex::new(Instant::now()), connector, lanes: Mutex::default() })
    }

    /// Reports whether the files are to be read again. Who is told so is the only one for a while.
    fn is_due(&self, now: Instant) -> bool {
        let mut read_at = self.read_at.lock();
        let is_due = now.saturating_duration_since(*read_at) >= FILES_PERIOD;
        if is_due {
            *read_at = now;
        }
        is_due
    }

    fn ticket(&self) -> Ticket {
        let mut lanes = self.lanes.lock();
        let free = lanes.iter().find(|lane| lane.requests.load(Ordering::Relaxed) < LANE);
        let lane = match free {
            Some(lane) => Arc::clone(lane),
            None => {
                let lane = Arc::new(Lane::new(self.connector.clone()));
                lanes.push(Arc::clone(&lane));
                lane
            }
        };
        lane.requests.fetch_add(1, Ordering::Relaxed);
        Ticket(lane)
    }
}

impl Lane {
    fn new(connector: Connector) -> Self {
        let client = HyperClient::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .http2_keep_alive_interval(PING_AFTER)
            .http2_keep_alive_timeout(PING_TIMEOUT)
            .http2_keep_alive_while_idle(true)
            .http2_initial_stream_window_size(STREAM_WINDOW)
            .http2_initial_connection_window_size(CONNECTION_WINDOW)
            .http2_max_frame_size(FRAME)
            .http2_max_header_list_size(MAX_HEADERS)
            .build(connector);
        Lane { client, requests: AtomicUsize::new(0) }
    }
}

impl Ticket {
    /// Sends a request. `None` if its connection is gone and nobody will say what became of the request.
    ///
    /// That can be because a connection is a task, and requests come to it in a queue. One that is put there while the
    /// task ends may stay in it: the queue is emptied before, and dropped only when the one who waits for the answer
    /// no longer does.
    pub(crate) async fn send(
        &self,
        mut request: Request<Full<Bytes>>,
    ) -> Option<Result<Response<Incoming>, HyperError>> {
        let captured = capture_connection(&mut request);
        tokio::select! {
            biased;
            outcome = self.0.client.request(request) => Some(outcome),
            () = stranded(captured) => None,
        }
    }
}

/// Waits until the connection that a request took has been gone for a while.
async fn stranded(mut captured: CaptureConnection) {
    let taken = |connected: &Option<Connected>| {
        let mut extras = Extensions::new();
        connected.as_ref()?.get_extras(&mut extras);
        extras.remove::<Taken>()
    };
    loop {
        let connection = taken(&*captured.wait_for_connection_metadata().await);
        let Some(mut connection) = connection else { return std::future::pending().await };
        connection.gone().await;
        tokio::time::sleep(LAST_WORD).await;
        // It may have been sent again on another one.
        if taken(&captured.connection_metadata()).is_some_and(|now| now.is(&connection)) {
            return;
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.0.requests.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Ticket")
    }
}
