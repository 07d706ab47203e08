//! Publisher: writes recorded events to the server.

use std::fmt;
use std::time::Duration;

use rhumb_meta::Object;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Correlator, EventSink, Happening, Write};
use crate::Error;
use crate::controller::shutdown::Shutdown;
use crate::controller::wall_clock::WallClock;

/// Maximum attempts to write an event.
const TRIES: u32 = 12;
/// Pause between attempts.
const PAUSE: Duration = Duration::from_secs(10);

type OnError = Box<dyn Fn(&Error) + Send + Sync>;

/// Writes recorded events to a server, one after the other.
pub struct Publisher<C, S> {
    correlator: C,
    sink: S,
    receiver: mpsc::Receiver<Happening>,
    clock: WallClock,
    on_error: Option<OnError>,
    chance: fastrand::Rng,
}

/// What to do about a failed write.
enum Verdict {
    TryAgain,
    GiveUp,
}

impl<C: Correlator, S: EventSink<C::Event>> Publisher<C, S> {
    pub(super) fn new(correlator: C, sink: S, receiver: mpsc::Receiver<Happening>, clock: WallClock) -> Self {
        Publisher { correlator, sink, receiver, clock, on_error: None, chance: fastrand::Rng::new() }
    }

    /// Sets a function for failed writes.
    #[must_use]
    pub fn on_error(mut self, on_error: impl Fn(&Error) + Send + Sync + 'static) -> Self {
        self.on_error = Some(Box::new(on_error));
        self
    }

    /// Writes events until shutdown or until all recorders are dropped. Queued events are tried once more then.
    pub async fn run(mut self, shutdown: Shutdown) {
        loop {
            let refresh = self.correlator.next_refresh();
            let timer = async {
                match refresh {
                    Some(time) => sleep_until(time).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                () = shutdown.begun() => break,
                happening = self.receiver.recv() => match happening {
                    Some(happening) => self.happened(happening, &shutdown).await,
                    None => return,
                },
                () = timer => {
                    for write in self.correlator.refresh(Instant::now(), self.clock.now()) {
                        self.write(write, &shutdown).await;
                    }
                }
            }
        }
        self.receiver.close();
        while let Some(happening) = self.receiver.recv().await {
            self.happened(happening, &shutdown).await;
        }
    }

    async fn happened(&mut self, happening: Happening, shutdown: &Shutdown) {
        if let Some(write) = self.correlator.happened(happening, Instant::now()) {
            self.write(write, shutdown).await;
        }
    }

    /// Tries until the server has the event or refuses it. Meanwhile the others wait: if the server can't be reached
    /// for one it can't for the others.
    async fn write(&mut self, write: Write<C::Event>, shutdown: &Shutdown) {
        for tries in 1..=TRIES {
            let Err(error) = attempt(&self.sink, &write).await else { return };
            if let Some(on_error) = &self.on_error {
                on_error(&error);
            }
            if let Verdict::GiveUp = verdict(&error, write.patch.is_some()) {
                return;
            }
            // Not all clients that lost the server shall come back to it at once.
            let pause = if tries == 1 { PAUSE.mul_f64(self.chance.f64()) } else { PAUSE };
            tokio::select! {
                biased;
                () = shutdown.begun() => return,
                () = sleep(pause) => {}
            }
        }
    }
}

async fn attempt<E: Object>(sink: &impl EventSink<E>, write: &Write<E>) -> Result<(), Error> {
    if let Some(patch) = &write.patch {
        let place =
            write.event.metadata().map(|metadata| (metadata.namespace.clone(), metadata.name.clone()));
        let (namespace, name) = place.unwrap_or_default();
        match sink.patch(&namespace, &name, patch).await {
            // Servers forget events after a while.
            Err(error) if error.is_not_found() => {}
            result => return result,
        }
    }
    sink.create(&write.event).await
}

/// Decides about a failed write. A refusal is final; an "already exists" for an event of a series means that it was
/// created meanwhile.
fn verdict(error: &Error, is_known: bool) -> Verdict {
    match error {
        Error::Status(_) if error.is_already_exists() && is_known => Verdict::TryAgain,
        Error::Status(_) | Error::Request(_) => Verdict::GiveUp,
        _ => Verdict::TryAgain,
    }
}

impl<C, S> fmt::Debug for Publisher<C, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Publisher").finish_non_exhaustive()
    }
}
