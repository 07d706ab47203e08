//! What a reflector asks the server for, in every situation, and when.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use rhumb_meta::v1::StatusReason;

use super::script::{Answer, Script, Then, bookmark, cut, page};
use super::{
    Delta, DeltaFifo, Indexer, InitialList, ObjectKey, Processed, Reflector, ReflectorOptions, Thing, labels,
    refusal, status, thing,
};
use crate::{Error, WatchEvent};

/// Runs a reflector over a script until it waits for what the script doesn't have.
struct Run {
    script: Script,
    store: Arc<Indexer<Thing>>,
    reports: Arc<Mutex<Vec<String>>>,
}

async fn run_with(
    initial: InitialList,
    answers: Vec<Answer>,
    change: impl FnOnce(&mut ReflectorOptions<Thing>),
) -> Run {
    let script = Script::new(answers);
    let store = Arc::new(Indexer::new());
    let reports: Arc<Mutex<Vec<String>>> = Arc::default();
    let told = reports.clone();
    let mut options = ReflectorOptions {
        initial,
        seed: Some(1),
        reporter: Some(Arc::new(move |report| told.lock().push(report.to_string()))),
        ..ReflectorOptions::default()
    };
    change(&mut options);
    let reflector = Reflector::new(Arc::new(script.clone()), store.clone(), options);
    // On the paused clock this is over when everything that can happen has happened.
    let _ = tokio::time::timeout(Duration::from_secs(240), reflector.run()).await;
    Run { script, store, reports }
}

async fn run(initial: InitialList, answers: Vec<Answer>) -> Run {
    run_with(initial, answers, |_| {}).await
}

impl Run {
    fn has(&self) -> Vec<String> {
        labels(&self.store.list())
    }

    /// The milliseconds between one request and the next.
    fn gap(&self, request: usize) -> u128 {
        let asked = self.script.asked();
        asked[request + 1].at.duration_since(asked[request].at).as_millis()
    }
}

fn stay() -> Answer {
    Answer::Watch(vec![], Then::Stay)
}

fn a(revision: u64) -> Thing {
    thing("", "a", revision)
}

fn b(revision: u64) -> Thing {
    thing("", "b", revision)
}

#[tokio::test(start_paused = true)]
async fn it_lists_in_pages_and_watches_from_there() {
    let events = vec![
        Ok(WatchEvent::Added(thing("", "c", 11))),
        Ok(WatchEvent::Modified(a(12))),
        Ok(WatchEvent::Deleted(b(13))),
        bookmark(20, false),
    ];
    let answers = vec![
        page(10, vec![a(1)], "more"),
        page(10, vec![b(2)], ""),
        Answer::Watch(events, Then::End),
        stay(),
    ];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(
        run.script.summaries(),
        ["list rv=0 limit=500", "list rv= limit=500 continue=more", "watch rv=10", "watch rv=20"]
    );
    assert_eq!(run.has(), ["a@12", "c@11"]);
    for asked in run.script.asked().iter().filter(|asked| asked.verb == "watch") {
        assert!((300..=600).contains(&asked.options.timeout_seconds.unwrap()));
        assert!(asked.options.allow_watch_bookmarks);
    }
    assert_eq!(run.gap(2), 0);
}

#[tokio::test(start_paused = true)]
async fn pages_that_expire_are_listed_in_one() {
    let expired = Answer::Refuse(refusal(StatusReason::Expired));
    let answers = vec![page(10, vec![a(1)], "more"), expired, page(15, vec![a(1), b(12)], ""), stay()];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(
        run.script.summaries(),
        ["list rv=0 limit=500", "list rv= limit=500 continue=more", "list rv=0", "watch rv=15"]
    );
    assert_eq!(run.has(), ["a@1", "b@12"]);
}

