//! `Manager`: access to the current certificate, and its configuration.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::sync::watch;

use super::rotation::{Issuer, OnReport, Rotation, RotationReport};
use super::{
    CertificateError, CertificatePair, CertificateResolver, PairStore, PrivateKey, SigningRequest, Template,
    request_certificate, wait_for_certificate,
};
use crate::Client;
use crate::config::ConfigError;
use crate::controller::WallClock;

/// Maximum time that a request may wait for approval and signature.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// Handle of a valid certificate with its key, shared by all clones. A [`Rotation`] renews it.
#[derive(Clone)]
pub struct Manager(pub(super) Arc<Shared>);

/// State shared by a manager and its rotation.
pub(super) struct Shared {
    pub(super) current: watch::Sender<Option<Arc<CertificatePair>>>,
    pub(super) clock: WallClock,
    is_healthy: AtomicBool,
}

impl Shared {
    pub(super) fn now(&self) -> i64 {
        self.clock.now().unix_seconds()
    }

    pub(super) fn current(&self) -> Option<Arc<CertificatePair>> {
        let current = self.current.borrow().clone();
        current.filter(|pair| !pair.leaf().is_expired(self.now()))
    }

    /// Notes what an answer tells of the server's health.
    pub(super) fn note(&self, outcome: Result<(), &CertificateError>) {
        let is_healthy = match outcome {
            Ok(()) => true,
            Err(CertificateError::Request(error)) => {
                // A server that is well says these as well. A proxy that ends TLS says the first in its place.
                error.is_unauthorized() || error.is_not_found() || error.is_forbidden()
            }
            // They say nothing of the server.
            Err(_) => return,
        };
        self.is_healthy.store(is_healthy, Ordering::Relaxed);
    }
}

impl Manager {
    /// Creates a builder for certificates of a signer and usages, requested by a client and kept in a store.
    pub fn builder(client: Client, signer: &str, usages: &[&str], store: impl PairStore) -> ManagerBuilder {
        let clock = WallClock::of(&client);
        let client: ClientFn = Box::new(move |_| Ok(client.clone()));
        let (signer, usages) = (signer.to_owned(), usages.iter().map(|usage| (*usage).to_owned()).collect());
        ManagerBuilder {
            of: OfServer { client, signer, usages, lifetime: None },
            store: Arc::new(store),
            templates: watch::channel(None).1,
            bootstrap: None,
            on_report: None,
            clock,
            seed: None,
        }
    }

    /// Returns the current certificate; `None` if there is none or it has expired.
    pub fn current(&self) -> Option<Arc<CertificatePair>> {
        self.0.current()
    }

    /// Waits for a valid certificate.
    pub async fn ready(&self) -> Arc<CertificatePair> {
        let mut certificates = self.0.current.subscribe();
        loop {
            if let Some(current) = self.current() {
                return current;
            }
            // It can't fail: the other end is in our hands.
            let _ = certificates.changed().await;
        }
    }

    /// Returns a receiver of new certificates.
    pub fn certificates(&self) -> watch::Receiver<Option<Arc<CertificatePair>>> {
        self.0.current.subscribe()
    }

    /// Reports whether the last request to the server succeeded. The server is asked only when a certificate is
    /// needed.
    pub fn is_server_healthy(&self) -> bool {
        self.0.is_healthy.load(Ordering::Relaxed)
    }

    /// Returns a certificate resolver for rustls.
    pub fn resolver(&self) -> Arc<CertificateResolver> {
        Arc::new(CertificateResolver::new(self.clone()))
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").field("current", &self.0.current.borrow()).finish_non_exhaustive()
    }
}

/// Creates the client for a certificate request, given the current certificate if there is one.
type ClientFn = Box<dyn Fn(Option<&CertificatePair>) -> Result<Client, ConfigError> + Send + Sync>;

/// Builder of a [`Manager`].
pub struct ManagerBuilder {
    of: OfServer,
    store: Arc<dyn PairStore>,
    templates: watch::Receiver<Option<Template>>,
    bootstrap: Option<CertificatePair>,
    on_report: Option<OnReport>,
    clock: WallClock,
    seed: Option<u64>,
}

impl ManagerBuilder {
    /// Sets the contents of the certificate.
    #[must_use]
    pub fn template(self, template: Template) -> Self {
        self.template_from(watch::channel(Some(template)).1)
    }

    /// Sets the contents of the certificate, which may change: a certificate that lacks any of it is renewed at once.
    /// Without a template no certificate is requested.
    #[must_use]
    pub fn template_from(mut self, templates: watch::Receiver<Option<Template>>) -> Self {
        self.templates = templates;
        self
    }

