//! Disks that fail.
//!
//! The disk under the store counts its calls, and one of them fails: a sync that is not one, a write of which only
//! half arrives, or no more room. It works again after that, which is the worst it can do: a store that went on would
//! pretend. Then the power is lost, and any part of what was not synced may have arrived.
//!
//! All of this is done without a journal, with one so small that it changes its halves all the time, and with one that
//! takes everything. The journal's files are on the same disk, so that any call may fail and any of them loses power.

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

#[derive(Clone, Debug)]
enum Step {
    Write(u64, Vec<u8>),
    Length(u64),
}

impl Step {
    /// The step in sectors, of which each may arrive without the others.
    fn torn(&self) -> Vec<Step> {
        match self {
            Step::Length(length) => vec![Step::Length(*length)],
            Step::Write(place, data) => {
                let sectors = (0..).step_by(512).zip(data.chunks(512));
                sectors.map(|(at, sector)| Step::Write(place + at, sector.to_vec())).collect()
            }
        }
    }

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

/// A file: what is read, what survives for sure, and what may survive.
#[derive(Clone, Debug, Default)]
struct Content {
    now: Vec<u8>,
    synced: Vec<u8>,
    since: Vec<Step>,
}

impl Content {
    fn of(image: &[u8]) -> Self {
        Content { now: image.to_vec(), synced: image.to_vec(), since: Vec::new() }
    }

    fn step(&mut self, step: Step) {
        step.apply(&mut self.now);
        self.since.push(step);
    }
}

/// The tables and the two halves of the journal.
const FILES: usize = 3;

/// What a disk holds, file by file.
type Image = [Vec<u8>; FILES];

#[derive(Debug, Default)]
struct Platter {
    files: [Content; FILES],
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
}

#[derive(Clone, Debug, Default)]
struct Disk(Arc<Mutex<Platter>>);

/// A file on the disk.
#[derive(Debug)]
struct OnDisk(Disk, usize);

impl Disk {
    fn of(image: &Image) -> Self {
        let files = std::array::from_fn(|file| Content::of(&image[file]));
        Disk(Arc::new(Mutex::new(Platter { files, fault: None })))
    }

    fn platter(&self) -> MutexGuard<'_, Platter> {
        self.0.lock().expect("the disk")
    }

    /// The store on it, with a journal of so many bytes or without one.
    fn open(&self, journal: usize) -> Result<Embedded, StoreError> {
        let options = Options { journal_bytes: journal, ..Options::default() };
        let file = |number| OnDisk(self.clone(), number);
        match journal {
            0 => Embedded::open_on(file(0), options),
            _ => Embedded::open_on_journal(file(0), [Box::new(file(1)), Box::new(file(2))], options),
        }
    }
}

