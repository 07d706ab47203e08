//! SPDY's frames as they come from a kubelet, with what commands in containers need to know of them.

use std::io;

use bytes::Bytes;
use rhumb_codec::spdy::{self, HEADER, Reader};
use tokio::io::{AsyncRead, AsyncReadExt};

/// How much is read at once. Kubelets send pieces of 32 KiB.
const PIECE: usize = 32 << 10;

/// What a frame says that came.
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

/// The frames that somebody sends. A frame of data that is the last one comes as two.
#[derive(Debug)]
pub(super) struct Frames<R> {
    from: R,
    reader: Reader,
    ended: Option<u32>,
}

impl<R: AsyncRead + Unpin> Frames<R> {
    pub(super) fn new(from: R) -> Self {
        Frames { from, reader: Reader::default(), ended: None }
    }

    /// The next frame; none at the end.
    pub(super) async fn next(&mut self) -> io::Result<Option<Frame>> {
        if let Some(stream) = self.ended.take() {
            return Ok(Some(Frame::End(stream)));
        }
        loop {
            match self.reader.next_frame().map_err(io::Error::other)? {
                Some(spdy::Frame::Data { stream, last, bytes }) => {
                    self.ended = last.then_some(stream);
                    return Ok(Some(Frame::Data(stream, bytes)));
                }
                Some(spdy::Frame::Reply { stream, last: true } | spdy::Frame::Reset { stream, .. }) => {
                    return Ok(Some(Frame::End(stream)));
                }
                Some(spdy::Frame::Ping(id)) => return Ok(Some(Frame::Ping(id))),
                Some(_) => return Ok(Some(Frame::Other)),
                None => {}
            }
            let buffer = self.reader.buffer();
            buffer.reserve(PIECE);
            if self.from.read_buf(buffer).await? == 0 {
                return if buffer.len() < HEADER {
                    Ok(None)
                } else {
                    Err(io::ErrorKind::UnexpectedEof.into())
                };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use rhumb_codec::spdy::{Writer, data, ping, reset};
    use tokio::io::AsyncWriteExt;

    use super::*;

    #[test]
    fn headers_are_one_zlib_stream() {
        let mut opener = Writer::default();
        let mut open = |stream, kind| opener.open(stream, &[("streamtype", kind)]);
        let (first, second) = (open(1, "error"), open(3, "stdin"));
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
        bytes.extend_from_slice(&data(3, false, b"hello"));
        bytes.extend_from_slice(&data(5, true, b"last"));
        bytes.extend_from_slice(&data(7, true, b""));
        bytes.extend_from_slice(&reset(9));
        bytes.extend_from_slice(&[0x80, 3, 0, 2, 0, 0, 0, 5, 0, 0, 0, 9, 1]);
        bytes.extend_from_slice(&ping(2));
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
