//! The journal: where a batch is first kept, with one write and one sync.
//!
//! A commit of the tables writes several pages in several places and changes the file's length now and then. The
//! journal only appends to a file that is as long as it will be and has been written to before, so that syncing it
//! changes nothing but the data. It consists of two files, the halves: while one is being filled, the other is brought
//! into the tables in one large step. Then the two change places.
//!
//! A file is a row of sectors of 512 bytes, and a batch is a frame of one or more of them. A sector begins and
//! ends with a stamp, eight bytes: the frame's sequence times four, plus 2 in the first sector of a frame, plus
//! 1 in the last. What stands between the stamps of a frame's sectors is, put together:
//!
//! ```text
//! checksum u32 | length u32 | sequence u64 | body                 the checksum is over all that follows
//! ```
//!
//! A frame is answered before the next one is written, so that after a loss of power at most the last one is in
//! pieces. The stamps tell that from damage: a frame in pieces has sectors that are still as they were before,
//! with the stamps of an earlier frame or none. If all of a frame's sectors have its stamps and the checksum is
//! wrong, or there is a later frame behind it, what was written there has been changed or lost.

use std::io;

use redb::StorageBackend;

const SECTOR: usize = 512;
const STAMP: usize = 8;
const DATA: usize = SECTOR - 2 * STAMP;
const HEAD: usize = 16;

/// By how much a file grows. Tests make thousands of files.
const STEP: u64 = if cfg!(test) { 16 << 10 } else { 1 << 20 };
/// How many zeros are written at once.
const PIECE: usize = 16 << 10;

/// A frame that is put together. The buffers stay for the next one.
#[derive(Debug, Default)]
pub(super) struct Frame {
    sequence: u64,
    data: Vec<u8>,
    sectors: Vec<u8>,
}

impl Frame {
    /// Makes the frame of a sequence; what it holds is appended by a function.
    pub(super) fn fill(&mut self, sequence: u64, body: impl FnOnce(&mut Vec<u8>)) {
        self.sequence = sequence;
        self.data.clear();
        self.data.extend_from_slice(&[0; HEAD]);
        body(&mut self.data);
        let length = u32::try_from(self.data.len() - HEAD).unwrap_or(u32::MAX);
        if let Some((head, _)) = self.data.split_first_chunk_mut::<HEAD>() {
            let (rest, number) = head.split_at_mut(8);
            rest.copy_from_slice(&[[0; 4], length.to_le_bytes()].concat());
            number.copy_from_slice(&sequence.to_le_bytes());
        }
        if let Some((checksum, rest)) = self.data.split_first_chunk_mut::<4>() {
            *checksum = crc32fast::hash(rest).to_le_bytes();
        }
        self.sectors.clear();
        let count = self.data.len().div_ceil(DATA);
        self.sectors.reserve(count * SECTOR);
        for (place, part) in self.data.chunks(DATA).enumerate() {
            let stamp = stamp(sequence, place == 0, place + 1 == count).to_le_bytes();
            self.sectors.extend_from_slice(&stamp);
            self.sectors.extend_from_slice(part);
            self.sectors.resize(self.sectors.len() + (DATA - part.len()), 0);
            self.sectors.extend_from_slice(&stamp);
        }
    }

    /// What it holds.
    pub(super) fn body(&self) -> &[u8] {
        self.data.get(HEAD..).unwrap_or_default()
    }

    /// Lets go of memory that only a large batch needed.
    pub(super) fn shrink(&mut self) {
        self.data.shrink_to(1 << 20);
        self.sectors.shrink_to(1 << 20);
    }
}

fn stamp(sequence: u64, first: bool, last: bool) -> u64 {
    (sequence << 2) | (u64::from(first) << 1) | u64::from(last)
}

/// One of the two files.
#[derive(Debug)]
pub(super) struct Half {
    file: Box<dyn StorageBackend>,
    /// How much of the file has been written, if only with zeros.
    length: u64,
    /// Where the next frame goes.
    end: u64,
    /// The sequence after that of the last frame.
    next: u64,
}

impl Half {
    /// A file, with nothing in it that is still of use.
    pub(super) fn of(file: Box<dyn StorageBackend>) -> io::Result<Half> {
        let length = file.len()?;
        Ok(Half { file, length, end: 0, next: 0 })
    }

    /// Whether no frame was appended since it was last cleared.
    pub(super) fn is_empty(&self) -> bool {
        self.end == 0
    }

    /// Whether a frame fits, if the file may have so many bytes.
    pub(super) fn fits(&self, frame: &Frame, most: u64) -> bool {
        self.end.saturating_add(frame.sectors.len() as u64) <= most
    }

    /// The sequence after that of the last frame.
    pub(super) fn next(&self) -> u64 {
        self.next
    }

    /// Begins at the beginning again.
    pub(super) fn clear(&mut self) {
        self.end = 0;
    }

