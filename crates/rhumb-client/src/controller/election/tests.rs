//! Elections on a lease that is a value in memory, on a clock that stands until everybody waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use rhumb_api::coordination::v1::Lease;
use rhumb_api::core::v1::Event;
use rhumb_meta::v1::Status;
use tokio::time::{Instant, sleep, timeout};

use super::*;
use crate::controller::{Counting, EventSink, Source};

/// What is wrong with the way to the server.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Every request fails.
    Refuses,
    /// No request is answered.
    Hangs,
    /// Writes are made, but nobody hears of it.
    WritesUnheard,
}

/// A server with one lease.
#[derive(Default)]
struct Server {
    lease: Mutex<Option<Lease>>,
    writes: AtomicUsize,
}

/// One candidate's way to it.
#[derive(Clone)]
struct FakeLock {
    server: Arc<Server>,
    fault: Arc<Mutex<Fault>>,
    latency: Duration,
}

impl FakeLock {
    fn new(server: &Arc<Server>) -> Self {
        FakeLock {
            server: Arc::clone(server),
            fault: Arc::new(Mutex::new(Fault::None)),
            latency: Duration::ZERO,
        }
    }

    async fn pass(&self) -> Result<(), Error> {
        sleep(self.latency).await;
        let fault = *self.fault.lock();
        match fault {
            Fault::None | Fault::WritesUnheard => Ok(()),
            Fault::Refuses => Err(Error::Connection("refused".into())),
            Fault::Hangs => std::future::pending().await,
        }
    }

    async fn answer<T>(&self, answer: T) -> Result<T, Error> {
        if *self.fault.lock() == Fault::WritesUnheard {
            return Err(Error::Connection("cut".into()));
        }
        Ok(answer)
    }
}

fn conflict() -> Error {
    Error::Status(Box::new(Status { code: 409, reason: "Conflict".to_owned(), ..Status::default() }))
}

impl LeaseLock for FakeLock {
    async fn get(&self) -> Result<Option<Lease>, Error> {
        self.pass().await?;
        Ok(self.server.lease.lock().clone())
    }

    async fn create(&self, lease: &Lease) -> Result<Lease, Error> {
        self.pass().await?;
        let mut lease = lease.clone();
        {
            let mut kept = self.server.lease.lock();
            if kept.is_some() {
                return Err(conflict());
            }
            lease.metadata.resource_version = self.server.writes.fetch_add(1, Ordering::SeqCst).to_string();
            *kept = Some(lease.clone());
        }
        self.answer(lease).await
    }

    async fn update(&self, lease: &Lease) -> Result<Lease, Error> {
        self.pass().await?;
        let mut lease = lease.clone();
        {
            let mut kept = self.server.lease.lock();
            let version = kept.as_ref().map(|kept| kept.metadata.resource_version.clone());
            if version.as_ref() != Some(&lease.metadata.resource_version) {
                return Err(conflict());
            }
            lease.metadata.resource_version = self.server.writes.fetch_add(1, Ordering::SeqCst).to_string();
            *kept = Some(lease.clone());
        }
        self.answer(lease).await
    }
}

/// A clock that stands still: no decision must depend on it.
fn clock() -> WallClock {
    WallClock::new(|| SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000))
}

fn election(lock: &FakeLock, identity: &str) -> Election<FakeLock> {
    Election::new(lock.clone(), identity, clock()).seed(7)
}

fn holder(server: &Server) -> String {
    let lease = server.lease.lock();
    lease.as_ref().and_then(|lease| lease.spec.holder_identity.clone()).unwrap_or_default()
}

const SECOND: Duration = Duration::from_secs(1);

#[tokio::test(start_paused = true)]
async fn the_first_candidate_creates_the_lease_and_releases_it_when_done() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    let outcome = election(&lock, "a").run(&Shutdown::new(), || async { holder(&server) }).await;
    assert_eq!(outcome, Outcome::Done("a".to_owned()));
    let lease = server.lease.lock().clone().unwrap();
    assert_eq!(lease.spec.holder_identity.as_deref(), Some(""));
    assert_eq!(lease.spec.lease_duration_seconds, Some(1));
    assert_eq!(lease.spec.lease_transitions, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_leader_renews_every_retry_period_and_keeps_when_it_was_elected() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    election(&lock, "a")
        .on_exit(OnExit::Keep)
        .run(&Shutdown::new(), || async {
            let first = server.lease.lock().clone().unwrap().spec;
            sleep(Duration::from_millis(10_500)).await;
            let later = server.lease.lock().clone().unwrap().spec;
            assert_eq!(first.acquire_time, later.acquire_time);
            assert_ne!(first.renew_time, later.renew_time);
            assert_eq!(later.lease_duration_seconds, Some(15));
        })
        .await;
    assert_eq!(server.writes.load(Ordering::SeqCst), 6);
    assert_eq!(holder(&server), "a");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_released_is_taken_at_the_next_attempt() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    election(&lock, "a").run(&Shutdown::new(), || async {}).await;
    let start = Instant::now();
    let outcome = election(&lock, "b").run(&Shutdown::new(), || async { start.elapsed() }).await;
    assert_eq!(outcome, Outcome::Done(Duration::ZERO));
    assert_eq!(server.lease.lock().clone().unwrap().spec.lease_transitions, Some(1));
}

