//! Disks that fail.
//!
//! The disk under the store counts its calls, and one of them fails: a sync that is not one, a write of which only
//! half arrives, or no more room. It works again after that, which is the worst it can do: a store that went on would
//! pretend. Then the power is lost, and any part of what was not synced may have arrived.

mod scratch;
mod suite;

use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use redb::StorageBackend;
use rhumb_store::{Embedded, Options, Outcome, Store, StoreError, Transaction};
use scratch::Scratch;
use suite::{Random, bytes, get, put, text};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Sync,
    ShortWrite,
    Full,
}

#[derive(Debug)]
enum Step {
    Write(u64, Vec<u8>),
    Length(u64),
}

impl Step {
    fn apply(&self, image: &mut Vec<u8>) {
        match self {
            Step::Length(length) => image.resize(usize::try_from(*length).expect("a length"), 0),
            Step::Write(place, data) => {
                let place = usize::try_from(*place).expect("a place");
                let end = place + data.len();
                image.resize(image.len().max(end), 0);
                image[place..end].copy_from_slice(data);
            }
        }
    }
}

#[derive(Debug, Default)]
struct Platter {
    /// What is read.
    now: Vec<u8>,
    /// What survives for sure.
    synced: Vec<u8>,
    /// What may survive.
    since: Vec<Step>,
    /// What fails, after how many calls of its kind.
    fault: Option<(Fault, u64)>,
}

impl Platter {
    /// Whether this call is the one.
    fn fails(&mut self, kind: Fault) -> bool {
        match &mut self.fault {
            Some((fault, 0)) if *fault == kind => {
                self.fault = None;
                true
            }
            Some((fault, left)) if *fault == kind => {
                *left -= 1;
                false
            }
            _ => false,
        }
    }

    fn step(&mut self, step: Step) {
        step.apply(&mut self.now);
        self.since.push(step);
    }
}

#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<Platter>>);

impl Disk {
    fn of(image: &[u8]) -> Self {
        let platter = Platter { now: image.to_vec(), synced: image.to_vec(), ..Platter::default() };
        Disk(Arc::new(Mutex::new(platter)))
    }