    /// Appends a frame. When it returns, the frame survives a loss of power.
    pub(super) fn append(&mut self, frame: &Frame) -> io::Result<()> {
        let end = self.end.saturating_add(frame.sectors.len() as u64);
        if end > self.length {
            // Written zeros, not only a longer file: a sync must find nothing to do but the data.
            let length = end.next_multiple_of(STEP);
            self.file.set_len(length)?;
            // A few pages at a time: memory that was never written to is made of one page of zeros for as long as it
            // is only read, and whoever gets it next pays for that.
            let zeros = [0; PIECE];
            while self.length < length {
                let piece = usize::try_from(length - self.length).unwrap_or(PIECE).min(PIECE);
                self.file.write(self.length, zeros.get(..piece).unwrap_or_default())?;
                self.length += piece as u64;
            }
        }
        self.file.write(self.end, &frame.sectors)?;
        self.file.sync_data()?;
        self.end = end;
        self.next = frame.sequence.saturating_add(1);
        Ok(())
    }

    /// The frames from the beginning on, the first of which must have a sequence.
    pub(super) fn frames(&self, first: u64) -> Frames<'_> {
        Frames { half: self, place: 0, sequence: first, body: Vec::new() }
    }

    /// Looks at all stamps, to see whether something of a sequence or of later ones is here.
    fn survey(&self, sequence: u64) -> io::Result<Traces> {
        let mut traces = Traces::None;
        let mut whole = false;
        let mut place = 0;
        let mut part = Vec::new();
        while place < self.length {
            let length = (self.length - place).min(STEP);
            part.resize(usize::try_from(length).map_err(io::Error::other)?, 0);
            self.file.read(place, &mut part)?;
            place += length;
            for sector in part.chunks_exact(SECTOR) {
                let head = sector.first_chunk().map_or(0, |stamp| u64::from_le_bytes(*stamp));
                let tail = sector.last_chunk().map_or(0, |stamp| u64::from_le_bytes(*stamp));
                if head >> 2 > sequence || tail >> 2 > sequence {
                    return Ok(Traces::Later);
                }
                if head >> 2 == sequence || tail >> 2 == sequence {
                    traces = traces.max(Traces::Pieces);
                }
                let ours = head == tail && head >> 2 == sequence;
                whole = ours && (whole || head & 2 != 0);
                if whole && head & 1 != 0 {
                    traces = Traces::Whole;
                }
            }
        }
        Ok(traces)
    }
}

/// What is found of a frame that can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Traces {
    /// Nothing.
    None,
    /// Some of its sectors.
    Pieces,
    /// All of its sectors.
    Whole,
    /// Something that was written after it.
    Later,
}

/// Reads frames one after the other.
pub(super) struct Frames<'a> {
    half: &'a Half,
    place: u64,
    sequence: u64,
    body: Vec<u8>,
}

impl Frames<'_> {
    /// The sequence of the next frame.
    pub(super) fn sequence(&self) -> u64 {
        self.sequence
    }

    /// What the next frame holds; `None` if there is no more.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if self.place.saturating_add(SECTOR as u64) > self.half.length {
            return Ok(None);
        }
        let mut sector = [0; SECTOR];
        self.half.file.read(self.place, &mut sector)?;
        let length = sector
            .get(STAMP + 4..)
            .and_then(<[u8]>::first_chunk)
            .map_or(0, |length| u32::from_le_bytes(*length));
        let size = u64::from(length) + HEAD as u64;
        let end = self.place + size.div_ceil(DATA as u64) * SECTOR as u64;
        if end > self.half.length {
            return Ok(None);
        }
        let mut sectors = vec![0; usize::try_from(end - self.place).map_err(io::Error::other)?];
        self.half.file.read(self.place, &mut sectors)?;
        self.body.clear();
        for sector in sectors.chunks_exact(SECTOR) {
            self.body.extend_from_slice(sector.get(STAMP..STAMP + DATA).unwrap_or_default());
        }
        self.body.truncate(usize::try_from(size).map_err(io::Error::other)?);
        let Some((checksum, rest)) = self.body.split_first_chunk::<4>() else { return Ok(None) };
        let number = rest.get(4..).and_then(<[u8]>::first_chunk).map(|number| u64::from_le_bytes(*number));
        if crc32fast::hash(rest) != u32::from_le_bytes(*checksum) || number != Some(self.sequence) {
            return Ok(None);
        }
        self.place = end;
        self.sequence = self.sequence.saturating_add(1);
        Ok(self.body.get(HEAD..))
    }
}

/// Why a journal can't be read.
#[derive(Debug)]
pub(super) enum Unreadable {
    /// The disk says so.
    Io(io::Error),
    /// It is not what was written.
    Damaged(String),
}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        Unreadable::Io(error)
    }
}

/// What a journal has that is not in the tables yet.
#[derive(Debug)]
pub(super) struct Survey<'a> {
    /// The halves that have it, in their order.
    pub(super) filled: Vec<&'a Half>,
    /// The sequence after that of the last frame.
    pub(super) until: u64,
    /// The sequence that the next frame may have.
    pub(super) next: u64,
}