#[tokio::test(start_paused = true)]
async fn an_expired_watch_is_followed_by_a_list_not_older_than_what_was_seen() {
    let expired = Ok(WatchEvent::Error(Box::new(status(StatusReason::Expired))));
    let answers = vec![
        page(10, vec![a(1), b(2)], ""),
        Answer::Watch(vec![Ok(WatchEvent::Modified(a(11))), expired], Then::Stay),
        page(30, vec![a(29)], ""),
        stay(),
    ];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(run.script.summaries(), ["list rv=0 limit=500", "watch rv=10", "list rv=11", "watch rv=30"]);
    assert_eq!(run.has(), ["a@29"]);
    assert!((800..=1600).contains(&run.gap(1)));
}

#[tokio::test(start_paused = true)]
async fn a_revision_that_cannot_be_listed_either_is_given_up_for_the_newest() {
    let answers = vec![
        page(10, vec![a(1)], ""),
        Answer::Refuse(refusal(StatusReason::Expired)),
        Answer::Refuse(refusal(StatusReason::Expired)),
        page(30, vec![a(29)], ""),
        stay(),
    ];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(
        run.script.summaries(),
        ["list rv=0 limit=500", "watch rv=10", "list rv=10", "list rv=", "watch rv=30"]
    );
    assert_eq!(run.gap(2), 0);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_pages_any_revision_is_asked_for_pages_later_too() {
    let expired = Answer::Refuse(refusal(StatusReason::Expired));
    let answers =
        vec![page(10, vec![a(1)], "x"), page(10, vec![b(2)], ""), expired, page(12, vec![a(1)], ""), stay()];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(run.script.summaries()[3], "list rv=10 limit=500");
}

#[tokio::test(start_paused = true)]
async fn an_unreachable_server_is_asked_for_the_same_watch_after_growing_waits() {
    let mut answers = vec![page(10, vec![a(1)], "")];
    answers.extend((0..6).map(|_| Answer::Refuse(cut())));
    answers.push(Answer::Refuse(refusal(StatusReason::TooManyRequests)));
    answers.push(Answer::Watch(vec![Ok(WatchEvent::Modified(a(11)))], Then::Stay));
    let run = run(InitialList::Pages, answers).await;
    let summaries = run.script.summaries();
    assert_eq!(summaries.len(), 9);
    assert!(summaries[1..].iter().all(|asked| asked == "watch rv=10"), "{summaries:?}");
    for (request, least) in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000].into_iter().enumerate() {
        let gap = run.gap(request + 1);
        assert!((least..=2 * least).contains(&gap), "wait {request}: {gap}");
    }
    assert_eq!(run.has(), ["a@11"]);
    assert_eq!(run.reports.lock().len(), 7);
}

#[tokio::test(start_paused = true)]
async fn a_cut_connection_is_no_loss() {
    let answers = vec![
        page(10, vec![], ""),
        Answer::Watch(vec![Ok(WatchEvent::Added(a(11))), Err(cut())], Then::Stay),
        Answer::Watch(vec![Ok(WatchEvent::Added(b(12)))], Then::Stay),
    ];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(run.script.summaries()[1..], ["watch rv=10", "watch rv=11"]);
    assert_eq!(run.gap(1), 0);
    assert_eq!(run.has(), ["a@11", "b@12"]);
}

#[tokio::test(start_paused = true)]
async fn garbage_in_the_stream_leads_to_a_new_list() {
    for garbage in [Err(Error::Stream("x".to_owned())), Ok(WatchEvent::Added(thing("", "", 12)))] {
        let answers = vec![
            page(10, vec![a(1)], ""),
            Answer::Watch(vec![Ok(WatchEvent::Added(b(11))), garbage], Then::Stay),
            page(15, vec![a(1), b(11), thing("", "c", 12)], ""),
            stay(),
        ];
        let run = run(InitialList::Pages, answers).await;
        assert_eq!(run.script.summaries()[1..], ["watch rv=10", "list rv=11", "watch rv=15"]);
        assert_eq!(run.has(), ["a@1", "b@11", "c@12"]);
    }
}

