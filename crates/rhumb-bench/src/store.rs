//! `bench store`: the embedded engine beside etcd on the same disk.
//!
//! Both are asked through the same trait. An etcd is a process of its own behind gRPC, which is how it is used; the
//! embedded engine is called within the process, which is how that is used.

use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use rhumb_store::cache::{Cache, Config as CacheConfig, Decode, Indexed, ListOptions, WatchOptions};
use rhumb_store::etcd::{Config, Etcd};
use rhumb_store::{Embedded, Key, Options, Range, Revision, Store, Transaction, Watched};
use tokio::task::JoinSet;

/// Duration of each measurement.
const ROUND: Duration = Duration::from_secs(3);
/// Size of a value.
const VALUE: usize = 1024;
/// Number of objects in a list, and when memory is measured.
const LISTED: usize = 100_000;
/// Number of watchers.
const WATCHERS: usize = 1_000;
/// Number of changes that they see.
const CHANGES: usize = 200;
/// Number of objects at the start.
const KEPT: usize = 1_000_000;
/// Objects per transaction when filling a store; etcd takes 128 changes.
const AT_ONCE: usize = 100;

type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// Measures everything; with `--quick` the start with a tenth of the objects.
pub(crate) fn run(words: &[String]) -> Result<(), Box<dyn Error>> {
    let kept = if words.iter().any(|word| word == "--quick") { KEPT / 10 } else { KEPT };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(all(kept)).map_err(|error| error as Box<dyn Error>)
}

async fn all(kept: usize) -> Outcome<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench-store");
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    std::fs::create_dir_all(&folder)?;
    let etcd = find_etcd()?;
    println!("{:<44} {:>14} {:>14} {:>8}", "", "rhumb", "etcd", "ratio");
    // First, because it looks at how the memory of this process grows.
    objects(&etcd, &folder).await?;
    for (durable, what) in [(true, "durable"), (false, "not synced")] {
        let ours: Arc<dyn Store> = Arc::new(match durable {
            true => Embedded::open(folder.join("writes"), Options::default())?,
            false => Embedded::in_memory(Options::default())?,
        });
        let server = Server::start(&etcd, &folder.join(what), durable)?;
        let theirs: Arc<dyn Store> = Arc::new(server.connect().await?);
        for writers in [1, 16, 256] {
            let (ours, theirs) = (writes(&ours, writers).await?, writes(&theirs, writers).await?);
            row(&format!("writes/s, {what}, {writers} writers"), ours, theirs, ours / theirs);
        }
        if durable {
            let (ours, theirs) = (reads(&ours).await?, reads(&theirs).await?);
            row("reads/s, 16 readers", ours, theirs, ours / theirs);
        }
    }
    start(&etcd, &folder, kept).await?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

