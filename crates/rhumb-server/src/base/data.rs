//! What the bodies of answers are made of: bytes in one part, or in many that are sent from where they are kept.

use std::collections::VecDeque;
use std::io::IoSlice;
use std::sync::Arc;

use bytes::{Buf, BufMut, Bytes, BytesMut};

use crate::base::usage::Taken;

/// Bytes of an answer. A list hands on the encoded forms that the cache holds, so that the first to copy them is who
/// encrypts them.
#[derive(Clone, Debug, Default)]
pub struct Data {
    /// Empty only if there is nothing at all.
    first: Bytes,
    others: VecDeque<Bytes>,
    length: usize,
    /// What the user who gets them has taken for them, until they are sent or dropped.
    taken: Option<Arc<Taken>>,
}

impl Data {
    /// Adds bytes at the end.
    pub(crate) fn push(&mut self, part: Bytes) {
        if part.is_empty() {
            return;
        }
        self.length += part.len();
        match self.first.is_empty() {
            true => self.first = part,
            false => self.others.push_back(part),
        }
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.length
    }

    /// How many bytes are nobody else's. Those in many parts were gathered from where they are kept anyway.
    pub(crate) fn own_len(&self) -> usize {
        if self.others.is_empty() { self.length } else { 0 }
    }

    /// Holds what was taken for the bytes for as long as they are there.
    pub(crate) fn hold(&mut self, taken: Taken) {
        self.taken = Some(Arc::new(taken));
    }

    /// What was taken for the bytes.
    pub(crate) fn taken(&self) -> Option<Arc<Taken>> {
        self.taken.clone()
    }

    /// The bytes, part by part.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &Bytes> {
        std::iter::once(&self.first).chain(&self.others)
    }

    /// Looks at a byte here and there. The parts lie far apart in memory, and the processor fetches the beginnings of
    /// many at the same time, where whoever copies them waits for each.
    pub(crate) fn approach(&self) {
        for part in self.parts() {
            let bytes = [part.first(), part.get(part.len() / 2)];
            std::hint::black_box(bytes.map(|byte| byte.copied()));
        }
    }

    /// The bytes in one part, which copies them if there are many.
    pub(crate) fn joined(mut self) -> Bytes {
        self.copy_to_bytes(self.length)
    }
}

impl From<Bytes> for Data {
    fn from(bytes: Bytes) -> Self {
        Data { length: bytes.len(), first: bytes, ..Data::default() }
    }
}

impl Buf for Data {
    fn remaining(&self) -> usize {
        self.length
    }

    fn chunk(&self) -> &[u8] {
        &self.first
    }

    fn chunks_vectored<'a>(&'a self, into: &mut [IoSlice<'a>]) -> usize {
        let parts = self.parts().filter(|part| !part.is_empty());
        let filled = into.iter_mut().zip(parts).map(|(place, part)| *place = IoSlice::new(part));
        filled.count()
    }

    fn advance(&mut self, mut count: usize) {
        self.length = self.length.saturating_sub(count);
        while count >= self.first.len() && count > 0 {
            count -= self.first.len();
            self.first = self.others.pop_front().unwrap_or_default();
            if self.first.is_empty() {
                return;
            }
        }
        self.first.advance(count);
    }

    fn copy_to_bytes(&mut self, length: usize) -> Bytes {
        if length < self.first.len() {
            self.length -= length;
            return self.first.split_to(length);
        }
        if length == self.first.len() {
            self.length -= length;
            return std::mem::replace(&mut self.first, self.others.pop_front().unwrap_or_default());
        }
        let mut out = BytesMut::with_capacity(length);
        out.put(self.take(length));
        out.freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn data(parts: &[&'static str]) -> Data {
        let mut data = Data::default();
        for part in parts {
            data.push(Bytes::from_static(part.as_bytes()));
        }
        data
    }

    #[test]
    fn bytes_are_the_same_however_they_are_cut_and_taken() {
        for parts in [&["abcdefgh"][..], &["a", "bcd", "", "efgh"], &["", "abcd", "e", "f", "gh"]] {
            for step in 1..=8 {
                let (mut left, mut taken) = (data(parts), Vec::new());
                while left.has_remaining() {
                    let next = step.min(left.remaining());
                    taken.extend_from_slice(&left.copy_to_bytes(next));
                }
                assert_eq!((taken.as_slice(), left.len(), left.chunk()), (&b"abcdefgh"[..], 0, &b""[..]));
                let mut left = data(parts);
                left.advance(step);
                let mut slices = [IoSlice::new(&[]); 2];
                let filled = left.chunks_vectored(&mut slices);
                let seen: usize = slices[..filled].iter().map(|slice| slice.len()).sum();
                assert!(seen > 0 || left.remaining() == 0);
                assert_eq!(left.joined(), &b"abcdefgh"[step..]);
            }
        }
    }
}
