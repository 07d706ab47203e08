//! Results of the attackers' requests by attack.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Maximum number of kept responses that blame the server.
const SHOWN: usize = 5;

/// How a request of an attacker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// A response with this status.
    Status(u16),
    /// A handshake, which was all that was wanted.
    Shaken,
    /// A response that was not read to its end.
    Unread,
    /// The client hung up before there was an answer.
    HungUp,
    /// The client took the request back.
    Reset,
    /// The server closed the connection, or took none.
    Closed,
    /// Without an answer in all the time that clients wait.
    Late,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Status(status) => write!(f, "{status}"),
            Ending::Shaken => f.write_str("handshake"),
            Ending::Unread => f.write_str("unread"),
            Ending::HungUp => f.write_str("hung up"),
            Ending::Reset => f.write_str("reset"),
            Ending::Closed => f.write_str("closed"),
            Ending::Late => f.write_str("no answer"),
        }
    }
}

/// Results of an attack.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    /// Number of rounds.
    pub(crate) rounds: u64,
    pub(crate) endings: BTreeMap<Ending, u64>,
    /// The longest that a client waited for an answer.
    pub(crate) slowest: Duration,
}

/// Counters shared by all attackers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally(Arc<Mutex<Counts>>);

/// The counters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) rows: BTreeMap<&'static str, Row>,
    /// Number of responses that blame the server: 5xx other than 504.
    pub(crate) faults: u64,
    /// The first of them.
    pub(crate) shown: Vec<String>,
}

impl Tally {
    fn with<T>(&self, change: impl FnOnce(&mut Counts) -> T) -> T {
        // A count is whole after each change, whatever became of who changed it.
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Counts a round of an attack.
    pub(crate) fn begin(&self, attack: &'static str) {
        self.with(|counts| counts.rows.entry(attack).or_default().rounds += 1);
    }

    /// Counts a request, which took some time; `told` is what the answer said.
    pub(crate) fn end(&self, attack: &'static str, ending: Ending, took: Duration, told: &[u8]) {
        self.with(|counts| {
            let row = counts.rows.entry(attack).or_default();
            *row.endings.entry(ending).or_default() += 1;
            row.slowest = row.slowest.max(took);
            if matches!(ending, Ending::Status(status) if status >= 500 && status != 504) {
                counts.faults += 1;
                if counts.shown.len() < SHOWN {
                    let told = String::from_utf8_lossy(told.get(..told.len().min(300)).unwrap_or_default());
                    counts.shown.push(format!("{attack}: {ending} {}", told.trim()));
                }
            }
        });
    }

    /// Returns the current counts.
    pub(crate) fn counts(&self) -> Counts {
        self.with(|counts| counts.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_blames_the_server_is_a_fault_but_for_a_timeout() {
        let tally = Tally::default();
        tally.begin("patterns");
        for status in [200, 429, 500, 504] {
            tally.end("patterns", Ending::Status(status), Duration::from_millis(u64::from(status)), b"why");
        }
        tally.end("patterns", Ending::HungUp, Duration::ZERO, b"");
        let counts = tally.counts();
        assert_eq!((counts.faults, counts.shown), (1, vec!["patterns: 500 why".to_owned()]));
        let row = &counts.rows["patterns"];
        assert_eq!((row.rounds, row.slowest), (1, Duration::from_millis(504)));
        let endings: Vec<String> = row.endings.keys().map(Ending::to_string).collect();
        assert_eq!(endings, ["200", "429", "500", "504", "hung up"]);
    }
}
