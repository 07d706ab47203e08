//! Batches on the disk, in one redb file.
//!
//! Three tables: `log` has the records by their positions, `leases` the time of each lease, `meta` one record with the
//! marks. The marks hold the format's version, the newest and the oldest revision, and the number and the sum of
//! checksums of all records: a record that got lost is noticed as well as one that changed. The newest revision stays
//! there even if everything was removed and compacted, so that it never goes back.
//!
//! redb commits by writing new pages and then a checksummed root; a root that doesn't fit its pages after a loss of
//! power is not taken, and the one before it holds. One sync per commit is enough for that.
//!
//! redb trusts its file, and may panic when a page is not what it should be. All ways into it are guarded, and a
//! panic becomes the error that it is.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Duration;

use redb::{Database, Durability, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition};

use super::journal::{Batch, FIRST, Kept};
use super::lock::Lock;
use super::record;
use crate::error::StoreError;
use crate::event::EventKind;
use crate::history::{History, Position};
use crate::revision::Revision;
use crate::transaction::LeaseId;

const LOG: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("log");
const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
const LEASES: TableDefinition<'_, u64, u64> = TableDefinition::new("leases");
const MARKS: &str = "marks";

/// The version of all this. A file with a higher one is not touched.
const FORMAT: u64 = 1;

/// Reads are answered from memory, so the file is only ever read once.
const CACHE: usize = 16 << 20;

/// The name of the file in its directory.
const FILE: &str = "store.redb";

/// What the record `marks` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marks {
    newest: Revision,
    oldest: Revision,
    records: u64,
    sum: u64,
    last_lease: u64,
}

impl Marks {
    fn write(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(52);
        for number in [FORMAT, self.newest.0, self.oldest.0, self.records, self.sum, self.last_lease] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        let checksum = crc32fast::hash(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    fn read(bytes: &[u8]) -> Result<Self, String> {
        let broken = || "its marks are damaged".to_owned();
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or_else(broken)?;
        if crc32fast::hash(body) != u32::from_le_bytes(*checksum) {
            return Err(broken());
        }
        let mut numbers =
            body.chunks_exact(8).filter_map(|chunk| chunk.try_into().ok()).map(u64::from_le_bytes);
        let mut next = || numbers.next().ok_or_else(broken);
        let format = next()?;
        if format != FORMAT {
            return Err(format!("it has format {format}, and this program reads format {FORMAT}"));
        }
        Ok(Marks {
            newest: Revision(next()?),
            oldest: Revision(next()?),
            records: next()?,
            sum: next()?,
            last_lease: next()?,
        })
    }
}

/// A journal on the disk.
pub(super) struct Disk {
    database: Database,
    marks: Marks,
    buffer: Vec<u8>,
    lock: Option<Lock>,
}

impl Disk {
    /// Opens or makes the file in a directory, and reads all of it.
    pub(super) fn open(directory: &Path) -> Result<(Disk, Kept), StoreError> {
        let lock = Lock::take(directory)?;
        let path = directory.join(FILE);
        let known = lock.newest()?;
        if known > FIRST && !path.exists() {
            return Err(damaged(&path, &format!("it is not there, but revision {known} was kept in it")));
        }
        let opened = guarded(|| builder().create(&path).map_err(|error| open_failed(&path, error)));
        let database = opened.unwrap_or_else(|panic| Err(damaged(&path, &panic)))?;
        let (mut disk, kept) = Disk::load(database, &path)?;
        if kept.history.newest() < known {
            let newest = kept.history.newest();
            let why = format!("it ends with revision {newest}, but revision {known} was kept in it");
            let_go(disk.database);
            return Err(damaged(&path, &why));
        }
        lock.sync_directory()?;
        disk.lock = Some(lock);
        Ok((disk, kept))
    }

    /// The same on something else than a file.
    pub(super) fn open_on(backend: impl StorageBackend) -> Result<(Disk, Kept), StoreError> {
        let path = PathBuf::from(FILE);
        let opened =
            guarded(|| builder().create_with_backend(backend).map_err(|error| open_failed(&path, error)));
        let database = opened.unwrap_or_else(|panic| Err(damaged(&path, &panic)))?;
        Disk::load(database, &path)
    }

    fn load(database: Database, path: &Path) -> Result<(Disk, Kept), StoreError> {
        let read = guarded(|| read_all(&database)).unwrap_or_else(Err);
        let (marks, kept) = match read {
            Ok(read) => read,
            Err(why) => {
                let_go(database);
                return Err(damaged(path, &why));
            }
        };
        let marks = match marks {
            Some(marks) => marks,
            None => Marks { newest: FIRST, oldest: Revision::ZERO, records: 0, sum: 0, last_lease: 0 },
        };
        Ok((Disk { database, marks, buffer: Vec::new(), lock: None }, kept))
    }

    /// Keeps a batch with one sync.
    pub(super) fn keep(&mut self, batch: &Batch) -> Result<(), StoreError> {
        let mut marks =
            Marks { newest: batch.newest, oldest: batch.oldest, last_lease: batch.last_lease, ..self.marks };
        let (database, buffer) = (&self.database, &mut self.buffer);
        let written =
            guarded(|| write(database, buffer, batch, &mut marks).map_err(|error| error.to_string()));
        written.unwrap_or_else(Err).map_err(StoreError::Failed)?;
        self.marks = marks;
        Ok(())
    }

    /// Keeps entries without events: what a snapshot had.
    pub(super) fn keep_entries(
        &mut self,
        entries: impl Iterator<Item = Result<(Position, EventKind), StoreError>>,
        batch: &Batch,
    ) -> Result<(), StoreError> {
        let mut marks =
            Marks { newest: batch.newest, oldest: batch.oldest, last_lease: batch.last_lease, ..self.marks };
        let (database, buffer) = (&self.database, &mut self.buffer);
        let written = guarded(|| write_entries(database, buffer, entries, batch, &mut marks));
        written.unwrap_or_else(|panic| Err(StoreError::Failed(panic)))?;
        self.marks = marks;
        Ok(())
    }

    /// Closes the file, and notes beside it how far it went.
    pub(super) fn close(self, newest: Revision) -> Result<(), StoreError> {
        let database = self.database;
        guarded(|| drop(database)).map_err(StoreError::Failed)?;
        self.lock.map_or(Ok(()), |lock| lock.note(newest))
    }
}

fn builder() -> redb::Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE);
    builder
}

