//! Controllers, elections and events against a running server.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use rhumb_api::coordination::v1::Lease;
use rhumb_api::core::v1::{ConfigMap, Event, Secret};
use rhumb_api::events::v1::Event as SeriesEvent;
use rhumb_client::controller::{
    Action, Controller, ControllerError, Counting, Draft, Election, EventType, OnExit, Outcome, Recorder,
    Request, Series, ServerLease, Shutdown, Source, Timing, WallClock, reference_to,
};
use rhumb_client::informer::SharedInformer;
use rhumb_client::{Api, Client, Error};
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, OwnerReference, UpdateOptions};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use crate::server::{Server, Storage, Subject};

/// Waits for a condition that has to be asked for.
async fn until<F: Future<Output = bool>>(what: &str, mut holds: impl FnMut() -> F) {
    let begun = Instant::now();
    while !holds().await {
        assert!(begun.elapsed() < Duration::from_secs(60), "never: {what}");
        sleep(Duration::from_millis(10)).await;
    }
}

fn map(name: &str) -> ConfigMap {
    let mut map = ConfigMap::default();
    map.metadata.name = name.to_owned();
    map
}

/// Keeps a Secret beside every ConfigMap that asks for one, with the same data.
async fn reconcile(request: Request<ConfigMap>, client: Arc<Client>) -> Result<Action, Error> {
    let Some(map) = request.object else { return Ok(Action::done()) };
    if !map.metadata.labels.contains_key("copied") {
        return Ok(Action::done());
    }
    let secrets = client.resource::<Secret>().namespace(request.key.namespace());
    let wanted: BTreeMap<_, _> =
        map.data.iter().map(|(k, v)| (k.clone(), v.clone().into_bytes().into())).collect();
    match secrets.find(request.key.name()).await? {
        Some(secret) if secret.data == wanted => {}
        Some(mut secret) => {
            secret.data = wanted;
            secrets.update(&secret, &UpdateOptions::default()).await?;
        }
        None => {
            let mut secret = Secret::default();
            secret.metadata.name = request.key.name().to_owned();
            secret.metadata.owner_references = vec![OwnerReference {
                api_version: "v1".to_owned(),
                kind: "ConfigMap".to_owned(),
                name: map.metadata.name.clone(),
                uid: map.metadata.uid.clone(),
                controller: Some(true),
                ..OwnerReference::default()
            }];
            secret.data = wanted;
            secrets.create(&secret, &CreateOptions::default()).await?;
        }
    }
    Ok(Action::done())
}

async fn put(maps: &Api<ConfigMap>, name: &str, colour: &str) {
    let mut wanted = map(name);
    wanted.metadata.labels.insert("copied".to_owned(), String::new());
    wanted.data.insert("colour".to_owned(), colour.to_owned());
    let options = UpdateOptions::default();
    if maps.find(name).await.expect("an answer").is_some() {
        maps.update(&wanted, &options).await.expect("updated");
    } else {
        maps.create(&wanted, &CreateOptions::default()).await.expect("created");
    }
}

async fn has_colour(secrets: &Api<Secret>, name: &str, colour: &str) -> bool {
    let Ok(Some(secret)) = secrets.find(name).await else { return false };
    secret.data.get("colour").is_some_and(|value| value.as_ref() == colour.as_bytes())
}

/// A controller at work in a namespace.
struct Running {
    maps: Api<ConfigMap>,
    secrets: Api<Secret>,
    shutdown: Shutdown,
    task: JoinHandle<Result<(), ControllerError>>,
}

impl Running {
    fn start(client: &Client, namespace: &str) -> Self {
        let maps = client.resource::<ConfigMap>().namespace(namespace);
        let secrets = client.resource::<Secret>().namespace(namespace);
        let of_maps = SharedInformer::builder(maps.clone()).build();
        let of_secrets = SharedInformer::builder(secrets.clone()).build();
        let controller = Controller::new(&of_maps).owns(&of_secrets).workers(2);
        let shutdown = Shutdown::new();
        let task = tokio::spawn({
            let (shutdown, client) = (shutdown.clone(), Arc::new(client.clone()));
            async move { controller.run(&shutdown, client, reconcile).await }
        });
        Running { maps, secrets, shutdown, task }
    }

    /// Changes everything several times, and takes something away.
    async fn check(&self, round: u32) {
        let colours = [format!("red-{round}"), format!("blue-{round}")];
        for colour in &colours {
            for name in ["a", "b", "c"] {
                put(&self.maps, name, colour).await;
            }
            for name in ["a", "b", "c"] {
                until("the copy is made", || has_colour(&self.secrets, name, colour)).await;
            }
        }
        self.secrets.delete("b", &DeleteOptions::default()).await.expect("deleted");
        until("the copy is made anew", || has_colour(&self.secrets, "b", &colours[1])).await;
    }

