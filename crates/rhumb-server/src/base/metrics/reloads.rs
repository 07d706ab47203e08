//! What is counted about a configuration file that is read again when it changes.

use std::fmt::Write;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use parking_lot::RwLock;
use rhumb_metrics::{Kind, Text, labels};
use sha2::{Digest, Sha256};

/// Counts of a file. Nothing is told of one that was never loaded.
#[derive(Debug, Default)]
pub struct Reloads {
    /// The hash of what is in force.
    hash: RwLock<Option<String>>,
    failed: Outcome,
    succeeded: Outcome,
}

/// How often reading it again came out so, and when it did last.
#[derive(Debug, Default)]
struct Outcome {
    count: AtomicU64,
    last: AtomicI64,
}

impl Outcome {
    fn count(&self, now: i64) {
        self.last.store(now, Ordering::Relaxed);
        self.count.fetch_add(1, Ordering::Relaxed);
    }
}

impl Reloads {
    /// Says what is in force from the start.
    pub fn loaded(&self, content: &[u8]) {
        let mut hash = "sha256:".to_owned();
        for byte in Sha256::digest(content) {
            // Writing to a string doesn't fail.
            let _ = write!(hash, "{byte:02x}");
        }
        *self.hash.write() = Some(hash);
    }

    /// Counts that something else is in force.
    pub fn succeeded(&self, content: &[u8], now: i64) {
        self.loaded(content);
        self.succeeded.count(now);
    }

    /// Counts that a change could not be used.
    pub fn failed(&self, now: i64) {
        self.failed.count(now);
    }

    /// Writes the counts under names that begin with a prefix. This server has no identity among others, so that the
    /// label for it is empty.
    pub(super) fn render(&self, prefix: &str, text: &mut Text) {
        let Some(hash) = self.hash.read().clone() else { return };
        let outcomes = [("failure", &self.failed), ("success", &self.succeeded)];
        let happened = || outcomes.iter().filter(|(_, outcome)| outcome.count.load(Ordering::Relaxed) > 0);
        let of = |status: &str| labels(&[("apiserver_id_hash", ""), ("status", status)]);
        let name = format!("{prefix}_automatic_reload_last_timestamp_seconds");
        let help = "[BETA] When the file was last read again, by how that came out.";
        let mut family = text.family(&name, Kind::Gauge, help);
        happened().for_each(|(status, outcome)| {
            family.sample(&of(status), outcome.last.load(Ordering::Relaxed));
        });
        let name = format!("{prefix}_automatic_reloads_total");
        let help = "[BETA] How often the file was read again, by how that came out.";
        let mut family = text.family(&name, Kind::Counter, help);
        happened().for_each(|(status, outcome)| {
            family.sample(&of(status), outcome.count.load(Ordering::Relaxed));
        });
        let name = format!("{prefix}_last_config_info");
        let help = "[ALPHA] The hash of the file that is in force, as a label.";
        let own = labels(&[("apiserver_id_hash", ""), ("hash", &hash)]);
        text.family(&name, Kind::Gauge, help).sample(&own, 1);
    }
}
