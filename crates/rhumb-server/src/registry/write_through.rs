//! Write-through to the watch cache: what writers know of objects that are on their way into it.
//!
//! Who wrote an object had it in hand; the cache gets its bytes a moment later and would have to read them to learn
//! what the object is selected by. A writer leaves that here, and the cache takes it if the bytes are the same.

use std::collections::{HashMap, VecDeque};

use bytes::Bytes;
use parking_lot::Mutex;
use rhumb_store::Key;

use crate::registry::cached::CachedObject;

/// How many objects may be under way. What was written and never arrived, because it was refused, gives way to others.
const MOST: usize = 256;
/// How many bytes they may have together, so that those which never arrive take little memory.
const MOST_BYTES: usize = 4 << 20;

/// The objects that are under way.
#[derive(Debug, Default)]
pub(super) struct Ahead(Mutex<Waiting>);

#[derive(Debug, Default)]
struct Waiting {
    objects: HashMap<Key, Left>,
    /// How many bytes they have.
    bytes: usize,
    /// Their keys in the order in which they came; those that were taken stand there until their turn.
    order: VecDeque<(u64, Key)>,
    next: u64,
}

#[derive(Debug)]
struct Left {
    /// Tells it from what was left under the same key before.
    number: u64,
    value: Bytes,
    held: CachedObject,
}

impl Ahead {
    /// Leaves what is known of an object that is about to be written.
    pub(super) fn leave(&self, key: &Key, value: &Bytes, held: CachedObject) {
        let mut waiting = self.0.lock();
        let number = waiting.next;
        waiting.next += 1;
        waiting.remove(key);
        waiting.bytes += value.len();
        waiting.objects.insert(key.clone(), Left { number, value: value.clone(), held });
        waiting.order.push_back((number, key.clone()));
        while waiting.order.len() > MOST || waiting.bytes > MOST_BYTES {
            let Some((number, oldest)) = waiting.order.pop_front() else { break };
            if waiting.objects.get(&oldest).is_some_and(|left| left.number == number) {
                waiting.remove(&oldest);
            }
        }
    }

    /// Takes what is known of bytes that arrived under a key.
    pub(super) fn take(&self, key: &Key, value: &Bytes) -> Option<CachedObject> {
        let mut waiting = self.0.lock();
        if waiting.objects.get(key)?.value != value {
            return None;
        }
        waiting.remove(key).map(|left| left.held)
    }
}

impl Waiting {
    fn remove(&mut self, key: &Key) -> Option<Left> {
        let left = self.objects.remove(key)?;
        self.bytes -= left.value.len();
        Some(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_bytes_under_the_same_key_are_taken_and_once() {
        let ahead = Ahead::default();
        let (key, value) = (Key::from("/pods/a"), Bytes::from("one"));
        ahead.leave(&key, &value, CachedObject::default());
        assert!(ahead.take(&Key::from("/pods/b"), &value).is_none());
        assert!(ahead.take(&key, &Bytes::from("two")).is_none());
        assert!(ahead.take(&key, &Bytes::from("one")).is_some());
        assert!(ahead.take(&key, &value).is_none());
    }

    #[test]
    fn what_is_large_gives_way_to_what_comes() {
        let ahead = Ahead::default();
        let key = |number: usize| Key::from(format!("/definitions/{number}"));
        let value = Bytes::from(vec![0; MOST_BYTES / 4]);
        for number in 0..6 {
            ahead.leave(&key(number), &value, CachedObject::default());
        }
        assert!(ahead.take(&key(1), &value).is_none());
        assert!(ahead.take(&key(2), &value).is_some());
        // What is larger than all of them may be doesn't stay.
        ahead.leave(&key(6), &Bytes::from(vec![0; MOST_BYTES + 1]), CachedObject::default());
        let waiting = ahead.0.lock();
        assert_eq!((waiting.objects.len(), waiting.bytes), (0, 0));
    }

    #[test]
    fn what_never_arrives_gives_way() {
        let ahead = Ahead::default();
        let key = |number: usize| Key::from(format!("/pods/{number}"));
        for number in 0..3 * MOST {
            ahead.leave(&key(number), &Bytes::from("one"), CachedObject::default());
        }
        let waiting = ahead.0.lock();
        assert_eq!((waiting.objects.len(), waiting.order.len()), (MOST, MOST));
        drop(waiting);
        assert!(ahead.take(&key(0), &Bytes::from("one")).is_none());
        assert!(ahead.take(&key(3 * MOST - 1), &Bytes::from("one")).is_some());
    }

    #[test]
    fn a_key_that_is_written_over_and_over_is_always_found() {
        let ahead = Ahead::default();
        for number in 0..3 * MOST {
            let value = Bytes::from(number.to_string());
            ahead.leave(&Key::from("/pods/a"), &value, CachedObject::default());
            assert!(ahead.take(&Key::from("/pods/a"), &value).is_some());
        }
        assert_eq!(ahead.0.lock().order.len(), MOST);
    }
}