#[tokio::test(start_paused = true)]
async fn a_lease_is_taken_over_only_after_it_was_seen_unchanged_for_its_whole_duration() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    election(&lock, "a").on_exit(OnExit::Keep).run(&Shutdown::new(), || async {}).await;
    // By the times in the lease it expired long ago, but they are another machine's.
    sleep(1000 * SECOND).await;
    let start = Instant::now();
    let outcome = election(&lock, "b").run(&Shutdown::new(), || async { start.elapsed() }).await;
    let Outcome::Done(waited) = outcome else { panic!("{outcome:?}") };
    assert!(waited >= 15 * SECOND && waited < 20 * SECOND, "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn a_restarted_leader_of_the_same_name_goes_on_at_once() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    election(&lock, "a").on_exit(OnExit::Keep).run(&Shutdown::new(), || async {}).await;
    let start = Instant::now();
    election(&lock, "a").run(&Shutdown::new(), || async {}).await;
    assert_eq!(start.elapsed(), Duration::ZERO);
    assert_eq!(server.lease.lock().clone().unwrap().spec.lease_transitions, Some(0));
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_can_not_renew_stops_before_another_can_take_over() {
    for fault in [Fault::Refuses, Fault::Hangs, Fault::WritesUnheard] {
        let server = Arc::new(Server::default());
        let mut lock = FakeLock::new(&server);
        lock.latency = SECOND / 2;
        let start = Instant::now();
        let broken = tokio::spawn({
            let lock = lock.clone();
            async move {
                let outcome = election(&lock, "a")
                    .run(&Shutdown::new(), || async {
                        sleep(5 * SECOND).await;
                        *lock.fault.lock() = fault;
                        std::future::pending::<()>().await;
                    })
                    .await;
                (outcome, start.elapsed())
            }
        });
        sleep(2 * SECOND).await;
        let successor =
            election(&FakeLock::new(&server), "b").run(&Shutdown::new(), || async { start.elapsed() }).await;
        let (outcome, stopped) = broken.await.unwrap();
        assert_eq!(outcome, Outcome::Lost, "{fault:?}");
        let Outcome::Done(began) = successor else { panic!("{successor:?}") };
        assert!(stopped < began, "{fault:?}: {stopped:?} is not before {began:?}");
        assert!(stopped <= 17 * SECOND, "{fault:?}: {stopped:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_short_outage_does_not_end_a_leadership() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    let errors = Arc::new(AtomicUsize::new(0));
    let outcome = election(&lock, "a")
        .on_error({
            let errors = Arc::clone(&errors);
            move |_| {
                errors.fetch_add(1, Ordering::SeqCst);
            }
        })
        .run(&Shutdown::new(), || async {
            for _ in 0..5 {
                *lock.fault.lock() = Fault::Refuses;
                sleep(7 * SECOND).await;
                *lock.fault.lock() = Fault::None;
                sleep(3 * SECOND).await;
            }
        })
        .await;
    assert_eq!(outcome, Outcome::Done(()));
    assert!(errors.load(Ordering::SeqCst) >= 5);
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_sees_another_in_its_place_stops_at_once() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    let start = Instant::now();
    let outcome = election(&lock, "a")
        .run(&Shutdown::new(), || async {
            {
                let mut lease = server.lease.lock();
                let lease = lease.as_mut().unwrap();
                lease.spec.holder_identity = Some("b".to_owned());
                lease.metadata.resource_version = "other".to_owned();
            }
            std::future::pending::<()>().await;
        })
        .await;
    assert_eq!(outcome, Outcome::Lost);
    assert_eq!(start.elapsed(), 2 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_ends_the_waiting_and_is_for_the_work_to_hear_once_we_lead() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    let shutdown = Shutdown::new();
    let leader = tokio::spawn({
        let (lock, shutdown) = (lock.clone(), shutdown.clone());
        async move {
            let work = || async {
                shutdown.begun().await;
                sleep(30 * SECOND).await;
                "tidied up"
            };
            election(&lock, "a").run(&shutdown, work).await
        }
    });
    sleep(SECOND).await;
    let other = tokio::spawn({
        let (lock, shutdown) = (lock.clone(), shutdown.clone());
        async move { election(&lock, "b").run(&shutdown, || async {}).await }
    });
    sleep(SECOND).await;
    shutdown.begin();
    assert_eq!(other.await.unwrap(), Outcome::NotElected);
    sleep(20 * SECOND).await;
    assert_eq!(holder(&server), "a");
    assert_eq!(leader.await.unwrap(), Outcome::Done("tidied up"));
    assert_eq!(holder(&server), "");
}

#[tokio::test(start_paused = true)]
async fn candidates_know_who_leads() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    let leader = election(&lock, "a");
    let follower = election(&lock, "b");
    let (own, seen) = (leader.leader(), follower.leader());
    assert_eq!(*seen.borrow(), "");
    let shutdown = Shutdown::new();
    let leading = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { leader.run(&shutdown, || async { sleep(10 * SECOND).await }).await }
    });
    sleep(SECOND).await;
    let following = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { follower.run(&shutdown, std::future::pending::<()>).await }
    });
    sleep(SECOND).await;
    assert_eq!((own.borrow().as_str(), seen.borrow().as_str()), ("a", "a"));
    leading.await.unwrap();
    sleep(5 * SECOND).await;
    assert_eq!(*seen.borrow(), "b");
    following.abort();
}

