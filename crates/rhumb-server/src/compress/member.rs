//! A gzip member put together from blocks of raw deflate that were compressed apart from each other.
//!
//! Every block ends with a flush, which fills its last byte, and looks back at nothing before itself, so blocks may
//! stand behind each other in any order. The checksum of the whole is combined from theirs. So what is listed often is
//! compressed once, and a list is a concatenation for clients that take gzip, too.

use std::io::Write;

use bytes::{BufMut, Bytes, BytesMut};
use crc32fast::Hasher;
use flate2::Compression;
use flate2::write::DeflateEncoder;

use crate::data::Data;

/// The head of a member: deflate, no name, no time, compressed fast, on a system that is not told.
const HEAD: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 4, 0xff];
/// The last block: an empty one of fixed codes.
const LAST: [u8; 2] = [3, 0];
/// What is shorter is stored as it is: compressed it would be longer.
const SHORT: usize = 32;
/// How much text is gathered before it is compressed.
const GATHERED: usize = 64 * 1024;
/// What stands behind a kept block: the checksum and the length of its text.
const TRAILER: usize = 12;

/// Text that was compressed apart from what stands around it.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    deflated: Bytes,
    sum: u32,
    plain_len: usize,
}

impl Block {
    /// Compresses text.
    pub(crate) fn of(text: &[u8]) -> std::io::Result<Self> {
        let sum = crc32fast::hash(text);
        Ok(Block { deflated: deflate(text)?.into(), sum, plain_len: text.len() })
    }

    /// How long the text is.
    pub(crate) fn plain_len(&self) -> usize {
        self.plain_len
    }

    /// The block as bytes that can be kept.
    pub(crate) fn to_bytes(&self) -> Bytes {
        let mut bytes = BytesMut::with_capacity(self.deflated.len() + TRAILER);
        bytes.put_slice(&self.deflated);
        bytes.put_u32(self.sum);
        bytes.put_u64(self.plain_len as u64);
        bytes.freeze()
    }

    /// Reads what [`Block::to_bytes`] made; `None` for anything shorter.
    pub(crate) fn from_bytes(mut bytes: Bytes) -> Option<Self> {
        let at = bytes.len().checked_sub(TRAILER)?;
        let trailer = bytes.split_off(at);
        let (sum, length) = trailer.split_first_chunk::<4>()?;
        let plain_len = usize::try_from(u64::from_be_bytes(length.try_into().ok()?)).ok()?;
        Some(Block { deflated: bytes, sum: u32::from_be_bytes(*sum), plain_len })
    }
}

/// Raw deflate that ends on a byte and is not the last of its stream.
fn deflate(text: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::with_capacity(text.len() / 6), Compression::fast());
    encoder.write_all(text)?;
    encoder.flush()?;
    Ok(std::mem::take(encoder.get_mut()))
}

/// A member that is being put together.
#[derive(Debug)]
pub(crate) struct Member {
    sum: Hasher,
    /// How long the text is so far, in 32 bits as its end says.
    length: u32,
    /// Text that is not compressed yet.
    text: Vec<u8>,
    out: Data,
    /// How many blocks were added since some were taken.
    blocks: usize,
}

impl Member {
    /// Begins a member.
    pub(crate) fn new() -> Self {
        let out = Data::from(Bytes::from_static(&HEAD));
        Member { sum: Hasher::new(), length: 0, text: Vec::new(), out, blocks: 0 }
    }

    /// Adds text.
    pub(crate) fn add_text(&mut self, text: &[u8]) -> std::io::Result<()> {
        self.text.extend_from_slice(text);
        if self.text.len() >= GATHERED { self.settle() } else { Ok(()) }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, block: Block) -> std::io::Result<()> {
        self.settle()?;
        self.sum.combine(&Hasher::new_with_initial_len(block.sum, block.plain_len as u64));
        self.count(block.plain_len);
        self.out.push(block.deflated);
        self.blocks += 1;
        Ok(())
    }

    /// How many bytes can be taken.
    pub(crate) fn len(&self) -> usize {
        self.out.len()
    }

    /// How many blocks can be taken.
    pub(crate) fn blocks(&self) -> usize {
        self.blocks
    }

    /// The bytes that there are since some were taken.
    pub(crate) fn take(&mut self) -> Data {
        self.blocks = 0;
        std::mem::take(&mut self.out)
    }

    /// Ends the member, and gives its last bytes.
    pub(crate) fn end(mut self) -> std::io::Result<Data> {
        self.settle()?;
        let mut end = BytesMut::with_capacity(LAST.len() + 8);
        end.put_slice(&LAST);
        end.put_u32_le(self.sum.finalize());
        end.put_u32_le(self.length);
        self.out.push(end.freeze());
        Ok(self.out)
    }

    /// Compresses the text that was gathered.
    fn settle(&mut self) -> std::io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        self.sum.update(&self.text);
        self.count(self.text.len());
        self.out.push(if self.text.len() < SHORT { stored(&self.text) } else { deflate(&self.text)?.into() });
        self.text.clear();
        Ok(())
    }

    fn count(&mut self, length: usize) {
        // The end of a member has the lowest 32 bits only.
        self.length = self.length.wrapping_add((length & 0xffff_ffff) as u32);
    }
}

/// Short text as a block that is not compressed.
fn stored(text: &[u8]) -> Bytes {
    let length = u16::try_from(text.len()).unwrap_or(u16::MAX);
    let mut block = BytesMut::with_capacity(5 + text.len());
    block.put_u8(0);
    block.put_u16_le(length);
    block.put_u16_le(!length);
    block.put_slice(text);
    block.freeze()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    fn unpacked(packed: &[u8]) -> Vec<u8> {
        let (mut decoder, mut plain) = (flate2::read::GzDecoder::new(packed), Vec::new());
        decoder.read_to_end(&mut plain).unwrap();
        assert!(decoder.into_inner().is_empty(), "one member and nothing behind it");
        plain
    }

    #[test]
    fn blocks_and_texts_in_any_order_are_one_member() {
        let long: Vec<u8> = (0..300_000_u32).flat_map(|n| (n % 977).to_string().into_bytes()).collect();
        let pieces: [&[u8]; 7] = [b"{", &long[..70_000], b",", b"", &long, &long[5..50], b"]}\n"];
        for as_blocks in 0..(1_u32 << pieces.len()) {
            let (mut member, mut packed) = (Member::new(), Vec::new());
            for (place, piece) in pieces.iter().enumerate() {
                if as_blocks & (1 << place) == 0 {
                    member.add_text(piece).unwrap();
                } else {
                    let kept = Block::of(piece).unwrap().to_bytes();
                    let block = Block::from_bytes(kept).unwrap();
                    assert_eq!(block.plain_len(), piece.len());
                    member.add(block).unwrap();
                }
                if place % 2 == 0 {
                    packed.extend_from_slice(&member.take().joined());
                }
            }
            packed.extend_from_slice(&member.end().unwrap().joined());
            assert!(unpacked(&packed) == pieces.concat(), "{as_blocks:b}");
        }
    }

    #[test]
    fn an_empty_member_is_one() {
        assert_eq!(unpacked(&Member::new().end().unwrap().joined()), b"");
    }

    #[test]
    fn what_is_no_kept_block_is_none() {
        assert!(Block::from_bytes(Bytes::from_static(b"short")).is_none());
    }
}
