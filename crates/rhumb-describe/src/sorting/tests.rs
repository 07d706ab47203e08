//! Orders that Go left the same numbers in, told apart by a checksum over their first places.

use super::sort_as_go;

/// The keys to be sorted, as the program that gave the checksums made them.
fn keys(count: usize, modulus: usize, kind: u32) -> Vec<usize> {
    let mut random = 12_345u32;
    (0..count)
        .map(|index| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match kind {
                0 => (random >> 16) as usize % modulus,
                1 => index / modulus,
                2 => count - index,
                _ => index * 37 % 64 / 3,
            }
        })
        .collect()
}

fn checksum(places: impl Iterator<Item = usize>) -> u64 {
    places.fold(14_695_981_039_346_656_037, |sum, place| (sum ^ place as u64).wrapping_mul(1_099_511_628_211))
}

#[test]
fn equal_ones_are_left_where_go_leaves_them() {
    for (count, modulus, kind, expected) in [
        (13, 1, 0, 13358019448675500175),
        (20, 3, 0, 9328090491758674681),
        (40, 5, 0, 17585623155088133717),
        (60, 4, 0, 9985356353838780663),
        (100, 1, 0, 18112506748242246321),
        (100, 7, 1, 18112506748242246321),
        (200, 200, 2, 9325984620850145333),
        (300, 17, 0, 14643606544366442021),
        (64, 64, 3, 1406769087019236741),
    ] {
        let mut items: Vec<(usize, usize)> =
            keys(count, modulus, kind).into_iter().enumerate().map(|(place, key)| (key, place)).collect();
        sort_as_go(&mut items, |one, other| one.0 < other.0);
        assert!(items.is_sorted_by_key(|(key, _)| *key), "{count} {modulus} {kind}");
        assert_eq!(checksum(items.iter().map(|(_, place)| *place)), expected, "{count} {modulus} {kind}");
    }
}
