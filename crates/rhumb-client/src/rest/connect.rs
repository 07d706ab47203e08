//! Connections: TCP, optionally through a proxy, with TLS if the server uses it.

use std::error::Error as StdError;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::legacy::connect::{Connected, Connection, HttpConnector};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls_pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::watch;
use tokio_rustls::TlsConnector;
use tower_service::Service;

use super::proxy;
use crate::config::ProxyUrl;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
const TCP_KEEP_ALIVE: Duration = Duration::from_secs(30);
const TLS_TIMEOUT: Duration = Duration::from_secs(10);
/// Read buffer size: several TLS records.
const READ_AHEAD: usize = 64 << 10;

pub(crate) type BoxError = Box<dyn StdError + Send + Sync>;

/// A byte stream.
pub(crate) trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}
type BoxIo = Box<dyn Io>;

/// Connects to one server.
#[derive(Clone)]
pub(crate) struct Connector {
    tcp: HttpConnector,
    tls: Option<Tls>,
    proxy: Option<ProxyUrl>,
    /// TLS configuration of an HTTPS proxy.
    proxy_tls: Option<Arc<ClientConfig>>,
}

/// TLS configuration for the server.
#[derive(Clone)]
struct Tls {
    /// HTTP/2 is offered, and HTTP/1.1.
    both: Arc<ClientConfig>,
    /// HTTP/1.1 is offered alone: a connection that shall become something else must begin as that.
    http1: Arc<ClientConfig>,
    server_name: Option<String>,
}

/// Protocols offered to the server by ALPN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Offer {
    Http2AndHttp1,
    Http1,
}

impl Connector {
    /// Creates a connector. Without TLS settings it connects in plain text.
    pub(crate) fn new(
        tls: Option<(ClientConfig, Option<String>)>,
        proxy: Option<ProxyUrl>,
        proxy_tls: Option<ClientConfig>,
    ) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_connect_timeout(Some(CONNECT_TIMEOUT));
        tcp.set_keepalive(Some(TCP_KEEP_ALIVE));
        let tls = tls.map(|(config, server_name)| {
            let offering = |protocols: &[&[u8]]| {
                let mut config = config.clone();
                config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
                Arc::new(config)
            };
            Tls { both: offering(&[b"h2", b"http/1.1"]), http1: offering(&[b"http/1.1"]), server_name }
        });
        Connector { tcp, tls, proxy, proxy_tls: proxy_tls.map(Arc::new) }
    }

    /// Returns a connection to the server of a URI.
    pub(crate) async fn connect(mut self, uri: Uri, offer: Offer) -> Result<Conn, BoxError> {
        let target = with_port(&uri)?;
        let is_https = target.scheme_str() == Some("https");
        let (io, proxied) = match self.proxy.clone() {
            None => (dial(&mut self.tcp, target.clone()).await?, false),
            Some(proxy) => self.through(&proxy, target.clone()).await?,
        };
        let Some(tls) = self.tls.filter(|_| is_https) else {
            return Ok(Conn::new(io, false, proxied));
        };
        let config = match offer {
            Offer::Http2AndHttp1 => tls.both,
            Offer::Http1 => tls.http1,
        };
        let host = tls.server_name.as_deref().or(uri.host()).unwrap_or_default();
        let stream = handshake(config, host, io).await?;
        let h2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        Ok(Conn::new(Box::new(stream), h2, false))
    }

    /// Connects through a proxy. Also returns whether requests need an absolute URI because the proxy reads them.
    async fn through(&self, proxy: &ProxyUrl, target: Uri) -> Result<(BoxIo, bool), BoxError> {
        let scheme = if proxy.scheme() == "https" { "https" } else { "http" };
        let address: Uri = format!("{scheme}://{}:{}", proxy.host(), proxy.port()).parse()?;
        if proxy.scheme() == "socks5" {
            let mut socks = SocksV5::new(address, self.tcp.clone());
            if let Some((name, password)) = proxy::login(proxy) {
                socks = socks.with_auth(name, password);
            }
            return Ok((Box::new(socks.call(target).await?.into_inner()), false));
        }
        let mut dialer = ProxyDialer { tcp: self.tcp.clone(), tls: self.proxy_tls.clone() };
        if target.scheme_str() != Some("https") {
            return Ok((dialer.call(address).await?.into_inner(), true));
        }
        let mut tunnel = Tunnel::new(address, dialer);
        if let Some(authorization) = proxy::authorization(proxy) {
            tunnel = tunnel.with_auth(authorization);
        }
        Ok((tunnel.call(target).await?.into_inner(), false))
    }
}

