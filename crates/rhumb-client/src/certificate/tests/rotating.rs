//! When certificates are asked for, on a paused clock.

use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use futures_core::future::BoxFuture;
use parking_lot::Mutex;
use rhumb_meta::v1::StatusReason;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::Authority;
use crate::certificate::manager::Parts;
use crate::certificate::rotation::Issuer;
use crate::certificate::{
    CertificateError, CertificatePair, Manager, MemoryStore, PairStore, PrivateKey, Rotation, RotationReport,
    Template,
};
use crate::controller::{Shutdown, WallClock};

/// The Unix second in which tests begin.
const BEGIN: i64 = 1_800_000_000;
const HOUR: i64 = 60 * 60;
/// How long certificates are good.
const LIFE: i64 = 100 * HOUR;

/// What a signer does with a request.
enum Answer {
    /// Signs it for [`LIFE`].
    Sign,
    /// Signs another template in its place.
    SignOther(Template),
    Refuse(StatusReason),
    /// Leaves it lying about.
    Nothing,
}

struct Signer {
    authority: Authority,
    clock: WallClock,
    answer: Arc<dyn Fn(usize) -> Answer + Send + Sync>,
    /// When it was asked, in seconds from the beginning, and for whom.
    asked: Arc<Mutex<Vec<(i64, String)>>>,
}

impl Issuer for Signer {
    fn issue<'a>(
        &'a self,
        template: &'a Template,
        key: &'a PrivateKey,
        _: Option<&'a CertificatePair>,
    ) -> BoxFuture<'a, Result<Vec<u8>, CertificateError>> {
        Box::pin(async move {
            let now = self.clock.now().unix_seconds();
            let number = self.asked.lock().len();
            self.asked.lock().push((now - BEGIN, template.common_name.clone()));
            let request = match (self.answer)(number) {
                Answer::Sign => template.request(key)?,
                Answer::SignOther(other) => other.request(key)?,
                Answer::Refuse(reason) => {
                    return Err(CertificateError::Request(crate::Error::Status(Box::new(
                        rhumb_meta::v1::Status {
                            reason: reason.as_str().to_owned(),
                            code: i32::from(reason.code()),
                            ..Default::default()
                        },
                    ))));
                }
                Answer::Nothing => return std::future::pending().await,
            };
            Ok(self.authority.sign(&request, now, now + LIFE))
        })
    }
}

/// A manager with its rotation at work.
struct Subject {
    manager: Manager,
    clock: WallClock,
    asked: Arc<Mutex<Vec<(i64, String)>>>,
    reports: Arc<Mutex<Vec<String>>>,
    templates: watch::Sender<Option<Template>>,
    store: Arc<MemoryStore>,
    shutdown: Shutdown,
    running: tokio::task::JoinHandle<()>,
}

fn named(name: &str) -> Template {
    Template { common_name: name.to_owned(), ..Template::default() }
}

fn clock() -> WallClock {
    let began = Instant::now();
    WallClock::new(move || UNIX_EPOCH + Duration::from_secs(u64::try_from(BEGIN).unwrap()) + began.elapsed())
}

/// A store is shared with the test.
struct Shared(Arc<MemoryStore>);

impl PairStore for Shared {
    fn current(&self) -> Result<Option<CertificatePair>, crate::certificate::StoreError> {
        self.0.current()
    }
    fn update(
        &self,
        certificate: &[u8],
        key: &[u8],
    ) -> Result<CertificatePair, crate::certificate::StoreError> {
        self.0.update(certificate, key)
    }
}

/// A pair that is good for some seconds around the beginning.
fn pair(name: &str, from: i64, until: i64) -> CertificatePair {
    let key = PrivateKey::generate().unwrap();
    let request = named(name).request(&key).unwrap();
    let certificate = Authority::new().sign(&request, BEGIN + from, BEGIN + until);
    CertificatePair::from_pem(&certificate, &key.pem()).unwrap()
}

