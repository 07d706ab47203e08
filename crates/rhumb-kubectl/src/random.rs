//! Random parts of names.

/// Generates a random suffix without vowels, as the server does for generated names.
pub(crate) fn suffix(count: usize) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    (0..count)
        .filter_map(|_| LETTERS.get(fastrand::usize(..LETTERS.len())))
        .map(|&byte| char::from(byte))
        .collect()
}
