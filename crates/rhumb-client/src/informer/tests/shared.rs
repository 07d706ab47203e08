//! Handlers of a shared informer.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::mpsc;

use super::script::{Answer, Script, Then, bookmark, page};
use super::{
    Deleted, Event, Filtered, Handler, HandlerFuncs, InformerBuilder, InformerEnded, InitialList,
    SharedInformer, SharedInformerFactory, Thing, label, labels, thing,
};
use crate::WatchEvent;

fn named(name: &str, revision: u64) -> Thing {
    thing("x", name, revision)
}

fn informer(answers: Vec<Answer>) -> SharedInformer<Thing> {
    let builder = SharedInformer::builder(Script::new(answers));
    builder.initial_list(InitialList::Pages).seed(1).build()
}

/// Writes down what it is told.
#[derive(Clone, Default)]
struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    fn handler(&self) -> HandlerFuncs<Thing> {
        let (adds, updates, deletes) = (self.clone(), self.clone(), self.clone());
        HandlerFuncs::new()
            .on_add(move |thing, initial| {
                adds.note(format!("{} {}", if initial { "had" } else { "added" }, label(&thing)));
            })
            .on_update(move |old, new| updates.note(format!("{} became {}", label(&old), label(&new))))
            .on_delete(move |deleted| {
                let word = if deleted.is_final_state_unknown() { "lost" } else { "deleted" };
                deletes.note(format!("{word} {}", label(deleted.object())));
            })
    }

    fn note(&self, text: String) {
        self.0.lock().push(text);
    }

    fn all(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

/// Lets everything happen that is due now.
async fn moment() {
    tokio::time::sleep(Duration::from_millis(10)).await;
}

#[tokio::test(start_paused = true)]
async fn handlers_are_told_everything_in_order() {
    let events = vec![
        Ok(WatchEvent::Added(named("c", 11))),
        Ok(WatchEvent::Modified(named("a", 12))),
        Ok(WatchEvent::Deleted(named("b", 13))),
        Ok(WatchEvent::Error(Box::default())),
    ];
    let informer = informer(vec![
        page(10, vec![named("a", 1), named("b", 2)], ""),
        Answer::Watch(events, Then::Stay),
        page(20, vec![named("a", 12)], ""),
    ]);
    let notes = Notes::default();
    let registration = informer.add_handler(notes.handler()).unwrap();
    assert!(!informer.has_synced() && !registration.has_synced());
    informer.start();
    assert!(informer.synced().await);
    assert!(registration.synced().await);
    tokio::time::sleep(Duration::from_secs(3)).await;
    // What came of several objects at once may be told one object after the other.
    let of = |name: &str| notes.all().into_iter().filter(|note| note.contains(name)).collect::<Vec<_>>();
    assert_eq!(of("a@"), ["had a@1", "a@1 became a@12", "a@12 became a@12"]);
    assert_eq!(of("b@"), ["had b@2", "deleted b@13"]);
    assert_eq!(of("c@"), ["added c@11", "lost c@11"]);
    assert_eq!(notes.all().len(), 7);
    assert_eq!(informer.last_sync_resource_version(), "20");
    informer.shutdown().await;
    assert!(informer.has_ended());
    assert_eq!(informer.add_handler(notes.handler()).err(), Some(InformerEnded));
    assert_eq!(labels(&informer.indexer().list()), ["a@12"]);
}

#[tokio::test(start_paused = true)]
async fn a_late_handler_gets_what_is_there_as_initial() {
    let informer =
        informer(vec![page(10, vec![named("a", 1), named("b", 2)], ""), Answer::Watch(vec![], Then::Stay)]);
    informer.start();
    informer.synced().await;
    let notes = Notes::default();
    let registration = informer.add_handler(notes.handler()).unwrap();
    assert!(registration.synced().await);
    assert_eq!(notes.all(), ["had a@1", "had b@2"]);
}

#[tokio::test(start_paused = true)]
async fn an_empty_list_is_a_sync_too() {
    let informer = informer(vec![page(10, vec![], ""), Answer::Watch(vec![], Then::Stay)]);
    let registration = informer.add_handler(HandlerFuncs::new()).unwrap();
    informer.start();
    assert!(informer.synced().await);
    assert!(registration.synced().await);
}

#[tokio::test(start_paused = true)]
async fn a_removed_handler_is_not_called_again() {
    let (sender, mut events) = mpsc::unbounded_channel();
    let informer = informer(vec![
        page(10, vec![named("a", 1)], ""),
        Answer::Watch(vec![Ok(WatchEvent::Added(named("b", 11)))], Then::End),
        Answer::Watch(vec![Ok(WatchEvent::Added(named("c", 12)))], Then::Stay),
    ]);
    let kept = Notes::default();
    informer.add_handler(kept.handler()).unwrap();
    let registration = informer
        .add_handler(HandlerFuncs::new().on_add(move |thing: Arc<Thing>, _| {
            let _ = sender.send(label(&thing));
        }))
        .unwrap();
    registration.remove();
    informer.start();
    informer.synced().await;
    moment().await;
    assert_eq!(kept.all(), ["had a@1", "added b@11", "added c@12"]);
    // The handler is gone with its end of the channel, which shows that it was not kept either.
    assert_eq!(events.recv().await, None);
}

#[tokio::test(start_paused = true)]
async fn each_handler_has_its_own_resync() {
    let informer = informer(vec![page(10, vec![named("a", 1)], ""), Answer::Watch(vec![], Then::Stay)]);
    let (never, often, seldom) = (Notes::default(), Notes::default(), Notes::default());
    informer.add_handler(never.handler()).unwrap();
    informer.add_handler_with_resync(often.handler(), Duration::from_secs(10)).unwrap();
    informer.start();
    informer.synced().await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    informer.add_handler_with_resync(seldom.handler(), Duration::from_secs(25)).unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(never.all(), ["had a@1"]);
    assert_eq!(often.all().len(), 1 + 6);
    assert_eq!(often.all()[1..], ["a@1 became a@1"; 6]);
    assert_eq!(seldom.all().len(), 1 + 2);
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_panics_goes_on_with_the_next_event() {
    let events = (11..14).map(|revision| Ok(WatchEvent::Modified(named("a", revision)))).collect();
    let reports: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = reports.clone();
    let informer = SharedInformer::builder(Script::new(vec![
        page(10, vec![named("a", 1)], ""),
        Answer::Watch(events, Then::Stay),
    ]))
    .initial_list(InitialList::Pages)
    .on_report(move |report| told.lock().push(report.to_string()))
    .build();
    struct Frail(Notes);
    impl Handler<Thing> for Frail {
        fn on_add(&mut self, object: Arc<Thing>, _initial: bool) {
            self.0.note(label(&object));
            std::panic::resume_unwind(Box::new(format!("no {}", label(&object))));
        }
        fn on_update(&mut self, _old: Arc<Thing>, new: Arc<Thing>) {
            self.0.note(label(&new));
            if label(&new) == "a@12" {
                std::panic::resume_unwind(Box::new("no a@12"));
            }
        }
    }
    let (frail, other) = (Notes::default(), Notes::default());
    let registration = informer.add_handler(Frail(frail.clone())).unwrap();
    informer.add_handler(other.handler()).unwrap();
    informer.start();
    assert!(registration.synced().await);
    tokio::time::sleep(Duration::from_secs(5)).await;
    assert_eq!(frail.all(), ["a@1", "a@11", "a@12", "a@13"]);
    assert_eq!(other.all().len(), 4);
    assert_eq!(*reports.lock(), ["a handler panicked: no a@1", "a handler panicked: no a@12"]);
}

/// An informer whose functions panic at an object of the name `bad` ends, and says why.
async fn ends_by_panic(
    build: impl FnOnce(InformerBuilder<Thing>) -> InformerBuilder<Thing>,
) -> SharedInformer<Thing> {
    let reports: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = reports.clone();
    let builder = SharedInformer::builder(Script::new(vec![
        page(10, vec![named("a", 1)], ""),
        Answer::Watch(vec![Ok(WatchEvent::Added(named("bad", 11)))], Then::Stay),
    ]))
    .initial_list(InitialList::Pages)
    .on_report(move |report| told.lock().push(report.to_string()));
    let informer = build(builder).build();
    let registration = informer.add_handler(HandlerFuncs::new()).unwrap();
    let mut events = informer.events().unwrap();
    informer.start();
    tokio::time::timeout(Duration::from_secs(5), informer.ended()).await.unwrap();
    assert!(informer.has_ended() && !informer.has_synced());
    while events.next().await.is_some() {}
    moment().await;
    assert_eq!(*reports.lock(), ["the informer panicked and has ended: no bad"]);
    // Who is still there can still end.
    drop(registration);
    informer.shutdown().await;
    informer
}

fn panic_at_bad(thing: &Thing) {
    if thing.metadata.name == "bad" {
        std::panic::resume_unwind(Box::new("no bad"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_transform_or_index_function_that_panics_ends_the_informer_aloud() {
    ends_by_panic(|builder| builder.transform(|thing| panic_at_bad(thing))).await;
    let index = |thing: &Thing| {
        panic_at_bad(thing);
        vec![thing.metadata.name.clone()]
    };
    let informer = ends_by_panic(|builder| builder.index("name", index).unwrap()).await;
    // The copy can still be read.
    assert_eq!(labels(&informer.indexer().by_index("name", "a").unwrap()), ["a@1"]);
}

#[tokio::test]
async fn a_handler_that_blocks_holds_up_nobody() {
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let informer = informer(vec![
        page(10, vec![named("a", 1), named("b", 2)], ""),
        Answer::Watch(vec![Ok(WatchEvent::Added(named("c", 11)))], Then::Stay),
    ]);
    let blocking = informer
        .add_handler(HandlerFuncs::new().on_add(move |_: Arc<Thing>, _| {
            let _ = blocked.recv();
        }))
        .unwrap();
    let (sender, mut seen) = mpsc::unbounded_channel();
    informer
        .add_handler(HandlerFuncs::new().on_add(move |thing: Arc<Thing>, _| {
            let _ = sender.send(label(&thing));
        }))
        .unwrap();
    informer.start();
    for expected in ["a@1", "b@2", "c@11"] {
        assert_eq!(seen.recv().await.as_deref(), Some(expected));
    }
    assert!(informer.has_synced() && !blocking.has_synced());
    drop(release);
    assert!(blocking.synced().await);
    informer.shutdown().await;
}

#[tokio::test(start_paused = true)]
async fn events_can_be_waited_for() {
    let events = vec![Ok(WatchEvent::Deleted(named("a", 11))), bookmark(12, false)];
    let informer = informer(vec![page(10, vec![named("a", 1)], ""), Answer::Watch(events, Then::Stay)]);
    let mut events = informer.events().unwrap();
    informer.start();
    assert!(matches!(events.next().await, Some(Event::Added { is_in_initial_list: true, .. })));
    assert!(!events.has_synced());
    assert!(matches!(events.next().await, Some(Event::Deleted(Deleted::FinalState(_)))));
    assert!(tokio::time::timeout(Duration::from_secs(1), events.next()).await.is_err());
    assert!(events.has_synced());
    drop(informer);
    assert!(events.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn everything_ends_when_the_last_handle_is_dropped() {
    let informer = informer(vec![page(10, vec![named("a", 1)], ""), Answer::Watch(vec![], Then::Stay)]);
    let (alive, mut ended) = mpsc::channel::<()>(1);
    let registration = informer
        .add_handler(HandlerFuncs::new().on_add(move |_: Arc<Thing>, _| {
            let _ = &alive;
        }))
        .unwrap();
    let other = informer.clone();
    informer.start();
    informer.synced().await;
    drop(informer);
    moment().await;
    assert!(!other.has_ended());
    let lister = other.lister();
    drop(other);
    assert!(ended.recv().await.is_none());
    assert!(lister.namespace("x").get("a").is_some());
    drop(registration);
}

#[tokio::test(start_paused = true)]
async fn an_informer_that_never_started_ends_too() {
    let informer = informer(vec![]);
    let registration = informer.add_handler(HandlerFuncs::new()).unwrap();
    informer.shutdown().await;
    informer.start();
    assert!(!informer.synced().await);
    assert!(!registration.synced().await);
}

#[tokio::test(start_paused = true)]
async fn a_condition_turns_changes_into_additions_and_deletions() {
    let events = (11..15).map(|revision| Ok(WatchEvent::Modified(named("a", revision)))).collect();
    let informer = informer(vec![page(10, vec![named("a", 9)], ""), Answer::Watch(events, Then::Stay)]);
    let notes = Notes::default();
    let even = |thing: &Thing| thing.metadata.resource_version.ends_with(['2', '3']);
    informer.add_handler(Filtered::new(even, notes.handler())).unwrap();
    informer.start();
    informer.synced().await;
    moment().await;
    assert_eq!(notes.all(), ["added a@12", "a@12 became a@13", "deleted a@13"]);
}

#[tokio::test(start_paused = true)]
async fn a_factory_has_one_informer_per_type_and_scope() {
    let factory = SharedInformerFactory::new(None);
    let made = Arc::new(Mutex::new(0));
    let ask = |scope: &str| {
        let made = made.clone();
        let source = move || {
            *made.lock() += 1;
            Arc::new(Script::new(vec![page(10, vec![named("a", 1)], ""), Answer::Watch(vec![], Then::Stay)]))
                as _
        };
        factory.informer::<Thing>(scope, source, |builder| builder.initial_list(InitialList::Pages))
    };
    let (one, same, other) = (ask("x"), ask("x"), ask("y"));
    assert_eq!(*made.lock(), 2);
    factory.start();
    assert_eq!(factory.wait_for_sync().await, Ok(()));
    assert!(Arc::ptr_eq(one.indexer(), same.indexer()));
    assert!(!Arc::ptr_eq(one.indexer(), other.indexer()));
    factory.shutdown().await;
    assert!(one.has_ended() && other.has_ended());
}
