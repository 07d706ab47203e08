//! What is done to a server: pods are made, read, listed and watched.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;

use super::Outcome;
use super::asking::{Asking, Round};
use super::following::{Following, Room};
use super::go_client::{self, Listed};
use super::https::{Connection, JSON, Target};

/// The media type of protobuf.
pub(crate) const PROTOBUF: &str = "application/vnd.kubernetes.protobuf";

/// Where the pods are that are made, read and listed.
const PODS: &str = "/api/v1/namespaces/bench/pods";
/// Where the pods are that are watched.
const WATCHED: &str = "/api/v1/namespaces/watched/pods";

/// A server under load, and what it has by now.
pub(crate) struct Load {
    target: Target,
    made: AtomicU64,
}

impl Load {
    pub(crate) fn new(target: Target) -> Self {
        Load { target, made: AtomicU64::new(0) }
    }

    /// Makes the namespaces, each with the account that its pods run as. A server without controllers doesn't make
    /// that by itself, and then takes no pods.
    pub(crate) fn namespaces(&self) -> Outcome<()> {
        let mut connection = self.target.connect()?;
        let mut answer = Vec::new();
        for name in ["bench", "watched"] {
            let body = format!(r#"{{"apiVersion":"v1","kind":"Namespace","metadata":{{"name":"{name}"}}}}"#);
            expect(&mut connection, "POST", "/api/v1/namespaces", body.as_bytes(), 201, &mut answer)?;
            let accounts = format!("/api/v1/namespaces/{name}/serviceaccounts");
            let account = br#"{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"default"}}"#;
            match connection.exchange("POST", &accounts, JSON, account, &mut answer)? {
                201 | 409 => {}
                status => return Err(format!("no account in {name}: {status}").into()),
            }
        }
        Ok(())
    }

    /// How many pods a list has.
    pub(crate) fn listed(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Makes pods until there are so many, or for some time at most. Says when all clients are connected, so that this
    /// doesn't count. Answers with how many it made.
    pub(crate) fn create(
        &self,
        clients: u64,
        time: Option<Duration>,
        until: u64,
        all_connected: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<u64> {
        self.each(clients, all_connected, async |client, round, _| {
            let mut done = 0;
            while time.is_none_or(|time| round.begin.elapsed() < time) {
                let one_more = |made| (made < until).then_some(made + 1);
                let Ok(number) = self.made.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
                else {
                    break;
                };
                client.expect(round, "POST", PODS, pod(number).as_bytes(), 201).await?;
                done += 1;
            }
            Ok(done)
        })
    }

    /// Reads pods for some time. Says when all clients are connected. Answers with how many it read.
    pub(crate) fn get(
        &self,
        clients: u64,
        time: Duration,
        all_connected: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<u64> {
        let count = self.listed();
        self.each(clients, all_connected, async |client, round, which| {
            let mut done = 0u64;
            let mut number = which * 7919;
            while round.begin.elapsed() < time {
                number = (number + 104_729) % count;
                client.expect(round, "GET", &format!("{PODS}/{}", name(number)), b"", 200).await?;
                done += 1;
            }
            Ok(done)
        })
    }

    /// Gives labels of pods other values for some time, as fast as it can. Says when all clients are connected.
    /// Answers with how many it gave.
    pub(crate) fn patch(
        &self,
        clients: u64,
        time: Duration,
        all_connected: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<u64> {
        let next = AtomicU64::new(0);
        self.each(clients, all_connected, async |client, round, _| {
            let mut done = 0;
            while round.begin.elapsed() < time {
                let number = next.fetch_add(1, Ordering::Relaxed);
                label(client, round, number % self.listed(), &format!("r{number}")).await?;
                done += 1;
            }
            Ok(done)
        })
    }

    /// Changes so many different pods per second, for some seconds: a label of theirs gets a value. Answers
    /// with how many, which is fewer only if a server can't keep up.
    pub(crate) fn change(&self, clients: u64, per_second: u64, seconds: u64, value: &str) -> Outcome<u64> {
        let time = Duration::from_secs(seconds);
        let next = AtomicU64::new(0);
        self.each(
            clients,
            || Ok(()),
            async |client, round, _| {
                let mut done = 0;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= per_second * seconds || round.begin.elapsed() >= 2 * time {
                        return Ok(done);
                    }
                    let due = time.mul_f64(number as f64 / (per_second * seconds) as f64);
                    tokio::time::sleep(due.saturating_sub(round.begin.elapsed())).await;
                    label(client, round, number % self.listed(), value).await?;
                    done += 1;
                }
            },
        )
    }

    /// Changes one pod in the same way.
    pub(crate) fn change_one(&self, number: u64, value: &str) -> Outcome<()> {
        self.each(
            1,
            || Ok(()),
            async |client, round, _| label(client, round, number, value).await.map(|()| 1),
        )
        .map(drop)
    }

    /// Lists all pods as Go's clients do.
    pub(crate) fn list(&self, accept: &str) -> Outcome<Listed> {
        let listed = go_client::list(&self.target, PODS, accept)?;
        if (listed.length as u64) < self.listed() * 200 {
            return Err(format!("a list of {} bytes", listed.length).into());
        }
        Ok(listed)
    }

    /// Makes pods while many watch. Says when all of them do, so that their connecting doesn't count. Answers with how
    /// many events arrived; all of them must.
    pub(crate) fn watch(
        &self,
        clients: u64,
        watchers: usize,
        changes: u64,
        mut all_watch: impl FnMut() -> Outcome<()>,
    ) -> Outcome<u64> {
        let path = format!("{WATCHED}?watch=true&resourceVersion=0");
        let mut watches = Vec::with_capacity(watchers);
        for number in 0..watchers {
            let mut connection = self.target.connect()?;
            match connection.follow(&path)? {
                200 => watches.push(connection),
                status => return Err(format!("watch {number} begins with status {status}").into()),
            }
        }
        // A thread for each watcher would cost more than the server does.
        let others = watches.split_off(watchers / 2);
        thread::scope(|scope| -> Outcome<u64> {
            let readers = [watches, others].map(|part| scope.spawn(move || follow(part, changes)));
            all_watch()?;
            let next = AtomicU64::new(0);
            self.each(
                clients,
                || Ok(()),
                async |client, round, _| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= changes {
                            return Ok(0);
                        }
                        client.expect(round, "POST", WATCHED, pod(number).as_bytes(), 201).await?;
                    }
                },
            )?;
            let mut arrived = 0;
            for reader in readers {
                arrived += reader.join().map_err(|_| "a reader broke")??;
            }
            Ok(arrived)
        })
    }

    /// Lets clients work at once, each on a connection of its own, and adds up what they did.
    fn each(
        &self,
        clients: u64,
        all_connected: impl FnOnce() -> Outcome<()>,
        work: impl AsyncFn(&mut Asking, &Round, u64) -> Outcome<u64>,
    ) -> Outcome<u64> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut asking = Vec::new();
            for _ in 0..clients {
                asking.push(Asking::of(self.target.connect()?, &self.target)?);
            }
            all_connected()?;
            let round = Round { begin: Instant::now(), room: Mutex::new(Room::new()) };
            let numbered = asking.iter_mut().zip(0..);
            let mut working: FuturesUnordered<_> =
                numbered.map(|(client, which)| work(client, &round, which)).collect();
            let mut done = 0;
            while let Some(ended) = working.next().await {
                done += ended?;
            }
            Ok(done)
        })
    }
}

