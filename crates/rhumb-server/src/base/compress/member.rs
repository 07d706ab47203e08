//! A gzip member put together from text, and from blocks of raw deflate that were compressed apart from each other.
//!
//! Every block ends with a flush, which fills its last byte, and looks back at nothing before itself, so blocks may
//! stand behind each other in any order. The checksum of the whole is combined from theirs. So what is listed often is
//! compressed once, and a list is a concatenation for clients that take gzip, too.

use std::io;

use bytes::{BufMut, Bytes, BytesMut};
use crc32fast::Hasher;

use super::encoder::Encoder;
use crate::base::data::Data;
use crate::base::memory::snug;

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
    pub(crate) fn of(text: &[u8]) -> io::Result<Self> {
        let sum = crc32fast::hash(text);
        let deflated = snug(Encoder::new().deflate(text)?);
        Ok(Block { deflated, sum, plain_len: text.len() })
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

/// Blocks one after the other, with what stands between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    parts: Vec<Bytes>,
    sum: Hasher,
    plain_len: usize,
}

impl Blocks {
    /// Adds a block.
    pub(crate) fn add(&mut self, block: &Block) {
        self.sum.combine(&Hasher::new_with_initial_len(block.sum, block.plain_len as u64));
        self.plain_len += block.plain_len;
        self.parts.push(block.deflated.clone());
    }

    /// Adds some bytes of text.
    pub(crate) fn add_short(&mut self, text: &[u8]) {
        if !text.is_empty() {
            self.sum.update(text);
            self.plain_len += text.len();
            self.parts.push(stored(text));
        }
    }

    /// How long the text is.
    pub(crate) fn plain_len(&self) -> usize {
        self.plain_len
    }
}

/// A member that is being put together.
#[derive(Debug)]
pub(crate) struct Member {
    sum: Hasher,
    /// How long the text is so far, in 32 bits as its end says.
    length: u32,
    /// Text that is not compressed yet.
    text: Vec<u8>,
    /// What compressed the text that stands last in what was not taken yet, so that further text can look back at it.
    encoder: Option<Encoder>,
    out: Data,
    /// How many blocks were added since some were taken.
    blocks: usize,
}

impl Member {
    /// Begins a member.
    pub(crate) fn new() -> Self {
        let out = Data::from(Bytes::from_static(&HEAD));
        Member { sum: Hasher::new(), length: 0, text: Vec::new(), encoder: None, out, blocks: 0 }
    }

    /// Adds text.
    pub(crate) fn add_text(&mut self, text: &[u8]) -> io::Result<()> {
        if self.text.is_empty() && text.len() >= GATHERED {
            return self.pack(text);
        }
        self.text.extend_from_slice(text);
        if self.text.len() >= GATHERED { self.settle() } else { Ok(()) }
    }

    /// Adds a block.
    pub(crate) fn add(&mut self, block: Block) -> io::Result<()> {
        self.settle()?;
        self.encoder = None;
        self.sum.combine(&Hasher::new_with_initial_len(block.sum, block.plain_len as u64));
        self.count(block.plain_len);
        self.out.push(block.deflated);
        self.blocks += 1;
        Ok(())
    }

    /// Adds blocks.
    pub(crate) fn add_all(&mut self, blocks: &Blocks) -> io::Result<()> {
        self.settle()?;
        self.encoder = None;
        self.sum.combine(&blocks.sum);
        self.count(blocks.plain_len);
        blocks.parts.iter().for_each(|part| self.out.push(part.clone()));
        self.blocks += blocks.parts.len();
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

    /// The bytes that there are since some were taken. Nothing large is held while they are sent.
    pub(crate) fn take(&mut self) -> Data {
        self.encoder = None;
        self.blocks = 0;
        std::mem::take(&mut self.out)
    }

    /// Ends the member, and gives its last bytes.
    pub(crate) fn end(mut self) -> io::Result<Data> {
        self.settle()?;
        let mut end = BytesMut::with_capacity(LAST.len() + 8);
        end.put_slice(&LAST);
        end.put_u32_le(self.sum.finalize());
        end.put_u32_le(self.length);
        self.out.push(end.freeze());
        Ok(self.out)
    }

    /// Compresses the text that was gathered.
    fn settle(&mut self) -> io::Result<()> {
        if self.text.is_empty() {
            return Ok(());
        }
        let mut text = std::mem::take(&mut self.text);
        self.pack(&text)?;
        text.clear();
        self.text = text;
        Ok(())
    }

    /// Compresses text.
    fn pack(&mut self, text: &[u8]) -> io::Result<()> {
        self.sum.update(text);
        self.count(text.len());
        if text.len() < SHORT {
            self.encoder = None;
            self.out.push(stored(text));
        } else {
            let packed = self.encoder.get_or_insert_with(Encoder::new).deflate(text)?;
            self.out.push(packed.into());
        }
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
    fn text_looks_back_at_text_only_where_nothing_else_stands_between() {
        let text = "every time the same words, and every time a few others".repeat(2_000);
        let block = Block::of(b"something else that is longer than what is stored as it is").unwrap();
        for between in 0..4 {
            let (mut member, mut packed, mut plain) = (Member::new(), Vec::new(), Vec::new());
            for number in 0..6 {
                member.add_text(text.as_bytes()).unwrap();
                plain.extend_from_slice(text.as_bytes());
                match (between, number % 2) {
                    (1, 0) => {
                        member.add(block.clone()).unwrap();
                        plain
                            .extend_from_slice(b"something else that is longer than what is stored as it is");
                    }
                    (2, 0) => packed.extend_from_slice(&member.take().joined()),
                    (3, 0) => {
                        // Settled on its own, it is stored as it is.
                        member.add_text(b"short").unwrap();
                        member.settle().unwrap();
                        plain.extend_from_slice(b"short");
                    }
                    _ => {}
                }
            }
            packed.extend_from_slice(&member.take().joined());
            packed.extend_from_slice(&member.end().unwrap().joined());
            assert!(unpacked(&packed) == plain, "{between}");
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
