//! A list that is compressed, as pieces of one gzip member.

use std::io;

use bytes::Bytes;

use super::gathering::Gathering;
use crate::base::compress::{Block, Member};
use crate::base::data::Data;
use crate::base::failure::Outcome;

/// How many compressed bytes are handed on at once.
const PIECE: usize = 32 * 1024;

/// What comes next in a list that is being compressed: text, and behind it perhaps a block that is compressed already.
pub(super) struct Step {
    pub(super) before: &'static [u8],
    pub(super) text: Bytes,
    pub(super) block: Option<Block>,
}

impl Step {
    /// Nothing but text.
    pub(super) fn text(text: Bytes) -> Self {
        Step { before: b"", text, block: None }
    }

    /// Nothing but a block.
    pub(super) fn block(block: Block) -> Self {
        Step { before: b"", text: Bytes::new(), block: Some(block) }
    }
}

/// The pieces of a gzip member.
pub(super) struct Packed<I> {
    steps: I,
    /// None when the last bytes were given.
    member: Option<Member>,
}

impl<I: Iterator<Item = Outcome<Step>>> Packed<I> {
    pub(super) fn new(steps: I) -> Self {
        Packed { steps, member: Some(Member::new()) }
    }

    /// Takes steps until there is a piece.
    fn piece(&mut self, mut member: Member) -> io::Result<Data> {
        while member.len() < PIECE && member.blocks() < Gathering::MOST {
            let Some(step) = self.steps.next() else { return member.end() };
            let step = step.map_err(|failure| io::Error::other(failure.to_string()))?;
            member.add_text(step.before)?;
            member.add_text(&step.text)?;
            if let Some(block) = step.block {
                member.add(block)?;
            }
        }
        let piece = member.take();
        self.member = Some(member);
        Ok(piece)
    }
}

impl<I: Iterator<Item = Outcome<Step>>> Iterator for Packed<I> {
    type Item = io::Result<Data>;

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.member.take()?;
        Some(self.piece(member))
    }
}
