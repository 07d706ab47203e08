//! Controllers over informers whose server is a shelf in memory.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures_core::future::BoxFuture;
use futures_util::stream;
use parking_lot::Mutex;
use rhumb_api::apps::v1::{Deployment, ReplicaSet};
use rhumb_api::core::v1::ConfigMap;
use rhumb_meta::v1::{ListOptions, OwnerReference};
use rhumb_meta::{ListMeta, Object};
use rhumb_queue::Exponential;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::{Duration, Instant, sleep};

use super::*;
use crate::api::Readable;
use crate::controller::{Metrics, Shutdown};
use crate::informer::{EventStream, InitialList, ListerWatcher, SharedInformer};
use crate::{Error, List, WatchEvent};

const SECOND: Duration = Duration::from_secs(1);

/// A server of one resource.
struct Shelf<K>(Arc<Mutex<Objects<K>>>);

struct Objects<K> {
    revision: u64,
    objects: BTreeMap<String, K>,
    watches: Vec<mpsc::UnboundedSender<WatchEvent<K>>>,
}

impl<K> Clone for Shelf<K> {
    fn clone(&self) -> Self {
        Shelf(Arc::clone(&self.0))
    }
}

impl<K: Readable> Shelf<K> {
    fn new() -> Self {
        Shelf(Arc::new(Mutex::new(Objects { revision: 1, objects: BTreeMap::new(), watches: Vec::new() })))
    }

    /// Puts an object of a name on the shelf, or another in its place.
    fn put(&self, name: &str, edit: impl Fn(&mut K)) {
        let mut shelf = self.0.lock();
        shelf.revision += 1;
        let revision = shelf.revision.to_string();
        let known = shelf.objects.get(name).cloned();
        let is_new = known.is_none();
        let mut object = known.unwrap_or_default();
        edit(&mut object);
        object.edit_metadata(&mut |metadata| {
            metadata.name = name.to_owned();
            metadata.namespace = "shop".to_owned();
            metadata.resource_version.clone_from(&revision);
        });
        shelf.objects.insert(name.to_owned(), object.clone());
        let event = if is_new { WatchEvent::Added(object) } else { WatchEvent::Modified(object) };
        shelf.watches.retain(|watch| watch.send(event.clone()).is_ok());
    }

    fn remove(&self, name: &str) {
        let mut shelf = self.0.lock();
        shelf.revision += 1;
        if let Some(object) = shelf.objects.remove(name) {
            shelf.watches.retain(|watch| watch.send(WatchEvent::Deleted(object.clone())).is_ok());
        }
    }

    fn informer(&self) -> SharedInformer<K> {
        SharedInformer::builder(self.clone()).initial_list(InitialList::Pages).build()
    }
}

impl<K: Readable> ListerWatcher<K> for Shelf<K> {
    fn list(&self, _: ListOptions) -> BoxFuture<'_, Result<List<K>, Error>> {
        Box::pin(async {
            let shelf = self.0.lock();
            let metadata = ListMeta { resource_version: shelf.revision.to_string(), ..ListMeta::default() };
            Ok(List { metadata, items: shelf.objects.values().cloned().collect() })
        })
    }

    fn watch(&self, _: ListOptions) -> BoxFuture<'_, Result<EventStream<K>, Error>> {
        Box::pin(async {
            let (sender, receiver) = mpsc::unbounded_channel();
            self.0.lock().watches.push(sender);
            let events = stream::unfold(receiver, |mut receiver| async {
                receiver.recv().await.map(|event| (Ok(event.map(Box::new)), receiver))
            });
            Ok(Box::pin(events) as EventStream<K>)
        })
    }
}

/// What a reconciler was called with, and what it is to answer.
#[derive(Default)]
struct Log {
    seen: Mutex<Vec<String>>,
    answers: Mutex<Vec<Result<Action, Error>>>,
    at_work: AtomicUsize,
    most_at_work: AtomicUsize,
    takes: Mutex<Duration>,
}

impl Log {
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock())
    }
}

