//! All entries in one file, to be carried away and put back.
//!
//! ```text
//! RHUMBSNP | format u32 | newest u64
//! 1 | lease u64 | milliseconds u64                                          for every lease
//! 2 | created u64 | modified u64 | version u64 | lease u64
//!   | key length u32 | value length u32 | key | value                       for every entry
//! 0 | checksum u32                                                          of all before it
//! ```
//! Numbers are little-endian. The file appears under its name only when it is complete.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;

use super::batch::Batch;
use super::disk;
use super::lock::sync_directory;
use super::private;
use super::{Embedded, MOST};
use crate::entry::Entry;
use crate::error::StoreError;
use crate::event::EventKind;
use crate::history::Position;
use crate::revision::Revision;
use crate::store::Range;
use crate::transaction::LeaseId;

const MAGIC: &[u8; 8] = b"RHUMBSNP";
const FORMAT: u32 = 1;
const END: u8 = 0;
const LEASE: u8 = 1;
const ENTRY: u8 = 2;

impl Embedded {
    /// Writes all entries to a file, as of a revision or as of now, and gives that revision. It reads in steps and
    /// blocks nobody but the caller. Of an earlier revision, entries whose lease has ended since are left out.
    ///
    /// # Errors
    /// If the file can't be written, or the revision is not there or is forgotten meanwhile.
    pub fn snapshot(&self, file: impl AsRef<Path>, at: Option<Revision>) -> Result<Revision, StoreError> {
        let path = file.as_ref();
        let failed = |error: io::Error| StoreError::Failed(format!("{}: {error}", path.display()));
        let partial = path.with_added_extension("partial");
        let written = self.write_snapshot(&partial, at, &failed);
        let revision = written.inspect_err(|_| {
            // What is left of it is of no use; if it can't be removed either, the next snapshot overwrites it.
            drop(std::fs::remove_file(&partial));
        })?;
        std::fs::rename(&partial, path).map_err(failed)?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        sync_directory(parent.unwrap_or(Path::new("."))).map_err(failed)?;
        Ok(revision)
    }

    fn write_snapshot(
        &self,
        path: &Path,
        at: Option<Revision>,
        failed: &dyn Fn(io::Error) -> StoreError,
    ) -> Result<Revision, StoreError> {
        let (newest, leases) = {
            let past = self.history.read();
            (past.newest(), past.leases().clone())
        };
        let revision = at.unwrap_or(newest);
        let file = private::open(path).map_err(failed)?;
        file.set_len(0).map_err(failed)?;
        let mut out = Summed { inner: BufWriter::new(file), hasher: crc32fast::Hasher::new() };
        out.put(&[MAGIC, &FORMAT.to_le_bytes(), &newest.0.to_le_bytes()]).map_err(failed)?;
        for (lease, time) in &leases {
            let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
            out.put(&[&[LEASE], &lease.0.get().to_le_bytes(), &time.to_le_bytes()]).map_err(failed)?;
        }
        let mut range = Range { at: Some(revision), ..Range::default() };
        loop {
            let (page, next) = self.history.read().range(&range, MOST)?;
            for entry in &page.entries {
                if entry.lease.is_none_or(|lease| leases.contains_key(&lease)) {
                    out.put_entry(entry).map_err(failed)?;
                }
            }
            match next {
                Some(start) => range.start = start,
                None => break,
            }
        }
        out.put(&[&[END]]).map_err(failed)?;
        let Summed { mut inner, hasher } = out;
        inner.write_all(&hasher.finalize().to_le_bytes()).map_err(failed)?;
        let file = inner.into_inner().map_err(|error| failed(error.into_error()))?;
        file.sync_all().map_err(failed)?;
        Ok(revision)
    }

    /// Makes a store from a snapshot in an empty directory. Its revision is one higher than the newest was when the
    /// snapshot was written, and its past begins there: who knows an earlier revision has to read anew.
    ///
    /// # Errors
    /// If the directory has something in it, the snapshot is damaged, or the disk fails.
    pub fn restore(snapshot: impl AsRef<Path>, directory: impl AsRef<Path>) -> Result<Revision, StoreError> {
        let (path, directory) = (snapshot.as_ref(), directory.as_ref());
        if std::fs::read_dir(directory).is_ok_and(|mut files| files.next().is_some()) {
            return Err(StoreError::Failed(format!(
                "{} is not empty; move it away or choose another directory",
                directory.display()
            )));
        }
        // It is read to its end and checked before anything is made of it.
        let mut granted = Vec::new();
        let mut reader = Reader::open(path)?;
        while let Some(item) = reader.item()? {
            if let Item::Lease(lease, time) = item {
                granted.push((lease, time));
            }
        }
        let newest = reader.newest.next();
        let last_lease = granted.iter().map(|(lease, _)| lease.0.get()).max().unwrap_or(0);
        let batch = Batch { newest, oldest: newest, granted, last_lease, ..Batch::default() };
        let mut reader = Reader::open(path)?;
        let items = std::iter::from_fn(|| reader.item().transpose());
        let entries = items.filter(|item| !matches!(item, Ok(Item::Lease(..))));
        // Positions only have to differ: what lies before the oldest revision has no order among itself.
        let places = (0u32..).zip(entries).filter_map(|(place, item)| match item {
            Ok(Item::Entry(entry)) => {
                Some(Ok((Position { revision: entry.modified, place }, EventKind::Put(entry))))
            }
            Ok(Item::Lease(..)) => None,
            Err(error) => Some(Err(error)),
        });
        disk::restore(directory, places, &batch)?;
        Ok(newest)
    }
}