    async fn end(self) {
        self.shutdown.begin();
        self.task.await.expect("no panic").expect("an orderly end");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controller_makes_it_so_whatever_changes_and_whoever_meddles() {
    let subject = Subject::new("controllers").await;
    let running = Running::start(&subject.client(), &subject.namespace);
    running.check(1).await;
    running.end().await;
    subject.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_controller_goes_on_when_its_server_comes_back() {
    let mut server = Server::start(Storage::OnDisk);
    let running = Running::start(&server.client(), "default");
    for round in 0..3 {
        running.check(round).await;
        server.kill();
        server.restart();
    }
    running.check(3).await;
    running.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_several_candidates_one_leads_at_a_time_until_all_had_their_turn() {
    let subject = Subject::new("election").await;
    let (client, namespace) = (subject.client(), subject.namespace.clone());
    let timing = Timing::new(Duration::from_secs(5), Duration::from_secs(4), Duration::from_millis(100))
        .expect("times that fit together");
    let leading = Arc::new(AtomicUsize::new(0));
    let mut candidates = Vec::new();
    for number in 0..4 {
        let lease = ServerLease::new(&client, &namespace, "elected").label("app", "test");
        let on_exit = if number == 0 { OnExit::Keep } else { OnExit::Release };
        let election = Election::new(lease, format!("candidate-{number}"), WallClock::of(&client))
            .timing(timing)
            .on_exit(on_exit);
        let leading = Arc::clone(&leading);
        candidates.push(tokio::spawn(async move {
            let work = || async {
                assert_eq!(leading.fetch_add(1, Ordering::SeqCst), 0, "two lead");
                sleep(Duration::from_millis(500)).await;
                leading.fetch_sub(1, Ordering::SeqCst);
            };
            election.run(&Shutdown::new(), work).await
        }));
    }
    for candidate in candidates {
        assert_eq!(candidate.await.expect("no panic"), Outcome::Done(()));
    }
    let lease = client.resource::<Lease>().namespace(&namespace).get("elected").await.expect("the lease");
    assert_eq!(lease.spec.lease_transitions, Some(3));
    assert_eq!(lease.metadata.labels.get("app").map(String::as_str), Some("test"));
    subject.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_leader_whose_server_is_gone_stops_in_time() {
    let mut server = Server::start(Storage::InMemory);
    let lease = ServerLease::new(&server.client(), "default", "elected");
    let timing = Timing::new(Duration::from_secs(3), Duration::from_secs(2), Duration::from_millis(100))
        .expect("times that fit together");
    let election = Election::new(lease, "candidate", WallClock::of(&server.client())).timing(timing);
    let mut killed = None;
    let outcome = election
        .run(&Shutdown::new(), || async {
            server.kill();
            killed = Some(Instant::now());
            std::future::pending::<()>().await;
        })
        .await;
    assert_eq!(outcome, Outcome::Lost);
    let stopped = killed.expect("it led").elapsed();
    assert!(stopped < timing.lease_duration(), "{stopped:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_are_counted_combined_and_in_series() {
    let subject = Subject::new("events").await;
    let (client, namespace) = (subject.client(), subject.namespace.clone());
    let maps = client.resource::<ConfigMap>().namespace(&namespace);
    let about = maps.create(&map("told-of"), &CreateOptions::default()).await.expect("created");
    let source = Source { controller: "example.com/test".to_owned(), instance: "test-0".to_owned() };
    let shutdown = Shutdown::new();
    let (counting, publisher) = Recorder::new(
        Counting::default(),
        client.resource::<Event>(),
        source.clone(),
        WallClock::of(&client),
    );
    let counts = tokio::spawn(publisher.on_error(|error| panic!("{error}")).run(shutdown.clone()));
    let (series, publisher) =
        Recorder::new(Series::new(), client.resource::<SeriesEvent>(), source, WallClock::of(&client));
    let in_series = tokio::spawn(publisher.on_error(|error| panic!("{error}")).run(shutdown.clone()));
    let draft =
        |reason: &str, message: &str| Draft::new(reference_to(&about), EventType::Warning, reason, message);
    for number in 0..12 {
        counting.record(draft("Similar", &format!("message {number}")));
    }
    for _ in 0..4 {
        counting.record(draft("Same", "the same"));
        series.record(draft("InSeries", &"long ".repeat(1000)));
    }
    shutdown.begin();
    counts.await.expect("every event was taken");
    in_series.await.expect("every event was taken");
    let about_it = ListOptions {
        field_selector: "involvedObject.kind=ConfigMap,involvedObject.name=told-of".to_owned(),
        ..ListOptions::default()
    };
    let events =
        client.resource::<Event>().namespace(&namespace).list(&about_it).await.expect("events").items;
    let of = |reason: &str| events.iter().filter(|event| event.reason == reason).collect::<Vec<_>>();
    assert_eq!(of("Similar").len(), 10);
    let combined: Vec<_> = of("Similar").into_iter().filter(|event| event.count > 1).collect();
    assert_eq!(combined.len(), 1);
    assert_eq!(combined[0].message, "(combined from similar events): message 11");
    assert_eq!(combined[0].count, 3);
    assert_eq!(of("Same").iter().map(|event| event.count).collect::<Vec<_>>(), [4]);
    let [event] = of("InSeries")[..] else { panic!("{events:?}") };
    assert_eq!(event.series.as_ref().map(|series| series.count), Some(2));
    assert_eq!(event.reporting_component, "example.com/test");
    subject.end().await;
}
