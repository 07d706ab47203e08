//! Controllers: what it takes to bring the world to what objects ask for, again and again.
//!
//! - [`Election`]: of several processes one works.
//! - [`Recorder`]: events, for people to read what was done.
//! - [`Shutdown`]: the end, asked for in one place and heard of in many.

mod election;
mod events;
mod shutdown;
mod wall_clock;

pub use election::{Election, LeaseLock, OnExit, Outcome, Timing, TimingError};
pub use events::{
    Correlator, Counting, CountingOptions, Draft, EventSink, EventType, Happening, Publisher, Recorder,
    Series, Source, Write, reference_to, reference_to_any,
};
pub use shutdown::Shutdown;
pub use wall_clock::WallClock;
