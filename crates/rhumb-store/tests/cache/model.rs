//! Random writes, lists and watches, compared with a model that keeps every state there ever was. The stores that this
//! is done with are chosen elsewhere.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;

use rhumb_store::cache::{
    At, Bookmarks, Cache, CacheError, Config, InitialEnd, ListOptions, Selection, WatchEvent, WatchFrom,
    WatchOptions, Watcher,
};
use rhumb_store::{Revision, Store};

use crate::things::*;

/// The names and values at one revision, each with the revision of its last change.
pub(crate) type Contents = BTreeMap<String, (String, Revision)>;

const COLOURS: [&str; 5] = ["", "red", "blue", "red,blue", "green"];

/// The same numbers in every run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits are few") % sides
    }

    /// A revision up to so many before another, and not before the first.
    fn before(&mut self, revision: Revision, most: usize) -> Revision {
        let back = u64::try_from(self.roll(most)).expect("64 bits are enough");
        Revision(revision.0.saturating_sub(back).max(1)).min(revision)
    }
}

/// What a watcher or a list is to see of the contents.
#[derive(Clone, Copy, Debug)]
enum Wanted {
    All,
    Namespace(&'static str),
    Indexed(&'static str),
    Looked(&'static str),
}

impl Wanted {
    fn any(dice: &mut Dice) -> Self {
        match dice.roll(5) {
            0 | 1 => Wanted::All,
            2 => Wanted::Namespace("b/"),
            3 => Wanted::Indexed("red"),
            _ => Wanted::Looked("blue"),
        }
    }

    fn selection(self) -> Selection<Thing> {
        match self {
            Wanted::All => Selection::default(),
            Wanted::Namespace(prefix) => Selection { prefix: key(prefix), ..Selection::default() },
            Wanted::Indexed(colour) => coloured(colour),
            Wanted::Looked(colour) => looking(colour),
        }
    }

    fn of(self, contents: &Contents) -> Contents {
        let wanted = |name: &str, value: &str| match self {
            Wanted::All => true,
            Wanted::Namespace(prefix) => name.starts_with(prefix),
            Wanted::Indexed(colour) | Wanted::Looked(colour) => value.split(',').any(|one| one == colour),
        };
        contents
            .iter()
            .filter(|(name, (value, _))| wanted(name, value))
            .map(|(k, v)| (k.clone(), v.clone()))
            .collect()
    }
}

/// Every state there was, by the revision since which it was so.
pub(crate) struct Model {
    states: BTreeMap<Revision, Contents>,
}

impl Model {
    /// Nothing was written yet.
    pub(crate) fn new() -> Self {
        Model { states: BTreeMap::from([(Revision::ZERO, Contents::new())]) }
    }

    pub(crate) fn at(&self, at: Revision) -> &Contents {
        self.states.range(..=at).next_back().expect("the beginning is there").1
    }

    pub(crate) fn newest(&self) -> Revision {
        *self.states.last_key_value().expect("the beginning is there").0
    }

    pub(crate) async fn write(&mut self, store: &dyn Store, dice: &mut Dice) {
        let mut contents = self.at(self.newest()).clone();
        let mut changes: BTreeMap<String, Option<&str>> = BTreeMap::new();
        for _ in 0..=dice.roll(6) / 3 {
            let name = format!("{}/{:02}", ["a", "b", "c"][dice.roll(3)], dice.roll(20));
            changes.insert(name, (dice.roll(3) > 0).then(|| COLOURS[dice.roll(5)]));
        }
        changes.retain(|name, value| value.is_some() || contents.contains_key(name));
        if changes.is_empty() {
            return;
        }
        let list: Vec<_> = changes.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let revision = write(store, &list).await;
        for (name, value) in changes {
            match value {
                Some(value) => drop(contents.insert(name, (value.to_owned(), revision))),
                None => drop(contents.remove(&name)),
            }
        }
        assert!(revision > self.newest());
        self.states.insert(revision, contents);
    }
}

/// A watcher, and what it has put together from its events.
struct Follower {
    watcher: Watcher<Things>,
    wanted: Wanted,
    contents: Contents,
    initial: bool,
    last: Revision,
}

impl Follower {
    /// Begins to watch in one of the ways there are.
    async fn start(cache: &Cache<Things>, wanted: Wanted, dice: &mut Dice) -> Self {
        let selection = wanted.selection();
        let bookmarks = Bookmarks::Wanted;
        if dice.roll(2) == 0 {
            let from = WatchFrom::Initial(InitialEnd::Marked);
            let watcher = watch(cache, WatchOptions { from, selection, bookmarks });
            let (contents, last) = (Contents::new(), Revision::ZERO);
            return Follower { watcher, wanted, contents, initial: true, last };
        }
        let options = ListOptions { at: At::Any, selection: selection.clone(), ..ListOptions::default() };
        let listing = cache.list(&options, pending()).await.expect("any list is there");
        let from = WatchFrom::After(listing.revision);
        let watcher = watch(cache, WatchOptions { from, selection, bookmarks });
        Follower {
            watcher,
            wanted,
            contents: contents(listing.items),
            initial: false,
            last: listing.revision,
        }
    }

    /// Takes at most so many events in. Gives how many bookmarks there were; `None` if the watcher was cut off.
    async fn follow(&mut self, model: &Model, most: usize) -> Option<usize> {
        let mut bookmarks = 0;
        for _ in 0..most {
            let Some(event) = at_once(self.watcher.next()).await else { break };
            let event = match event {
                Ok(event) => event,
                Err(CacheError::Expired { .. }) => return None,
                Err(error) => panic!("{error:?}"),
            };
            if let Some(object) = event.object().filter(|_| !self.initial) {
                assert!(object.revision() >= self.last, "no event is older than the one before");
                self.last = object.revision();
            }
            let old = event.object().and_then(|object| self.contents.remove(&name(object.key())));
            match event {
                WatchEvent::Added(object) => {
                    assert_eq!(old, None, "{:?} was there", object.key());
                    self.contents.extend(contents([object].into_iter()));
                }
                WatchEvent::Modified(object) => {
                    assert!(old.is_some_and(|old| old.1 < object.revision()), "{:?}", object.key());
                    self.contents.extend(contents([object].into_iter()));
                }
                WatchEvent::Deleted(object) => {
                    let (value, since) = old.expect("what goes was there");
                    assert_eq!(value.as_bytes(), object.value().as_ref());
                    assert!(since < object.revision());
                }
                WatchEvent::Bookmark(bookmark) => {
                    assert!(bookmark.revision >= self.last);
                    assert_eq!(bookmark.ends_initial, self.initial);
                    assert_eq!(self.contents, self.wanted.of(model.at(bookmark.revision)));
                    self.initial = false;
                    self.last = bookmark.revision;
                    bookmarks += 1;
                }
            }
        }
        Some(bookmarks)
    }
}

pub(crate) fn contents(objects: impl Iterator<Item = Arc<rhumb_store::cache::Cached<Thing>>>) -> Contents {
    let value = |value: &[u8]| String::from_utf8(value.to_vec()).expect("values are text");
    objects.map(|object| (name(object.key()), (value(object.value()), object.revision()))).collect()
}

/// Lists in parts of some size, at some revision, and compares.
async fn compare_list(cache: &Cache<Things>, model: &Model, oldest: Revision, dice: &mut Dice) {
    let wanted = Wanted::any(dice);
    let seen = cache.revision().expect("it is filled");
    let at = match dice.roll(3) {
        0 => At::Any,
        1 => At::NotOlderThan(seen),
        _ => At::Exact(dice.before(seen, 30)),
    };
    let mut options =
        ListOptions { at, selection: wanted.selection(), limit: dice.roll(9), ..ListOptions::default() };
    let mut all = Contents::new();
    loop {
        let part = match cache.list(&options, pending()).await {
            Ok(part) => part,
            Err(CacheError::Expired { requested, .. }) => {
                assert!(requested < oldest, "{requested} is still there");
                return;
            }
            Err(error) => panic!("{error:?}"),
        };
        let objects: Vec<_> = part.items.collect();
        assert!(options.limit == 0 || objects.len() <= options.limit);
        assert!(objects.is_sorted_by(|one, other| one.key() < other.key()));
        let expected = wanted.of(model.at(part.revision));
        all.extend(contents(objects.into_iter()));
        if let Some(remaining) = part.remaining {
            assert_eq!(all.len() + remaining, expected.len());
        }
        let Some(next) = part.next else {
            assert_eq!(all, expected, "{wanted:?} {at:?}");
            return;
        };
        options = ListOptions { at: At::Exact(part.revision), start: next, ..options };
    }
}

/// What a run came across.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) bookmarks: usize,
    pub(crate) cut: usize,
}

/// One run. `meddle` may hold back and break the watches of the store.
pub(crate) async fn run(store: Arc<dyn Store>, seed: u64, meddle: impl Fn(&mut Dice)) -> Tally {
    let mut dice = Dice(seed);
    let mut tally = Tally::default();
    let mut model = Model::new();
    model.write(&*store, &mut dice).await;
    let config = Config { log_changes: 20, recent_snapshots: 10, parted_snapshots: 4, ..config() };
    let cache = filled(Arc::clone(&store), config).await;
    let mut followers = Vec::new();
    let mut oldest = Revision::ZERO;
    for _ in 0..400 {
        match dice.roll(12) {
            0..5 => model.write(&*store, &mut dice).await,
            5 | 6 => compare_list(&cache, &model, oldest, &mut dice).await,
            7 if followers.len() < 12 => {
                let wanted = Wanted::any(&mut dice);
                followers.push(Follower::start(&cache, wanted, &mut dice).await);
            }
            8 => cache.tick(),
            9 => meddle(&mut dice),
            10 if dice.roll(4) == 0 => {
                oldest = dice.before(model.newest(), 5).max(oldest);
                store.compact(oldest).await.expect("it compacts");
            }
            _ => {}
        }
        for follower in &mut followers {
            let most = [0, 0, 1, 5, 50][dice.roll(5)];
            match follower.follow(&model, most).await {
                Some(bookmarks) => tally.bookmarks += bookmarks,
                None => {
                    tally.cut += 1;
                    let wanted = Wanted::any(&mut dice);
                    *follower = Follower::start(&cache, wanted, &mut dice).await;
                }
            }
        }
        tokio::task::yield_now().await;
    }
    tally
}