#[tokio::test(start_paused = true)]
async fn of_many_candidates_never_two_lead() {
    let server = Arc::new(Server::default());
    let leading = Arc::new(AtomicUsize::new(0));
    let terms = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::new();
    for number in 0..6u64 {
        let (server, leading, terms) = (Arc::clone(&server), Arc::clone(&leading), Arc::clone(&terms));
        tasks.push(tokio::spawn(async move {
            let mut chance = fastrand::Rng::with_seed(number);
            loop {
                let mut lock = FakeLock::new(&server);
                lock.latency = Duration::from_millis(chance.u64(0..3000));
                let faults = [Fault::None, Fault::Refuses, Fault::Hangs, Fault::WritesUnheard];
                let fault = faults[chance.usize(0..faults.len())];
                let until_fault = Duration::from_millis(chance.u64(0..40_000));
                let works = Duration::from_millis(chance.u64(0..60_000));
                let on_exit = if chance.bool() { OnExit::Release } else { OnExit::Keep };
                let breaks = {
                    let lock = lock.clone();
                    async move {
                        sleep(until_fault).await;
                        *lock.fault.lock() = fault;
                        std::future::pending::<()>().await;
                    }
                };
                let work = || async {
                    let _leading = Leading::begin(&leading);
                    sleep(works).await;
                };
                let identity = format!("c{number}");
                let run = election(&lock, &identity).seed(number).on_exit(on_exit);
                let shutdown = Shutdown::new();
                tokio::select! {
                    outcome = run.run(&shutdown, work) => {
                        if outcome != Outcome::NotElected {
                            terms.fetch_add(1, Ordering::SeqCst);
                        }
                    }
                    () = breaks => {}
                    () = sleep(200 * SECOND) => {}
                }
            }
        }));
    }
    sleep(20_000 * SECOND).await;
    for task in tasks {
        task.abort();
        assert!(!task.await.unwrap_err().is_panic());
    }
    assert!(terms.load(Ordering::SeqCst) > 100, "{terms:?}");

    /// Somebody who leads until this is dropped.
    struct Leading<'a>(&'a AtomicUsize);

    impl<'a> Leading<'a> {
        fn begin(count: &'a AtomicUsize) -> Self {
            assert_eq!(count.fetch_add(1, Ordering::SeqCst), 0, "two lead");
            Leading(count)
        }
    }

    impl Drop for Leading<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_candidate_that_is_never_answered_tries_again() {
    let server = Arc::new(Server::default());
    let lock = FakeLock::new(&server);
    *lock.fault.lock() = Fault::Hangs;
    let shutdown = Shutdown::new();
    let run = election(&lock, "a").run(&shutdown, || async {});
    let repair = async {
        sleep(60 * SECOND).await;
        *lock.fault.lock() = Fault::None;
        std::future::pending::<()>().await;
    };
    tokio::select! {
        outcome = timeout(100 * SECOND, run) => assert_eq!(outcome.unwrap(), Outcome::Done(())),
        () = repair => {}
    }
}

