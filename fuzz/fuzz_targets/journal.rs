//! Any bytes as the journal of a store: an error or a store that can be written to and opened again, never a panic.
//!
//! The first byte says what the rest is: a file of the journal, a batch whose frame is made here, or a record in a
//! batch that is made here. Without that no checksum would ever be right.

#![no_main]

use std::io;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use libfuzzer_sys::fuzz_target;
use redb::StorageBackend;
use rhumb_store::{Embedded, Options, Range, Store, Transaction};

/// A file in memory that outlives the store on it.
#[derive(Clone, Debug, Default)]
struct Memory(Arc<Mutex<Vec<u8>>>);

impl StorageBackend for Memory {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.lock().expect("one thread").len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.lock().expect("one thread");
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        out.copy_from_slice(bytes.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn set_len(&self, length: u64) -> io::Result<()> {
        self.0.lock().expect("one thread").resize(usize::try_from(length).map_err(io::Error::other)?, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut bytes = self.0.lock().expect("one thread");
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let end = bytes.len().max(start + data.len());
        bytes.resize(end, 0);
        bytes[start..start + data.len()].copy_from_slice(data);
        Ok(())
    }
}

/// The first frame of a journal.
fn frame(body: &[u8]) -> Vec<u8> {
    let mut rest = u32::try_from(body.len()).expect("a short input").to_le_bytes().to_vec();
    rest.extend_from_slice(&1u64.to_le_bytes());
    rest.extend_from_slice(body);
    let data = [&crc32fast::hash(&rest).to_le_bytes()[..], &rest].concat();
    let count = data.len().div_ceil(496);
    let sector = |(place, part): (usize, &[u8])| {
        let stamp = (4 + 2 * u64::from(place == 0) + u64::from(place + 1 == count)).to_le_bytes();
        [&stamp[..], part, &vec![0; 496 - part.len()], &stamp].concat()
    };
    data.chunks(496).enumerate().flat_map(sector).collect()
}

/// A batch of one record, at revision 2.
fn batch(record: &[u8]) -> Vec<u8> {
    let place = [0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0];
    let summed = crc32fast::hash(&[&place[..], record].concat());
    let length = u32::try_from(record.len() + 4).expect("a short input");
    let mut body = [2u64, 0, 0].map(u64::to_le_bytes).concat();
    body.extend_from_slice(&[0; 12]);
    body.extend_from_slice(&place);
    body.extend_from_slice(&length.to_le_bytes());
    body.extend_from_slice(&summed.to_le_bytes());
    body.extend_from_slice(record);
    body
}

fuzz_target!(|input: &[u8]| {
    let Some((how, bytes)) = input.split_first() else { return };
    let journal = match how % 3 {
        0 => bytes.to_vec(),
        1 => frame(bytes),
        _ => frame(&batch(bytes)),
    };
    let [tables, one, other] = [Memory::default(), Memory(Arc::new(Mutex::new(journal))), Memory::default()];
    let open = || {
        let halves: [Box<dyn StorageBackend>; 2] = [Box::new(one.clone()), Box::new(other.clone())];
        Embedded::open_on_journal(tables.clone(), halves, Options { window: None, ..Options::default() })
    };
    let Ok(store) = open() else { return };
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let all = runtime.block_on(async {
        let write = Transaction::default().put(Bytes::from_static(b"/more"), Bytes::new(), None);
        store.commit(write).await.expect("a write");
        store.range(Range::default()).await.expect("a page")
    });
    drop(store);
    let store = open().expect("the store again");
    assert_eq!(runtime.block_on(store.range(Range::default())), Ok(all));
});
