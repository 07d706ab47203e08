//! A store's place on the disk: the journal, the tables behind it, and the lock beside them.
//!
//! A batch is kept when it is in the journal. When a half of that is full, a thread of its own takes it into
//! the tables while the other half is being filled. Nobody waits for that thread, unless writers fill a half
//! faster than it takes one in. What can't be taken in is still in the journal, so nothing is lost when it
//! fails; but the journal can't go on for ever, and writing ends.
//!
//! At the start what the journal has is taken into the tables first, and everything is read from there.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;

use redb::StorageBackend;
use redb::backends::FileBackend;

use super::batch::{Batch, FIRST, Kept};
use super::journal::{self, Frame, Half, Unreadable};
use super::lock::Lock;
use super::private;
use super::tables::{Tables, damaged};
use crate::error::StoreError;
use crate::event::EventKind;
use crate::history::Position;
use crate::revision::Revision;

/// The names of the files in their directory.
const TABLES: &str = "store.redb";
const JOURNAL: [&str; 2] = ["journal.0", "journal.1"];

/// Something to take into the tables.
enum Work {
    /// All frames of a half.
    Half(Half),
    /// A batch that no half has room for, with its sequence.
    Batch(Vec<u8>, u64),
}

/// What became of it: the half, to be filled again, if it was one.
type Done = Result<Option<Half>, StoreError>;

/// Batches on the disk.
pub(super) struct Disk {
    /// The half that is being filled. It is gone after an error.
    filling: Option<Half>,
    /// The other one, unless it is being taken in.
    spare: Option<Half>,
    /// How many bytes a half has at most.
    most: u64,
    /// The sequence of the next frame.
    sequence: u64,
    frame: Frame,
    record: Vec<u8>,
    work: Sender<Work>,
    done: Receiver<Done>,
    thread: JoinHandle<Result<(), StoreError>>,
    lock: Option<Lock>,
}

impl Disk {
    /// Opens or makes the files in a directory, and reads all of them.
    pub(super) fn open(directory: &Path, most: usize) -> Result<(Disk, Kept), StoreError> {
        let lock = Lock::take(directory)?;
        let path = directory.join(TABLES);
        let known = lock.newest()?;
        if known > FIRST && !path.exists() {
            return Err(damaged(&path, &format!("it is not there, but revision {known} was kept in it")));
        }
        let (tables, halves) = open_files(directory, &path)?;
        lock.sync_directory()?;
        let (tables, kept, sequence) = load(tables, &halves, &path, &directory.join("journal"))?;
        if kept.history.newest() < known {
            let newest = kept.history.newest();
            // What redb thinks of being closed doesn't matter any more.
            drop(tables.close());
            let why = format!("it ends with revision {newest}, but revision {known} was kept in it");
            return Err(damaged(&path, &why));
        }
        Ok((Disk::start(tables, halves, sequence, most, Some(lock))?, kept))
    }

    /// The same on something else than files. Without halves for the journal, every batch goes into the tables.
    pub(super) fn open_on(
        tables: impl StorageBackend,
        journal: Option<[Box<dyn StorageBackend>; 2]>,
        most: usize,
    ) -> Result<(Disk, Kept), StoreError> {
        let path = PathBuf::from(TABLES);
        let most = if journal.is_some() { most } else { 0 };
        let nowhere = || Box::new(redb::backends::InMemoryBackend::new()) as Box<dyn StorageBackend>;
        let journal = journal.unwrap_or_else(|| [nowhere(), nowhere()]);
        let tables = Tables::open_on(tables, &path)?;
        let [one, other] = journal.map(Half::of);
        let halves = [one.map_err(failed)?, other.map_err(failed)?];
        let (tables, kept, sequence) = load(tables, &halves, &path, Path::new("journal"))?;
        Ok((Disk::start(tables, halves, sequence, most, None)?, kept))
    }

    fn start(
        tables: Tables,
        halves: [Half; 2],
        sequence: u64,
        most: usize,
        lock: Option<Lock>,
    ) -> Result<Disk, StoreError> {
        let [filling, spare] = halves.map(Some);
        let (work, todo) = channel();
        let (report, done) = channel();
        let thread = std::thread::Builder::new().name("store tables".to_owned());
        let thread = thread
            .spawn(move || take_all(tables, &todo, &report))
            .map_err(|error| StoreError::Failed(format!("no thread can be started: {error}")))?;
        let most = u64::try_from(most / 2).unwrap_or(u64::MAX);
        let (frame, record) = (Frame::default(), Vec::new());
        Ok(Disk { filling, spare, most, sequence, frame, record, work, done, thread, lock })
    }

    /// Keeps a batch with one sync. After an error it must not be called again.
    pub(super) fn keep(&mut self, batch: &Batch) -> Result<(), StoreError> {
        // Who takes the journal in may have failed meanwhile.
        while let Ok(done) = self.done.try_recv() {
            self.took(done)?;
        }
        let (sequence, record) = (self.sequence, &mut self.record);
        self.frame.fill(sequence, |out| batch.write(record, out));
        let fits = |half: &Half| half.fits(&self.frame, self.most);
        if !self.filling.as_ref().is_some_and(fits) {
            self.change_places()?;
        }
        match &mut self.filling {
            Some(half) if half.fits(&self.frame, self.most) => {
                half.append(&self.frame).map_err(failed)?;
            }
            _ => {
                // Everything before it has to be in the tables first.
                self.wait_for_spare()?;
                self.give(Work::Batch(self.frame.body().to_vec(), sequence))?;
                let done = self.done.recv().map_err(|_| gone())?;
                self.took(done)?;
            }
        }
        self.sequence = sequence.saturating_add(1);
        self.frame.shrink();
        Ok(())
    }

