//! Informers on a line that is cut, held up and garbled, to a server that is killed and restarted with other
//! tokens.
//!
//! Every round something goes wrong while ConfigMaps change. Then all is well again, and each informer must
//! have what the server has, and must have told its handler a story without holes. `RHUMB_FAULT_ROUNDS` says
//! how many rounds, `RHUMB_SEED` repeats those of a seed that was printed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rhumb_api::core::v1::ConfigMap;
use rhumb_client::config::Auth;
use rhumb_client::informer::{InitialList, ListerWatcher, Report, SharedInformer};
use rhumb_client::{Api, Client, Config, Error};
use rhumb_meta::v1::{CreateOptions, DeleteOptions, ListOptions, UpdateOptions};
use rhumb_meta::{GroupVersionResource, Object};
use tokio::time::Instant;

use crate::bad_line::BadLine;
use crate::server::{Server, Storage};
use crate::told::{Told, revision};

const ROUNDS: &str = "RHUMB_FAULT_ROUNDS";
const SEED: &str = "RHUMB_SEED";
/// How long everything may take to be well again.
const PATIENCE: Duration = Duration::from_secs(60);

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().and_then(|text| text.parse().ok())
}

/// The files of the token that is good, and of the one that clients have.
struct Tokens {
    directory: PathBuf,
    server: String,
}

impl Tokens {
    fn new() -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("tokens-{}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory of our own");
        let server = directory.join("tokens.csv").to_str().expect("a path in UTF-8").to_owned();
        let tokens = Tokens { directory, server };
        tokens.change_servers("first");
        tokens.change_clients("first");
        tokens
    }

    fn server(&self) -> &str {
        &self.server
    }

    fn client(&self) -> PathBuf {
        self.directory.join("token")
    }

    fn change_servers(&self, token: &str) {
        std::fs::write(&self.server, format!("{token},admin,admin,system:masters\n"))
            .expect("a file of tokens");
    }

    fn change_clients(&self, token: &str) {
        std::fs::write(self.client(), token).expect("a token");
    }
}

