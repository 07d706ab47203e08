//! Random histories: a server that changes, forgets, breaks and lags, and an informer that must end up with
//! what the server has, having told everyone a story without holes.

use std::time::Duration;

use super::history::{History, Recorder};
use super::server::Server;
use super::{InitialList, SharedInformer};

const ROUNDS: u64 = 400;

/// The seed of the first round: from `RHUMB_SEED`, to repeat a failure.
fn first_seed() -> u64 {
    std::env::var("RHUMB_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or_else(|| fastrand::u64(..))
}

#[test]
fn whatever_happens_the_copy_becomes_the_servers_state() {
    let first = first_seed();
    println!("first seed {first}");
    for round in 0..ROUNDS {
        let seed = first.wrapping_add(round);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .expect("a runtime");
        runtime.block_on(history(seed));
    }
}

async fn history(seed: u64) {
    let mut chance = fastrand::Rng::with_seed(seed);
    let server = Server::new(seed ^ 0x5eed, chance.u8(0..40));
    for _ in 0..chance.u8(0..20) {
        server.change();
    }
    let initial = if chance.bool() { InitialList::Stream } else { InitialList::Pages };
    let page = chance.i64(1..10);
    let informer = SharedInformer::builder(server.clone())
        .initial_list(initial)
        .seed(seed)
        .reflector(|options| options.page_size = page)
        .build();
    let mut histories = Vec::new();
    let mut listen = |panics: usize, resync: Duration| {
        let history = History::default();
        let recorder = Recorder { history: history.clone(), panics };
        let registration = informer.add_handler_with_resync(recorder, resync).expect("it has not ended");
        histories.push(history);
        registration
    };
    listen(0, Duration::ZERO);
    listen(3, Duration::ZERO);
    informer.start();
    let mut removed = None;
    let late = chance.u32(0..60);
    for step in 0..60 {
        tokio::time::sleep(Duration::from_millis(chance.u64(0..30_000))).await;
        for _ in 0..chance.u8(0..4) {
            server.change();
        }
        if chance.u8(0..4) == 0 {
            server.change_elsewhere();
        }
        if chance.u8(0..8) == 0 {
            server.compact();
        }
        if step == late {
            listen(0, Duration::from_secs(chance.u64(1..100)));
            removed = Some(listen(0, Duration::ZERO));
        }
        if step == late + 10
            && let Some(registration) = removed.take()
        {
            registration.remove();
        }
    }
    let events = informer.events().expect("it has not ended");
    let streamed = follow(events);
    server.heal();
    let all_removed = removed.is_none();
    let gone = histories.len() - 1;
    if all_removed {
        let history = histories.remove(gone);
        assert!(history.faults().is_empty(), "seed {seed}: {:?}", history.faults());
    }
    histories.push(streamed);
    settle(seed, &server, &informer, &histories).await;
    informer.shutdown().await;
}

/// Takes events into a history.
fn follow(mut events: super::Events<super::Thing>) -> History {
    let history = History::default();
    let taken = history.clone();
    tokio::spawn(async move {
        while let Some(event) = events.next().await {
            taken.take(&event);
        }
    });
    history
}

/// Waits until everyone knows what the server has. The longest that can take is the end of a watch that the
/// server forgot, and a wait after it.
async fn settle(seed: u64, server: &Server, informer: &SharedInformer<super::Thing>, histories: &[History]) {
    let expected = server.objects();
    let copy = || informer.indexer().list().iter().map(|thing| (**thing).clone()).collect::<Vec<_>>();
    for _ in 0..3600 {
        if copy() == expected && histories.iter().all(|history| history.objects() == expected) {
            break;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert_eq!(copy(), expected, "seed {seed}");
    let kept = informer.indexer().list();
    for history in histories {
        assert_eq!(history.faults(), [""; 0], "seed {seed}");
        assert_eq!(history.objects(), expected, "seed {seed}");
        let same = history.shared().iter().zip(&kept).all(|(a, b)| std::sync::Arc::ptr_eq(a, b));
        assert!(same, "seed {seed}: an object is held twice");
    }
    assert!(informer.has_synced(), "seed {seed}");
}