    /// Gives the half that is full away to be taken in, and goes on with the other one.
    fn change_places(&mut self) -> Result<(), StoreError> {
        if self.filling.as_ref().is_none_or(Half::is_empty) {
            return Ok(());
        }
        self.wait_for_spare()?;
        let full = std::mem::replace(&mut self.filling, self.spare.take());
        full.map_or(Ok(()), |full| self.give(Work::Half(full)))
    }

    fn wait_for_spare(&mut self) -> Result<(), StoreError> {
        while self.spare.is_none() {
            let done = self.done.recv().map_err(|_| gone())?;
            self.took(done)?;
        }
        Ok(())
    }

    fn give(&self, work: Work) -> Result<(), StoreError> {
        self.work.send(work).map_err(|_| gone())
    }

    fn took(&mut self, done: Done) -> Result<(), StoreError> {
        if let Some(half) = done? {
            self.spare = Some(half);
        }
        Ok(())
    }

    /// Takes all of the journal in, closes the files, and notes beside them how far they go. If keeping has failed
    /// before, the journal is left as it is.
    pub(super) fn close(mut self, newest: Revision, orderly: bool) -> Result<(), StoreError> {
        let last = self.filling.take().filter(|half| orderly && !half.is_empty());
        let given = last.map_or(Ok(()), |last| self.give(Work::Half(last)));
        drop(self.work);
        let closed = self.thread.join().unwrap_or_else(|_| Err(gone()));
        given.and(closed)?;
        self.lock.filter(|_| orderly).map_or(Ok(()), |lock| lock.note(newest))
    }
}

/// Makes a directory's tables of entries without events: what a snapshot had.
pub(super) fn restore(
    directory: &Path,
    entries: impl Iterator<Item = Result<(Position, EventKind), StoreError>>,
    batch: &Batch,
) -> Result<(), StoreError> {
    let lock = Lock::take(directory)?;
    let path = directory.join(TABLES);
    let (mut tables, _) = open_files(directory, &path)?;
    lock.sync_directory()?;
    tables.take_entries(entries, batch)?;
    tables.close()?;
    lock.note(batch.newest)
}

/// Opens or makes the files.
fn open_files(directory: &Path, path: &Path) -> Result<(Tables, [Half; 2]), StoreError> {
    let tables = Tables::open(path)?;
    let open = |name| {
        let path = directory.join(name);
        if !tables.is_new() && !path.exists() {
            return Err(damaged(&path, "it is not there"));
        }
        let failed =
            |error: io::Error| StoreError::Failed(format!("{} can't be opened: {error}", path.display()));
        let file = private::open(&path).map_err(failed)?;
        let backend = FileBackend::new(file).map_err(|error| failed(io::Error::other(error)))?;
        Half::of(Box::new(backend)).map_err(failed)
    };
    let [one, other] = JOURNAL.map(open);
    let halves = [one?, other?];
    Ok((tables, halves))
}

/// Takes the journal into the tables, and reads them. The sequence of the next frame comes with it.
fn load(
    mut tables: Tables,
    halves: &[Half; 2],
    path: &Path,
    journal: &Path,
) -> Result<(Tables, Kept, u64), StoreError> {
    let loaded = (|| {
        let found = journal::survey(halves, tables.journal()).map_err(|error| match error {
            Unreadable::Io(error) => StoreError::Failed(format!("{}: {error}", journal.display())),
            Unreadable::Damaged(why) => damaged(journal, &why),
        })?;
        // New tables are written to as well: from then on the journal must be there.
        let taken = match tables.is_new() || found.next > tables.journal() {
            true => tables.take(&found.filled, found.until, found.next),
            false => Ok(()),
        };
        // What can't be written to because it is damaged is called that.
        let kept = tables.read().map_err(|why| damaged(path, &why))?;
        taken.map(|()| (kept, found.next))
    })();
    match loaded {
        Ok((kept, next)) => Ok((tables, kept, next)),
        Err(error) => {
            drop(tables.close());
            Err(error)
        }
    }
}

/// The thread that takes the journal into the tables.
fn take_all(mut tables: Tables, todo: &Receiver<Work>, report: &Sender<Done>) -> Result<(), StoreError> {
    for work in todo {
        let done = match work {
            Work::Half(mut half) => {
                let until = half.next();
                tables.take(&[&half], until, until).map(|()| {
                    half.clear();
                    Some(half)
                })
            }
            Work::Batch(body, sequence) => tables.take_batch(&body, sequence).map(|()| None),
        };
        let failure = done.as_ref().err().cloned();
        // Nobody hears it while the store is being closed.
        drop(report.send(done));
        if let Some(error) = failure {
            drop(tables.close());
            return Err(error);
        }
    }
    tables.close()
}

fn failed(error: io::Error) -> StoreError {
    StoreError::Failed(error.to_string())
}

fn gone() -> StoreError {
    StoreError::Failed("what takes the journal in has ended".to_owned())
}
