//! Load on a server: creates, gets, lists and watches pods.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::Method;

use super::Outcome;
use super::go_client::{GoClient, Listed, Waiting};
use super::https::{Connection, JSON, Target};

/// Path of the pods that are created, read and listed.
const PODS: &str = "/api/v1/namespaces/bench/pods";
/// Path of fewer pods, for the shorter list.
const FEWER: &str = "/api/v1/namespaces/fewer/pods";
/// Path of the watched pods.
const WATCHED: &str = "/api/v1/namespaces/watched/pods";
/// Number of threads that read watches. One per watcher would cost more than the server does.
const READERS: usize = 2;
/// Timeout of changes.
const PATIENCE: Duration = Duration::from_secs(300);

/// A server under load with its state.
pub(crate) struct Load {
    target: Target,
    made: AtomicU64,
}

impl Load {
    pub(crate) fn new(target: Target) -> Self {
        Load { target, made: AtomicU64::new(0) }
    }

    /// Creates the namespaces, each with the account that its pods run as. A server without controllers doesn't make
    /// that by itself, and then takes no pods.
    pub(crate) fn namespaces(&self) -> Outcome<()> {
        let mut connection = self.target.connect()?;
        let mut answer = Vec::new();
        for name in ["bench", "fewer", "watched"] {
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

    /// Returns the number of pods in a list.
    pub(crate) fn listed(&self) -> u64 {
        self.made.load(Ordering::Relaxed)
    }

    /// Makes pods until there are so many, or for some time at most. Says when all clients are connected, so that this
    /// doesn't count. Returns how many it made.
    pub(crate) fn create(
        &self,
        clients: u64,
        time: Option<Duration>,
        until: u64,
        all_connected: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<u64> {
        self.each(clients, all_connected, async |client, begin, _| {
            let mut done = 0;
            while time.is_none_or(|time| begin.elapsed() < time) {
                let one_more = |made| (made < until).then_some(made + 1);
                let Ok(number) = self.made.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more)
                else {
                    break;
                };
                client.expect(Method::POST, PODS, pod(number), 201).await?;
                done += 1;
            }
            Ok(done)
        })
    }

    /// Reads pods for some time. Says when all clients are connected. Returns how many it read.
    pub(crate) fn get(
        &self,
        clients: u64,
        time: Duration,
        all_connected: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<u64> {
        let count = self.listed();
        self.each(clients, all_connected, async |client, begin, which| {
            let mut done = 0u64;
            let mut number = which * 7919;
            while begin.elapsed() < time {
                number = (number + 104_729) % count;
                client.expect(Method::GET, &format!("{PODS}/{}", name(number)), "", 200).await?;
                done += 1;
            }
            Ok(done)
        })
    }

    /// Changes labels of pods for some time, as fast as possible. Says when all clients are connected.
    /// Returns how many it gave.
    pub(crate) fn patch(
        &self,
        clients: u64,
        time: Duration,
        all_connected: impl FnOnce() -> Outcome<()>,
    ) -> Outcome<u64> {
        let next = AtomicU64::new(0);
        self.each(clients, all_connected, async |client, begin, _| {
            let mut done = 0;
            while begin.elapsed() < time {
                let number = next.fetch_add(1, Ordering::Relaxed);
                label(client, number % self.listed(), &format!("r{number}")).await?;
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
            async |client, begin, _| {
                let mut done = 0;
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= per_second * seconds || begin.elapsed() >= 2 * time {
                        return Ok(done);
                    }
                    let due = time.mul_f64(number as f64 / (per_second * seconds) as f64);
                    tokio::time::sleep(due.saturating_sub(begin.elapsed())).await;
                    label(client, number % self.listed(), value).await?;
                    done += 1;
                }
            },
        )
    }

    /// Changes one pod in the same way.
    pub(crate) fn change_one(&self, number: u64, value: &str) -> Outcome<()> {
        self.each(1, || Ok(()), async |client, _, _| label(client, number, value).await.map(|()| 1)).map(drop)
    }

    /// Makes so many pods beside those that are made, read and listed.
    pub(crate) fn create_fewer(&self, clients: u64, count: u64) -> Outcome<()> {
        self.each(
            clients,
            || Ok(()),
            async |client, _, which| {
                for number in (which..count).step_by(usize::try_from(clients)?) {
                    client.expect(Method::POST, FEWER, pod(number), 201).await?;
                }
                Ok(0)
            },
        )
        .map(drop)
    }

    /// Returns the client that lists.
    pub(crate) fn lister(&self) -> Outcome<Lister> {
        Ok(Lister(Waiting::connect(&self.target)?))
    }

    /// Makes pods while many watch. Says when all of them do, so that their connecting doesn't count. Returns how
    /// many events arrived; all of them must.
    pub(crate) fn watch(
        &self,
        clients: u64,
        watchers: usize,
        changes: u64,
        mut all_watch: impl FnMut() -> Outcome<()>,
    ) -> Outcome<u64> {
        let path = format!("{WATCHED}?watch=true&resourceVersion=0");
        thread::scope(|scope| -> Outcome<u64> {
            let (begun, all_begun) = channel();
            let share = |reader| (watchers + reader) / READERS;
            let readers: Vec<_> = (0..READERS)
                .map(|reader| {
                    let (path, begun) = (path.as_str(), begun.clone());
                    scope.spawn(move || follow(&self.target, path, share(reader), changes, begun))
                })
                .collect();
            drop(begun);
            if all_begun.iter().count() == READERS {
                all_watch()?;
                let next = AtomicU64::new(0);
                self.each(
                    clients,
                    || Ok(()),
                    async |client, _, _| {
                        loop {
                            let number = next.fetch_add(1, Ordering::Relaxed);
                            if number >= changes {
                                return Ok(0);
                            }
                            client.expect(Method::POST, WATCHED, pod(number), 201).await?;
                        }
                    },
                )?;
            }
            let mut arrived = 0;
            for reader in readers {
                arrived += reader.join().map_err(|_| "a reader broke")??;
            }
            Ok(arrived)
        })
    }

    /// Lets clients work at once, each on a connection of its own, and adds up what they did. They are told when all
    /// were connected.
    fn each(
        &self,
        clients: u64,
        all_connected: impl FnOnce() -> Outcome<()>,
        work: impl AsyncFn(&mut GoClient, Instant, u64) -> Outcome<u64>,
    ) -> Outcome<u64> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let mut connected = Vec::new();
            for _ in 0..clients {
                connected.push(GoClient::connect(&self.target).await?);
            }
            all_connected()?;
            let begin = Instant::now();
            let numbered = connected.iter_mut().zip(0..);
            let mut working: FuturesUnordered<_> =
                numbered.map(|(client, which)| work(client, begin, which)).collect();
            let mut done = 0;
            while let Some(ended) = working.next().await {
                done += ended?;
            }
            Ok(done)
        })
    }
}

/// Which list is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Which {
    /// The pods that are created, read and listed.
    All,
    /// The fewer pods.
    Fewer,
}

