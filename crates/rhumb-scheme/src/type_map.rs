//! Maps by type. A `TypeId` is a hash already, so hashing it once more would be the dearest part of a look-up.

use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map by type.
pub(crate) type TypeMap<V> = HashMap<TypeId, V, BuildHasherDefault<TypeHasher>>;

/// Takes the last word that is written as the hash.
#[derive(Default)]
pub(crate) struct TypeHasher(u64);

impl Hasher for TypeHasher {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write_u64(&mut self, word: u64) {
        self.0 = word;
    }
    fn write(&mut self, bytes: &[u8]) {
        // How a `TypeId` hashes itself is not promised; should it be bytes one day, this still tells types apart.
        for byte in bytes {
            self.0 = self.0.rotate_left(5) ^ u64::from(*byte);
        }
    }
}
