//! What reaches a server of what a recorder is told.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use parking_lot::Mutex;
use rhumb_api::core::v1::{ObjectReference, Pod};
use rhumb_api::events::v1::Event as SeriesEvent;
use rhumb_meta::v1::Status;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::*;
use crate::Error;
use crate::controller::{Shutdown, WallClock};

/// A request that reached the server.
#[derive(Clone, Debug, PartialEq)]
enum Request<E> {
    Create(E),
    Patch(String, Json),
}

/// A server that takes events in, unless it has answers prepared.
#[derive(Clone)]
struct Server<E> {
    requests: Arc<Mutex<Vec<Request<E>>>>,
    answers: Arc<Mutex<Vec<Error>>>,
}

impl<E> Default for Server<E> {
    fn default() -> Self {
        Server { requests: Arc::default(), answers: Arc::default() }
    }
}

impl<E: Clone> Server<E> {
    fn answer(&self, request: Request<E>) -> Result<(), Error> {
        self.requests.lock().push(request);
        self.answers.lock().pop().map_or(Ok(()), Err)
    }

    fn requests(&self) -> Vec<Request<E>> {
        std::mem::take(&mut self.requests.lock())
    }
}

impl<E: Object + Clone> EventSink<E> for Server<E> {
    async fn create(&self, event: &E) -> Result<(), Error> {
        self.answer(Request::Create(event.clone()))
    }

    async fn patch(&self, namespace: &str, name: &str, patch: &Json) -> Result<(), Error> {
        assert_eq!(namespace, "shop");
        self.answer(Request::Patch(name.to_owned(), patch.clone()))
    }
}

fn refused(code: i32, reason: &str) -> Error {
    Error::Status(Box::new(Status { code, reason: reason.to_owned(), ..Status::default() }))
}

fn about(name: &str) -> ObjectReference {
    let mut pod = Pod::default();
    pod.metadata.name = name.to_owned();
    pod.metadata.namespace = "shop".to_owned();
    pod.metadata.uid = "u1".to_owned();
    reference_to(&pod)
}

fn draft(message: &str) -> Draft {
    Draft::new(about("web"), EventType::Warning, "BackOff", message)
}

struct Setup<E> {
    recorder: Recorder,
    server: Server<E>,
    shutdown: Shutdown,
    task: JoinHandle<()>,
}

/// A recorder whose events are being written, by a clock that begins in 2023.
fn start<C: Correlator>(correlator: C) -> Setup<C::Event>
where
    C::Event: Send + Sync,
{
    let server = Server::default();
    let began = Instant::now();
    let clock =
        WallClock::new(move || SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000) + began.elapsed());
    let source = Source { controller: "kubelet".to_owned(), instance: "node-1".to_owned() };
    let (recorder, publisher) = Recorder::new(correlator, server.clone(), source, clock);
    let shutdown = Shutdown::new();
    let task = tokio::spawn(publisher.run(shutdown.clone()));
    Setup { recorder, server, shutdown, task }
}

