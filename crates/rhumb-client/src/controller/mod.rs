//! Controllers: reconcile loops, leader election and events.
//!
//! - [`Controller`]: calls a function for every object that may need something done.
//! - [`Election`]: of several processes one works.
//! - [`Recorder`]: events, for people to read what was done.
//! - [`Shutdown`]: the end, asked for in one place and heard of in many.
//! - [`set_controller_reference`] and others: whose an object is.
//! - [`Metrics`]: what controllers, queues and elections do, for Prometheus.
//!
//! All together, for a controller that runs in several pods:
//!
//! ```no_run
//! use rhumb_api::core::v1::{Event, Pod};
//! use rhumb_client::controller::*;
//! use rhumb_client::informer::SharedInformer;
//! use rhumb_client::{Client, Error};
//! use std::sync::Arc;
//!
//! async fn reconcile(request: Request<Pod>, recorder: Arc<Recorder>) -> Result<Action, Error> {
//!     if let Some(pod) = request.object {
//!         recorder.record(Draft::new(reference_to(&*pod), EventType::Normal, "Seen", "I have seen it."));
//!     }
//!     Ok(Action::done())
//! }
//!
//! async fn run(client: Client, me: &str, shutdown: Shutdown) -> Result<(), ControllerError> {
//!     let source = Source { controller: "example.com/seer".to_owned(), instance: me.to_owned() };
//!     let events = client.resource::<Event>();
//!     let (recorder, publisher) =
//!         Recorder::new(Counting::default(), events, source, WallClock::of(&client));
//!     tokio::spawn(publisher.run(shutdown.clone()));
//!
//!     let pods = SharedInformer::builder(client.resource::<Pod>()).build();
//!     let controller = Controller::new(&pods).when(predicate::generation_changed).workers(2);
//!     let lease = ServerLease::new(&client, "default", "seer");
//!     let election = Election::new(lease, me, WallClock::of(&client));
//!     match election.run(&shutdown, || controller.run(&shutdown, Arc::new(recorder), reconcile)).await {
//!         Outcome::Done(result) => result,
//!         Outcome::Lost | Outcome::NotElected => Ok(()),
//!     }
//! }
//! ```

mod election;
mod events;
mod metrics;
mod owners;
mod reconcile;
mod shutdown;
mod wall_clock;

pub use election::{
    Election, Health, LeaseLock, NotRenewed, OnExit, Outcome, ServerLease, Timing, TimingError,
};
pub use events::{
    Correlator, Counting, CountingOptions, Draft, EventSink, EventType, Happening, Publisher, Recorder,
    Series, Source, Write, reference_to, reference_to_any,
};
pub use metrics::Metrics;
pub use owners::{
    OwnerError, controller_of, controller_reference, is_controlled_by, set_controller_reference,
};
pub use reconcile::{Action, Controller, ControllerError, Request, TerminalError, predicate};
pub use shutdown::Shutdown;
pub use wall_clock::WallClock;
