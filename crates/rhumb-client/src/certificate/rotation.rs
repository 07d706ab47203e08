//! `Rotation`: renews the certificate of a manager.
//!
//! A certificate is renewed when 70 to 90 percent of its life are over, by chance, so that those that were made
//! together are not renewed together; at once if there is none, or if it doesn't say what the template wants. What
//! fails is tried again after 2, 4, 8, 16 and from then on every 32 seconds. Each attempt has a key of its own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_core::future::BoxFuture;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::manager::Shared;
use super::{CertificateError, CertificatePair, PairStore, PrivateKey, Template};
use crate::controller::Shutdown;
use crate::informer::{Backoff, BackoffPolicy};

/// Maximum time between checks of the wall clock, which may be set or jump while a machine sleeps.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);
/// Minimum time between two requests, for signers whose certificates expire at once.
const PAUSE: Duration = Duration::from_secs(1);

/// Issues certificates.
pub(super) trait Issuer: Send + Sync {
    /// Returns a certificate for a key, in PEM.
    fn issue<'a>(
        &'a self,
        template: &'a Template,
        key: &'a PrivateKey,
        current: Option<&'a CertificatePair>,
    ) -> BoxFuture<'a, Result<Vec<u8>, CertificateError>>;
}

/// Event reported by a rotation.
#[derive(Debug)]
#[non_exhaustive]
pub enum RotationReport<'a> {
    /// A new certificate was obtained.
    Rotated {
        /// Age of the previous certificate.
        lived: Option<Duration>,
    },
    /// An attempt failed and will be retried.
    Failed(&'a CertificateError),
}

pub(super) type OnReport = Box<dyn Fn(RotationReport<'_>) + Send + Sync>;

/// Renews the certificate of a [`Manager`](super::Manager) for as long as it is polled.
pub struct Rotation {
    shared: Arc<Shared>,
    issuer: Box<dyn Issuer>,
    store: Arc<dyn PairStore>,
    templates: watch::Receiver<Option<Template>>,
    /// Whether a certificate is due whatever the current one says.
    is_due: bool,
    /// The part of its life after which the current certificate is renewed.
    part: f64,
    chance: fastrand::Rng,
    on_report: Option<OnReport>,
}

impl Rotation {
    pub(super) fn new(
        shared: Arc<Shared>,
        issuer: Box<dyn Issuer>,
        store: Arc<dyn PairStore>,
        templates: watch::Receiver<Option<Template>>,
        is_due: bool,
        mut chance: fastrand::Rng,
        on_report: Option<OnReport>,
    ) -> Self {
        let part = part_of_life(&mut chance);
        Rotation { shared, issuer, store, templates, is_due, part, chance, on_report }
    }

    /// Renews the certificate until shutdown.
    pub async fn run(mut self, shutdown: Shutdown) {
        tokio::select! {
            biased;
            () = shutdown.begun() => {}
            () = self.rotate_forever() => {}
        }
    }

    async fn rotate_forever(&mut self) {
        let mut templates = self.templates.clone();
        loop {
            let wanted = templates.borrow_and_update().clone();
            // A request that is waited for is given up when something else is wanted.
            tokio::select! {
                biased;
                () = changed_from(&mut templates, &wanted) => {}
                () = self.rotate_when_due(wanted.as_ref()) => {}
            }
        }
    }

    /// Waits until a certificate is due, and tries until there is one.
    async fn rotate_when_due(&mut self, template: Option<&Template>) {
        let Some(template) = template else { return std::future::pending().await };
        while let Some(left) = self.left(template) {
            sleep(left.min(LONGEST_SLEEP)).await;
        }
        let mut backoff = Backoff::new(waits());
        while let Err(error) = self.rotate(template).await {
            self.shared.note(Err(&error));
            self.report(RotationReport::Failed(&error));
            sleep(backoff.step(Instant::now(), &mut self.chance)).await;
        }
        sleep(PAUSE).await;
    }

    /// Returns the time until the certificate is due; `None` if it is due now.
    fn left(&self, template: &Template) -> Option<Duration> {
        let current = self.shared.current().filter(|_| !self.is_due)?;
        let leaf = current.leaf();
        if !template.is_satisfied_by(leaf) {
            return None;
        }
        let part = i64::try_from(leaf.part_of_life(self.part).as_secs()).ok()?;
        let left = leaf.not_before.saturating_add(part).saturating_sub(self.shared.now());
        u64::try_from(left).ok().filter(|left| *left > 0).map(Duration::from_secs)
    }

    /// Makes a key and has a certificate for it issued and kept.
    async fn rotate(&mut self, template: &Template) -> Result<(), CertificateError> {
        let key = PrivateKey::generate()?;
        let before = self.shared.current();
        let issued = self.issuer.issue(template, &key, before.as_deref()).await?;
        let pair = self.store.update(&issued, &key.pem())?;
        let is_as_asked = template.is_satisfied_by(pair.leaf());
        self.is_due = false;
        self.part = part_of_life(&mut self.chance);
        self.shared.note(Ok(()));
        let old = self.shared.current.send_replace(Some(Arc::new(pair)));
        let lived = old.map(|old| self.shared.now().saturating_sub(old.leaf().not_before));
        let lived = lived.map(|lived| Duration::from_secs(u64::try_from(lived).unwrap_or_default()));
        self.report(RotationReport::Rotated { lived });
        // Without a wait a signer that leaves something out would be asked all the time.
        if is_as_asked { Ok(()) } else { Err(CertificateError::NotAsAsked) }
    }

    fn report(&self, report: RotationReport<'_>) {
        if let Some(on_report) = &self.on_report {
            on_report(report);
        }
    }
}

impl fmt::Debug for Rotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rotation").field("is_due", &self.is_due).finish_non_exhaustive()
    }
}

/// Returns the part of its life after which a certificate is renewed.
fn part_of_life(chance: &mut fastrand::Rng) -> f64 {
    0.7 + 0.2 * chance.f64()
}

/// Returns the backoff after failures.
fn waits() -> BackoffPolicy {
    BackoffPolicy {
        first: Duration::from_secs(2),
        longest: Duration::from_secs(32),
        factor: 2.0,
        jitter: 0.1,
        reset_after: Duration::MAX,
    }
}

/// Waits until something else is wanted.
async fn changed_from(templates: &mut watch::Receiver<Option<Template>>, wanted: &Option<Template>) {
    if templates.wait_for(|template| template != wanted).await.is_err() {
        // Nobody is left who could want something else.
        std::future::pending().await
    }
}
