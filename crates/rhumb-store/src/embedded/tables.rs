//! What is kept, in one redb file.
//!
//! Three tables: `log` has the records by their positions, `leases` the time of each lease, `meta` one record with the
//! marks. The marks hold the format's version, the newest and the oldest revision, and the number and the sum of
//! checksums of all records: a record that got lost is noticed as well as one that changed. The newest revision stays
//! there even if everything was removed and compacted, so that it never goes back. The marks also say up to where the
//! journal is in the tables.
//!
//! redb commits by writing new pages and then a checksummed root; a root that doesn't fit its pages after a loss of
//! power is not taken, and the one before it holds. One sync per commit is enough for that.
//!
//! redb trusts its file, and may panic when a page is not what it should be. All ways into it are guarded, and a
//! panic becomes the error that it is.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::time::Duration;

use redb::{Database, Durability, ReadableDatabase, ReadableTable, StorageBackend, TableDefinition};

use super::batch::{Batch, FIRST, Kept, Written};
use super::journal::Half;
use super::{private, record};
use crate::error::StoreError;
use crate::event::EventKind;
use crate::history::{History, Position};
use crate::revision::Revision;
use crate::transaction::LeaseId;

const LOG: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("log");
const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
const LEASES: TableDefinition<'_, u64, u64> = TableDefinition::new("leases");
const MARKS: &str = "marks";

/// The version of all this, the journal included. A file with another one is not touched.
const FORMAT: u64 = 2;

/// Reads are answered from memory, so the file is only ever read once; half of this is for what is being written.
const CACHE: usize = 4 << 20;

/// What the record `marks` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Marks {
    newest: Revision,
    oldest: Revision,
    records: u64,
    sum: u64,
    last_lease: u64,
    /// The sequence of the first frame of the journal that is not in the tables.
    journal: u64,
}

impl Marks {
    /// Those of a store in which nothing was ever written.
    const FIRST: Marks =
        Marks { newest: FIRST, oldest: Revision::ZERO, records: 0, sum: 0, last_lease: 0, journal: 1 };

    fn write(&self) -> Vec<u8> {
        let Marks { newest, oldest, records, sum, last_lease, journal } = *self;
        let mut out = Vec::with_capacity(60);
        for number in [FORMAT, newest.0, oldest.0, records, sum, last_lease, journal] {
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
            journal: next()?,
        })
    }
}

/// The tables, open.
pub(super) struct Tables {
    database: Database,
    marks: Marks,
    /// Whether there is nothing in them yet, not even marks.
    new: bool,
}

impl Tables {
    /// Opens or makes a file.
    pub(super) fn open(path: &Path) -> Result<Tables, StoreError> {
        Tables::opened(path, || builder().create_file(private::open(path).map_err(redb::StorageError::Io)?))
    }

    /// The same on something else than a file, which errors call by a name.
    pub(super) fn open_on(backend: impl StorageBackend, name: &Path) -> Result<Tables, StoreError> {
        Tables::opened(name, || builder().create_with_backend(backend))
    }

    fn opened(
        path: &Path,
        open: impl FnOnce() -> Result<Database, redb::DatabaseError>,
    ) -> Result<Tables, StoreError> {
        let opened = guarded(|| open().map_err(|error| open_failed(path, error)));
        let database = opened.unwrap_or_else(|panic| Err(damaged(path, &panic)))?;
        match guarded(|| read_marks(&database)).unwrap_or_else(Err) {
            Ok(marks) => Ok(Tables { database, marks: marks.unwrap_or(Marks::FIRST), new: marks.is_none() }),
            Err(why) => {
                let_go(database);
                Err(damaged(path, &why))
            }
        }
    }

    /// Whether there is nothing in them yet.
    pub(super) fn is_new(&self) -> bool {
        self.new
    }

    /// The sequence of the first frame of the journal that is not in the tables.
    pub(super) fn journal(&self) -> u64 {
        self.marks.journal
    }

    /// Reads everything and checks it.
    pub(super) fn read(&self) -> Result<Kept, String> {
        guarded(|| read_all(&self.database, &self.marks)).unwrap_or_else(Err)
    }

    /// Takes in halves of the journal, in their order and up to a sequence, with one sync. From then on the journal
    /// is expected to go on with `next`.
    pub(super) fn take(&mut self, halves: &[&Half], until: u64, next: u64) -> Result<(), StoreError> {
        self.change(|transaction, marks| {
            for half in halves {
                let mut frames = half.frames(marks.journal);
                while let Some(body) = frames.next().map_err(redb::Error::Io)? {
                    take_in(transaction, body, marks)?;
                }
                marks.journal = frames.sequence();
            }
            if marks.journal != until {
                let why = format!("batch {} of the journal can't be read any more", marks.journal);
                return Ok(Err(StoreError::Failed(why)));
            }
            marks.journal = next;
            Ok(Ok(()))
        })
    }

    /// Takes in a batch that the journal has no room for, under the sequence that it has nevertheless.
    pub(super) fn take_batch(&mut self, body: &[u8], sequence: u64) -> Result<(), StoreError> {
        self.change(|transaction, marks| {
            take_in(transaction, body, marks)?;
            marks.journal = sequence.saturating_add(1);
            Ok(Ok(()))
        })
    }