impl StorageBackend for OnDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.platter().files[self.1].now.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let offset = usize::try_from(offset).map_err(io::Error::other)?;
        let end = offset.checked_add(out.len()).ok_or(io::ErrorKind::InvalidInput)?;
        let platter = self.0.platter();
        out.copy_from_slice(platter.files[self.1].now.get(offset..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut platter = self.0.platter();
        if platter.fails(Fault::Full) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        platter.files[self.1].step(Step::Length(len));
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut platter = self.0.platter();
        if platter.fails(Fault::Sync) {
            return Err(io::Error::other("the sync failed"));
        }
        let file = &mut platter.files[self.1];
        // Nearly all of it is as it was.
        file.synced.resize(file.now.len(), 0);
        for step in std::mem::take(&mut file.since) {
            step.apply(&mut file.synced);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut platter = self.0.platter();
        if platter.fails(Fault::Full) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let short = platter.fails(Fault::ShortWrite);
        let arrived = if short { &data[..data.len() / 2] } else { data };
        platter.files[self.1].step(Step::Write(offset, arrived.to_vec()));
        if short { Err(io::Error::other("half of it was written")) } else { Ok(()) }
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
fn images(platter: &Platter, random: &mut Random) -> Vec<Image> {
    let each = |what: &dyn Fn(&Content) -> Vec<u8>| std::array::from_fn(|file| what(&platter.files[file]));
    let mut images = vec![each(&|file| file.synced.clone()), each(&|file| file.now.clone())];
    for _ in 0..2 {
        let mut image = each(&|file| file.synced.clone());
        for (number, file) in platter.files.iter().enumerate() {
            // The tables are redb's, which counts on whole pages; the journal counts on sectors.
            let steps =
                file.since.iter().flat_map(|step| if number == 0 { vec![step.clone()] } else { step.torn() });
            for step in steps {
                if random.below(2) == 0 {
                    step.apply(&mut image[number]);
                }
            }
        }
        images.push(image);
    }
    images
}

/// Runs until the fault strikes. Gives whether it did.
async fn run(fault: Fault, after: u64, journal: usize, random: &mut Random) -> bool {
    let disk = Disk::default();
    // A disk that fails before there is a store is another matter: nothing was promised yet.
    drop(disk.open(journal).expect("an empty store"));
    disk.platter().fault = Some((fault, after));
    let store = match disk.open(journal) {
        Ok(store) => store,
        Err(StoreError::Failed(_) | StoreError::Corrupt(_)) => return true,
        Err(error) => panic!("{error:?}"),
    };
    let mut answered = None;
    let mut failed = false;
    for number in 0..2000 {
        // What strikes behind the journal is noticed a little later, because nothing is lost by it.
        if number >= 40 && (journal != SMALL || disk.platter().fault.is_some()) {
            break;
        }
        match store.commit(pair(number)).await {
            Ok(Outcome::Committed(_)) => answered = Some(number),
            Err(StoreError::Failed(_)) => {
                failed = true;
                break;
            }
            other => panic!("{other:?}"),
        }
        if number % 10 == 9 {
            // Compaction fails the same way.
            drop(store.compact(store.revision().await.expect("a revision")).await);
        }
    }
    let struck = disk.platter().fault.is_none();
    assert!(
        failed || !struck || journal == LARGE || answered == Some(39),
        "{fault:?} after {after} is ignored"
    );
    if failed {
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
    let mut unlucky = images(&disk.platter(), random);
    drop(store);
    unlucky.extend(images(&disk.platter(), random).into_iter().take(1));
    for (which, image) in unlucky.iter().enumerate() {
        let again = Disk::of(image);
        let store = again
            .open(journal)
            .unwrap_or_else(|error| panic!("{fault:?} after {after}, {journal}, image {which}: {error}"));
        let kept = reached(&store).await;
        let next = Some(answered.map_or(0, |number| number + 1));
        assert!(
            kept == answered || kept == next,
            "{fault:?} after {after}, {journal}: {answered:?} answered, {kept:?} kept"
        );
        assert!(store.revision().await.expect("a revision") >= newest);
        put(&store, "/more", "1").await;
        drop(store);
        if which == 0 {
            let store = again.open(journal).expect("the store once more");
            assert!(get(&store, "/more").await.is_some());
        }
    }
    struck
}

/// A journal in whose halves three or four batches have room, and one that is never full here.
const SMALL: usize = 16 << 10;
const LARGE: usize = 4 << 20;

async fn strike_everywhere(fault: Fault) {
    let mut random = Random(7);
    for journal in [0, SMALL, LARGE] {
        let mut struck = 0;
        for after in 0..60 {
            struck += u64::from(run(fault, after, journal, &mut random).await);
        }
        assert!(struck > 30, "{fault:?} struck {struck} times only with a journal of {journal} bytes");
    }
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

/// A store that was never closed: everything is in the journal.
#[tokio::test]
async fn a_flipped_bit_in_the_journal_is_never_read_as_something_else() {
    let disk = Disk::default();
    let store = disk.open(LARGE).expect("a store");
    for number in 0..12 {
        put(&store, &format!("/{number}"), &format!("{number}:{}", "x".repeat(600))).await;
    }
    let expected = store.range(rhumb_store::Range::all(bytes("/"))).await.expect("a page");
    let image = images(&disk.platter(), &mut Random(1)).remove(0);
    drop(store);
    let journal = &image[1];
    let places: Vec<usize> = (0..journal.len()).filter(|place| journal[*place] != 0).collect();
    let mut random = Random(5);
    let mut noticed = 0;
    for _ in 0..150 {
        let place = places[usize::try_from(random.below(places.len() as u64)).expect("a place")];
        let mut damaged = image.clone();
        damaged[1][place] ^= 1 << random.below(8);
        match Disk::of(&damaged).open(LARGE) {
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
    assert!(noticed > 100, "only {noticed} were noticed");
}

#[tokio::test]
async fn a_batch_that_is_missing_in_the_middle_is_an_error() {
    let disk = Disk::default();
    let store = disk.open(LARGE).expect("a store");
    for number in 0..6 {
        put(&store, &format!("/{number}"), "1").await;
    }
    let image = images(&disk.platter(), &mut Random(1)).remove(0);
    drop(store);
    for batch in 0..6 {
        let mut damaged = image.clone();
        damaged[1][batch * 512..][..512].fill(0);
        match Disk::of(&damaged).open(LARGE) {
            // Without the last batch it looks as if the power had been lost before that.
            Ok(store) => assert_eq!((batch, store.len()), (5, 5)),
            Err(StoreError::Corrupt(why)) => {
                assert!(batch < 5 && why.contains("later ones are there"), "{why}")
            }
            Err(error) => panic!("{batch}: {error:?}"),
        }
    }
}