impl<E: Clone> Setup<E> {
    async fn record(&self, message: &str) -> Vec<Request<E>> {
        self.recorder.record(draft(message));
        sleep(Duration::from_millis(1)).await;
        self.server.requests()
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_says_who_tells_what_of_which_object() {
    let setup = start(Counting::default());
    let requests = setup.record("restarting").await;
    let [Request::Create(event)] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(event.metadata.namespace, "shop");
    assert_eq!(event.metadata.name, "web.17979cfe362a0000");
    assert_eq!(event.involved_object.kind, "Pod");
    assert_eq!(event.involved_object.api_version, "v1");
    assert_eq!(event.involved_object.uid, "u1");
    assert_eq!((event.type_.as_str(), event.reason.as_str()), ("Warning", "BackOff"));
    assert_eq!((event.message.as_str(), event.count), ("restarting", 1));
    assert_eq!((event.source.component.as_str(), event.source.host.as_str()), ("kubelet", "node-1"));
    assert_eq!(event.reporting_component, "kubelet");
    assert_eq!(event.first_timestamp.to_string(), "2023-11-14T22:13:20Z");
}

#[tokio::test(start_paused = true)]
async fn the_same_event_is_counted_by_a_patch() {
    let setup = start(Counting::default());
    let first = setup.record("restarting").await;
    let [Request::Create(event)] = &first[..] else { panic!("{first:?}") };
    sleep(Duration::from_secs(60)).await;
    for count in 2..4 {
        let again = setup.record("restarting").await;
        let [Request::Patch(name, patch)] = &again[..] else { panic!("{again:?}") };
        assert_eq!(*name, event.metadata.name);
        assert_eq!(patch["count"], count);
        assert_eq!(patch["message"], "restarting");
        assert_eq!(patch["lastTimestamp"], "2023-11-14T22:14:20Z");
    }
}

#[tokio::test(start_paused = true)]
async fn an_event_the_server_has_forgotten_is_created_again_with_its_count() {
    let setup = start(Counting::default());
    setup.record("restarting").await;
    setup.server.answers.lock().push(refused(404, "NotFound"));
    let again = setup.record("restarting").await;
    let [Request::Patch(name, _), Request::Create(event)] = &again[..] else { panic!("{again:?}") };
    assert_eq!((&event.metadata.name, event.count), (name, 2));
}

#[tokio::test(start_paused = true)]
async fn the_tenth_similar_event_in_ten_minutes_and_all_after_it_are_combined() {
    let setup = start(Counting::default());
    for number in 1..10 {
        let requests = setup.record(&format!("failed {number}")).await;
        assert!(matches!(&requests[..], [Request::Create(_)]), "{requests:?}");
    }
    let tenth = setup.record("failed 10").await;
    let [Request::Create(combined)] = &tenth[..] else { panic!("{tenth:?}") };
    assert_eq!(combined.message, "(combined from similar events): failed 10");
    let eleventh = setup.record("failed 11").await;
    let [Request::Patch(name, patch)] = &eleventh[..] else { panic!("{eleventh:?}") };
    assert_eq!(*name, combined.metadata.name);
    assert_eq!(patch["count"], 2);
    assert_eq!(patch["message"], "(combined from similar events): failed 11");
    // One that was written by itself still counts by itself.
    let known = setup.record("failed 3").await;
    let [Request::Patch(_, patch)] = &known[..] else { panic!("{known:?}") };
    assert_eq!((&patch["count"], &patch["message"]), (&json_number(2), &Json::from("failed 3")));
    sleep(Duration::from_secs(601)).await;
    let later = setup.record("failed 12").await;
    let [Request::Create(event)] = &later[..] else { panic!("{later:?}") };
    assert_eq!(event.message, "failed 12");
}

fn json_number(number: i64) -> Json {
    Json::from(number)
}

#[tokio::test(start_paused = true)]
async fn a_source_has_25_events_about_an_object_and_then_one_every_five_minutes() {
    let setup = start(Counting::default());
    let mut written = 0;
    for _ in 0..40 {
        written += setup.record("restarting").await.len();
    }
    assert_eq!(written, 25);
    setup.recorder.record(Draft::new(about("db"), EventType::Normal, "Started", "up"));
    sleep(Duration::from_millis(1)).await;
    assert_eq!(setup.server.requests().len(), 1, "another object has a budget of its own");
    sleep(Duration::from_secs(300)).await;
    let later = setup.record("restarting").await;
    let [Request::Patch(_, patch)] = &later[..] else { panic!("{later:?}") };
    assert_eq!(patch["count"], 41, "what was dropped counts");
    assert!(setup.record("restarting").await.is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_server_that_can_not_be_reached_is_tried_twelve_times() {
    let setup = start(Counting::default());
    setup.server.answers.lock().extend((0..100).map(|_| Error::Connection("refused".into())));
    setup.recorder.record(draft("restarting"));
    sleep(Duration::from_secs(1000)).await;
    assert_eq!(setup.server.requests().len(), 12);
    setup.server.answers.lock().clear();
    assert_eq!(setup.record("other").await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn what_the_server_refuses_is_not_tried_again() {
    let setup = start(Counting::default());
    setup.server.answers.lock().push(refused(422, "Invalid"));
    setup.recorder.record(draft("restarting"));
    sleep(Duration::from_secs(1000)).await;
    assert_eq!(setup.server.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_shutdown_writes_what_is_waiting_once_and_ends() {
    let setup = start(Counting::default());
    for number in 0..3 {
        setup.recorder.record(draft(&format!("message {number}")));
    }
    setup.shutdown.begin();
    setup.task.await.unwrap();
    assert_eq!(setup.server.requests().len(), 3);
    setup.recorder.record(draft("too late"));
    assert_eq!(setup.recorder.dropped(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_recorder_never_waits_and_drops_what_is_too_much() {
    let setup = start(Counting::default());
    for number in 0..1500 {
        setup.recorder.record(draft(&format!("message {number}")));
    }
    assert_eq!(setup.recorder.dropped(), 500);
}

#[tokio::test(start_paused = true)]
async fn names_that_events_can_not_have_are_replaced() {
    let setup = start(Counting::default());
    setup.recorder.record(Draft::new(about("system:node"), EventType::Normal, "Bound", "yes"));
    sleep(Duration::from_millis(1)).await;
    let requests = setup.server.requests();
    let [Request::Create(event)] = &requests[..] else { panic!("{requests:?}") };
    assert!(name_is_dns_subdomain(&event.metadata.name, NamePart::Whole).is_empty());
    assert_eq!(event.involved_object.name, "system:node");
}

fn series_of(requests: &[Request<SeriesEvent>]) -> (String, Json) {
    let [Request::Patch(name, patch)] = requests else { panic!("{requests:?}") };
    (name.clone(), patch["series"].clone())
}

#[tokio::test(start_paused = true)]
async fn the_second_event_begins_a_series_that_is_counted_silently() {
    let setup = start(Series::new());
    let first = setup.record("restarting").await;
    let [Request::Create(event)] = &first[..] else { panic!("{first:?}") };
    assert_eq!((event.note.as_str(), event.action.as_str()), ("restarting", "BackOff"));
    assert_eq!(event.event_time.to_string(), "2023-11-14T22:13:20.000000Z");
    let (name, series) = series_of(&setup.record("restarting again").await);
    assert_eq!(name, event.metadata.name);
    assert_eq!(series["count"], 2);
    for _ in 0..5 {
        assert!(setup.record("restarting").await.is_empty());
    }
    sleep(Duration::from_secs(361)).await;
    assert_eq!(series_of(&setup.server.requests()).1["count"], 7);
    let anew = setup.record("restarting").await;
    assert!(matches!(&anew[..], [Request::Create(_)]), "{anew:?}");
}

#[tokio::test(start_paused = true)]
async fn a_series_that_goes_on_is_refreshed_every_half_hour() {
    let setup = start(Series::new());
    let mut patches = Vec::new();
    for _ in 0..70 {
        for request in setup.record("restarting").await {
            if let Request::Patch(_, patch) = request {
                patches.push(patch["series"]["count"].clone());
            }
        }
        sleep(Duration::from_secs(60)).await;
    }
    assert_eq!(patches, [2, 31, 61].map(Json::from));
}

#[tokio::test(start_paused = true)]
async fn an_event_that_stays_alone_is_forgotten_without_a_word() {
    let setup = start(Series::new());
    setup.record("started").await;
    sleep(Duration::from_secs(361)).await;
    assert!(setup.server.requests().is_empty());
    let again = setup.record("started").await;
    assert!(matches!(&again[..], [Request::Create(_)]), "{again:?}");
}

#[tokio::test(start_paused = true)]
async fn an_event_of_a_series_that_is_there_after_all_is_patched_again() {
    let setup = start(Series::new());
    setup.record("restarting").await;
    setup.server.answers.lock().extend([refused(409, "AlreadyExists"), refused(404, "NotFound")]);
    setup.recorder.record(draft("restarting"));
    sleep(Duration::from_secs(11)).await;
    let requests = setup.server.requests();
    assert!(
        matches!(&requests[..], [Request::Patch(..), Request::Create(_), Request::Patch(..)]),
        "{requests:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_note_that_is_too_long_is_cut_where_a_character_ends() {
    let setup = start(Series::new());
    let requests = setup.record(&"ä".repeat(600)).await;
    let [Request::Create(event)] = &requests[..] else { panic!("{requests:?}") };
    assert_eq!(event.note.len(), 1023);
    assert!(event.note.ends_with("ä..."));
}