fn write(
    database: &Database,
    buffer: &mut Vec<u8>,
    batch: &Batch,
    marks: &mut Marks,
) -> Result<(), redb::Error> {
    let mut transaction = database.begin_write()?;
    transaction.set_durability(Durability::Immediate)?;
    {
        let mut log = transaction.open_table(LOG)?;
        for (event, place) in &batch.events {
            let position = Position { revision: event.revision, place: *place };
            let key = record::write(position, &event.kind, buffer);
            log.insert(&key[..], buffer.as_slice())?;
            marks.records += 1;
            marks.sum = marks.sum.wrapping_add(record::sum(buffer));
        }
        for position in &batch.dropped {
            if let Some(record) = log.remove(&record::place(*position)[..])? {
                marks.records = marks.records.saturating_sub(1);
                marks.sum = marks.sum.wrapping_sub(record::sum(record.value()));
            }
        }
    }
    keep_marks(&transaction, batch, marks)?;
    transaction.commit()?;
    Ok(())
}

fn write_entries(
    database: &Database,
    buffer: &mut Vec<u8>,
    entries: impl Iterator<Item = Result<(Position, EventKind), StoreError>>,
    batch: &Batch,
    marks: &mut Marks,
) -> Result<(), StoreError> {
    let failed = |error: redb::Error| StoreError::Failed(error.to_string());
    let transaction = database.begin_write().map_err(|error| failed(error.into()))?;
    {
        let mut log = transaction.open_table(LOG).map_err(|error| failed(error.into()))?;
        for entry in entries {
            let (position, kind) = entry?;
            let key = record::write(position, &kind, buffer);
            log.insert(&key[..], buffer.as_slice()).map_err(|error| failed(error.into()))?;
            marks.records += 1;
            marks.sum = marks.sum.wrapping_add(record::sum(buffer));
        }
    }
    keep_marks(&transaction, batch, marks).map_err(failed)?;
    transaction.commit().map_err(|error| failed(error.into()))
}

fn keep_marks(transaction: &redb::WriteTransaction, batch: &Batch, marks: &Marks) -> Result<(), redb::Error> {
    if !batch.granted.is_empty() || !batch.ended.is_empty() {
        let mut leases = transaction.open_table(LEASES)?;
        for (lease, time) in &batch.granted {
            leases.insert(lease.0.get(), u64::try_from(time.as_millis()).unwrap_or(u64::MAX))?;
        }
        for lease in &batch.ended {
            leases.remove(lease.0.get())?;
        }
    }
    transaction.open_table(META)?.insert(MARKS, marks.write().as_slice())?;
    Ok(())
}

