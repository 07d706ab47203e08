//! Order of the keys of a mapping, as go-yaml writes them.
//!
//! Letters come after everything else, and runs of digits compare by their value, so that `a2` precedes `a10`.
//! The comparison is not a total order for every set of strings, which is why the sort is a plain merge sort: it
//! gives some order whatever the comparison answers, where the standard library's may panic.

use std::cmp::Ordering;

/// Reports whether `a` is written before `b`.
pub(super) fn is_before(a: &str, b: &str) -> bool {
    let (x, y) = (a.as_bytes(), b.as_bytes());
    let mut at = x.iter().zip(y).take_while(|(p, q)| p == q).count();
    while !a.is_char_boundary(at) || !b.is_char_boundary(at) {
        at -= 1;
    }
    let (Some(rest_a), Some(rest_b)) = (a.get(at..), b.get(at..)) else { return false };
    let (Some(p), Some(q)) = (rest_a.chars().next(), rest_b.chars().next()) else {
        return rest_a.is_empty() && !rest_b.is_empty();
    };
    match (p.is_alphabetic(), q.is_alphabetic()) {
        (true, true) => return p < q,
        (true, false) => return false,
        (false, true) => return true,
        (false, false) => {}
    }
    // A zero after other digits carries weight, so it counts as if a digit stood before it.
    let mut lead = 0i64;
    if p == '0' || q == '0' {
        let before = x.get(..at).unwrap_or_default();
        let digits = before.iter().rev().take_while(|b| b.is_ascii_digit());
        lead = i64::from(digits.into_iter().any(|b| *b != b'0'));
    }
    let (value_a, len_a) = leading_number(rest_a, lead);
    let (value_b, len_b) = leading_number(rest_b, lead);
    match value_a.cmp(&value_b).then(len_a.cmp(&len_b)) {
        Ordering::Less => true,
        Ordering::Greater => false,
        Ordering::Equal => p < q,
    }
}

fn leading_number(text: &str, lead: i64) -> (i64, usize) {
    let digits = text.bytes().take_while(u8::is_ascii_digit);
    digits.fold((lead, 0), |(value, len), b| {
        (value.wrapping_mul(10).wrapping_add(i64::from(b - b'0')), len + 1)
    })
}

/// Sorts entries by their keys.
pub(super) fn sort<T: Copy>(entries: &mut [(&str, T)]) {
    // Maps usually come sorted by bytes, which for field names is this order already.
    if entries.windows(2).all(|pair| matches!(pair, [a, b] if is_before(a.0, b.0))) {
        return;
    }
    let mut from = entries.to_vec();
    let mut to = from.clone();
    let mut width = 1;
    while width < from.len() {
        for (target, run) in to.chunks_mut(width * 2).zip(from.chunks(width * 2)) {
            let (mut left, mut right) = run.split_at(width.min(run.len()));
            for slot in target {
                let take_right = match (left.first(), right.first()) {
                    (Some(l), Some(r)) => is_before(r.0, l.0),
                    (None, _) => true,
                    (_, None) => false,
                };
                let side = if take_right { &mut right } else { &mut left };
                if let Some((first, rest)) = side.split_first() {
                    *slot = *first;
                    *side = rest;
                }
            }
        }
        std::mem::swap(&mut from, &mut to);
        width *= 2;
    }
    entries.copy_from_slice(&from);
}
