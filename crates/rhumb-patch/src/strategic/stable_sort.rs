//! Go's stable sort, for comparisons that are not a strict order.
//!
//! Elements that have no rank are called less than any other, and any other less than them. What comes out
//! then depends on which elements are compared and when, so this compares as Go's `sort.SliceStable` does:
//! blocks of twenty by insertion, then merged in place by rotation.

use serde_json::Value;

type Ranked = (Option<usize>, Value);

const BLOCK: usize = 20;

/// Sorts by rank.
pub(super) fn sort(items: &mut [Ranked]) {
    for block in items.chunks_mut(BLOCK) {
        insertion(block);
    }
    let mut size = BLOCK;
    while size < items.len() {
        for pair in items.chunks_mut(size.saturating_mul(2)) {
            if pair.len() > size {
                merge(pair, size);
            }
        }
        size = size.saturating_mul(2);
    }
}

fn less(one: &Ranked, other: &Ranked) -> bool {
    match (one.0, other.0) {
        (Some(one), Some(other)) => one < other,
        _ => true,
    }
}

/// Reports whether the element at one place is less than that at another.
fn less_at(items: &[Ranked], one: usize, other: usize) -> bool {
    match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => less(one, other),
        _ => false,
    }
}

fn insertion(items: &mut [Ranked]) {
    for end in 1..items.len() {
        let mut place = end;
        while place > 0 && less_at(items, place, place - 1) {
            items.swap(place, place - 1);
            place -= 1;
        }
    }
}

/// Returns the first place from `low` up to `high` from which on `goes_right` holds.
fn search(mut low: usize, mut high: usize, goes_right: impl Fn(usize) -> bool) -> usize {
    while low < high {
        let half = low + (high - low) / 2;
        if goes_right(half) {
            high = half;
        } else {
            low = half + 1;
        }
    }
    low
}

/// Merges the sorted parts before and after a place.
fn merge(items: &mut [Ranked], middle: usize) {
    let length = items.len();
    if middle == 0 || middle >= length {
        return;
    }
    if middle == 1 {
        let place = search(middle, length, |place| !less_at(items, place, 0));
        rotate(items, 0, 1, place);
        return;
    }
    if length - middle == 1 {
        let place = search(0, middle, |place| less_at(items, middle, place));
        rotate(items, place, middle, length);
        return;
    }
    let half = length / 2;
    let sum = half + middle;
    let (low, high) = if middle > half { (sum - length, half) } else { (0, middle) };
    let start = search(low, high, |place| less_at(items, sum - 1 - place, place));
    let end = sum - start;
    if start < middle && middle < end {
        rotate(items, start, middle, end);
    }
    let (left, right) = items.split_at_mut(half);
    merge(left, start);
    merge(right, end.saturating_sub(half));
}

/// Exchanges the parts of `items[from..to]` before and after `middle`.
fn rotate(items: &mut [Ranked], from: usize, middle: usize, to: usize) {
    if let Some(part) = items.get_mut(from..to) {
        part.rotate_left(middle.saturating_sub(from).min(part.len()));
    }
}