    /// Sets the requested lifetime. The signer may choose another.
    #[must_use]
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.of.lifetime = Some(lifetime);
        self
    }

    /// Sets a function that creates the client for each request, usually with the current certificate.
    #[must_use]
    pub fn client_from(
        mut self,
        client: impl Fn(Option<&CertificatePair>) -> Result<Client, ConfigError> + Send + Sync + 'static,
    ) -> Self {
        self.of.client = Box::new(client);
        self
    }

    /// Sets the initial certificate, which is used and stored if the store has no valid one. It is replaced as soon as
    /// possible.
    #[must_use]
    pub fn bootstrap(mut self, pair: CertificatePair) -> Self {
        self.bootstrap = Some(pair);
        self
    }

    /// Sets a function for reports of new certificates and errors. It must return quickly.
    #[must_use]
    pub fn on_report(mut self, on_report: impl Fn(RotationReport<'_>) + Send + Sync + 'static) -> Self {
        self.on_report = Some(Box::new(on_report));
        self
    }

    /// Sets the clock, if it is not that of the client's configuration.
    #[must_use]
    pub fn clock(mut self, clock: WallClock) -> Self {
        self.clock = clock;
        self
    }

    /// Seeds the random times of renewals.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Creates the manager with the stored certificate, and the rotation that renews it while it is polled.
    ///
    /// # Errors
    /// What the store has can't be read.
    pub fn build(self) -> Result<(Manager, Rotation), CertificateError> {
        let issuer = Box::new(self.of);
        let parts = Parts {
            store: self.store,
            templates: self.templates,
            bootstrap: self.bootstrap,
            on_report: self.on_report,
            clock: self.clock,
            seed: self.seed,
        };
        parts.build(issuer)
    }
}

impl fmt::Debug for ManagerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ManagerBuilder").field("signer", &self.of.signer).finish_non_exhaustive()
    }
}

/// Parts of a manager except the issuer.
pub(super) struct Parts {
    pub(super) store: Arc<dyn PairStore>,
    pub(super) templates: watch::Receiver<Option<Template>>,
    pub(super) bootstrap: Option<CertificatePair>,
    pub(super) on_report: Option<OnReport>,
    pub(super) clock: WallClock,
    pub(super) seed: Option<u64>,
}

impl Parts {
    pub(super) fn build(self, issuer: Box<dyn Issuer>) -> Result<(Manager, Rotation), CertificateError> {
        let now = self.clock.now().unix_seconds();
        let kept = self.store.current()?.filter(|pair| !pair.leaf().is_expired(now));
        // Without a certificate of its own it begins with the one it was given, for as short as can be.
        let is_due = kept.is_none();
        let current = match (kept, self.bootstrap) {
            (Some(kept), _) => Some(kept),
            (None, Some(given)) => {
                let identity = given.identity();
                self.store.update(&identity.certificate, &identity.key)?;
                Some(given)
            }
            (None, None) => None,
        };
        let shared = Arc::new(Shared {
            current: watch::Sender::new(current.map(Arc::new)),
            clock: self.clock,
            is_healthy: AtomicBool::new(false),
        });
        let chance = self.seed.map_or_else(fastrand::Rng::new, fastrand::Rng::with_seed);
        let rotation = Rotation::new(
            Arc::clone(&shared),
            issuer,
            self.store,
            self.templates,
            is_due,
            chance,
            self.on_report,
        );
        Ok((Manager(shared), rotation))
    }
}

/// Issuer that requests certificates from an API server.
struct OfServer {
    client: ClientFn,
    signer: String,
    usages: Vec<String>,
    lifetime: Option<Duration>,
}

impl Issuer for OfServer {
    fn issue<'a>(
        &'a self,
        template: &'a Template,
        key: &'a PrivateKey,
        current: Option<&'a CertificatePair>,
    ) -> BoxFuture<'a, Result<Vec<u8>, CertificateError>> {
        Box::pin(async move {
            let client = (self.client)(current).map_err(CertificateError::Client)?;
            let request = SigningRequest::new(template, key, &self.signer)?
                .usages(self.usages.iter().map(String::as_str))
                .lifetime(self.lifetime);
            let requested = request_certificate(&client, &request).await?;
            match tokio::time::timeout(PATIENCE, wait_for_certificate(&client, &requested)).await {
                Ok(outcome) => outcome,
                Err(_) => Err(CertificateError::Timeout(PATIENCE)),
            }
        })
    }
}
