//! An LRU map.

use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

/// Map of bounded size that evicts the least recently used entry.
pub(super) struct Recent<K, V> {
    capacity: usize,
    values: HashMap<K, (u64, V)>,
    by_use: BTreeMap<u64, K>,
    next: u64,
}

impl<K: Clone + Eq + Hash, V: Default> Recent<K, V> {
    pub(super) fn new(capacity: usize) -> Self {
        Recent { capacity: capacity.max(1), values: HashMap::new(), by_use: BTreeMap::new(), next: 0 }
    }

    /// Returns the value of a key, made anew if there is none. It is the last to be forgotten now.
    pub(super) fn entry(&mut self, key: K) -> &mut V {
        let number = self.next;
        self.next = self.next.wrapping_add(1);
        if let Some((used, _)) = self.values.get(&key) {
            self.by_use.remove(used);
        } else if self.values.len() >= self.capacity
            && let Some((_, oldest)) = self.by_use.pop_first()
        {
            self.values.remove(&oldest);
        }
        self.by_use.insert(number, key.clone());
        let (used, value) = self.values.entry(key).or_insert_with(|| (number, V::default()));
        *used = number;
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_asked_for_longest_is_forgotten_first() {
        let mut recent: Recent<&str, u32> = Recent::new(2);
        *recent.entry("a") += 1;
        *recent.entry("b") += 1;
        *recent.entry("a") += 1;
        *recent.entry("c") += 1;
        assert_eq!(*recent.entry("a"), 2);
        assert_eq!(*recent.entry("b"), 0);
    }
}