async fn reconcile<K>(request: Request<K>, log: Arc<Log>) -> Result<Action, Error> {
    let there = if request.object.is_some() { "" } else { " (gone)" };
    log.seen.lock().push(format!("{}{there}", request.key));
    let now = log.at_work.fetch_add(1, Ordering::SeqCst) + 1;
    log.most_at_work.fetch_max(now, Ordering::SeqCst);
    let takes = *log.takes.lock();
    sleep(takes).await;
    log.at_work.fetch_sub(1, Ordering::SeqCst);
    log.answers.lock().pop().unwrap_or(Ok(Action::done()))
}

struct Running {
    log: Arc<Log>,
    shutdown: Shutdown,
    task: JoinHandle<Result<(), ControllerError>>,
}

fn start<K: Object>(controller: Controller<K>) -> Running {
    let (log, shutdown) = (Arc::new(Log::default()), Shutdown::new());
    let task = tokio::spawn({
        let (log, shutdown) = (Arc::clone(&log), shutdown.clone());
        async move { controller.run(&shutdown, log, reconcile::<K>).await }
    });
    Running { log, shutdown, task }
}

/// Long enough for everything that happens at once.
async fn settle() {
    sleep(Duration::from_millis(20)).await;
}

fn owned_by(kind: &str, name: &str, is_controller: bool) -> OwnerReference {
    OwnerReference {
        api_version: "apps/v1".to_owned(),
        kind: kind.to_owned(),
        name: name.to_owned(),
        controller: Some(is_controller),
        ..OwnerReference::default()
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_is_looked_at_at_first_when_it_changes_and_when_it_goes() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let running = start(Controller::new(&shelf.informer()));
    settle().await;
    assert_eq!(running.log.take(), ["shop/web"]);
    shelf.put("web", |_| {});
    shelf.put("db", |_| {});
    settle().await;
    assert_eq!(running.log.take(), ["shop/web", "shop/db"]);
    shelf.remove("web");
    settle().await;
    assert_eq!(running.log.take(), ["shop/web (gone)"]);
    running.shutdown.begin();
    assert_eq!(running.task.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_object_is_looked_at_when_one_changes_that_it_controls() {
    let (deployments, replica_sets) = (Shelf::<Deployment>::new(), Shelf::<ReplicaSet>::new());
    let running = start(Controller::new(&deployments.informer()).owns(&replica_sets.informer()));
    settle().await;
    replica_sets.put("web-1", |set| {
        set.metadata.owner_references =
            vec![owned_by("Deployment", "other", false), owned_by("Deployment", "web", true)];
    });
    replica_sets.put("foreign", |set| {
        set.metadata.owner_references = vec![owned_by("StatefulSet", "web", true)];
    });
    replica_sets.put("alone", |_| {});
    settle().await;
    assert_eq!(running.log.take(), ["shop/web (gone)"]);
    // Who had it and who has it now both learn of it.
    replica_sets.put("web-1", |set| {
        set.metadata.owner_references = vec![owned_by("Deployment", "api", true)];
    });
    settle().await;
    assert_eq!(running.log.take(), ["shop/web (gone)", "shop/api (gone)"]);
}

#[tokio::test(start_paused = true)]
async fn other_objects_concern_those_that_a_function_names() {
    let (deployments, config_maps) = (Shelf::<Deployment>::new(), Shelf::<ConfigMap>::new());
    let concerns =
        |map: &ConfigMap| map.data.keys().map(|name| ObjectKey::new("shop", name)).collect::<Vec<_>>();
    let running = start(Controller::new(&deployments.informer()).watches(&config_maps.informer(), concerns));
    settle().await;
    config_maps.put("settings", |map| {
        map.data = ["a", "b"].map(|name| (name.to_owned(), String::new())).into();
    });
    settle().await;
    assert_eq!(running.log.take(), ["shop/a (gone)", "shop/b (gone)"]);
}

#[tokio::test(start_paused = true)]
async fn changes_of_the_status_do_not_matter_if_only_the_generation_does() {
    let shelf = Shelf::<Deployment>::new();
    let running = start(Controller::new(&shelf.informer()).when(predicate::generation_changed));
    shelf.put("web", |deployment| deployment.metadata.generation = 1);
    settle().await;
    assert_eq!(running.log.take(), ["shop/web"]);
    shelf.put("web", |deployment| deployment.status.replicas = 3);
    settle().await;
    assert!(running.log.take().is_empty());
    shelf.put("web", |deployment| deployment.metadata.generation = 2);
    settle().await;
    assert_eq!(running.log.take(), ["shop/web"]);
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_told_and_comes_back_later_and_later() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let errors = Arc::new(Mutex::new(Vec::new()));
    let controller =
        Controller::new(&shelf.informer()).limiter(Exponential::new(SECOND, 60 * SECOND)).on_error({
            let errors = Arc::clone(&errors);
            move |key, error| errors.lock().push(format!("{key}: {error}"))
        });
    let (log, shutdown) = (Arc::new(Log::default()), Shutdown::new());
    *log.answers.lock() = (0..3).map(|_| Err(Error::Stream("on purpose".to_owned()))).collect();
    let begin = Instant::now();
    let times = Arc::new(Mutex::new(Vec::new()));
    let work = {
        let times = Arc::clone(&times);
        move |request, log| {
            times.lock().push(begin.elapsed().as_secs());
            reconcile::<Deployment>(request, log)
        }
    };
    let task = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { controller.run(&shutdown, log, work).await }
    });
    sleep(100 * SECOND).await;
    assert_eq!(*times.lock(), [0, 1, 3, 7]);
    assert_eq!(*errors.lock(), ["shop/web: on purpose"; 3]);
    shutdown.begin();
    assert_eq!(task.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn an_object_comes_back_when_it_was_asked_for() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let running = start(Controller::new(&shelf.informer()));
    running.log.answers.lock().push(Ok(Action::requeue_after(60 * SECOND)));
    sleep(59 * SECOND).await;
    assert_eq!(running.log.take().len(), 1);
    sleep(2 * SECOND).await;
    assert_eq!(running.log.take().len(), 1);
    sleep(1000 * SECOND).await;
    assert!(running.log.take().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_reconciler_that_panics_is_called_again() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let calls = Arc::new(AtomicUsize::new(0));
    let errors = Arc::new(Mutex::new(Vec::new()));
    let metrics = Metrics::default();
    let controller = Controller::new(&shelf.informer()).metrics(&metrics, "frail").on_error({
        let errors = Arc::clone(&errors);
        move |_, error| errors.lock().push(error.to_string())
    });
    let shutdown = Shutdown::new();
    let work = {
        let calls = Arc::clone(&calls);
        move |_: Request<Deployment>, _: Arc<()>| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            assert_ne!(call, 0, "at once");
            async move {
                sleep(SECOND).await;
                assert_ne!(call, 1, "later");
                Ok::<_, Error>(Action::done())
            }
        }
    };
    let task = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { controller.run(&shutdown, Arc::new(()), work).await }
    });
    sleep(100 * SECOND).await;
    assert_eq!(calls.load(Ordering::SeqCst), 3);
    assert!(
        errors.lock()[0].starts_with("the reconciler panicked: ") && errors.lock()[0].contains("at once")
    );
    assert!(errors.lock()[1].contains("later"), "{errors:?}");
    let panics = "controller_runtime_reconcile_panics_total{controller=\"frail\"} 2\n";
    assert!(metrics.render().contains(panics));
    shutdown.begin();
    assert_eq!(task.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn workers_share_the_objects_and_none_has_two_workers() {
    let shelf = Shelf::<Deployment>::new();
    for name in ["a", "b", "c", "d", "e", "f"] {
        shelf.put(name, |_| {});
    }
    let running = start(Controller::new(&shelf.informer()).workers(3));
    *running.log.takes.lock() = SECOND;
    settle().await;
    shelf.put("a", |_| {});
    sleep(5 * SECOND).await;
    let mut seen = running.log.take();
    seen.sort();
    assert_eq!(seen, ["shop/a", "shop/a", "shop/b", "shop/c", "shop/d", "shop/e", "shop/f"]);
    assert_eq!(running.log.most_at_work.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn what_happens_comes_before_what_was_there_at_the_start() {
    let shelf = Shelf::<Deployment>::new();
    for name in ["a", "b", "c"] {
        shelf.put(name, |_| {});
    }
    let running = start(Controller::new(&shelf.informer()));
    *running.log.takes.lock() = SECOND;
    settle().await;
    shelf.put("new", |_| {});
    sleep(10 * SECOND).await;
    assert_eq!(running.log.take(), ["shop/a", "shop/new", "shop/b", "shop/c"]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_waits_for_those_at_work_and_begins_no_others() {
    let shelf = Shelf::<Deployment>::new();
    for name in ["a", "b", "c"] {
        shelf.put(name, |_| {});
    }
    let running = start(Controller::new(&shelf.informer()));
    *running.log.takes.lock() = 10 * SECOND;
    settle().await;
    running.shutdown.begin();
    let begin = Instant::now();
    assert_eq!(running.task.await.unwrap(), Ok(()));
    assert!(begin.elapsed() > 9 * SECOND);
    assert_eq!(running.log.take(), ["shop/a"]);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_drops_those_that_go_on_for_too_long() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("a", |_| {});
    let running = start(Controller::new(&shelf.informer()).grace(5 * SECOND));
    *running.log.takes.lock() = 1000 * SECOND;
    settle().await;
    running.shutdown.begin();
    let begin = Instant::now();
    assert_eq!(running.task.await.unwrap(), Err(ControllerError::GraceExceeded { workers: 1 }));
    assert_eq!(begin.elapsed(), 5 * SECOND);
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_has_ended_is_an_error() {
    let informer = Shelf::<Deployment>::new().informer();
    informer.start();
    informer.shutdown().await;
    let running = start(Controller::new(&informer));
    assert_eq!(running.task.await.unwrap(), Err(ControllerError::InformerEnded));
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_ends_ends_the_controller() {
    let (deployments, replica_sets) = (Shelf::<Deployment>::new(), Shelf::<ReplicaSet>::new());
    for name in ["a", "b"] {
        deployments.put(name, |_| {});
    }
    let owned = replica_sets.informer();
    let running = start(Controller::new(&deployments.informer()).owns(&owned));
    *running.log.takes.lock() = SECOND;
    settle().await;
    owned.shutdown().await;
    // What is at work is waited for, and nothing else is begun.
    assert_eq!(running.task.await.unwrap(), Err(ControllerError::InformerEnded));
    assert_eq!(running.log.take(), ["shop/a"]);
    assert_eq!(running.log.at_work.load(Ordering::SeqCst), 0);
}

#[tokio::test(start_paused = true)]
async fn a_worker_outlives_an_on_error_that_panics() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let controller = Controller::new(&shelf.informer())
        .on_error(|_, error| std::panic::resume_unwind(Box::new(error.to_string())));
    let running = start(controller);
    running.log.answers.lock().push(Err(Error::Stream("on purpose".to_owned())));
    sleep(SECOND).await;
    assert_eq!(running.log.take(), ["shop/web", "shop/web"]);
    running.shutdown.begin();
    assert_eq!(running.task.await.unwrap(), Ok(()));
}

#[tokio::test(start_paused = true)]
async fn a_controller_is_counted_under_its_name() {
    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let metrics = Metrics::default();
    let controller = Controller::new(&shelf.informer())
        .limiter(Exponential::new(SECOND, 60 * SECOND))
        .workers(3)
        .metrics(&metrics, "a\"b");
    let running = start(controller);
    *running.log.takes.lock() = 2 * SECOND;
    *running.log.answers.lock() =
        vec![Ok(Action::requeue_after(SECOND)), Err(Error::Stream("on purpose".to_owned()))];
    sleep(SECOND).await;
    let count = |name: &str| {
        let text = metrics.render();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).to_owned()
    };
    let of = |name: &str, labels: &str| {
        count(&format!("controller_runtime_{name}{{controller=\"a\\\"b\"{labels}}}"))
    };
    assert_eq!(count("workqueue_adds_total{name=\"a\\\"b\"}"), "1");
    assert_eq!(of("active_workers", ""), "1");
    assert_eq!(of("max_concurrent_reconciles", ""), "3");
    assert_eq!(of("reconcile_total", ",result=\"error\""), "0");
    sleep(60 * SECOND).await;
    assert_eq!(of("active_workers", ""), "0");
    for result in ["error", "requeue_after", "success"] {
        assert_eq!(of("reconcile_total", &format!(",result=\"{result}\"")), "1", "{result}");
    }
    assert_eq!(of("reconcile_errors_total", ""), "1");
    assert_eq!(of("reconcile_panics_total", ""), "0");
    assert_eq!(of("reconcile_time_seconds_bucket", ",le=\"1.75\""), "0");
    assert_eq!(of("reconcile_time_seconds_bucket", ",le=\"+Inf\""), "3");
    assert_eq!(of("reconcile_time_seconds_count", ""), "3");
    assert!(of("reconcile_time_seconds_sum", "").starts_with('6'));
    // One that is dropped in the middle is not at work any more.
    shelf.put("web", |_| {});
    settle().await;
    assert_eq!(of("active_workers", ""), "1");
    running.task.abort();
    settle().await;
    assert_eq!(of("active_workers", ""), "0");
}

#[tokio::test(start_paused = true)]
async fn what_fails_for_good_is_looked_at_again_only_when_it_changes() {
    /// An error of a reconciler's own, with a cause.
    #[derive(Debug)]
    struct Wrapped(TerminalError);
    impl fmt::Display for Wrapped {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("it can't be done")
        }
    }
    impl StdError for Wrapped {
        fn source(&self) -> Option<&(dyn StdError + 'static)> {
            Some(&self.0)
        }
    }

    let shelf = Shelf::<Deployment>::new();
    shelf.put("web", |_| {});
    let (calls, metrics) = (Arc::new(AtomicUsize::new(0)), Metrics::default());
    let errors = Arc::new(Mutex::new(Vec::new()));
    let controller = Controller::new(&shelf.informer()).metrics(&metrics, "web").on_error({
        let errors = Arc::clone(&errors);
        move |_, error| errors.lock().push(error.to_string())
    });
    let work = {
        let calls = Arc::clone(&calls);
        move |_: Request<Deployment>, _: Arc<()>| {
            let call = calls.fetch_add(1, Ordering::SeqCst);
            async move {
                let error: Box<dyn StdError + Send + Sync> = match call {
                    0 => TerminalError::new("no image").into(),
                    1 => Wrapped(TerminalError::new("no name")).into(),
                    2 => "a passing one".into(),
                    _ => return Ok(Action::done()),
                };
                Err(error)
            }
        }
    };
    let shutdown = Shutdown::new();
    let task = tokio::spawn({
        let shutdown = shutdown.clone();
        async move { controller.run(&shutdown, Arc::new(()), work).await }
    });
    sleep(2000 * SECOND).await;
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    shelf.put("web", |_| {});
    sleep(2000 * SECOND).await;
    assert_eq!(calls.load(Ordering::SeqCst), 2);
    shelf.put("web", |_| {});
    sleep(2000 * SECOND).await;
    assert_eq!(calls.load(Ordering::SeqCst), 4, "other errors are tried again");
    assert_eq!(*errors.lock(), ["terminal error: no image", "it can't be done", "a passing one"]);
    let text = metrics.render();
    for (name, count) in [("terminal_reconcile_errors_total", 2), ("reconcile_errors_total", 3)] {
        let line = format!("controller_runtime_{name}{{controller=\"web\"}} {count}\n");
        assert!(text.contains(&line), "{text}");
    }
    shutdown.begin();
    assert_eq!(task.await.unwrap(), Ok(()));
}