    fn platter(&self) -> MutexGuard<'_, Platter> {
        self.0.lock().expect("the disk")
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.platter().now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let end = offset.checked_add(out.len()).ok_or(io::ErrorKind::InvalidInput)?;
        out.copy_from_slice(self.platter().now.get(offset..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut platter = self.platter();
        if platter.fails(Fault::Full) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        platter.step(Step::Length(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut platter = self.platter();
        if platter.fails(Fault::Sync) {
            return Err(io::Error::other("the sync failed"));
        }
        platter.synced = platter.now.clone();
        platter.since.clear();
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut platter = self.platter();
        if platter.fails(Fault::Full) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        if platter.fails(Fault::ShortWrite) {
            platter.step(Step::Write(offset, data[..data.len() / 2].to_vec()));
            return Err(io::Error::other("half of it was written"));
        }
        platter.step(Step::Write(offset, data.to_vec()));
        Ok(())
    }
}

/// The n-th transaction: two keys that belong together.
fn pair(number: u64) -> Transaction {
    let value = || bytes(format!("{number}:{}", "x".repeat(500)));
    let key = number % 5;
    Transaction::default().put(bytes(format!("/a/{key}")), value(), None).put(
        bytes(format!("/b/{key}")),
        value(),
        None,
    )
}

/// The last number that was written: of the five keys, the highest.
async fn reached(store: &dyn Store) -> Option<u64> {
    let mut last = None;
    for key in 0..5 {
        let [a, b] = [get(store, &format!("/a/{key}")).await, get(store, &format!("/b/{key}")).await]
            .map(|entry| entry.map(|entry| text(&entry.value).split(':').next().expect("a part").to_owned()));
        assert_eq!(a, b, "half a transaction");
        last = last.max(a.map(|number| number.parse().expect("a number")));
    }
    last
}

/// What a disk may hold after a loss of power.
fn images(platter: &Platter, random: &mut Random) -> Vec<Vec<u8>> {
    let mut images = vec![platter.synced.clone(), platter.now.clone()];
    for _ in 0..2 {
        let mut image = platter.synced.clone();
        for step in &platter.since {
            if random.below(2) == 0 {
                step.apply(&mut image);
            }
        }
        images.push(image);
    }
    images
}

/// Runs until the fault strikes. Gives whether it did.
async fn run(fault: Fault, after: u64, random: &mut Random) -> bool {
    let disk = Disk::default();
    // A disk that fails before there is a store is another matter: nothing was promised yet.
    drop(Embedded::open_on(disk.clone(), Options::default()).expect("an empty store"));
    disk.platter().fault = Some((fault, after));
    let store = match Embedded::open_on(disk.clone(), Options::default()) {
        Ok(store) => store,
        Err(StoreError::Failed(_) | StoreError::Corrupt(_)) => return true,
        Err(error) => panic!("{error:?}"),
    };
    let mut answered = None;
    for number in 0..40 {
        match store.commit(pair(number)).await {
            Ok(Outcome::Committed(_)) => answered = Some(number),
            Err(StoreError::Failed(_)) => break,
            other => panic!("{other:?}"),
        }
        if number % 10 == 9 {
            // Compaction fails the same way.
            drop(store.compact(store.revision().await.expect("a revision")).await);
        }
    }
    let struck = disk.platter().fault.is_none();
    if struck && answered != Some(39) {
        for _ in 0..3 {
            assert!(matches!(store.commit(pair(100)).await, Err(StoreError::Failed(_))), "{fault:?} {after}");
        }
        assert!(matches!(
            store.compact(store.revision().await.expect("a revision")).await,
            Err(StoreError::Failed(_))
        ));
        assert!(matches!(store.grant(std::time::Duration::from_secs(1)).await, Err(StoreError::Failed(_))));
    }
    assert_eq!(reached(&store).await, answered, "reads go on");
    let newest = store.revision().await.expect("a revision");
    let unlucky = images(&disk.platter(), random);
    drop(store);
    for (which, image) in unlucky.iter().enumerate() {
        let store = Embedded::open_on(Disk::of(image), Options::default())
            .unwrap_or_else(|error| panic!("{fault:?} after {after}, image {which}: {error}"));
        let kept = reached(&store).await;
        let next = Some(answered.map_or(0, |number| number + 1));
        assert!(
            kept == answered || kept == next,
            "{fault:?} after {after}: {answered:?} answered, {kept:?} kept"
        );
        assert!(store.revision().await.expect("a revision") >= newest);
        put(&store, "/more", "1").await;
    }
    struck
}

async fn strike_everywhere(fault: Fault) {
    let mut random = Random(7);
    let mut struck = 0;
    for after in 0..60 {
        struck += u64::from(run(fault, after, &mut random).await);
    }
    assert!(struck > 30, "{fault:?} struck {struck} times only");
}

#[tokio::test]
async fn a_failed_sync_ends_writing() {
    strike_everywhere(Fault::Sync).await;
}

#[tokio::test]
async fn a_short_write_ends_writing() {
    strike_everywhere(Fault::ShortWrite).await;
}

#[tokio::test]
async fn a_full_disk_ends_writing() {
    strike_everywhere(Fault::Full).await;
}

#[tokio::test]
async fn a_flipped_bit_is_never_read_as_something_else() {
    let scratch = Scratch::new();
    let store = Embedded::open(&scratch.path, Options::default()).expect("a store");
    for number in 0..30 {
        put(&store, &format!("/{number}"), &format!("{number}:{}", "x".repeat(300))).await;
    }
    let expected = store.range(rhumb_store::Range::all(bytes("/"))).await.expect("a page");
    store.close().expect("an orderly end");
    drop(store);
    let (file, lock) = (scratch.at("store.redb"), scratch.at("lock"));
    let (whole, note) = (std::fs::read(&file).expect("the file"), std::fs::read(&lock).expect("the note"));
    // Most of the file is empty; what is not is of interest.
    let places: Vec<usize> = (0..whole.len()).filter(|place| whole[*place] != 0).collect();
    let mut random = Random(11);
    let mut noticed = 0;
    for round in 0..400 {
        let place = match round {
            0..64 => round,
            _ => places[usize::try_from(random.below(places.len() as u64)).expect("a place")],
        };
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << random.below(8);
        std::fs::write(&file, damaged).expect("a damaged file");
        std::fs::write(&lock, &note).expect("the note");
        match Embedded::open(&scratch.path, Options::default()) {
            Ok(store) => {
                let page = store.range(rhumb_store::Range::all(bytes("/"))).await.expect("a page");
                assert_eq!(page, expected, "bit flipped at {place}");
            }
            Err(StoreError::Corrupt(why)) => {
                assert!(why.contains("restore a snapshot"), "{why}");
                noticed += 1;
            }
            Err(error) => panic!("{place}: {error:?}"),
        }
    }
    // Much of the file is pages of earlier commits, in which a flipped bit does no harm.
    assert!(noticed > 40, "only {noticed} were noticed");
}
