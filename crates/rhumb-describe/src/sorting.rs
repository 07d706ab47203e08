//! Sorting in the order that Go's `sort.Sort` leaves things in.
//!
//! It doesn't keep equal ones in order, and which of them comes first can be seen: events of the same second, say. Up
//! to twelve things it sorts by insertion, which does keep them. Above that it is pattern-defeating quicksort with
//! choices of its own, which are made here the same way.

/// Sorts by what comes before what.
pub(crate) fn sort_as_go<T>(items: &mut [T], less: impl Fn(&T, &T) -> bool) {
    let count = items.len();
    let depth = usize::BITS - count.leading_zeros();
    Sorter { items, less: &less }.quick(0, count, depth);
}

/// Slices that are not longer are sorted by insertion.
const SHORT: usize = 12;
/// From here on the pivot is chosen among medians.
const MEDIANS_FROM: usize = 50;
/// More swaps than this, while a pivot is chosen, mean that the slice is in reverse order.
const MOST_SWAPS: usize = 4 * 3;

/// What the choice of a pivot tells of the order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Hint {
    Unknown,
    Increasing,
    Decreasing,
}

struct Sorter<'a, T> {
    items: &'a mut [T],
    less: &'a dyn Fn(&T, &T) -> bool,
}

impl<T> Sorter<'_, T> {
    fn less(&self, one: usize, other: usize) -> bool {
        match (self.items.get(one), self.items.get(other)) {
            (Some(one), Some(other)) => (self.less)(one, other),
            _ => false,
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        if one < self.items.len() && other < self.items.len() {
            self.items.swap(one, other);
        }
    }

    fn quick(&mut self, mut start: usize, mut end: usize, mut depth: u32) {
        let (mut was_balanced, mut was_partitioned) = (true, true);
        loop {
            let length = end.saturating_sub(start);
            if length <= SHORT {
                self.insertion(start, end);
                return;
            }
            if depth == 0 {
                self.heap(start, end);
                return;
            }
            if !was_balanced {
                self.break_patterns(start, end);
                depth -= 1;
            }
            let (mut pivot, mut hint) = self.choose_pivot(start, end);
            if hint == Hint::Decreasing {
                self.reverse(start, end);
                pivot = (end - 1) - (pivot - start);
                hint = Hint::Increasing;
            }
            let is_likely_sorted = was_balanced && was_partitioned && hint == Hint::Increasing;
            if is_likely_sorted && self.partial_insertion(start, end) {
                return;
            }
            // Nothing is smaller than the one before, so that those equal to the pivot go to the left for good.
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.partition_equal(start, end, pivot);
                continue;
            }
            let (middle, already) = self.partition(start, end, pivot);
            was_partitioned = already;
            let (left, right) = (middle - start, end - middle);
            let balance = length / 8;
            if left < right {
                was_balanced = left >= balance;
                self.quick(start, middle, depth);
                start = middle + 1;
            } else {
                was_balanced = right >= balance;
                self.quick(middle + 1, end, depth);
                end = middle;
            }
        }
    }

    fn insertion(&mut self, start: usize, end: usize) {
        for index in start + 1..end {
            let mut at = index;
            while at > start && self.less(at, at - 1) {
                self.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap(&mut self, start: usize, end: usize) {
        let length = end - start;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift_down(root, length, start);
        }
        for last in (0..length).rev() {
            self.swap(start, start + last);
            self.sift_down(0, last, start);
        }
    }

    fn sift_down(&mut self, mut root: usize, length: usize, start: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= length {
                return;
            }
            if child + 1 < length && self.less(start + child, start + child + 1) {
                child += 1;
            }
            if !self.less(start + root, start + child) {
                return;
            }
            self.swap(start + root, start + child);
            root = child;
        }
    }

    /// Puts what is smaller than the pivot before it and the rest behind it. Tells where the pivot is then, and whether
    /// all was in place already.
    fn partition(&mut self, start: usize, end: usize, pivot: usize) -> (usize, bool) {
        self.swap(start, pivot);
        let (mut left, mut right) = (start + 1, end - 1);
        while left <= right && self.less(left, start) {
            left += 1;
        }
        while left <= right && !self.less(right, start) {
            right -= 1;
        }
        if left > right {
            self.swap(right, start);
            return (right, true);
        }
        self.swap(left, right);
        left += 1;
        right -= 1;
        loop {
            while left <= right && self.less(left, start) {
                left += 1;
            }
            while left <= right && !self.less(right, start) {
                right -= 1;
            }
            if left > right {
                break;
            }
            self.swap(left, right);
            left += 1;
            right -= 1;
        }
        self.swap(right, start);
        (right, false)
    }

    /// Puts what is equal to the pivot before what is greater; nothing is smaller. Tells where the greater ones begin.
    fn partition_equal(&mut self, start: usize, end: usize, pivot: usize) -> usize {
        self.swap(start, pivot);
        let (mut left, mut right) = (start + 1, end - 1);
        loop {
            while left <= right && !self.less(start, left) {
                left += 1;
            }
            while left <= right && self.less(start, right) {
                right -= 1;
            }
            if left > right {
                return left;
            }
            self.swap(left, right);
            left += 1;
            right -= 1;
        }
    }

    /// Moves a few into their places. True if all are in order then.
    fn partial_insertion(&mut self, start: usize, end: usize) -> bool {
        const MOST_STEPS: usize = 5;
        const SHORTEST_SHIFTED: usize = 50;
        let mut index = start + 1;
        for _ in 0..MOST_STEPS {
            while index < end && !self.less(index, index - 1) {
                index += 1;
            }
            if index == end {
                return true;
            }
            if end - start < SHORTEST_SHIFTED {
                return false;
            }
            self.swap(index, index - 1);
            if index - start >= 2 {
                let mut at = index - 1;
                while at >= 1 && self.less(at, at - 1) {
                    self.swap(at, at - 1);
                    at -= 1;
                }
            }
            if end - index >= 2 {
                let mut at = index + 1;
                while at < end && self.less(at, at - 1) {
                    self.swap(at, at - 1);
                    at += 1;
                }
            }
        }
        false
    }

    /// Swaps some around the middle with others that look random, though they are the same every time.
    fn break_patterns(&mut self, start: usize, end: usize) {
        let length = end - start;
        if length < 8 {
            return;
        }
        let mut random = length as u64;
        let modulus = 1usize << (usize::BITS - length.leading_zeros());
        let first = start + length / 4 * 2 - 1;
        for index in 0..3 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let mut other = random as usize & (modulus - 1);
            if other >= length {
                other -= length;
            }
            self.swap(first + index, start + other);
        }
    }

    fn choose_pivot(&self, start: usize, end: usize) -> (usize, Hint) {
        let length = end - start;
        let mut swaps = 0;
        let quarter = length / 4;
        let (mut one, mut two, mut three) = (start + quarter, start + quarter * 2, start + quarter * 3);
        if length >= 8 {
            if length >= MEDIANS_FROM {
                one = self.median(one - 1, one, one + 1, &mut swaps);
                two = self.median(two - 1, two, two + 1, &mut swaps);
                three = self.median(three - 1, three, three + 1, &mut swaps);
            }
            two = self.median(one, two, three, &mut swaps);
        }
        let hint = match swaps {
            0 => Hint::Increasing,
            MOST_SWAPS => Hint::Decreasing,
            _ => Hint::Unknown,
        };
        (two, hint)
    }

    /// Which of three is in the middle, and how many were out of order.
    fn median(&self, mut one: usize, mut two: usize, mut three: usize, swaps: &mut usize) -> usize {
        let mut order = |one: &mut usize, other: &mut usize| {
            if self.less(*other, *one) {
                *swaps += 1;
                std::mem::swap(one, other);
            }
        };
        order(&mut one, &mut two);
        order(&mut two, &mut three);
        order(&mut one, &mut two);
        two
    }

    fn reverse(&mut self, start: usize, end: usize) {
        if let Some(range) = self.items.get_mut(start..end) {
            range.reverse();
        }
    }
}

#[cfg(test)]
mod tests;
