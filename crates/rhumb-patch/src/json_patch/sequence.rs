//! List with cheap insertion and removal anywhere.

/// Initial chunk size; chunks of twice the size are split.
const CHUNK: usize = 512;

/// List in chunks. Insertion and removal move elements of one chunk only.
#[derive(Debug)]
pub(super) struct Sequence<T> {
    /// None of them is empty.
    chunks: Vec<Vec<T>>,
    length: usize,
}

impl<T> Sequence<T> {
    /// Returns the number of elements.
    pub(super) fn len(&self) -> usize {
        self.length
    }

    /// Returns the elements in their order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Returns the elements in their order, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.chunks.iter_mut().flatten()
    }

    /// Returns the piece that an element stands in, and its place there.
    fn place(&self, mut index: usize) -> Option<(usize, usize)> {
        for (number, chunk) in self.chunks.iter().enumerate() {
            if index < chunk.len() {
                return Some((number, index));
            }
            index -= chunk.len();
        }
        None
    }

    /// Returns an element.
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        let (number, place) = self.place(index)?;
        self.chunks.get(number)?.get(place)
    }

    /// Returns an element, to be changed.
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        let (number, place) = self.place(index)?;
        self.chunks.get_mut(number)?.get_mut(place)
    }

    /// Puts an element before the one at a position, or at the end if there is none.
    pub(super) fn insert(&mut self, index: usize, item: T) {
        self.length += 1;
        // The end of a piece is where its last element's successor goes, too.
        let before = index.checked_sub(1).and_then(|before| self.place(before));
        let (number, place) = before.map_or((0, 0), |(number, place)| (number, place + 1));
        let Some(chunk) = self.chunks.get_mut(number) else { return self.chunks.push(vec![item]) };
        chunk.insert(place.min(chunk.len()), item);
        if chunk.len() >= 2 * CHUNK {
            let rest = chunk.split_off(CHUNK);
            self.chunks.insert(number + 1, rest);
        }
    }

    /// Puts an element at the end.
    pub(super) fn push(&mut self, item: T) {
        self.length += 1;
        match self.chunks.last_mut().filter(|last| last.len() < CHUNK) {
            Some(last) => last.push(item),
            None => self.chunks.push(vec![item]),
        }
    }

    /// Takes an element out.
    pub(super) fn remove(&mut self, index: usize) -> Option<T> {
        let (number, place) = self.place(index)?;
        let chunk = self.chunks.get_mut(number)?;
        let item = chunk.remove(place);
        if chunk.is_empty() {
            self.chunks.remove(number);
        }
        self.length -= 1;
        Some(item)
    }
}

impl<T> FromIterator<T> for Sequence<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        let mut sequence = Sequence { chunks: Vec::new(), length: 0 };
        loop {
            let chunk: Vec<T> = items.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                return sequence;
            }
            sequence.length += chunk.len();
            sequence.chunks.push(chunk);
        }
    }
}

impl<T> IntoIterator for Sequence<T> {
    type Item = T;
    type IntoIter = std::iter::Flatten<std::vec::IntoIter<Vec<T>>>;

    fn into_iter(self) -> Self::IntoIter {
        self.chunks.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_list_that_a_vector_is() {
        let mut plain: Vec<usize> = (0..3000).collect();
        let mut sequence: Sequence<usize> = plain.iter().copied().collect();
        let mut state = 42_usize;
        for round in 0..20_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let index = (state >> 33) % (plain.len() + 1);
            // It grows, shrinks to nothing, and grows again.
            match (state >> 20) % 8 {
                0 => {
                    plain.push(round);
                    sequence.push(round);
                }
                1..=3 if round % 9000 < 4000 => {
                    plain.insert(index, round);
                    sequence.insert(index, round);
                }
                _ if index < plain.len() => assert_eq!(sequence.remove(index), Some(plain.remove(index))),
                _ => assert_eq!(sequence.remove(index), None),
            }
            assert_eq!((sequence.len(), sequence.get(index)), (plain.len(), plain.get(index)));
        }
        assert!(sequence.iter().eq(&plain));
        assert_eq!(sequence.into_iter().collect::<Vec<_>>(), plain);
    }
}
