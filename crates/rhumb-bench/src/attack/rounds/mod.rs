//! Table of attacks, and the context of their rounds.
//!
//! A round is bounded in count, and whoever starts it bounds its time. Whatever it sends, and whatever becomes of
//! that, is counted under the attack's name.

mod floods;
mod heavy;
mod slow;
mod streams;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::bodies::{Bodies, scaled};
use super::tally::{Ending, Tally};
use super::wire::{Answer, Connection, Credentials, PATIENCE, Request, Target};

/// Maximum size of a kept response that blames the server.
const KEPT: usize = 512;

/// A running round.
pub(crate) type Under = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An attack.
#[derive(Debug)]
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    /// One-line description for `--list`.
    pub(crate) about: &'static str,
    /// Begins a round of it.
    pub(crate) begin: fn(Round) -> Under,
}

macro_rules! attack {
    ($name:literal, $about:literal, $round:path) => {
        Attack { name: $name, about: $about, begin: |round| Box::pin($round(round)) }
    };
}

/// All attacks.
pub(crate) static ATTACKS: &[Attack] = &[
    attack!(
        "strategic-patches",
        "strategic merge patches of 100,000 containers, 8 at once",
        heavy::strategic
    ),
    attack!("spread", "pods with 38,000 topologySpreadConstraints, 8 at once", heavy::spread),
    attack!(
        "owners",
        "creates with 20,000 owner references by clients that hang up after 0.3 s",
        heavy::owners
    ),
    attack!("json-patches", "JSON patches with 9,000 inserts into a list of 60,000", heavy::json_patches),
    attack!("apply", "server-side apply of 60,000 containers", heavy::apply),
    attack!("merges", "YAML with 300 merges of one alias, whose warnings are not read", heavy::merges),
    attack!("defaults", "20,000 items that each default a string of 100 KB", heavy::defaults),
    attack!("keys", "server-side apply of 2,000 items that each default a key of 100 KB", heavy::keys),
    attack!("roles", "roles of 60 KB with three long lists, by users who may not escalate", heavy::roles),
    attack!("absent-owners", "objects with 20,000 owners that never were", heavy::absent_owners),
    attack!("packed", "gzip bodies that grow a thousand times", heavy::packed),
    attack!("patterns", "strings of 1 MB against a definition's pattern [^b]{500}", heavy::patterns),
    attack!("bodies", "deep and large JSON, YAML and protobuf", heavy::bodies),
    attack!("selectors", "selectors with 5,000 terms, for lists and watches", heavy::selectors),
    attack!("watches", "3,000 watches, most of them never read, and writes of 100 KB", streams::watches),
    attack!(
        "formed-watches",
        "1,000 watches as tables and as metadata, most of them never read, and annotations of 100 KB",
        streams::formed_watches
    ),
    attack!(
        "websockets",
        "50 watches over WebSocket that are not read, and writes of 100 KB",
        streams::websockets
    ),
    attack!(
        "lists",
        "lists of everything in loops: JSON, protobuf, tables, compressed or not",
        streams::lists
    ),
    attack!("documents", "/openapi/v2 in loops while definitions come and go", streams::documents),
    attack!("slow-heads", "40 connections on which a head comes a line at a time", slow::heads),
    attack!("slow-bodies", "40 connections on which a body comes a kilobyte at a time", slow::bodies),
    attack!("slow-readers", "20 connections with many lists asked for and none read", slow::readers),
    attack!("node-ports", "50 clients that make and delete Services with node ports", floods::node_ports),
    attack!(
        "handshakes",
        "200 TLS handshakes without a request, and 50 that are begun only",
        floods::handshakes
    ),
    attack!("rapid-reset", "requests over HTTP/2 that are taken back at once", floods::rapid_reset),
];

/// An attacker: a user with all permissions in a namespace of its own.
pub(crate) struct Attacker {
    pub(crate) number: usize,
    pub(crate) namespace: String,
    pub(crate) who: Credentials,
    /// Credentials that change definitions while attackers request documents.
    pub(crate) admin: Credentials,
    pub(crate) target: Target,
    pub(crate) bodies: Arc<Bodies>,
    pub(crate) tally: Tally,
}

