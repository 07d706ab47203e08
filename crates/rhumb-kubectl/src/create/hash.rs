//! Hash suffix of `--append-hash`.

use sha2::{Digest, Sha256};

/// Returns the hash of what an object holds, as JSON with sorted keys: ten characters without vowels.
pub(super) fn of(json: &[u8]) -> String {
    let digest = Sha256::digest(json);
    let hex: String = digest.iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    hex.chars()
        .map(|digit| match digit {
            '0' => 'g',
            '1' => 'h',
            '3' => 'k',
            'a' => 'm',
            'e' => 't',
            other => other,
        })
        .collect()
}
