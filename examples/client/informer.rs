//! Watches the ConfigMaps of a namespace: one watch and one cache for three handlers.
//!
//! ```console
//! $ cargo run -p client-examples --bin informer
//! ```

use std::error::Error;
use std::io::Write;
use std::sync::Arc;

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::Client;
use rhumb_client::controller::Shutdown;
use rhumb_client::informer::{Deleted, Filtered, Handler, HandlerFuncs, SharedInformer};
use tokio::sync::mpsc;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let shutdown = Shutdown::new();
    tokio::spawn({
        let shutdown = shutdown.clone();
        async move {
            // Without a signal handler, end at once rather than never.
            let _ = tokio::signal::ctrl_c().await;
            shutdown.begin();
        }
    });
    run(Client::infer().await?, &shutdown, &mut std::io::stdout()).await
}

/// Prints the events of three handlers until shutdown.
pub async fn run(client: Client, shutdown: &Shutdown, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let maps = client.core_v1().config_maps(client.default_namespace());
    let informer = SharedInformer::builder(maps)
        // Unused fields are dropped before objects are stored.
        .transform(|map: &mut ConfigMap| map.metadata.managed_fields.clear())
        .build();
    let (lines, mut received) = mpsc::unbounded_channel();

    // The first is made of closures. They get the stored objects, not copies.
    let (added, updated, deleted) = (lines.clone(), lines.clone(), lines.clone());
    informer.add_handler(
        HandlerFuncs::<ConfigMap>::new()
            .on_add(move |map, _is_in_initial_list| tell(&added, format!("{} is there", map.metadata.name)))
            .on_update(move |_old, map| tell(&updated, format!("{} has changed", map.metadata.name)))
            .on_delete(move |map| tell(&deleted, format!("{} is gone", map.object().metadata.name))),
    )?;
    // The second is a type whose state needs no lock, as events are delivered one by one.
    informer.add_handler(Counter { count: 0, lines: lines.clone() })?;
    // The third is filtered. An object that begins to match is added, one that ceases to match is deleted.
    let (appeared, vanished) = (lines.clone(), lines);
    informer.add_handler(Filtered::new(
        |map: &ConfigMap| map.metadata.labels.contains_key("important"),
        HandlerFuncs::<ConfigMap>::new()
            .on_add(move |map, _| tell(&appeared, format!("{} is important", map.metadata.name)))
            .on_delete(move |map| {
                tell(&vanished, format!("{} is not important", map.object().metadata.name))
            }),
    ))?;

    informer.start();
    informer.synced().await;
    writeln!(out, "{} ConfigMaps were there", informer.indexer().len())?;
    loop {
        tokio::select! {
            () = shutdown.begun() => break,
            line = received.recv() => match line {
                Some(line) => writeln!(out, "{line}")?,
                None => break,
            },
        }
    }
    informer.shutdown().await;
    Ok(())
}

fn tell(lines: &mpsc::UnboundedSender<String>, line: String) {
    // The receiver is gone when the program ends.
    let _ = lines.send(line);
}

/// Counts objects.
struct Counter {
    count: u32,
    lines: mpsc::UnboundedSender<String>,
}

impl Handler<ConfigMap> for Counter {
    fn on_add(&mut self, _map: Arc<ConfigMap>, _is_in_initial_list: bool) {
        self.count += 1;
        tell(&self.lines, format!("now there are {}", self.count));
    }

    fn on_delete(&mut self, _map: Deleted<ConfigMap>) {
        self.count -= 1;
        tell(&self.lines, format!("now there are {}", self.count));
    }
}