/// Reads a journal from a sequence on. A frame at the end that is in pieces was never answered and is left out;
/// but its sequence is not used again, lest its pieces be taken for those of another.
pub(super) fn survey(halves: &[Half; 2], first: u64) -> Result<Survey<'_>, Unreadable> {
    let (mut filled, mut until) = (Vec::new(), first);
    // What follows the one may be in the other, and not more than that.
    for _ in 0..halves.len() {
        for half in halves {
            let mut frames = half.frames(until);
            while frames.next()?.is_some() {}
            if frames.sequence > until {
                until = frames.sequence;
                filled.push(half);
            }
        }
    }
    let mut next = until;
    for half in halves {
        match half.survey(until)? {
            Traces::None => {}
            Traces::Pieces => next = until.saturating_add(1),
            Traces::Whole => return Err(Unreadable::Damaged(format!("batch {until} is damaged"))),
            Traces::Later => {
                let why = format!("batch {until} is missing, and later ones are there");
                return Err(Unreadable::Damaged(why));
            }
        }
    }
    Ok(Survey { filled, until, next })
}

#[cfg(test)]
mod tests {
    use redb::backends::InMemoryBackend;

    use super::*;

    fn half() -> Half {
        Half::of(Box::new(InMemoryBackend::new())).unwrap()
    }

    fn append(half: &mut Half, sequence: u64, length: usize) {
        let mut frame = Frame::default();
        frame.fill(sequence, |out| out.resize(out.len() + length, 7));
        half.append(&frame).unwrap();
    }

    /// Both halves, with frames of some sectors each; where each frame of the second begins.
    fn filled() -> [Half; 2] {
        let mut halves = [half(), half()];
        for sequence in 1..4 {
            append(&mut halves[0], sequence, 700);
        }
        for sequence in 4..7 {
            append(&mut halves[1], sequence, 1200);
        }
        halves
    }

    fn flip(half: &Half, place: u64, bit: u8) {
        let mut byte = [0];
        half.file.read(place, &mut byte).unwrap();
        half.file.write(place, &[byte[0] ^ bit]).unwrap();
    }

    #[test]
    fn frames_come_back_in_order() {
        let halves = filled();
        let found = survey(&halves, 1).unwrap();
        assert_eq!((found.filled.len(), found.until, found.next), (2, 7, 7));
        let found = survey(&halves, 4).unwrap();
        assert_eq!((found.filled.len(), found.until), (1, 7));
        let mut frames = found.filled[0].frames(4);
        while let Some(body) = frames.next().unwrap() {
            assert_eq!(body, [7; 1200]);
        }
        assert_eq!(survey(&halves, 7).unwrap().until, 7);
    }

    #[test]
    fn a_file_is_used_again_without_clearing_it() {
        let mut halves = filled();
        halves[0].clear();
        append(&mut halves[0], 7, 100);
        assert_eq!(survey(&halves, 4).unwrap().until, 8);
        assert_eq!(survey(&halves, 7).unwrap().until, 8);
    }

    #[test]
    fn a_torn_frame_at_the_end_is_left_out() {
        // Each set of sectors but all of them, and a sector of which only a part was written.
        for missing in 1u64..8 {
            let halves = filled();
            let begin = halves[1].end - 3 * 512;
            for sector in (0..3).filter(|sector| missing & (1 << sector) != 0) {
                halves[1].file.write(begin + sector * 512, &[0; 512]).unwrap();
            }
            let found = survey(&halves, 1).unwrap();
            assert_eq!((found.until, found.next), (6, if missing == 7 { 6 } else { 7 }), "{missing}");
        }
        for cut in 1..1536 {
            let halves = filled();
            let begin = halves[1].end - 1536;
            halves[1].file.write(begin + cut, &vec![0; usize::try_from(1536 - cut).unwrap()]).unwrap();
            let next = survey(&halves, 1).unwrap().until;
            // From where only padding and a stamp are missing the batch is there.
            assert!(next == 6 || (cut >= 1256 && next == 7), "{cut}: {next}");
        }
    }

    #[test]
    fn a_flipped_bit_is_an_error_or_does_no_harm() {
        for half in 0..2 {
            let length = filled()[half].end;
            let mut noticed = 0;
            for place in 0..length {
                let halves = filled();
                flip(&halves[half], place, 1 << (place % 8));
                match survey(&halves, 1) {
                    Ok(found) => assert_eq!(found.until, 7, "{half}: {place}"),
                    Err(Unreadable::Damaged(_)) => noticed += 1,
                    Err(Unreadable::Io(error)) => panic!("{error}"),
                }
            }
            assert!(noticed > length / 2, "{noticed}");
        }
    }

    #[test]
    fn a_hole_in_the_middle_is_an_error() {
        for sector in 0..6u64 {
            let halves = filled();
            halves[1].file.write(sector * 512, &[0; 512]).unwrap();
            assert!(matches!(survey(&halves, 1), Err(Unreadable::Damaged(_))), "{sector}");
        }
        let mut halves = filled();
        halves[0] = half();
        assert!(matches!(survey(&halves, 1), Err(Unreadable::Damaged(_))));
    }
}