/// Returns a list of many objects, watchers and memory, with the cache above our store.
async fn objects(etcd: &Path, folder: &Path) -> Outcome<()> {
    let before = resident("self")?;
    let ours: Arc<dyn Store> = Arc::new(Embedded::open(folder.join("objects"), Options::default())?);
    fill(&ours, LISTED).await?;
    let (cache, mut driver) = Cache::new(ours.clone(), Whole, CacheConfig::new(prefix()));
    let follow = tokio::spawn(async move { driver.run().await });
    let newest = ours.revision().await?;
    cache.wait_until(newest, tokio::time::sleep(Duration::from_secs(60))).await?;
    let our_memory = resident("self")?.saturating_sub(before) as f64 / LISTED as f64;

    let server = Server::start(etcd, &folder.join("objects-etcd"), true)?;
    let empty = resident(&server.child.id().to_string())?;
    let theirs: Arc<dyn Store> = Arc::new(server.connect().await?);
    fill(&theirs, LISTED).await?;
    let their_memory = resident(&server.child.id().to_string())?.saturating_sub(empty) as f64 / LISTED as f64;

    let begin = Instant::now();
    let listing = cache.list(&ListOptions::default(), tokio::time::sleep(ROUND)).await?;
    let bytes: usize = listing.items.map(|object| object.value().len()).sum();
    let our_list = begin.elapsed().as_secs_f64() * 1e3;
    let begin = Instant::now();
    let page = theirs.range(Range::all(prefix())).await?;
    let their_list = begin.elapsed().as_secs_f64() * 1e3;
    if (page.entries.len(), bytes) != (LISTED, LISTED * VALUE) {
        return Err(format!("the lists have {} entries and {bytes} bytes", page.entries.len()).into());
    }
    row(&format!("ms to list {LISTED} objects"), our_list, their_list, their_list / our_list);

    let mut watchers = JoinSet::new();
    for _ in 0..WATCHERS {
        let mut watcher = cache.watch(WatchOptions::default())?;
        watchers.spawn(async move {
            for _ in 0..CHANGES {
                watcher.next().await.ok()?;
            }
            Some(())
        });
    }
    let ours = fan_out(&ours, watchers).await?;
    let from = theirs.revision().await?.next();
    let mut watchers = JoinSet::new();
    for _ in 0..WATCHERS {
        let mut watch = theirs.watch(prefix(), from).await?;
        watchers.spawn(async move {
            let mut seen = 0;
            while seen < CHANGES {
                if let Watched::Events(events) = watch.next().await?.ok()? {
                    seen += events.len();
                }
            }
            Some(())
        });
    }
    let theirs = fan_out(&theirs, watchers).await?;
    row(&format!("events/s to {WATCHERS} watchers"), ours, theirs, ours / theirs);
    row(
        &format!("bytes in memory per {VALUE} byte object"),
        our_memory,
        their_memory,
        their_memory / our_memory,
    );
    follow.abort();
    Ok(())
}

/// Returns the time until a store with many objects answers.
async fn start(etcd: &Path, folder: &Path, kept: usize) -> Outcome<()> {
    let directory = folder.join("kept");
    let store: Arc<dyn Store> = Arc::new(Embedded::open(&directory, Options::default())?);
    fill(&store, kept).await?;
    drop(store);
    let begin = Instant::now();
    let store = Embedded::open(&directory, Options::default())?;
    let ours = begin.elapsed().as_secs_f64() * 1e3;
    if store.len() != kept {
        return Err(format!("{} of {kept} objects came back", store.len()).into());
    }
    drop(store);
    let mut server = Server::start(etcd, &folder.join("kept-etcd"), true)?;
    let store: Arc<dyn Store> = Arc::new(server.connect().await?);
    fill(&store, kept).await?;
    drop(store);
    server.stop();
    let begin = Instant::now();
    let server = Server::start(etcd, &folder.join("kept-etcd"), true)?;
    server.connect().await?.revision().await?;
    let theirs = begin.elapsed().as_secs_f64() * 1e3;
    row(&format!("ms to start with {kept} objects"), ours, theirs, theirs / ours);
    Ok(())
}

fn row(name: &str, ours: f64, theirs: f64, ratio: f64) {
    println!("{name:<44} {ours:>14.0} {theirs:>14.0} {ratio:>6.1} x");
}

fn prefix() -> Key {
    Bytes::from_static(b"/registry/things/")
}

fn key(number: u64) -> Key {
    format!("/registry/things/default/thing-{number:08}").into()
}

/// Creates objects for a period.
async fn writes(store: &Arc<dyn Store>, writers: u64) -> Outcome<f64> {
    // Keys of different rounds must not meet.
    static ROUNDS: AtomicU64 = AtomicU64::new(1);
    let round = ROUNDS.fetch_add(1, Ordering::Relaxed) << 40;
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for writer in 0..writers {
        let store = store.clone();
        tasks.spawn(async move {
            let mut written = 0u64;
            while begin.elapsed() < ROUND {
                let key = format!("/bench/{:016x}", round | writer << 24 | written);
                store.commit(Transaction::create(key.into(), Bytes::from(vec![7; VALUE]))).await?;
                written += 1;
            }
            Ok::<u64, rhumb_store::StoreError>(written)
        });
    }
    rate(tasks, begin).await
}