/// A file and the checksum of what went through.
struct Summed<F> {
    inner: F,
    hasher: crc32fast::Hasher,
}

impl<F: Write> Summed<F> {
    fn put(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        for part in parts {
            self.hasher.update(part);
            self.inner.write_all(part)?;
        }
        Ok(())
    }

    fn put_entry(&mut self, entry: &Entry) -> io::Result<()> {
        let length = |bytes: &Bytes| u32::try_from(bytes.len()).map_err(io::Error::other);
        self.put(&[
            &[ENTRY],
            &entry.created.0.to_le_bytes(),
            &entry.modified.0.to_le_bytes(),
            &entry.version.to_le_bytes(),
            &entry.lease.map_or(0, |lease| lease.0.get()).to_le_bytes(),
            &length(&entry.key)?.to_le_bytes(),
            &length(&entry.value)?.to_le_bytes(),
            &entry.key,
            &entry.value,
        ])
    }
}

impl<F: Read> Summed<F> {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.inner.read_exact(&mut bytes)?;
        self.hasher.update(&bytes);
        Ok(bytes)
    }

    fn take_u64(&mut self) -> io::Result<u64> {
        self.take().map(u64::from_le_bytes)
    }

    /// So many bytes. Memory is taken as they come, not as a damaged length claims.
    fn take_bytes(&mut self, length: u32) -> io::Result<Bytes> {
        let mut bytes = Vec::new();
        (&mut self.inner).take(u64::from(length)).read_to_end(&mut bytes)?;
        if bytes.len() as u64 != u64::from(length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.hasher.update(&bytes);
        Ok(Bytes::from(bytes))
    }
}

/// What a snapshot consists of.
enum Item {
    Lease(LeaseId, Duration),
    Entry(Entry),
}

/// A snapshot that is being read.
struct Reader<'a> {
    file: Summed<BufReader<File>>,
    path: &'a Path,
    newest: Revision,
}

impl<'a> Reader<'a> {
    fn open(path: &'a Path) -> Result<Self, StoreError> {
        let file = File::open(path)
            .map_err(|error| StoreError::Failed(format!("{} can't be read: {error}", path.display())))?;
        let file = Summed { inner: BufReader::new(file), hasher: crc32fast::Hasher::new() };
        let mut reader = Reader { file, path, newest: Revision::ZERO };
        let head =
            (|| Ok::<_, io::Error>((reader.file.take()?, reader.file.take()?, reader.file.take_u64()?)))();
        let (magic, format, newest) = head.map_err(|_| reader.damaged("it is too short"))?;
        if &magic != MAGIC {
            return Err(reader.damaged("it is not a snapshot"));
        }
        match u32::from_le_bytes(format) {
            FORMAT => {}
            other => {
                let why = format!("it has format {other}, and this program reads format {FORMAT}");
                return Err(reader.damaged(&why));
            }
        }
        reader.newest = Revision(newest);
        Ok(reader)
    }

    /// What comes next; `None` at the end, if the checksum is right.
    fn item(&mut self) -> Result<Option<Item>, StoreError> {
        let item = self.read_item().map_err(|error| self.damaged(&error.to_string()))?;
        if item.is_none() {
            let expected = self.file.hasher.clone().finalize();
            let found = self.file.take().map_err(|_| self.damaged("it is too short"))?;
            if expected != u32::from_le_bytes(found) {
                return Err(self.damaged("its checksum is wrong"));
            }
        }
        Ok(item)
    }

    fn read_item(&mut self) -> io::Result<Option<Item>> {
        let file = &mut self.file;
        match file.take()? {
            [END] => Ok(None),
            [LEASE] => {
                let lease = NonZeroU64::new(file.take_u64()?).ok_or(io::ErrorKind::InvalidData)?;
                Ok(Some(Item::Lease(LeaseId(lease), Duration::from_millis(file.take_u64()?))))
            }
            [ENTRY] => {
                let [created, modified] = [file.take_u64()?, file.take_u64()?].map(Revision);
                let (version, lease) = (file.take_u64()?, NonZeroU64::new(file.take_u64()?).map(LeaseId));
                let [key, value] = [file.take()?, file.take()?].map(u32::from_le_bytes);
                let (key, value) = (file.take_bytes(key)?, file.take_bytes(value)?);
                Ok(Some(Item::Entry(Entry { key, value, created, modified, version, lease })))
            }
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn damaged(&self, why: &str) -> StoreError {
        StoreError::Corrupt(format!(
            "the snapshot {} is damaged: {why}. Use another one",
            self.path.display()
        ))
    }
}