/// Client that lists on a kept connection.
pub(crate) struct Lister(Waiting);

impl Lister {
    /// Lists pods, of which there must be so many at least.
    pub(crate) fn list(&mut self, which: Which, accept: &str, count: u64) -> Outcome<Listed> {
        let listed = self.0.get(if which == Which::All { PODS } else { FEWER }, accept)?;
        if (listed.length as u64) < count * 200 {
            return Err(format!("a list of {} bytes", listed.length).into());
        }
        Ok(listed)
    }
}

/// Reads so many events with each of some watchers. Says when all of them watch. Returns how many arrived; all
/// of them must.
fn follow(target: &Target, path: &str, watchers: usize, changes: u64, begun: Sender<()>) -> Outcome<u64> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut watches = Vec::with_capacity(watchers);
        for _ in 0..watchers {
            // A connection lives only as long as its client.
            let mut client = GoClient::connect(target).await?;
            watches.push((client.watch(path).await?, client));
        }
        begun.send(())?;
        drop(begun);
        let watches: Vec<_> = watches
            .into_iter()
            .map(|(mut watch, client)| {
                tokio::spawn(async move {
                    let mut seen = 0;
                    while seen < changes {
                        seen += watch.events().await?;
                    }
                    drop(client);
                    Outcome::Ok(seen)
                })
            })
            .collect();
        let mut arrived = 0;
        let all = async {
            for watch in watches {
                arrived += watch.await??;
            }
            Outcome::Ok(())
        };
        tokio::time::timeout(PATIENCE, all).await??;
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

/// Sets a label of a pod.
async fn label(client: &mut GoClient, number: u64, value: &str) -> Outcome<()> {
    let patch = format!(r#"{{"metadata":{{"labels":{{"round":"{value}"}}}}}}"#);
    client.expect(Method::PATCH, &format!("{PODS}/{}", name(number)), patch, 200).await.map(drop)
}

/// Returns the name of a pod.
pub(crate) fn name(number: u64) -> String {
    format!("web-7d4b9c6f5d-{number:06}")
}

/// Returns a pod as a deployment makes it.
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
