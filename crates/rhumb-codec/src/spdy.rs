//! The subset of SPDY/3.1 that port forwarding needs.
//!
//! A client opens streams, both sides send data on them and end them, and either side may ask whether the other lives.
//! There is no flow control, because API servers and kubelets have none. The headers of a stream must be a zlib stream
//! that goes on from frame to frame; ours has blocks that are stored as they are, which needs neither a compressor
//! nor SPDY's dictionary. The headers that a server sends say nothing, and are passed over.
//!
//! It is written here because it is so little, of a protocol that hardly anything but Kubernetes speaks any more.

use std::fmt;

use bytes::{Buf, BufMut, Bytes, BytesMut};

/// Control bit and version of control frames.
const CONTROL: u32 = 0x8003_0000;
const SYN_STREAM: u16 = 1;
const SYN_REPLY: u16 = 2;
const RST_STREAM: u16 = 3;
const PING: u16 = 6;
const GO_AWAY: u16 = 7;
const FIN: u8 = 1;
/// Mask of a stream ID, which has 31 bits.
const STREAM: u32 = 0x7fff_ffff;
/// Maximum frame length accepted; lengths have 24 bits.
const MAX_FRAME: usize = 1 << 20;
/// The length of what stands before a frame's payload.
pub const HEADER: usize = 8;

/// A received frame.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Frame {
    /// Data on a stream.
    Data {
        /// The stream's number.
        stream: u32,
        /// Whether nothing follows on the stream.
        last: bool,
        /// The data.
        bytes: Bytes,
    },
    /// The other side takes part in a stream.
    Reply {
        /// The stream's number.
        stream: u32,
        /// Whether it has nothing to say there.
        last: bool,
    },
    /// The other side gave a stream up.
    Reset {
        /// The stream's number.
        stream: u32,
        /// Why, as SPDY counts reasons.
        status: u32,
    },
    /// A question whether this side lives, or the answer to one.
    Ping(u32),
    /// The other side takes no more streams.
    GoAway,
    /// Something that is of no interest.
    Other,
}

/// Bytes that are no frames of SPDY/3.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// A frame has more bytes than any should.
    TooLong(usize),
    /// A frame ends before what it must say.
    TooShort,
    /// A frame is of another version.
    Version(u32),
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::TooLong(length) => write!(f, "a frame of {length} bytes"),
            FrameError::TooShort => f.write_str("a frame that is too short"),
            FrameError::Version(version) => write!(f, "a frame of version {version}"),
        }
    }
}

impl std::error::Error for FrameError {}

/// Encodes frames.
#[derive(Debug, Default)]
pub struct Writer {
    /// The zlib stream of the headers has begun.
    begun: bool,
}

fn control(kind: u16, flags: u8, payload: &[u8]) -> BytesMut {
    let mut frame = BytesMut::with_capacity(HEADER + payload.len());
    frame.put_u32(CONTROL | u32::from(kind));
    put_length(flags, payload.len(), &mut frame);
    frame.put_slice(payload);
    frame
}

/// Flags and length stand in one word. Nothing here is as long as what a length can say.
fn put_length(flags: u8, length: usize, frame: &mut BytesMut) {
    let length = u32::try_from(length).unwrap_or(u32::MAX) & 0x00ff_ffff;
    frame.put_u32(u32::from(flags) << 24 | length);
}

impl Writer {
    /// Opens a stream.
    pub fn open(&mut self, stream: u32, headers: &[(&str, &str)]) -> Bytes {
        let mut block = BytesMut::new();
        block.put_u32(u32::try_from(headers.len()).unwrap_or_default());
        for text in headers.iter().flat_map(|(name, value)| [name, value]) {
            block.put_u32(u32::try_from(text.len()).unwrap_or_default());
            block.put_slice(text.as_bytes());
        }
        let mut payload = BytesMut::new();
        payload.put_u32(stream & STREAM);
        // No stream it belongs to, and the highest priority.
        payload.put_u32(0);
        payload.put_u16(0);
        if !std::mem::replace(&mut self.begun, true) {
            payload.put_slice(&[0x78, 0x01]);
        }
        // The empty block at the end makes a reader hand over what came before it.
        for part in block.chunks(usize::from(u16::MAX)).chain([&b""[..]]) {
            let length = u16::try_from(part.len()).unwrap_or_default();
            payload.put_u8(0);
            payload.put_u16_le(length);
            payload.put_u16_le(!length);
            payload.put_slice(part);
        }
        control(SYN_STREAM, 0, &payload).freeze()
    }
}

/// Encodes a data frame.
pub fn data(stream: u32, last: bool, bytes: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(HEADER + bytes.len());
    frame.put_u32(stream & STREAM);
    put_length(if last { FIN } else { 0 }, bytes.len(), &mut frame);
    frame.put_slice(bytes);
    frame.freeze()
}

/// Encodes a reset of a stream.
pub fn reset(stream: u32) -> Bytes {
    const CANCEL: u32 = 5;
    let mut payload = BytesMut::with_capacity(8);
    payload.put_u32(stream & STREAM);
    payload.put_u32(CANCEL);
    control(RST_STREAM, 0, &payload).freeze()
}