/// Reads everything and checks it; no marks if the file is new.
fn read_all(database: &Database) -> Result<(Option<Marks>, Kept), String> {
    let text = |error: redb::Error| error.to_string();
    let transaction = database.begin_read().map_err(|error| text(error.into()))?;
    let marks = match transaction.open_table(META) {
        Ok(meta) => {
            let marks = meta.get(MARKS).map_err(|error| text(error.into()))?;
            Marks::read(marks.ok_or("its marks are missing")?.value())?
        }
        Err(redb::TableError::TableDoesNotExist(_)) => {
            return match transaction.open_table(LOG) {
                Err(redb::TableError::TableDoesNotExist(_)) => Ok((None, Kept::nothing())),
                _ => Err("its marks are missing".to_owned()),
            };
        }
        Err(error) => return Err(text(error.into())),
    };
    let mut kept = Kept {
        history: History::between(marks.oldest, marks.newest),
        last_lease: marks.last_lease,
        ..Kept::default()
    };
    let (mut records, mut sum) = (0u64, 0u64);
    let log = transaction.open_table(LOG).map_err(|error| text(error.into()))?;
    for item in log.iter().map_err(|error| text(error.into()))? {
        let (key, value) = item.map_err(|error| text(error.into()))?;
        let (position, kind) = record::read(key.value(), value.value())
            .ok_or_else(|| format!("record {} of it is damaged", records + 1))?;
        records += 1;
        sum = sum.wrapping_add(record::sum(value.value()));
        kept.droppable.extend(kept.history.load(position, kind));
    }
    if (records, sum) != (marks.records, marks.sum) || kept.history.newest() != marks.newest {
        return Err(format!("{} records were kept in it, and {records} others are found", marks.records));
    }
    match transaction.open_table(LEASES) {
        Ok(leases) => {
            for item in leases.iter().map_err(|error| text(error.into()))? {
                let (lease, time) = item.map_err(|error| text(error.into()))?;
                let lease = NonZeroU64::new(lease.value()).ok_or("a lease of it has no number")?;
                kept.history.leases_mut().insert(LeaseId(lease), Duration::from_millis(time.value()));
            }
        }
        Err(redb::TableError::TableDoesNotExist(_)) => {}
        Err(error) => return Err(text(error.into())),
    }
    Ok((Some(marks), kept))
}

/// Closes a file that is of no use. What redb thinks of that doesn't matter any more.
fn let_go(database: Database) {
    drop(guarded(|| drop(database)));
}

/// Calls into redb, and makes an error of a panic.
fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        let said = panic.downcast_ref::<String>().map(String::as_str);
        let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
        format!("the storage engine stopped at {said:?}")
    })
}

fn open_failed(path: &Path, error: redb::DatabaseError) -> StoreError {
    use redb::{DatabaseError, StorageError};
    match error {
        DatabaseError::DatabaseAlreadyOpen => {
            StoreError::Failed(format!("{} is open in another process; end that first", path.display()))
        }
        DatabaseError::Storage(StorageError::Io(error))
            if !matches!(
                error.kind(),
                std::io::ErrorKind::InvalidData | std::io::ErrorKind::UnexpectedEof
            ) =>
        {
            StoreError::Failed(format!("{} can't be opened: {error}", path.display()))
        }
        error => damaged(path, &error.to_string()),
    }
}

/// Says what to do about a file that can't be trusted.
fn damaged(path: &Path, why: &str) -> StoreError {
    StoreError::Corrupt(format!(
        "{} is damaged: {why}. Move its directory away, and restore a snapshot in its place or \
         start with an empty one",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_another_format_are_refused() {
        let marks = Marks { newest: Revision(5), oldest: Revision(3), records: 2, sum: 77, last_lease: 1 };
        let written = marks.write();
        assert_eq!(Marks::read(&written), Ok(marks));
        let mut later = written[8..48].to_vec();
        later.splice(..0, 2u64.to_le_bytes());
        later.extend_from_slice(&crc32fast::hash(&later).to_le_bytes());
        assert_eq!(Marks::read(&later), Err("it has format 2, and this program reads format 1".to_owned()));
        for place in 0..written.len() {
            let mut damaged = written.clone();
            damaged[place] ^= 1;
            assert_eq!(Marks::read(&damaged), Err("its marks are damaged".to_owned()));
            assert!(Marks::read(&written[..place]).is_err());
        }
    }
}