/// A round of an attack by an attacker.
#[derive(Clone)]
pub(crate) struct Round {
    pub(crate) attack: &'static str,
    pub(crate) by: Arc<Attacker>,
    /// A number by chance.
    pub(crate) chance: u64,
}

impl Round {
    /// Returns the path of a resource of the core group in the attacker's namespace.
    fn core(&self, resource: &str) -> String {
        format!("/api/v1/namespaces/{}/{resource}", self.by.namespace)
    }

    /// Returns the path of a resource of another group.
    fn of_group(&self, group: &str, resource: &str) -> String {
        format!("/apis/{group}/namespaces/{}/{resource}", self.by.namespace)
    }

    /// Scales a count by the size option.
    fn count(&self, count: usize) -> usize {
        scaled(count, self.by.bodies.size)
    }

    fn note(&self, ending: Ending, begun: Instant) {
        self.by.tally.end(self.attack, ending, begun.elapsed(), b"");
    }

    /// Opens a connection. One that can't be had is counted.
    async fn connect(&self) -> Option<Connection> {
        let begun = Instant::now();
        let connected = within(PATIENCE, self.by.target.connect()).await;
        connected.inspect_err(|ending| self.note(*ending, begun)).ok()
    }

    /// Does something with a connection of its own until its end, and counts how that was.
    async fn alone<F>(&self, work: impl FnOnce(Connection) -> F)
    where
        F: Future<Output = io::Result<Ending>>,
    {
        let begun = Instant::now();
        let Some(connection) = self.connect().await else { return };
        let ending = within(PATIENCE, work(connection)).await.unwrap_or_else(|ending| ending);
        self.note(ending, begun);
    }

    /// Sends a request on a connection and reads the answer. The connection is gone if that failed.
    async fn exchange(
        &self,
        connection: &mut Option<Connection>,
        request: &Request,
        who: &Credentials,
    ) -> Option<Answer> {
        if connection.is_none() {
            *connection = self.connect().await;
        }
        let open = connection.as_mut()?;
        let begun = Instant::now();
        match within(PATIENCE, open.exchange(request, who, KEPT)).await {
            Ok(answer) => {
                let ending = Ending::Status(answer.status);
                self.by.tally.end(self.attack, ending, begun.elapsed(), &answer.body);
                // What is refused early is often followed by the end of the connection.
                if answer.status >= 400 {
                    *connection = None;
                }
                Some(answer)
            }
            Err(ending) => {
                self.note(ending, begun);
                *connection = None;
                None
            }
        }
    }

    /// Sends a request on a connection of its own and reads the answer.
    async fn ask(&self, request: &Request) -> Option<Answer> {
        self.exchange(&mut None, request, &self.by.who).await
    }

    /// Sends a request so many times at once, each on a connection of its own, and reads the answers.
    async fn ask_at_once(&self, times: usize, request: &Request) {
        together(times, move |_| async move { drop(self.ask(request).await) }).await;
    }
}

/// Does so many things beside each other.
async fn together<F: Future<Output = ()>>(count: usize, one: impl Fn(usize) -> F) {
    let mut all: FuturesUnordered<F> = (0..count).map(one).collect();
    while all.next().await.is_some() {}
}

/// Runs a future with a timeout and classifies its failure.
async fn within<T>(time: Duration, future: impl Future<Output = io::Result<T>>) -> Result<T, Ending> {
    match tokio::time::timeout(time, future).await {
        Ok(Ok(done)) => Ok(done),
        Ok(Err(_)) => Err(Ending::Closed),
        Err(_) => Err(Ending::Late),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_attack_has_a_name_of_its_own() {
        let names: BTreeSet<_> = ATTACKS.iter().map(|attack| attack.name).collect();
        assert_eq!(names.len(), ATTACKS.len());
        assert!(ATTACKS.iter().all(|attack| attack.name.len() <= 20));
    }
}
