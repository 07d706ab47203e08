//! Processes a queue of keys with several workers and retries failures.
//!
//! The workers check ConfigMaps: the key `limit` of those with the label `checked` must be a number. Most programs use
//! `rhumb_client::controller::Controller` instead, which has the queue and the workers; see the example `controller`.
//!
//! ```console
//! $ cargo run -p client-examples --bin work_queue
//! ```

use std::error::Error;
use std::io::Write;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::Client;
use rhumb_client::controller::Shutdown;
use rhumb_client::informer::{HandlerFuncs, Indexer, ObjectKey, SharedInformer};
use rhumb_meta::v1::ListOptions;
use rhumb_queue::{Exponential, Queue};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

/// Retries before an item is given up until it changes.
const RETRIES: u32 = 3;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shutdown = Shutdown::new();
    tokio::spawn({
        let shutdown = shutdown.clone();
        async move {
            let _ = tokio::signal::ctrl_c().await;
            shutdown.begin();
        }
    });
    run(Client::infer().await?, &shutdown, &mut std::io::stdout()).await
}

/// Checks the ConfigMaps of the default namespace until shutdown.
pub async fn run(client: Client, shutdown: &Shutdown, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let maps = client.core_v1().config_maps(client.default_namespace());
    let checked = ListOptions { label_selector: "checked".to_owned(), ..Default::default() };
    let informer = SharedInformer::builder(maps).select(&checked).build();

    // Failures wait 10 ms, then 20 ms, and so on. The default is client-go's rate limiter.
    let limiter = Exponential::new(Duration::from_millis(10), Duration::from_secs(60));
    let queue = Queue::builder().limiter(limiter).build();

    // Handlers only add keys. A waiting key is not added twice, and one that is being processed returns afterwards.
    let (added, updated, deleted) = (queue.clone(), queue.clone(), queue.clone());
    informer.add_handler(
        HandlerFuncs::<ConfigMap>::new()
            .on_add(move |map, _| added.add(key(&map)))
            .on_update(move |_, map| updated.add(key(&map)))
            .on_delete(move |map| deleted.add(key(map.object()))),
    )?;
    informer.start();
    informer.synced().await;

    let (lines, mut received) = mpsc::unbounded_channel();
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        workers.spawn(work(queue.clone(), Arc::clone(informer.indexer()), lines.clone()));
    }
    drop(lines);
    loop {
        tokio::select! {
            () = shutdown.begun() => break,
            Some(line) = received.recv() => writeln!(out, "{line}")?,
        }
    }
    // Graceful shutdown: no new keys, queued ones are processed, then the workers end.
    informer.shutdown().await;
    queue.shut_down_with_drain().await;
    while workers.join_next().await.is_some() {}
    while let Some(line) = received.recv().await {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "the queue is empty")?;
    Ok(())
}

/// Processes keys until the queue is shut down and empty.
async fn work(
    queue: Queue<ObjectKey>,
    indexer: Arc<Indexer<ConfigMap>>,
    lines: mpsc::UnboundedSender<String>,
) {
    while let Some(taken) = queue.get().await {
        let key = ObjectKey::clone(&taken);
        // The key names the object, not the event; the cache has its newest state.
        let line = match indexer.get(&key).map(|map| check(&map)) {
            Some(Err(problem)) if queue.num_requeues(&key) < RETRIES => {
                // It returns after the rate limiter's delay.
                taken.retry();
                format!("{key} is tried again: {problem}")
            }
            outcome => {
                // Gives it back and forgets its failures. Dropping it would keep them.
                taken.finish();
                match outcome {
                    None => format!("{key} is gone"),
                    Some(Ok(limit)) => format!("{key} has the limit {limit}"),
                    Some(Err(problem)) => format!("{key} is given up: {problem}"),
                }
            }
        };
        // The receiver is gone when the program ends.
        let _ = lines.send(line);
    }
}

fn check(map: &ConfigMap) -> Result<u32, String> {
    let limit = map.data.get("limit").ok_or("there is no limit")?;
    limit.parse::<u32>().map_err(|error| format!("{limit:?}: {error}"))
}

/// Returns the key of an object: namespace and name.
fn key(map: &ConfigMap) -> ObjectKey {
    ObjectKey::new(&map.metadata.namespace, &map.metadata.name)
}
