//! A controller: every Service with the label `example.com/card` gets a ConfigMap that says how to reach it.
//!
//! It uses owned objects, owner references for garbage collection, events, leader election, and graceful shutdown.
//!
//! ```console
//! $ cargo run -p client-examples --bin controller -- my-name   # with an identity it uses leader election
//! ```

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use rhumb_api::core::v1::{ConfigMap, Event, Service};
use rhumb_client::controller::{
    Action, Controller, ControllerError, Counting, Draft, Election, EventType, Outcome, Recorder, Request,
    ServerLease, Shutdown, Source, WallClock, controller_reference, is_controlled_by, reference_to,
};
use rhumb_client::informer::{SharedInformer, SharedInformerFactory};
use rhumb_client::{Client, Error as ClientError};
use rhumb_meta::ObjectMeta;
use rhumb_meta::v1::{ApplyOptions, DeleteOptions, ListOptions};

/// Label of Services that want a card, and of cards.
const LABEL: &str = "example.com/card";
/// Name of the controller and its field manager.
const CONTROLLER: &str = "example.com/cards";

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
    let identity = std::env::args().nth(1);
    Ok(run(Client::infer().await?, identity.as_deref(), &shutdown).await?)
}

/// Runs the controller until shutdown; with an identity only while it is the leader.
pub async fn run(client: Client, identity: Option<&str>, shutdown: &Shutdown) -> Result<(), ControllerError> {
    // One watch per resource. All Services are watched, because one that loses its label also loses its card, but of
    // ConfigMaps only the cards.
    let factory = SharedInformerFactory::new(None);
    let services = factory.of(&client.resource::<Service>(), &ListOptions::default());
    let cards = ListOptions { label_selector: LABEL.to_owned(), ..Default::default() };
    let cards = factory.of(&client.resource::<ConfigMap>(), &cards);

    let source =
        Source { controller: CONTROLLER.to_owned(), instance: identity.unwrap_or("only").to_owned() };
    let clock = WallClock::of(&client);
    let (recorder, publisher) =
        Recorder::new(Counting::default(), client.resource::<Event>(), source, clock.clone());
    let publisher = tokio::spawn(publisher.run(shutdown.clone()));

    let context = Arc::new(Context { client: client.clone(), cards: cards.clone(), recorder });
    let controller = Controller::new(&services).owns(&cards).workers(2);
    let work = || controller.run(shutdown, context, reconcile);
    let result = match identity {
        None => work().await,
        Some(identity) => {
            // One process with this lease works at a time. It releases the lease when it ends.
            let lease = ServerLease::new(&client, client.default_namespace(), "cards");
            match Election::new(lease, identity, clock).run(shutdown, work).await {
                Outcome::Done(result) => result,
                // Another process has taken over. A real program exits with an error here and is restarted.
                Outcome::Lost | Outcome::NotElected => Ok(()),
            }
        }
    };
    factory.shutdown().await;
    // Write the last events. A panicked publisher is ignored.
    if shutdown.is_begun() {
        let _ = publisher.await;
    }
    result
}

/// Shared state of reconciliations.
struct Context {
    client: Client,
    cards: SharedInformer<ConfigMap>,
    recorder: Recorder,
}

/// Reconciles one Service. It is called after changes and with every Service at the start. Failures are retried with
/// backoff.
async fn reconcile(request: Request<Service>, context: Arc<Context>) -> Result<Action, ClientError> {
    // A deleted Service needs nothing: the server deletes its cards.
    let Some(service) = request.object else { return Ok(Action::done()) };
    let name = format!("{}-card", service.metadata.name);
    // Frequent reads use the cache; writes are checked by the server.
    let known = context.cards.lister().namespace(&service.metadata.namespace).get(&name);
    if !service.metadata.labels.contains_key(LABEL) {
        if known.is_some_and(|card| is_controlled_by(&*card, &*service)) {
            context.remove(&service, &name).await?;
        }
        return Ok(Action::done());
    }
    let card = card_of(&service, &name);
    if known.is_some_and(|known| is_controlled_by(&*known, &*service) && known.data == card.data) {
        return Ok(Action::done());
    }
    context.write(&service, &card).await
}

impl Context {
    /// Applies a card, unless its name is taken.
    async fn write(&self, service: &Service, card: &ConfigMap) -> Result<Action, ClientError> {
        let name = &card.metadata.name;
        let cards = self.client.core_v1().config_maps(&service.metadata.namespace);
        if let Some(other) = cards.find(name).await?
            && !is_controlled_by(&other, service)
        {
            self.tell(
                service,
                EventType::Warning,
                "CardBlocked",
                format!("The ConfigMap {name} is not ours."),
            );
            // It has no label and so is not watched: retry in a while.
            return Ok(Action::requeue_after(Duration::from_secs(60)));
        }
        // Server-side apply creates or updates, and keeps fields of others.
        let options =
            ApplyOptions { field_manager: CONTROLLER.to_owned(), force: true, ..Default::default() };
        cards.apply(name, card, &options).await?;
        self.tell(service, EventType::Normal, "CardWritten", format!("The ConfigMap {name} is up to date."));
        Ok(Action::done())
    }

    /// Deletes the card of a Service that wants none.
    async fn remove(&self, service: &Service, name: &str) -> Result<(), ClientError> {
        let cards = self.client.core_v1().config_maps(&service.metadata.namespace);
        match cards.delete(name, &DeleteOptions::default()).await {
            Err(error) if !error.is_not_found() => Err(error),
            _ => Ok(()),
        }
    }

    fn tell(&self, service: &Service, type_: EventType, reason: &str, message: String) {
        self.recorder.record(Draft::new(reference_to(service), type_, reason, message));
    }
}

/// Returns the card of a Service.
fn card_of(service: &Service, name: &str) -> ConfigMap {
    let ports: Vec<String> = service.spec.ports.iter().map(|port| port.port.to_string()).collect();
    let host = format!("{}.{}.svc", service.metadata.name, service.metadata.namespace);
    ConfigMap {
        metadata: ObjectMeta {
            name: name.to_owned(),
            labels: [(LABEL.to_owned(), "yes".to_owned())].into(),
            // One owner is the controller; changes of the card trigger its reconciliation.
            owner_references: vec![controller_reference(service)],
            ..Default::default()
        },
        data: [("host".to_owned(), host), ("ports".to_owned(), ports.join(","))].into(),
        ..Default::default()
    }
}
