//! A line to the server on which things go wrong when asked.
//!
//! It speaks plain HTTP to the client and TLS to the server, so that what it does to the bytes in between is
//! what the client must cope with: connections are cut, refused and held up, and garbage is put where an
//! answer was.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::{ClientConfig, RootCertStore};
use rustls_pki_types::pem::PemObject;
use rustls_pki_types::{CertificateDer, ServerName};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsConnector;

use crate::server::Server;

/// No JSON, chunk or header has a zero in it, so this can't be taken for something else.
const GARBAGE: &[u8] = b"\0\xff}{garbage\0";

/// How the line is.
#[derive(Clone, Copy, Default)]
struct Weather {
    /// Connections that were open when this changed are cut.
    cuts: u32,
    /// Every connection that was open when this changed gets garbage into its next answer.
    garbled: u32,
    /// New connections are closed at once.
    refuses: bool,
    /// What the server sends is held up by so much, piece by piece.
    delay: Duration,
}

/// The line. It ends when it is dropped.
pub(crate) struct BadLine {
    address: SocketAddr,
    weather: Arc<watch::Sender<Weather>>,
    task: tokio::task::JoinHandle<()>,
}

#[derive(Clone)]
struct Upstream {
    port: u16,
    tls: TlsConnector,
}

impl BadLine {
    /// A line to a server, which may go away and come back on its port.
    pub(crate) async fn to(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let weather = Arc::new(watch::Sender::new(Weather::default()));
        let told = weather.clone();
        let upstream = Upstream { port: server.port(), tls: trusting(server) };
        let task = tokio::spawn(async move {
            loop {
                let Ok((client, _)) = listener.accept().await else { continue };
                let mut now = told.subscribe();
                if now.borrow_and_update().refuses {
                    continue;
                }
                let upstream = upstream.clone();
                tokio::spawn(async move {
                    // Whatever breaks on one side breaks on both.
                    let _ = carry(client, &upstream, now).await;
                });
            }
        });
        BadLine { address, weather, task }
    }

    /// The address for clients.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Cuts all connections there are.
    pub(crate) fn cut(&self) {
        self.weather.send_modify(|weather| weather.cuts += 1);
    }

    /// Puts garbage into the next thing that the server says on every connection there is.
    pub(crate) fn garble(&self) {
        self.weather.send_modify(|weather| weather.garbled += 1);
    }

    /// Cuts all connections and lets nobody in any more.
    pub(crate) fn refuse(&self) {
        self.weather.send_modify(|weather| {
            weather.cuts += 1;
            weather.refuses = true;
        });
    }

    /// Holds everything up.
    pub(crate) fn delay(&self, delay: Duration) {
        self.weather.send_modify(|weather| weather.delay = delay);
    }

    /// Stops doing all of that.
    pub(crate) fn clear_up(&self) {
        self.weather.send_modify(|weather| {
            weather.refuses = false;
            weather.delay = Duration::ZERO;
        });
    }
}

impl Drop for BadLine {
    fn drop(&mut self) {
        self.task.abort();
        self.cut();
    }
}

/// TLS that trusts the server.
fn trusting(server: &Server) -> TlsConnector {
    let authority = server.config().tls.ca.expect("an authority");
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(&authority.read().expect("its certificate")) {
        roots.add(certificate.expect("a certificate")).expect("an authority");
    }
    let config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

async fn carry(
    mut client: TcpStream,
    to: &Upstream,
    mut now: watch::Receiver<Weather>,
) -> std::io::Result<()> {
    let begun = *now.borrow();
    let mut garbled = begun.garbled;
    let stream = TcpStream::connect(("127.0.0.1", to.port)).await?;
    let name = ServerName::try_from("localhost").map_err(std::io::Error::other)?;
    let mut server = to.tls.connect(name, stream).await?;
    let (mut up, mut down) = (vec![0; 16 << 10], vec![0; 16 << 10]);
    loop {
        tokio::select! {
            changed = now.changed() => {
                if changed.is_err() || now.borrow().cuts != begun.cuts {
                    return Ok(());
                }
            }
            read = client.read(&mut up) => match read? {
                0 => return Ok(()),
                length => server.write_all(&up[..length]).await?,
            },
            read = server.read(&mut down) => match read? {
                0 => return Ok(()),
                length => {
                    let weather = *now.borrow();
                    if !weather.delay.is_zero() {
                        tokio::time::sleep(weather.delay).await;
                    }
                    if weather.garbled != garbled {
                        garbled = weather.garbled;
                        // Somewhere in the middle, where it hits more often than not an object.
                        client.write_all(&down[..length / 2]).await?;
                        client.write_all(GARBAGE).await?;
                        client.write_all(&down[length / 2..length]).await?;
                    } else {
                        client.write_all(&down[..length]).await?;
                    }
                }
            },
        }
    }
}
