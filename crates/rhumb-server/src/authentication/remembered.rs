//! What was found out at some cost, kept for a short time and in bounded number.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use parking_lot::Mutex;

/// Answers by question. The oldest go when there are too many.
pub(crate) struct Remembered<K, V> {
    generations: Mutex<Generations<K, V>>,
    most: usize,
    lifetime: Duration,
}

/// Two maps: the new one is filled, and becomes the old one when it is full, so that nothing is ever searched for
/// what has to go.
struct Generations<K, V> {
    new: HashMap<K, (Duration, V)>,
    old: HashMap<K, (Duration, V)>,
}

impl<K: Eq + Hash, V: Clone> Remembered<K, V> {
    /// Keeps at most so many, for so long.
    pub(crate) fn new(most: usize, lifetime: Duration) -> Self {
        let generations = Generations { new: HashMap::new(), old: HashMap::new() };
        Remembered { generations: Mutex::new(generations), most, lifetime }
    }

    /// What is remembered, at a moment of the clock.
    pub(crate) fn get(&self, key: &K, now: Duration) -> Option<V> {
        let generations = self.generations.lock();
        let (since, value) = generations.new.get(key).or_else(|| generations.old.get(key))?;
        (now.saturating_sub(*since) < self.lifetime).then(|| value.clone())
    }

    /// Forgets everything.
    pub(crate) fn forget(&self) {
        let mut generations = self.generations.lock();
        generations.new.clear();
        generations.old.clear();
    }

    /// Remembers something from now on.
    pub(crate) fn put(&self, key: K, value: V, now: Duration) {
        let mut generations = self.generations.lock();
        if generations.new.len() >= self.most / 2 {
            generations.old = std::mem::take(&mut generations.new);
        }
        generations.new.insert(key, (now, value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_old_or_too_much_is_forgotten() {
        let remembered = Remembered::new(4, Duration::from_secs(10));
        let at = Duration::from_secs;
        remembered.put(0, "a", at(0));
        assert_eq!(remembered.get(&0, at(9)), Some("a"));
        assert_eq!(remembered.get(&0, at(10)), None);
        for key in 1..6 {
            remembered.put(key, "b", at(1));
        }
        assert_eq!((remembered.get(&0, at(1)), remembered.get(&5, at(1))), (None, Some("b")));
        let generations = remembered.generations.lock();
        assert!(generations.new.len() + generations.old.len() <= 4);
    }
}