#[tokio::test(start_paused = true)]
async fn watches_that_end_at_once_are_not_opened_in_a_hurry() {
    let end = || Answer::Watch(vec![], Then::End);
    let answers = vec![page(10, vec![], ""), end(), end(), end(), page(11, vec![a(11)], ""), stay()];
    let run = run(InitialList::Pages, answers).await;
    assert_eq!(
        run.script.summaries()[1..],
        ["watch rv=10", "watch rv=10", "watch rv=10", "list rv=10", "watch rv=11"]
    );
    assert!(run.gap(1) >= 800 && run.gap(2) >= 1600 && run.gap(3) >= 3200);
}

#[tokio::test(start_paused = true)]
async fn a_stream_begins_with_all_objects_and_goes_on() {
    let events = vec![
        Ok(WatchEvent::Added(b(2))),
        Ok(WatchEvent::Added(a(1))),
        bookmark(10, true),
        Ok(WatchEvent::Modified(a(11))),
        Ok(WatchEvent::Error(Box::new(status(StatusReason::Expired)))),
    ];
    let again = vec![Ok(WatchEvent::Added(b(20))), bookmark(22, true), Ok(WatchEvent::Added(a(23)))];
    let answers = vec![Answer::Watch(events, Then::Stay), Answer::Watch(again, Then::Stay)];
    let run = run(InitialList::Stream, answers).await;
    assert_eq!(
        run.script.summaries(),
        ["watch rv= initial match=NotOlderThan", "watch rv=11 initial match=NotOlderThan"]
    );
    assert_eq!(run.has(), ["a@23", "b@20"]);
}

