//! Pieces of a list that are put together from encoded forms without copying the long ones.

use bytes::{Bytes, BytesMut};

use super::PIECE;
use crate::base::data::Data;

/// A piece that is being put together. Small parts are copied, and large ones are handed on as they are.
#[derive(Default)]
pub(super) struct Gathering {
    data: Data,
    /// What was copied since the last large part.
    copied: BytesMut,
    /// How many large parts there are, and how many there may be.
    large: usize,
    most: usize,
}

impl Gathering {
    /// What is shorter is copied: a part of its own would cost more.
    const LARGE: usize = 2048;
    /// How many large parts a piece has. Each has something before it, and what goes to the network with one call has
    /// 64 parts at most.
    pub(super) const MOST: usize = 30;

    /// A piece with so many large parts at most.
    pub(super) fn new(most: usize) -> Self {
        Gathering { most, ..Gathering::default() }
    }

    pub(super) fn copy(&mut self, bytes: &[u8]) {
        self.copied.extend_from_slice(bytes);
    }

    /// Adds bytes, and a few before them.
    pub(super) fn add(&mut self, before: &'static [u8], bytes: Bytes) {
        if bytes.len() < Self::LARGE {
            self.copy(before);
            return self.copy(&bytes);
        }
        if self.copied.is_empty() {
            self.data.push(Bytes::from_static(before));
        } else {
            self.copy(before);
            self.data.push(self.copied.split().freeze());
        }
        self.data.push(bytes);
        self.large += 1;
    }

    pub(super) fn is_enough(&self) -> bool {
        self.data.len() + self.copied.len() >= PIECE || self.large >= self.most
    }

    pub(super) fn end(mut self) -> Data {
        self.data.push(self.copied.freeze());
        self.data.approach();
        self.data
    }
}