fn start(
    kept: Option<CertificatePair>,
    bootstrap: Option<CertificatePair>,
    template: Option<Template>,
    answer: impl Fn(usize) -> Answer + Send + Sync + 'static,
) -> Subject {
    let (clock, shutdown) = (clock(), Shutdown::new());
    let store = Arc::new(MemoryStore::default());
    if let Some(kept) = kept {
        store.update(&kept.identity().certificate, &kept.identity().key).unwrap();
    }
    let (asked, reports): (Arc<Mutex<Vec<_>>>, Arc<Mutex<Vec<String>>>) = Default::default();
    let (templates, receiver) = watch::channel(template);
    let signer = Signer {
        authority: Authority::new(),
        clock: clock.clone(),
        answer: Arc::new(answer),
        asked: asked.clone(),
    };
    let told = reports.clone();
    let parts = Parts {
        store: Arc::new(Shared(store.clone())),
        templates: receiver,
        bootstrap,
        on_report: Some(Box::new(move |report| {
            told.lock().push(match report {
                RotationReport::Rotated { lived: None } => "first".to_owned(),
                RotationReport::Rotated { lived: Some(lived) } => {
                    format!("after {} h", lived.as_secs() / 3600)
                }
                RotationReport::Failed(error) => error.to_string(),
            });
        })),
        clock: clock.clone(),
        seed: Some(3),
    };
    let (manager, rotation): (Manager, Rotation) = parts.build(Box::new(signer)).unwrap();
    let running = tokio::spawn(rotation.run(shutdown.clone()));
    Subject { manager, clock, asked, reports, templates, store, shutdown, running }
}

impl Subject {
    fn asked_at(&self) -> Vec<i64> {
        self.asked.lock().iter().map(|(at, _)| *at).collect()
    }

    fn asked_for(&self) -> Vec<String> {
        self.asked.lock().iter().map(|(_, name)| name.clone()).collect()
    }

    fn current_name(&self) -> Option<String> {
        self.manager.current().map(|pair| pair.common_name().to_owned())
    }

