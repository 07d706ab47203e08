//! The little of SPDY/3.1 that commands in containers need of its client's side.
//!
//! The client opens streams and tells in their headers what each is for; both sides send data and end streams.
//! There is no flow control, because kubelets have none. Headers are one zlib stream over all frames; ours is made of
//! blocks that are stored as they are, which needs neither a compressor nor SPDY's dictionary. The headers of the
//! answers say nothing, and are passed over.

use std::io;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

/// What control frames begin with: a bit that data doesn't have, and the version.
const CONTROL: u32 = 0x8003_0000;
const OPEN: u32 = 1;
const REPLY: u32 = 2;
const RESET: u32 = 3;
const PING: u32 = 6;
/// The flag of the last frame on a stream.
const LAST: u32 = 1 << 24;
/// How the numbers of streams, and the lengths of frames, are cut out of a word.
const STREAM: u32 = 0x7fff_ffff;
const LENGTH: u32 = 0x00ff_ffff;
const HEAD: usize = 8;
/// The longest frame that is read. Kubelets send pieces of 32 KiB.
const LONGEST: usize = 1 << 20;
/// How much is read at once.
const PIECE: usize = 32 << 10;
/// The most that a stored block can have.
const BLOCK: usize = 0xffff;

/// A frame that came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Data on a stream.
    Data(u32, Bytes),
    /// The other side has no more to say on a stream.
    End(u32),
    /// A question whether this side lives, or the answer to one.
    Ping(u32),
    /// Something that is of no interest.
    Other,
}

/// Opens streams: one after the other, because their headers are one text.
#[derive(Debug, Default)]
pub(super) struct Opener {
    has_begun: bool,
}

impl Opener {
    /// The frame that opens a stream with one header.
    pub(super) fn open(&mut self, stream: u32, name: &str, value: &str) -> Bytes {
        let mut headers = BytesMut::new();
        headers.put_u32(1);
        for text in [name, value] {
            headers.put_u32(u32::try_from(text.len()).unwrap_or_default());
            headers.put_slice(text.as_bytes());
        }
        let mut payload = BytesMut::new();
        payload.put_u32(stream & STREAM);
        // It belongs to no other stream, and none goes before it.
        payload.put_slice(&[0; 6]);
        if !std::mem::replace(&mut self.has_begun, true) {
            payload.put_slice(&[0x78, 0x01]);
        }
        // After an empty block a reader hands over what came before.
        for block in headers.chunks(BLOCK).chain([&b""[..]]) {
            let length = u16::try_from(block.len()).unwrap_or_default();
            payload.put_u8(0);
            payload.put_u16_le(length);
            payload.put_u16_le(!length);
            payload.put_slice(block);
        }
        frame(CONTROL | OPEN, 0, &payload)
    }
}

fn frame(first: u32, flags: u32, payload: &[u8]) -> Bytes {
    let mut frame = BytesMut::with_capacity(HEAD + payload.len());
    frame.put_u32(first);
    frame.put_u32(flags | u32::try_from(payload.len()).unwrap_or_default() & LENGTH);
    frame.put_slice(payload);
    frame.freeze()
}

/// Data on a stream.
pub(super) fn data(stream: u32, bytes: &[u8]) -> Bytes {
    frame(stream & STREAM, 0, bytes)
}

/// The end of a stream.
pub(super) fn end(stream: u32) -> Bytes {
    frame(stream & STREAM, LAST, b"")
}

/// The answer to a question.
pub(super) fn pong(id: u32) -> Bytes {
    frame(CONTROL | PING, 0, &id.to_be_bytes())
}

/// The frames that somebody sends. A frame of data that is the last one comes as two.
#[derive(Debug)]
pub(super) struct Frames<R> {
    from: R,
    buffer: BytesMut,
    ended: Option<u32>,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(super) fn new(from: R) -> Self {
        Frames { from, buffer: BytesMut::new(), ended: None }
    }

