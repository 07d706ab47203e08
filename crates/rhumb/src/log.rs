//! The log of a server: lines of text on the standard error, quiet unless something is wrong.

use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// Begins to write what is told at a level of `-v`: warnings at 0, what happens at 1, requests at 3, and what the
/// libraries below say at 8.
pub(crate) fn begin(verbosity: i64) {
    let ours = match verbosity {
        ..=0 => LevelFilter::WARN,
        1..=2 => LevelFilter::INFO,
        3..=5 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    };
    let others = if verbosity >= 8 { LevelFilter::DEBUG } else { LevelFilter::WARN };
    let wanted = Targets::new().with_default(others).with_target("rhumb", ours);
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
    // Only the first log of a process counts.
    let _ = tracing_subscriber::registry().with(lines).with(wanted).try_init();
}
