//! Any bytes, cut into frames: an error or frames, never a panic, and the same frames however the bytes arrive.
//!
//! The first byte is how many bytes arrive at a time, the second the limit of a frame.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_codec::framing::{FrameError, FrameReader, Framing};

/// What a stream gives, until an error that stays.
fn frames(framing: Framing, limit: usize, chunks: &[&[u8]]) -> Vec<Result<Vec<u8>, FrameError>> {
    let mut reader = FrameReader::new(framing, limit);
    let mut found = Vec::new();
    for chunk in chunks {
        reader.feed(chunk);
        loop {
            match reader.next_frame() {
                Ok(Some(frame)) => found.push(Ok(frame.to_vec())),
                Ok(None) => break,
                Err(FrameError::TooLarge) => found.push(Err(FrameError::TooLarge)),
                Err(error) => {
                    found.push(Err(error));
                    return found;
                }
            }
        }
    }
    match reader.finish() {
        Ok(None) => {}
        Ok(Some(frame)) => found.push(Ok(frame)),
        Err(error) => found.push(Err(error)),
    }
    found
}

fuzz_target!(|input: &[u8]| {
    let [size, limit, bytes @ ..] = input else { return };
    let chunks: Vec<&[u8]> = bytes.chunks(usize::from(*size).max(1)).collect();
    for framing in [Framing::Json, Framing::LengthDelimited] {
        let whole = frames(framing, usize::from(*limit), &[bytes]);
        assert_eq!(frames(framing, usize::from(*limit), &chunks), whole);
        let mut written = Vec::new();
        let good: Vec<_> = whole.into_iter().flatten().collect();
        for frame in &good {
            framing.write(frame, &mut written).expect("a small frame's length can be written");
        }
        let read: Vec<_> = frames(framing, usize::from(*limit), &[&written]).into_iter().flatten().collect();
        assert_eq!(read, good);
    }
});