/// Adds the default port to a URL, as proxies require it.
fn with_port(uri: &Uri) -> Result<Uri, BoxError> {
    let scheme = uri.scheme_str().unwrap_or("http");
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Ok(format!("{scheme}://{}:{port}/", uri.host().unwrap_or_default()).parse()?)
}

async fn dial(tcp: &mut HttpConnector, uri: Uri) -> Result<BoxIo, BoxError> {
    Ok(Box::new(tcp.call(uri).await?.into_inner()))
}

async fn handshake(
    config: Arc<ClientConfig>,
    host: &str,
    io: BoxIo,
) -> Result<tokio_rustls::client::TlsStream<BufReader<BoxIo>>, BoxError> {
    // rustls takes 4 KiB at a time, a call of the system for each.
    let io = BufReader::with_capacity(READ_AHEAD, io);
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned())?;
    match tokio::time::timeout(TLS_TIMEOUT, TlsConnector::from(config).connect(name, io)).await {
        Ok(stream) => Ok(stream?),
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "TLS handshake timeout").into()),
    }
}

type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

impl Service<Uri> for Connector {
    type Response = Conn;
    type Error = BoxError;
    type Future = Connecting<Conn>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        Box::pin(self.clone().connect(uri, Offer::Http2AndHttp1))
    }
}

/// Connects to a proxy, with TLS if it is an HTTPS proxy.
#[derive(Clone)]
struct ProxyDialer {
    tcp: HttpConnector,
    tls: Option<Arc<ClientConfig>>,
}

impl Service<Uri> for ProxyDialer {
    type Response = TokioIo<BoxIo>;
    type Error = BoxError;
    type Future = Connecting<TokioIo<BoxIo>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let mut dialer = self.clone();
        Box::pin(async move {
            let io = dial(&mut dialer.tcp, uri.clone()).await?;
            let Some(tls) = dialer.tls.filter(|_| uri.scheme_str() == Some("https")) else {
                return Ok(TokioIo::new(io));
            };
            let stream = handshake(tls, uri.host().unwrap_or_default(), io).await?;
            Ok(TokioIo::new(Box::new(stream) as BoxIo))
        })
    }
}

/// A connection to the server.
pub(crate) struct Conn {
    io: TokioIo<BoxIo>,
    h2: bool,
    /// A proxy reads the requests.
    pub(crate) proxied: bool,
    /// Goes with the connection, and those who wait for that learn of it.
    there: watch::Sender<()>,
}

impl Conn {
    fn new(io: BoxIo, h2: bool, proxied: bool) -> Self {
        Conn { io: TokioIo::new(io), h2, proxied, there: watch::Sender::new(()) }
    }
}

/// The connection that a request uses, to wait for its end.
#[derive(Clone, Debug)]
pub(crate) struct Taken(watch::Receiver<()>);

impl Taken {
    /// Waits until the connection is gone.
    pub(crate) async fn gone(&mut self) {
        while self.0.changed().await.is_ok() {}
    }

    pub(crate) fn is(&self, other: &Taken) -> bool {
        self.0.same_channel(&other.0)
    }
}

impl Connection for Conn {
    fn connected(&self) -> Connected {
        let connected = Connected::new().proxy(self.proxied).extra(Taken(self.there.subscribe()));
        if self.h2 { connected.negotiated_h2() } else { connected }
    }
}

impl Read for Conn {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(cx, buffer)
    }
}

impl Write for Conn {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(cx, bytes)
    }
    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(cx)
    }
    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(cx)
    }
    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }
    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write_vectored(cx, slices)
    }
}