    async fn end(self) {
        self.shutdown.begin();
        self.running.await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_certificate_is_renewed_when_70_to_90_percent_of_its_life_are_over() {
    let subject = start(None, None, Some(named("north")), |_| Answer::Sign);
    assert!(subject.manager.current().is_none());
    let first = subject.manager.ready().await;
    assert_eq!(subject.asked_at(), [0]);
    let mut certificates = subject.manager.certificates();
    certificates.mark_unchanged();
    for round in 1..20 {
        certificates.changed().await.unwrap();
        let at = subject.asked_at();
        let parts = (at[round] - at[round - 1]) * 1000 / LIFE;
        assert!((700..=900).contains(&parts), "{parts} of 1000 between {at:?}");
    }
    let at = subject.asked_at();
    let gaps: std::collections::BTreeSet<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(gaps.len() > 10, "by chance: {gaps:?}");
    let now = subject.manager.current().unwrap();
    assert_ne!(now.identity().key, first.identity().key, "each has a key of its own");
    assert_eq!(subject.store.current().unwrap().unwrap().identity(), now.identity());
    assert!(subject.manager.is_server_healthy());
    assert_eq!(subject.reports.lock()[0], "first");
    assert!(subject.reports.lock()[1..].iter().all(|report| report.starts_with("after ")));
    subject.end().await;
}

#[tokio::test(start_paused = true)]
async fn what_fails_is_tried_again_ever_more_slowly() {
    let subject = start(None, None, Some(named("north")), |number| match number {
        0..8 => Answer::Refuse(StatusReason::InternalError),
        _ => Answer::Sign,
    });
    subject.manager.ready().await;
    let at = subject.asked_at();
    let gaps: Vec<i64> = at.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert_eq!(gaps.len(), 8);
    for (gap, least) in gaps.iter().zip([2, 4, 8, 16, 32, 32, 32, 32]) {
        assert!((least..=least + least / 10 + 1).contains(gap), "{gaps:?}");
    }
    assert_eq!(subject.reports.lock().len(), 9);
    subject.end().await;
}

#[tokio::test(start_paused = true)]
async fn answers_tell_whether_the_server_is_well() {
    for (reason, is_healthy) in [
        (StatusReason::Forbidden, true),
        (StatusReason::NotFound, true),
        (StatusReason::Unauthorized, true),
        (StatusReason::InternalError, false),
        (StatusReason::ServiceUnavailable, false),
    ] {
        let subject = start(None, None, Some(named("north")), move |_| Answer::Refuse(reason));
        assert!(!subject.manager.is_server_healthy());
        sleep(Duration::from_secs(1)).await;
        assert_eq!(subject.manager.is_server_healthy(), is_healthy, "{reason:?}");
        subject.end().await;
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_store_has_is_used_until_it_is_due() {
    let kept = pair("north", -10 * HOUR, 90 * HOUR);
    let subject = start(Some(kept), None, Some(named("north")), |_| Answer::Sign);
    assert_eq!(subject.current_name().as_deref(), Some("north"));
    sleep(Duration::from_secs(59 * 3600)).await;
    assert!(subject.asked_at().is_empty());
    sleep(Duration::from_secs(22 * 3600)).await;
    assert_eq!(subject.asked_at().len(), 1);
    subject.end().await;

    // Most of the life of this one was over when the process began.
    let kept = pair("north", -95 * HOUR, 5 * HOUR);
    let subject = start(Some(kept), None, Some(named("north")), |_| Answer::Nothing);
    sleep(Duration::from_secs(1)).await;
    assert_eq!(subject.asked_at(), [0]);
    assert!(subject.manager.current().is_some());
    sleep(Duration::from_secs(5 * 3600)).await;
    assert!(subject.manager.current().is_none(), "a certificate that has expired is none");
    subject.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_certificate_to_begin_with_is_replaced_as_soon_as_can_be() {
    let given = pair("bootstrap", -HOUR, 1000 * HOUR);
    let expired = pair("north", -2 * HOUR, -HOUR);
    let subject = start(Some(expired), Some(given), Some(named("north")), |number| match number {
        0 => Answer::Refuse(StatusReason::Forbidden),
        _ => Answer::Sign,
    });
    assert_eq!(subject.current_name().as_deref(), Some("bootstrap"));
    sleep(Duration::from_secs(1)).await;
    assert_eq!(subject.store.current().unwrap().unwrap().common_name(), "bootstrap");
    sleep(Duration::from_secs(3)).await;
    assert_eq!(subject.current_name().as_deref(), Some("north"));
    // It is not needed if the store has one.
    let subject_with_own = start(
        Some(pair("own", -HOUR, 1000 * HOUR)),
        Some(pair("bootstrap", -HOUR, 1000 * HOUR)),
        Some(named("own")),
        |_| Answer::Sign,
    );
    sleep(Duration::from_secs(60)).await;
    assert_eq!(subject_with_own.current_name().as_deref(), Some("own"));
    assert!(subject_with_own.asked_at().is_empty());
    subject.end().await;
    subject_with_own.end().await;
}

#[tokio::test(start_paused = true)]
async fn another_template_is_asked_for_at_once() {
    let subject = start(None, None, None, |number| match number {
        1 => Answer::Nothing,
        _ => Answer::Sign,
    });
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(subject.asked_for(), [""; 0], "nothing is asked for without a template");
    let wants = |name: &str| {
        subject.templates.send_replace(Some(named(name)));
        sleep(Duration::from_secs(10))
    };
    wants("one").await;
    assert_eq!(subject.current_name().as_deref(), Some("one"));
    // Nobody signs the second. It is still current what was, and the third doesn't wait for it.
    wants("two").await;
    assert_eq!(subject.current_name().as_deref(), Some("one"));
    wants("two").await;
    assert_eq!(subject.asked_for(), ["one", "two"], "the same template is no other");
    wants("three").await;
    assert_eq!(subject.current_name().as_deref(), Some("three"));
    assert_eq!(subject.asked_for(), ["one", "two", "three"]);
    subject.end().await;
}

#[tokio::test(start_paused = true)]
async fn a_signer_that_leaves_something_out_is_not_asked_all_the_time() {
    let subject = start(None, None, Some(named("wanted")), |number| match number {
        0..4 => Answer::SignOther(named("other")),
        _ => Answer::Sign,
    });
    assert_eq!(subject.manager.ready().await.common_name(), "other");
    sleep(Duration::from_secs(120)).await;
    assert_eq!(subject.current_name().as_deref(), Some("wanted"));
    let at = subject.asked_at();
    assert_eq!(at.len(), 5);
    assert!(at[4] >= 30, "{at:?}");
    assert_eq!(subject.clock.now().unix_seconds() - BEGIN, 120);
    subject.end().await;
}