impl Drop for Tokens {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// One who follows, of any type.
trait Follower {
    fn store(&self) -> BTreeMap<String, String>;
    fn told(&self) -> BTreeMap<String, String>;
    fn faults(&self) -> Vec<String>;
}

struct Following<K: Object> {
    informer: SharedInformer<K>,
    told: Told<K>,
}

impl<K: Object> Follower for Following<K> {
    fn store(&self) -> BTreeMap<String, String> {
        self.informer.indexer().list().iter().map(|object| revision(&**object)).collect()
    }
    fn told(&self) -> BTreeMap<String, String> {
        self.told.revisions()
    }
    fn faults(&self) -> Vec<String> {
        self.told.faults()
    }
}

/// How often what went wrong, so that a run shows that it did.
type Trouble = Arc<Mutex<BTreeMap<&'static str, u32>>>;

fn name(report: &Report<'_>) -> &'static str {
    let error = match report {
        Report::List(error) | Report::Watch(error) => error,
        _ => return "short watches",
    };
    match error {
        Error::Status(_) if error.is_unauthorized() => "unauthorized",
        Error::Status(_) if error.is_resource_expired() => "expired revisions",
        Error::Status(_) => "other refusals",
        Error::Connection(_) | Error::Timeout(_) => "broken connections",
        _ => "garbage",
    }
}

fn follow<K: Object>(
    source: impl ListerWatcher<K>,
    initial: InitialList,
    seed: u64,
    trouble: &Trouble,
) -> Following<K> {
    let trouble = trouble.clone();
    let informer = SharedInformer::builder(source)
        .initial_list(initial)
        .seed(seed)
        .on_report(move |report| {
            *trouble.lock().expect("nobody panics").entry(name(&report)).or_default() += 1
        })
        .reflector(|options| {
            options.page_size = 7;
            options.list_timeout = Duration::from_secs(10);
            options.open_timeout = Duration::from_secs(10);
            options.backoff.first = Duration::from_millis(5);
            options.backoff.longest = Duration::from_millis(80);
        })
        .build();
    let told = Told::new();
    informer.add_handler(told.clone()).expect("it has not ended");
    informer.start();
    Following { informer, told }
}

/// Creates, changes and deletes some ConfigMaps.
async fn write(maps: &Api<ConfigMap>, chance: &mut fastrand::Rng) {
    for _ in 0..chance.u8(0..6) {
        let name = format!("map-{}", chance.u8(0..20));
        let mut map = ConfigMap::default();
        map.metadata.name.clone_from(&name);
        map.data.insert("value".to_owned(), chance.u64(..).to_string());
        let there = maps.find(&name).await.expect("the server answers");
        match there {
            None => drop(maps.create(&map, &CreateOptions::default()).await.expect("created")),
            Some(_) if chance.u8(0..3) == 0 => {
                drop(maps.delete(&name, &DeleteOptions::default()).await.expect("deleted"));
            }
            Some(old) => {
                map.metadata = old.metadata;
                drop(maps.update(&map, &UpdateOptions::default()).await.expect("updated"));
            }
        }
        if chance.bool() {
            tokio::time::sleep(Duration::from_millis(chance.u64(0..10))).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_copy_equals_the_server_in_the_end_whatever_happened() {
    let seed = number(SEED).unwrap_or_else(|| fastrand::u64(..));
    let rounds = number(ROUNDS).unwrap_or(40);
    println!("{SEED}={seed} {ROUNDS}={rounds}");
    let mut chance = fastrand::Rng::with_seed(seed);
    let tokens = Tokens::new();
    let mut server = Server::start_with(Storage::OnDisk, &["--token-auth-file", tokens.server()]);
    let line = BadLine::to(&server).await;
    let mut config = Config::new(line.url().parse().expect("an address"));
    config.auth = Auth::TokenFile(tokens.client());
    let client = Client::new(config).expect("a client");
    let gvr = GroupVersionResource::new("", "v1", "configmaps");
    let typed = || client.resource::<ConfigMap>();
    let trouble = Trouble::default();
    let followers: Vec<Box<dyn Follower>> = vec![
        Box::new(follow(typed(), InitialList::Stream, seed, &trouble)),
        Box::new(follow(typed(), InitialList::Pages, seed.wrapping_add(1), &trouble)),
        Box::new(follow(client.dynamic(&gvr), InitialList::Stream, seed.wrapping_add(2), &trouble)),
        Box::new(follow(
            client.metadata(&gvr).namespace("default"),
            InitialList::Pages,
            seed.wrapping_add(3),
            &trouble,
        )),
    ];
    let maps = server.client().resource::<ConfigMap>().namespace("default");
    for round in 0..rounds {
        let story = match chance.u8(0..10) {
            0 | 1 => {
                line.cut();
                write(&maps, &mut chance).await;
                "cut"
            }
            2 | 3 => {
                line.garble();
                write(&maps, &mut chance).await;
                "garbled"
            }
            4 => {
                line.garble();
                line.cut();
                write(&maps, &mut chance).await;
                line.garble();
                write(&maps, &mut chance).await;
                "cut and garbled"
            }
            5 => {
                line.refuse();
                write(&maps, &mut chance).await;
                tokio::time::sleep(Duration::from_millis(chance.u64(0..200))).await;
                "refused"
            }
            6 | 7 => {
                line.delay(Duration::from_millis(chance.u64(1..100)));
                if chance.bool() {
                    line.cut();
                }
                write(&maps, &mut chance).await;
                "held up"
            }
            8 => {
                server.kill();
                server.restart();
                "killed"
            }
            _ => {
                // The token that everyone has is no longer good, and the new one comes late.
                server.kill();
                let token = chance.u64(..).to_string();
                tokens.change_servers(&token);
                server.restart();
                write(&maps, &mut chance).await;
                tokio::time::sleep(Duration::from_millis(chance.u64(0..2500))).await;
                tokens.change_clients(&token);
                "expired"
            }
        };
        line.clear_up();
        write(&maps, &mut chance).await;
        settle(&maps, &followers, &format!("{SEED}={seed}, round {round}, {story}")).await;
    }
    println!("{:?}", trouble.lock().expect("nobody panics"));
}

/// Waits until everyone has what the server has.
async fn settle(maps: &Api<ConfigMap>, followers: &[Box<dyn Follower>], story: &str) {
    let listed = maps.list(&ListOptions::default()).await.expect("the server answers");
    let expected: BTreeMap<String, String> = listed.items.iter().map(revision).collect();
    let here = |map: BTreeMap<String, String>| -> BTreeMap<String, String> {
        map.into_iter().filter(|(key, _)| key.starts_with("default/")).collect()
    };
    let begun = Instant::now();
    for (number, follower) in followers.iter().enumerate() {
        while here(follower.store()) != expected || here(follower.told()) != expected {
            assert!(
                begun.elapsed() < PATIENCE,
                "{story}: follower {number} has {:?}, told {:?}, the server {expected:?}",
                here(follower.store()),
                here(follower.told()),
            );
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        assert_eq!(follower.faults(), [""; 0], "{story}: follower {number}");
    }
}
