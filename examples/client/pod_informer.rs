//! Watches all pods of the cluster with an informer of a shared factory, until it is stopped.
//!
//! ```console
//! $ cargo run -p client-examples --bin pod_informer
//! ```

use std::error::Error;
use std::io::Write;

use rhumb_client::Client;
use rhumb_client::controller::Shutdown;
use rhumb_client::informer::{Event, SharedInformerFactory};
use rhumb_meta::v1::ListOptions;

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

/// Prints changes of pods until shutdown.
pub async fn run(client: Client, shutdown: &Shutdown, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    // All parts of a program share the factory's informer for pods. `None` disables resyncs; a period enables them.
    let factory = SharedInformerFactory::new(None);
    let pods = factory.of(&client.core_v1().pods(""), &ListOptions::default());
    let mut events = pods.events()?;
    factory.start();
    factory.wait_for_sync().await.map_err(|ended| format!("no informer of {}", ended.join(", ")))?;
    writeln!(out, "{} pods were there", pods.indexer().len())?;
    loop {
        let event = tokio::select! {
            () = shutdown.begun() => break,
            event = events.next() => event,
        };
        match event {
            Some(Event::Added { object, .. }) => writeln!(out, "{} is there", object.metadata.name)?,
            Some(Event::Updated { old, new }) => {
                let (before, now) = (&old.metadata.resource_version, &new.metadata.resource_version);
                writeln!(out, "{} went from {before} to {now}", new.metadata.name)?;
            }
            Some(Event::Deleted(pod)) => writeln!(out, "{} is gone", pod.object().metadata.name)?,
            None => break,
        }
    }
    factory.shutdown().await;
    Ok(())
}