/// Returns a question, or the answer to one.
pub fn ping(id: u32) -> Bytes {
    control(PING, 0, &id.to_be_bytes()).freeze()
}

/// Decodes frames from a byte stream.
#[derive(Debug, Default)]
pub struct Reader {
    buffer: BytesMut,
}

impl Reader {
    /// Takes bytes that came.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
    }

    /// The bytes that were not read yet; what comes may be put behind them.
    pub fn buffer(&mut self) -> &mut BytesMut {
        &mut self.buffer
    }

    /// Returns the next frame; none if more bytes are needed.
    ///
    /// # Errors
    /// If the bytes are no frame, after which none can be read.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, FrameError> {
        let Some(header) = self.buffer.first_chunk::<HEADER>() else { return Ok(None) };
        let (mut first, mut second) = header.split_at(4);
        let (first, second) = (first.get_u32(), second.get_u32());
        let flags = u8::try_from(second >> 24).unwrap_or_default();
        let length = usize::try_from(second & 0x00ff_ffff).unwrap_or(usize::MAX);
        if length > MAX_FRAME {
            return Err(FrameError::TooLong(length));
        }
        if self.buffer.len() < HEADER + length {
            return Ok(None);
        }
        self.buffer.advance(HEADER);
        let mut payload = self.buffer.split_to(length).freeze();
        let last = flags & FIN != 0;
        if first & !STREAM == 0 {
            return Ok(Some(Frame::Data { stream: first, last, bytes: payload }));
        }
        if first & 0xffff_0000 != CONTROL {
            return Err(FrameError::Version(first >> 16 & 0x7fff));
        }
        let mut word = || payload.try_get_u32().map_err(|_| FrameError::TooShort);
        Ok(Some(match u16::try_from(first & 0xffff).unwrap_or_default() {
            SYN_REPLY => Frame::Reply { stream: word()? & STREAM, last },
            RST_STREAM => Frame::Reset { stream: word()? & STREAM, status: word()? },
            PING => Frame::Ping(word()?),
            GO_AWAY => Frame::GoAway,
            _ => Frame::Other,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn headers_are_one_zlib_stream_over_all_frames() {
        let mut writer = Writer::default();
        let first = writer.open(1, &[("streamtype", "error"), ("port", "80")]);
        let second = writer.open(3, &[("streamtype", "data")]);
        let mut zlib = first[18..].to_vec();
        zlib.extend_from_slice(&second[18..]);
        let mut plain = Vec::new();
        // The stream never ends, which the decoder complains about when it has given everything.
        let _ = flate2::read::ZlibDecoder::new(&*zlib).read_to_end(&mut plain);
        let mut expect = BytesMut::new();
        for block in [&["streamtype", "error", "port", "80"][..], &["streamtype", "data"]] {
            expect.put_u32(u32::try_from(block.len() / 2).unwrap());
            for text in block {
                expect.put_u32(u32::try_from(text.len()).unwrap());
                expect.put_slice(text.as_bytes());
            }
        }
        assert_eq!(plain, expect);
        assert_eq!(first[..8], [0x80, 3, 0, 1, 0, 0, 0, u8::try_from(first.len() - 8).unwrap()]);
        assert_eq!(first[8..12], [0, 0, 0, 1]);
    }

    #[test]
    fn frames_are_read_however_they_are_cut() {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&data(3, false, b"hello"));
        bytes.extend_from_slice(&data(3, true, b""));
        bytes.extend_from_slice(&ping(2));
        bytes.extend_from_slice(&reset(5));
        bytes.extend_from_slice(&control(SYN_REPLY, FIN, &[0, 0, 0, 7, 1, 2, 3]));
        bytes.extend_from_slice(&control(GO_AWAY, 0, &[0; 8]));
        bytes.extend_from_slice(&control(4, 0, &[]));
        let expect = [
            Frame::Data { stream: 3, last: false, bytes: "hello".into() },
            Frame::Data { stream: 3, last: true, bytes: "".into() },
            Frame::Ping(2),
            Frame::Reset { stream: 5, status: 5 },
            Frame::Reply { stream: 7, last: true },
            Frame::GoAway,
            Frame::Other,
        ];
        for size in 1..=bytes.len() {
            let mut reader = Reader::default();
            let mut found = Vec::new();
            for piece in bytes.chunks(size) {
                reader.feed(piece);
                while let Some(frame) = reader.next_frame().unwrap() {
                    found.push(frame);
                }
            }
            assert_eq!(found, expect);
        }
    }

    #[test]
    fn what_is_no_spdy_is_an_error() {
        for bytes in
            [&[0x80, 2, 0, 1, 0, 0, 0, 0][..], &[0, 0, 0, 1, 0, 0xff, 0, 0], &[0x80, 3, 0, 6, 0, 0, 0, 1, 0]]
        {
            let mut reader = Reader::default();
            reader.feed(bytes);
            assert!(reader.next_frame().is_err(), "{bytes:?}");
        }
    }
}