/// Reads so many events from each of some watches. Answers with how many arrived; all of them must.
fn follow(watches: Vec<Connection>, changes: u64) -> Outcome<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let room = Arc::new(Mutex::new(Room::new()));
    runtime.block_on(async {
        let watches: Vec<_> = watches
            .into_iter()
            .map(|watch| {
                let room = Arc::clone(&room);
                tokio::spawn(async move {
                    let (mut watch, mut seen) = (Following::of(watch)?, 0);
                    while seen < changes {
                        seen += watch.lines(&room).await?;
                    }
                    Ok::<u64, std::io::Error>(seen)
                })
            })
            .collect();
        let mut arrived = 0;
        for watch in watches {
            arrived += watch.await??;
        }
        Ok(arrived)
    })
}

/// Sends a request that must succeed.
fn expect(
    connection: &mut Connection,
    method: &str,
    path: &str,
    body: &[u8],
    expected: u16,
    buffer: &mut Vec<u8>,
) -> Outcome<()> {
    let status = connection.exchange(method, path, JSON, body, buffer)?;
    if status != expected {
        return Err(format!("{method} {path}: {status} {}", String::from_utf8_lossy(buffer)).into());
    }
    Ok(())
}

/// Gives a label of a pod a value.
async fn label(client: &mut Asking, round: &Round, number: u64, value: &str) -> Outcome<()> {
    let patch = format!(r#"{{"metadata":{{"labels":{{"round":"{value}"}}}}}}"#);
    client.expect(round, "PATCH", &format!("{PODS}/{}", name(number)), patch.as_bytes(), 200).await
}

/// What a pod is called.
pub(crate) fn name(number: u64) -> String {
    format!("web-7d4b9c6f5d-{number:06}")
}

/// A pod as a deployment makes it.
fn pod(number: u64) -> String {
    let name = name(number);
    let zone = number % 3;
    format!(
        r#"{{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"{name}","labels":{{"app":"web","tier":"front",
"pod-template-hash":"7d4b9c6f5d"}},"annotations":{{"checksum/config":"6ca13d52ca70c883e0f0bb101e425a89e8624de5"}}}},
"spec":{{"containers":[{{"name":"web","image":"registry.example.com/shop/web:1.27.3","args":["--port=8080","--quiet"],
"ports":[{{"name":"http","containerPort":8080}}],"env":[{{"name":"MODE","value":"production"}},
{{"name":"POD_IP","valueFrom":{{"fieldRef":{{"fieldPath":"status.podIP"}}}}}}],
"resources":{{"requests":{{"cpu":"100m","memory":"128Mi"}},"limits":{{"memory":"256Mi"}}}},
"readinessProbe":{{"httpGet":{{"path":"/healthz","port":"http"}},"periodSeconds":5}},
"volumeMounts":[{{"name":"config","mountPath":"/etc/web"}},{{"name":"scratch","mountPath":"/tmp"}}]}}],
"volumes":[{{"name":"config","configMap":{{"name":"web-config"}}}},{{"name":"scratch","emptyDir":{{}}}}],
"nodeSelector":{{"topology.kubernetes.io/zone":"zone-{zone}"}},
"tolerations":[{{"key":"dedicated","operator":"Equal","value":"web","effect":"NoSchedule"}}]}}}}"#
    )
}
