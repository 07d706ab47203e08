//! Deflate whose state is used again.
//!
//! A state has a quarter of a mebibyte and is mostly one large table, so that making one for each block would cost
//! nearly as much as compressing a short one. A few wait here for whoever compresses next.

use std::io;

use flate2::{Compress, Compression, FlushCompress};
use parking_lot::Mutex;

/// How hard it is tried. Of blocks of pods level 1 leaves a third more bytes, all of which are encrypted and sent with
/// every list, for a quarter less time at most. Level 3 and those above take longer and leave 5 % less.
const LEVEL: u32 = 2;
/// How many states wait to be used again.
const MOST_SPARE: usize = 4;
/// How many times smaller compressed text is expected to be.
const SMALLER: usize = 8;
/// How much room for compressed bytes there is at least, and how much more when there was too little.
const ROOM: usize = 512;

static SPARE: Mutex<Vec<Compress>> = Mutex::new(Vec::new());

/// Compresses one text after the other, each looking back at those before it.
#[derive(Debug)]
pub(super) struct Encoder {
    /// None only while it is dropped.
    state: Option<Compress>,
}

impl Encoder {
    /// Looks back at nothing.
    pub(super) fn new() -> Self {
        let spare = SPARE.lock().pop();
        let state = match spare {
            Some(mut state) => {
                state.reset();
                state
            }
            None => Compress::new(Compression::new(LEVEL), false),
        };
        Encoder { state: Some(state) }
    }

    /// Compresses text. What comes out ends on a byte and is not the last of its stream.
    pub(super) fn deflate(&mut self, text: &[u8]) -> io::Result<Vec<u8>> {
        let state = self.state.as_mut().ok_or(io::ErrorKind::Other)?;
        let mut out = Vec::with_capacity(text.len() / SMALLER + ROOM);
        let mut rest = text;
        loop {
            let (read, written) = (state.total_in(), out.len());
            state.compress_vec(rest, &mut out, FlushCompress::Sync).map_err(io::Error::other)?;
            let read = usize::try_from(state.total_in() - read).unwrap_or(usize::MAX);
            rest = rest.get(read..).unwrap_or_default();
            // The flush has ended only if there was room for more.
            if out.len() < out.capacity() {
                if rest.is_empty() {
                    return Ok(out);
                }
                if read == 0 && out.len() == written {
                    return Err(io::Error::other("text could not be compressed"));
                }
            }
            out.reserve(ROOM.max(rest.len() / SMALLER));
        }
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        let mut spare = SPARE.lock();
        if spare.len() < MOST_SPARE {
            spare.extend(self.state.take());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn inflated(packed: &[u8]) -> Vec<u8> {
        let mut plain = Vec::new();
        flate2::read::DeflateDecoder::new(packed).read_to_end(&mut plain).unwrap();
        plain
    }

    /// Text of some length that can't be made much shorter.
    fn noise(length: usize) -> Vec<u8> {
        let mut state = 1_u32;
        let step = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        (0..length).map(step).collect()
    }

    #[test]
    fn texts_of_all_lengths_end_on_a_byte_whatever_room_they_need() {
        let noise = noise(5_000);
        let even = vec![b'x'; 300_000];
        for length in (0..700).chain([4_095, 4_096, 5_000]) {
            let mut packed = Encoder::new().deflate(&noise[..length]).unwrap();
            packed.extend_from_slice(&Encoder::new().deflate(&even).unwrap());
            packed.extend_from_slice(&[3, 0]);
            assert!(inflated(&packed) == [&noise[..length], &even].concat(), "{length}");
        }
    }

    #[test]
    fn a_state_that_is_used_again_looks_back_at_nothing_of_before() {
        let text = b"the same words again, the same words again and again".repeat(50);
        let mut encoder = Encoder::new();
        let first = encoder.deflate(&text).unwrap();
        let further = encoder.deflate(&text).unwrap();
        assert!(further.len() < first.len(), "it looks back at the text before");
        drop(encoder);
        let mut packed = Encoder::new().deflate(&text).unwrap();
        packed.extend_from_slice(&[3, 0]);
        assert!(inflated(&packed) == text);
    }
}