    /// Reads more; false if there is no more.
    async fn fill(&mut self) -> io::Result<bool> {
        self.buffer.reserve(PIECE);
        Ok(self.from.read_buf(&mut self.buffer).await? > 0)
    }

    /// The next frame; none at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Frame>> {
        if let Some(stream) = self.ended.take() {
            return Ok(Some(Frame::End(stream)));
        }
        while self.buffer.len() < HEAD {
            if !self.fill().await? {
                return Ok(None);
            }
        }
        let (first, second) = (self.buffer.get_u32(), self.buffer.get_u32());
        let length = usize::try_from(second & LENGTH).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(io::Error::other(format!("a frame of {length} bytes")));
        }
        while self.buffer.len() < length {
            if !self.fill().await? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        let mut payload = self.buffer.split_to(length).freeze();
        let is_last = second & LAST != 0;
        if first & !STREAM == 0 {
            self.ended = is_last.then_some(first);
            return Ok(Some(Frame::Data(first, payload)));
        }
        let mut word = || payload.try_get_u32().map_err(|_| io::Error::other("a frame that is too short"));
        let kind = first & 0xffff;
        Ok(Some(match kind {
            _ if first & 0xffff_0000 != CONTROL => {
                return Err(io::Error::other("a frame of another version"));
            }
            REPLY if is_last => Frame::End(word()? & STREAM),
            RESET => Frame::End(word()? & STREAM),
            PING => Frame::Ping(word()?),
            _ => Frame::Other,
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use tokio::io::AsyncWriteExt;

    use super::*;

    #[test]
    fn headers_are_one_zlib_stream() {
        let mut opener = Opener::default();
        let (first, second) = (opener.open(1, "streamtype", "error"), opener.open(3, "streamtype", "stdin"));
        assert_eq!(first[..4], [0x80, 3, 0, 1]);
        assert_eq!(second[8..12], [0, 0, 0, 3]);
        let mut plain = Vec::new();
        let zlib = [&first[18..], &second[18..]].concat();
        // The stream never ends, and a reader complains about that when it has given everything.
        let _ = flate2::read::ZlibDecoder::new(&*zlib).read_to_end(&mut plain);
        let expect =
            b"\0\0\0\x01\0\0\0\x0astreamtype\0\0\0\x05error\0\0\0\x01\0\0\0\x0astreamtype\0\0\0\x05stdin";
        assert_eq!(plain, expect);
    }

    #[tokio::test]
    async fn frames_are_read_however_they_come() {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&data(3, b"hello"));
        bytes.extend_from_slice(&frame(5, LAST, b"last"));
        bytes.extend_from_slice(&end(7));
        bytes.extend_from_slice(&frame(CONTROL | RESET, 0, &[0, 0, 0, 9, 0, 0, 0, 5]));
        bytes.extend_from_slice(&frame(CONTROL | REPLY, 0, &[0, 0, 0, 9, 1]));
        bytes.extend_from_slice(&pong(2));
        for size in 1..=bytes.len() {
            let (mut near, far) = tokio::io::duplex(size);
            let sent = bytes.clone();
            tokio::spawn(async move { near.write_all(&sent).await });
            let mut frames = Frames::new(far);
            let mut found = Vec::new();
            while let Some(frame) = frames.next().await.unwrap() {
                found.push(frame);
            }
            let expect = [
                Frame::Data(3, "hello".into()),
                Frame::Data(5, "last".into()),
                Frame::End(5),
                Frame::Data(7, "".into()),
                Frame::End(7),
                Frame::End(9),
                Frame::Other,
                Frame::Ping(2),
            ];
            assert_eq!(found, expect);
        }
    }

    #[tokio::test]
    async fn what_is_no_spdy_is_an_error() {
        for bytes in
            [&[0x80, 2, 0, 1, 0, 0, 0, 0][..], &[0, 0, 0, 1, 0, 0xff, 0, 0], &[0x80, 3, 0, 6, 0, 0, 0, 1, 0]]
        {
            assert!(Frames::new(bytes).next().await.is_err(), "{bytes:?}");
        }
    }
}
