//! Maps by type. A `TypeId` is a hash already, so it is not hashed again.

use std::any::TypeId;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Map by type.
pub(crate) type TypeMap<V> = HashMap<TypeId, V, BuildHasherDefault<TypeHasher>>;

/// Hasher that returns the last word written.
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