    /// Takes in entries without events: what a snapshot had.
    pub(super) fn take_entries(
        &mut self,
        entries: impl Iterator<Item = Result<(Position, EventKind), StoreError>>,
        batch: &Batch,
    ) -> Result<(), StoreError> {
        self.change(|transaction, marks| {
            let mut record = Vec::new();
            let mut body = Vec::new();
            batch.write(&mut record, &mut body);
            take_in(transaction, &body, marks)?;
            let mut log = transaction.open_table(LOG)?;
            for entry in entries {
                match entry {
                    Ok((position, kind)) => {
                        let key = record::write(position, &kind, &mut record);
                        log.insert(&key[..], record.as_slice())?;
                        marks.count(&record);
                    }
                    Err(error) => return Ok(Err(error)),
                }
            }
            Ok(Ok(()))
        })
    }

    /// Changes the tables and the marks with one sync, or, if redb or we find an error, nothing.
    fn change(
        &mut self,
        make: impl FnOnce(&redb::WriteTransaction, &mut Marks) -> Result<Result<(), StoreError>, redb::Error>,
    ) -> Result<(), StoreError> {
        let mut marks = self.marks;
        let database = &self.database;
        let changed = guarded(|| {
            let mut transaction = database.begin_write()?;
            transaction.set_durability(Durability::Immediate)?;
            if let Err(error) = make(&transaction, &mut marks)? {
                transaction.abort()?;
                return Ok(Err(error));
            }
            transaction.open_table(META)?.insert(MARKS, marks.write().as_slice())?;
            // Reading expects the table, even if nothing is in it.
            transaction.open_table(LOG)?;
            transaction.commit()?;
            Ok::<_, redb::Error>(Ok(()))
        });
        let failed = |error: redb::Error| Err(StoreError::Failed(error.to_string()));
        changed
            .map_or_else(|panic| Err(StoreError::Failed(panic)), |changed| changed.unwrap_or_else(failed))?;
        (self.marks, self.new) = (marks, false);
        Ok(())
    }

    /// Closes the file.
    pub(super) fn close(self) -> Result<(), StoreError> {
        guarded(|| drop(self.database)).map_err(StoreError::Failed)
    }
}

impl Marks {
    /// Counts a record in.
    fn count(&mut self, record: &[u8]) {
        self.records = self.records.saturating_add(1);
        self.sum = self.sum.wrapping_add(record::sum(record));
    }
}

fn builder() -> redb::Builder {
    let mut builder = Database::builder();
    builder.set_cache_size(CACHE);
    builder
}

/// Takes a batch in, as it stands in the journal.
fn take_in(transaction: &redb::WriteTransaction, body: &[u8], marks: &mut Marks) -> Result<(), redb::Error> {
    let batch = Written::read(body).ok_or_else(|| redb::Error::Corrupted("a batch is damaged".to_owned()))?;
    (marks.newest, marks.oldest, marks.last_lease) = (batch.newest, batch.oldest, batch.last_lease);
    if !batch.records.is_empty() || !batch.dropped.is_empty() {
        let mut log = transaction.open_table(LOG)?;
        for (place, record) in &batch.records {
            log.insert(&place[..], record)?;
            marks.count(record);
        }
        for place in &batch.dropped {
            if let Some(record) = log.remove(&place[..])? {
                marks.records = marks.records.saturating_sub(1);
                marks.sum = marks.sum.wrapping_sub(record::sum(record.value()));
            }
        }
    }
    if !batch.granted.is_empty() || !batch.ended.is_empty() {
        let mut leases = transaction.open_table(LEASES)?;
        for (lease, time) in batch.granted {
            leases.insert(lease, time)?;
        }
        for lease in batch.ended {
            leases.remove(lease)?;
        }
    }
    Ok(())
}

/// Reads the marks; none if the file is new.
fn read_marks(database: &Database) -> Result<Option<Marks>, String> {
    let text = |error: redb::Error| error.to_string();
    let transaction = database.begin_read().map_err(|error| text(error.into()))?;
    match transaction.open_table(META) {
        Ok(meta) => {
            let marks = meta.get(MARKS).map_err(|error| text(error.into()))?;
            Marks::read(marks.ok_or("its marks are missing")?.value()).map(Some)
        }
        Err(redb::TableError::TableDoesNotExist(_)) => match transaction.open_table(LOG) {
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
            _ => Err("its marks are missing".to_owned()),
        },
        Err(error) => Err(text(error.into())),
    }
}

/// Reads everything and checks it.
fn read_all(database: &Database, marks: &Marks) -> Result<Kept, String> {
    let text = |error: redb::Error| error.to_string();
    let transaction = database.begin_read().map_err(|error| text(error.into()))?;
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
    Ok(kept)
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
pub(super) fn damaged(path: &Path, why: &str) -> StoreError {
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
        let marks = Marks {
            newest: Revision(5),
            oldest: Revision(3),
            records: 2,
            sum: 77,
            last_lease: 1,
            journal: 4,
        };
        let written = marks.write();
        assert_eq!(Marks::read(&written), Ok(marks));
        let mut later = written[8..56].to_vec();
        later.splice(..0, 3u64.to_le_bytes());
        later.extend_from_slice(&crc32fast::hash(&later).to_le_bytes());
        assert_eq!(Marks::read(&later), Err("it has format 3, and this program reads format 2".to_owned()));
        for place in 0..written.len() {
            let mut damaged = written.clone();
            damaged[place] ^= 1;
            assert_eq!(Marks::read(&damaged), Err("its marks are damaged".to_owned()));
            assert!(Marks::read(&written[..place]).is_err());
        }
    }
}