/// Reads one key as often as there is time for.
async fn reads(store: &Arc<dyn Store>) -> Outcome<f64> {
    store.commit(Transaction::create(key(0), Bytes::from(vec![7; VALUE]))).await?;
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for _ in 0..16 {
        let store = store.clone();
        tasks.spawn(async move {
            let mut read = 0u64;
            while begin.elapsed() < ROUND {
                store.get(key(0), None).await?;
                read += 1;
                // Our reads never wait, and a task that never waits lets no other one in.
                if read.is_multiple_of(64) {
                    tokio::task::yield_now().await;
                }
            }
            Ok::<u64, rhumb_store::StoreError>(read)
        });
    }
    rate(tasks, begin).await
}

async fn rate(mut tasks: JoinSet<Result<u64, rhumb_store::StoreError>>, begin: Instant) -> Outcome<f64> {
    let mut done = 0;
    while let Some(task) = tasks.join_next().await {
        done += task??;
    }
    Ok(done as f64 / begin.elapsed().as_secs_f64())
}

/// Puts so many objects into a store, many at once.
async fn fill(store: &Arc<dyn Store>, count: usize) -> Outcome<()> {
    let mut number = 0;
    while number < count {
        let end = (number + AT_ONCE).min(count);
        let put = |transaction: Transaction, number: usize| {
            transaction.put(key(number as u64), Bytes::from(vec![7; VALUE]), None)
        };
        store.commit((number..end).fold(Transaction::default(), put)).await?;
        number = end;
    }
    Ok(())
}

/// Changes objects, and waits until all watchers have seen every change.
async fn fan_out(store: &Arc<dyn Store>, mut watchers: JoinSet<Option<()>>) -> Outcome<f64> {
    let begin = Instant::now();
    for number in 0..CHANGES {
        let change = Transaction::default().put(key(number as u64), Bytes::from(vec![8; VALUE]), None);
        store.commit(change).await?;
    }
    while let Some(watcher) = watchers.join_next().await {
        watcher?.ok_or("a watcher was cut off")?;
    }
    Ok((CHANGES * WATCHERS) as f64 / begin.elapsed().as_secs_f64())
}

/// Returns the resident memory of a process.
fn resident(process: &str) -> Outcome<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kilobytes * 1024)
}

/// Objects that are their bytes.
struct Whole;

/// Cache entries without further data.
struct Object;

impl Decode for Whole {
    type Object = Object;

    fn decode(&self, _: &Key, _: &Bytes, _: Revision) -> Object {
        Object
    }
}

impl Indexed for Object {
    fn index_keys(&self, _: &str, _: &mut dyn FnMut(&str)) {}
}

/// Returns the etcd that the tests use too.
fn find_etcd() -> Outcome<PathBuf> {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/etcd");
    let named = std::env::var_os("RHUMB_ETCD").map(PathBuf::from);
    let candidates = named.into_iter().chain([PathBuf::from("etcd"), tools]);
    let works = |path: &PathBuf| Command::new(path).arg("--version").output().is_ok();
    candidates.into_iter().find(works).ok_or_else(|| "there is no etcd; run `cargo xtask setup`".into())
}

/// A running etcd.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(etcd: &Path, directory: &Path, durable: bool) -> Outcome<Server> {
        let free = || -> Outcome<u16> { Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?.port()) };
        let (port, peer) = (free()?, free()?);
        let (client, peer) = (format!("http://127.0.0.1:{port}"), format!("http://127.0.0.1:{peer}"));
        let mut command = Command::new(etcd);
        command.arg("--data-dir").arg(directory).args(["--log-level", "error"]);
        command.args(["--listen-client-urls", &client, "--advertise-client-urls", &client]);
        command.args(["--listen-peer-urls", &peer, "--initial-advertise-peer-urls", &peer]);
        command.args([
            "--initial-cluster",
            &format!("default={peer}"),
            "--quota-backend-bytes",
            "8589934592",
        ]);
        if !durable {
            command.arg("--unsafe-no-fsync");
        }
        Ok(Server { child: command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?, port })
    }

    /// Waits until it answers.
    async fn connect(&self) -> Outcome<Etcd> {
        let address = format!("http://127.0.0.1:{}", self.port);
        let begin = Instant::now();
        loop {
            match Etcd::connect(Config::new([address.clone()])).await {
                Ok(etcd) => return Ok(etcd),
                Err(error) if begin.elapsed() > Duration::from_secs(120) => return Err(error.into()),
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn stop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}