#[tokio::test(start_paused = true)]
async fn people_are_told_who_leads() {
    #[derive(Clone, Default)]
    struct Notes(Arc<Mutex<Vec<String>>>);

    impl EventSink<Event> for Notes {
        async fn create(&self, event: &Event) -> Result<(), Error> {
            self.0.lock().push(format!("{}: {}", event.involved_object.kind, event.message));
            Ok(())
        }

        async fn patch(&self, _: &str, _: &str, _: &serde_json::Value) -> Result<(), Error> {
            Ok(())
        }
    }

    let (notes, shutdown) = (Notes::default(), Shutdown::new());
    let (recorder, publisher) = Recorder::new(Counting::default(), notes.clone(), Source::default(), clock());
    let published = tokio::spawn(publisher.run(shutdown.clone()));
    let lock = FakeLock::new(&Arc::new(Server::default()));
    election(&lock, "a").events(recorder).run(&shutdown, || async {}).await;
    shutdown.begin();
    published.await.unwrap();
    assert_eq!(*notes.0.lock(), ["Lease: a became leader", "Lease: a stopped leading"]);
}

#[test]
fn times_that_do_not_fit_together_are_refused() {
    let millis = Duration::from_millis;
    for (lease, deadline, retry, expected) in [
        (15_000, 15_000, 2000, Err(TimingError::LeaseNotLongerThanDeadline)),
        // In the lease it is 15 seconds.
        (15_900, 15_500, 2000, Err(TimingError::LeaseNotLongerThanDeadline)),
        (15_000, 2400, 2000, Err(TimingError::DeadlineNotLongerThanRetry)),
        (15_000, 10_000, 0, Err(TimingError::NoRetryPeriod)),
        (15_000, 10_000, 2000, Ok(Timing::default())),
    ] {
        assert_eq!(Timing::new(millis(lease), millis(deadline), millis(retry)), expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_leader_that_is_kept_from_renewing_is_not_healthy() {
    let server = Arc::new(Server::default());
    let election = election(&FakeLock::new(&server), "a");
    let (health, shutdown) = (election.health(), Shutdown::new());
    assert_eq!(health.check(Duration::ZERO), Ok(()));
    {
        let mut run = std::pin::pin!(election.run(&shutdown, std::future::pending::<()>));
        assert!(timeout(60 * SECOND, &mut run).await.is_err());
        assert_eq!(health.check(Duration::ZERO), Ok(()));
        // Nobody polls it for a while, as if its thread were blocked.
        sleep(14 * SECOND).await;
        assert_eq!(health.check(Duration::ZERO), Ok(()));
        sleep(6 * SECOND).await;
        assert_eq!(health.check(20 * SECOND), Ok(()));
        let error = health.check(SECOND).unwrap_err();
        assert!(error.expired_for >= 5 * SECOND && error.expired_for <= 6 * SECOND, "{error}");
    }
    // Who has gone does not lead.
    assert_eq!(health.check(Duration::ZERO), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn who_leads_is_counted() {
    let server = Arc::new(Server::default());
    let metrics = Metrics::default();
    let status = |leads: u8| {
        let line = format!("leader_election_master_status{{name=\"lease\"}} {leads}\n");
        assert!(metrics.render().contains(&line), "{}", metrics.render());
    };
    let election = |lock: &FakeLock| election(lock, "a").metrics(&metrics, "lease");
    let lock = FakeLock::new(&server);
    let first = election(&lock);
    status(0);
    first.run(&Shutdown::new(), || async { status(1) }).await;
    status(0);
    let work = || async {
        status(1);
        *lock.fault.lock() = Fault::Refuses;
        std::future::pending::<()>().await;
    };
    assert_eq!(election(&lock).run(&Shutdown::new(), work).await, Outcome::Lost);
    status(0);
}

#[tokio::test(start_paused = true)]
async fn a_renewal_that_has_to_read_the_lease_first_is_counted() {
    let server = Arc::new(Server::default());
    let metrics = Metrics::default();
    let slow_paths = |count: u8| {
        let line = format!("leader_election_slowpath_total{{name=\"lease\"}} {count}\n");
        assert!(metrics.render().contains(&line), "{}", metrics.render());
    };
    let work = || async {
        sleep(60 * SECOND).await;
        slow_paths(0);
        // Somebody labels the lease, so that it is not as the leader knows it.
        let version = server.writes.fetch_add(1, Ordering::SeqCst).to_string();
        server.lease.lock().as_mut().unwrap().metadata.resource_version = version;
        sleep(60 * SECOND).await;
        slow_paths(1);
    };
    let election = election(&FakeLock::new(&server), "a").metrics(&metrics, "lease");
    assert_eq!(election.run(&Shutdown::new(), work).await, Outcome::Done(()));
    slow_paths(1);
}