#[tokio::test(start_paused = true)]
async fn a_server_without_such_streams_is_asked_for_a_list() {
    for refused in [
        Answer::Refuse(refusal(StatusReason::Invalid)),
        Answer::Watch(vec![Ok(WatchEvent::Added(b(2)))], Then::End),
        Answer::Watch(vec![Ok(WatchEvent::Added(b(2))), Err(Error::Stream("x".to_owned()))], Then::End),
        Answer::Watch(vec![Ok(WatchEvent::Added(b(2))), bookmark(7, false)], Then::End),
    ] {
        let run = run(InitialList::Stream, vec![refused, page(10, vec![a(1)], ""), stay()]).await;
        assert_eq!(run.script.summaries()[1..], ["list rv=0 limit=500", "watch rv=10"]);
        assert_eq!(run.has(), ["a@1"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_at_a_revision_that_is_gone_begins_at_the_newest_then_falls_back() {
    let expired = || Answer::Refuse(refusal(StatusReason::Expired));
    let answers = vec![
        Answer::Watch(vec![bookmark(10, true)], Then::End),
        expired(),
        expired(),
        expired(),
        page(30, vec![a(29)], ""),
        stay(),
    ];
    let run = run(InitialList::Stream, answers).await;
    assert_eq!(
        run.script.summaries(),
        [
            "watch rv= initial match=NotOlderThan",
            "watch rv=10",
            "watch rv=10 initial match=NotOlderThan",
            "watch rv= initial match=NotOlderThan",
            "list rv= limit=500",
            "watch rv=30",
        ]
    );
}

#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_is_given_up() {
    let quick = |options: &mut ReflectorOptions<Thing>| {
        options.list_timeout = Duration::from_secs(10);
        options.watch_timeout = Duration::from_secs(20);
    };
    let run = run_with(InitialList::Pages, vec![page(10, vec![], ""), stay()], quick).await;
    // The stream that stays silent past its end, and the request that is never answered.
    assert!((50_000..=70_000).contains(&run.gap(1)), "{}", run.gap(1));
    assert_eq!(run.script.summaries()[..3], ["list rv=0 limit=500", "watch rv=10", "watch rv=10"]);
    // A watch that is not answered is asked for again, from the same revision.
    let run = run_with(InitialList::Pages, vec![page(10, vec![], "")], |_| {}).await;
    assert_eq!(run.script.summaries()[1..3], ["watch rv=10", "watch rv=10"]);
    assert!((60_800..=61_600).contains(&run.gap(1)), "{}", run.gap(1));
    let run = run_with(InitialList::Pages, vec![], quick).await;
    assert!((10_800..=11_600).contains(&run.gap(0)), "{}", run.gap(0));
}

#[tokio::test(start_paused = true)]
async fn what_did_not_change_is_not_held_twice_after_a_list() {
    let script = Script::new(vec![
        page(10, vec![a(1), b(2)], ""),
        Answer::Refuse(refusal(StatusReason::Expired)),
        page(30, vec![a(1), b(20)], ""),
        stay(),
    ]);
    let store = Arc::new(Indexer::new());
    let options =
        ReflectorOptions { initial: InitialList::Pages, seed: Some(1), ..ReflectorOptions::default() };
    let running = tokio::spawn(Reflector::new(Arc::new(script.clone()), store.clone(), options).run());
    tokio::time::sleep(Duration::from_millis(100)).await;
    let before = store.list();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let after = store.list();
    assert!(Arc::ptr_eq(&before[0], &after[0]));
    assert!(!Arc::ptr_eq(&before[1], &after[1]));
    running.abort();
}

#[tokio::test(start_paused = true)]
async fn objects_are_changed_before_they_are_kept() {
    let answers = vec![
        page(10, vec![a(1)], ""),
        Answer::Watch(vec![Ok(WatchEvent::Added(b(11))), bookmark(12, false)], Then::Stay),
    ];
    let run = run_with(InitialList::Pages, answers, |options| {
        options.transform = Some(Arc::new(|thing: &mut Thing| thing.metadata.uid = "gone".to_owned()));
    })
    .await;
    assert!(run.store.list().iter().all(|thing| thing.metadata.uid == "gone"));
    assert_eq!(run.store.get(&ObjectKey::new("", "b")).unwrap().metadata.resource_version, "11");
}

#[tokio::test(start_paused = true)]
async fn a_watch_goes_on_from_revisions_that_are_not_kept() {
    let answers =
        vec![page(10, vec![a(1)], ""), Answer::Watch(vec![Ok(WatchEvent::Added(b(11)))], Then::End), stay()];
    let run = run_with(InitialList::Pages, answers, |options| {
        options.transform = Some(Arc::new(|thing: &mut Thing| thing.metadata.resource_version.clear()));
    })
    .await;
    assert_eq!(run.script.summaries()[1..], ["watch rv=10", "watch rv=11"]);
    assert_eq!(run.has(), ["a@", "b@"]);
}

/// A queue, and what is popped from it in the first seconds after a reflector with a period of 10 s began to fill it.
async fn resynced(seconds: u64, change: impl FnOnce(&mut ReflectorOptions<Thing>)) -> Vec<String> {
    let script = Script::new([
        page(10, vec![a(1), b(2)], ""),
        Answer::Watch(vec![Ok(WatchEvent::Deleted(b(11)))], Then::End),
        stay(),
    ]);
    let store = Arc::new(Indexer::new());
    let fifo = Arc::new(DeltaFifo::new(Some(store.clone() as _)));
    let mut options = ReflectorOptions {
        initial: InitialList::Pages,
        resync: Some(Duration::from_secs(10)),
        seed: Some(1),
        ..ReflectorOptions::default()
    };
    change(&mut options);
    let mut told = Vec::new();
    let consume = async {
        let mut process = |key: &ObjectKey, deltas: super::Deltas<Thing>, _: bool| {
            for delta in deltas {
                let kind = match &delta {
                    Delta::Sync(_) => "sync",
                    Delta::Deleted(_) => "deleted",
                    _ => "there",
                };
                told.push(format!("{kind} {}", key.name()));
                match delta {
                    Delta::Deleted(_) => store.remove(key),
                    delta => store.insert(key.clone(), delta.object().clone()),
                };
            }
            Processed::Done
        };
        while fifo.pop(&mut process).await.is_some() {}
    };
    let reflector = Reflector::new(Arc::new(script.clone()), fifo.clone(), options);
    let both = async { tokio::join!(reflector.run(), consume) };
    let _ = tokio::time::timeout(Duration::from_secs(seconds), both).await;
    assert_eq!(script.summaries().len(), 3, "a resync asks the server for nothing");
    told
}

#[tokio::test(start_paused = true)]
async fn a_reflector_of_its_own_resyncs_what_is_in_the_store() {
    let told = resynced(35, |_| {}).await;
    assert_eq!(told, ["there a", "there b", "deleted b", "sync a", "sync a", "sync a"]);
    let told = resynced(35, |options| options.resync = Some(Duration::ZERO)).await;
    assert_eq!(told, ["there a", "there b", "deleted b"]);
}

#[tokio::test(start_paused = true)]
async fn a_resync_that_nobody_wants_is_left_out() {
    let asked = Arc::new(Mutex::new(0));
    let counted = asked.clone();
    let told = resynced(45, |options| {
        options.should_resync = Some(Arc::new(move || {
            *counted.lock() += 1;
            *counted.lock() == 3
        }));
    })
    .await;
    assert_eq!(told, ["there a", "there b", "deleted b", "sync a"]);
    assert_eq!(*asked.lock(), 4);
}

#[tokio::test(start_paused = true)]
async fn nothing_is_resynced_before_the_first_list() {
    struct Counting(Arc<Mutex<u32>>);
    impl super::ReflectorStore<Thing> for Counting {
        fn added(&self, _: ObjectKey, _: Arc<Thing>) {}
        fn modified(&self, _: ObjectKey, _: Arc<Thing>) {}
        fn deleted(&self, _: ObjectKey, _: Arc<Thing>) {}
        fn replaced(&self, _: Vec<(ObjectKey, Arc<Thing>)>) {}
        fn current(&self, _: &ObjectKey) -> Option<Arc<Thing>> {
            None
        }
        fn resync(&self) {
            *self.0.lock() += 1;
        }
    }
    let count = Arc::new(Mutex::new(0));
    let options = ReflectorOptions { resync: Some(Duration::from_secs(1)), ..ReflectorOptions::default() };
    // The script is empty: the first request waits for ever.
    let store = Arc::new(Counting(count.clone()));
    let reflector = Reflector::new(Arc::new(Script::default()), store, options);
    let _ = tokio::time::timeout(Duration::from_secs(50), reflector.run()).await;
    assert_eq!(*count.lock(), 0);
}

#[tokio::test(start_paused = true)]
async fn an_indexer_with_its_own_keys_is_filled_by_them() {
    let named = |name: &str, uid: &str, revision| {
        let mut thing = thing("", name, revision);
        uid.clone_into(&mut thing.metadata.uid);
        thing
    };
    let events = vec![
        Ok(WatchEvent::Modified(named("a", "1", 11))),
        Ok(WatchEvent::Deleted(named("b", "2", 12))),
        Ok(WatchEvent::Added(named("b", "3", 13))),
    ];
    let script = Script::new([
        page(10, vec![named("a", "1", 1), named("b", "2", 2)], ""),
        Answer::Watch(events, Then::Stay),
    ]);
    let store = Arc::new(Indexer::with_key_func(|thing: &Thing| ObjectKey::from_text(&thing.metadata.uid)));
    let options = ReflectorOptions { initial: InitialList::Pages, ..ReflectorOptions::default() };
    let reflector = Reflector::new(Arc::new(script), store.clone(), options);
    let _ = tokio::time::timeout(Duration::from_secs(100), reflector.run()).await;
    assert_eq!(store.keys(), [ObjectKey::from_text("1"), ObjectKey::from_text("3")]);
    assert_eq!(labels(&store.list()), ["a@11", "b@13"]);
}
