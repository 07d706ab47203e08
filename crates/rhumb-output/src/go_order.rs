//! Order produced by Go's `sort.Sort`.
//!
//! It is not a stable sort: where elements are equal, which one comes first depends on the steps it takes.
//! Lists that are sorted by a field with few values show that, so the steps are the same here: a quicksort
//! that notices patterns, with insertion sort for a dozen elements and heapsort when pivots turn out badly
//! too often.

/// Element positions being sorted, with a comparison.
struct Places<'l> {
    places: Vec<usize>,
    less: &'l mut dyn FnMut(usize, usize) -> bool,
}

/// Order of the elements from which a pivot was chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Unknown,
    Increasing,
    Decreasing,
}

/// Half-open range of positions.
type Part = (usize, usize);

/// Sorts `count` elements by a comparison of two of them. Gives for every place which element comes there.
pub fn sorted(count: usize, less: &mut dyn FnMut(usize, usize) -> bool) -> Vec<usize> {
    let mut places = Places { places: (0..count).collect(), less };
    let bad_pivots = usize::BITS - count.leading_zeros();
    places.sort((0, count), bad_pivots);
    places.places
}

impl Places<'_> {
    fn less(&mut self, one: usize, other: usize) -> bool {
        match (self.places.get(one), self.places.get(other)) {
            (Some(one), Some(other)) => (self.less)(*one, *other),
            _ => false,
        }
    }

    fn swap(&mut self, one: usize, other: usize) {
        if one.max(other) < self.places.len() {
            self.places.swap(one, other);
        }
    }

    fn sort(&mut self, (mut start, mut end): Part, mut bad_pivots: u32) {
        let mut balanced = true;
        let mut partitioned = true;
        loop {
            let length = end.saturating_sub(start);
            if length <= 12 {
                return self.insert((start, end));
            }
            if bad_pivots == 0 {
                return self.heap((start, end));
            }
            if !balanced {
                self.scatter((start, end));
                bad_pivots -= 1;
            }
            let (mut pivot, mut pattern) = self.pivot((start, end));
            if pattern == Pattern::Decreasing {
                if let Some(part) = self.places.get_mut(start..end) {
                    part.reverse();
                }
                pivot = end - 1 - (pivot - start);
                pattern = Pattern::Increasing;
            }
            let likely_sorted = balanced && partitioned && pattern == Pattern::Increasing;
            if likely_sorted && self.touch_up((start, end)) {
                return;
            }
            // What stands before is not less than the pivot: all its equals can go to the left at once.
            if start > 0 && !self.less(start - 1, pivot) {
                start = self.split_equal((start, end), pivot);
                continue;
            }
            let (middle, was_partitioned) = self.split((start, end), pivot);
            partitioned = was_partitioned;
            let (left, right) = (middle - start, end - middle);
            balanced = left.min(right) >= length / 8;
            if left < right {
                self.sort((start, middle), bad_pivots);
                start = middle + 1;
            } else {
                self.sort((middle + 1, end), bad_pivots);
                end = middle;
            }
        }
    }

    fn insert(&mut self, (start, end): Part) {
        for next in start + 1..end {
            let mut at = next;
            while at > start && self.less(at, at - 1) {
                self.swap(at, at - 1);
                at -= 1;
            }
        }
    }

    fn heap(&mut self, (start, end): Part) {
        let length = end - start;
        for root in (0..=(length - 1) / 2).rev() {
            self.sift(start, root, length);
        }
        for last in (0..length).rev() {
            self.swap(start, start + last);
            self.sift(start, 0, last);
        }
    }

    /// Lets an element of a heap sink to where it belongs.
    fn sift(&mut self, first: usize, mut root: usize, length: usize) {
        loop {
            let mut child = 2 * root + 1;
            if child >= length {
                return;
            }
            if child + 1 < length && self.less(first + child, first + child + 1) {
                child += 1;
            }
            if !self.less(first + root, first + child) {
                return;
            }
            self.swap(first + root, first + child);
            root = child;
        }
    }

    /// Moves a few elements around, with numbers that only look random.
    fn scatter(&mut self, (start, end): Part) {
        let length = end - start;
        if length < 8 {
            return;
        }
        let mut random = length as u64;
        let mask = (1u64 << (usize::BITS - length.leading_zeros())) - 1;
        let middle = start + length / 4 * 2;
        for at in middle - 1..=middle + 1 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let other = usize::try_from(random & mask).unwrap_or_default();
            let other = if other >= length { other - length } else { other };
            self.swap(at, start + other);
        }
    }

    /// Returns the median of a few elements, and what they say about the order of all.
    fn pivot(&mut self, (start, end): Part) -> (usize, Pattern) {
        let quarter = (end - start) / 4;
        let mut candidates = [1, 2, 3].map(|at| start + quarter * at);
        let mut swaps = 0;
        if end - start >= 50 {
            for candidate in &mut candidates {
                let at = *candidate;
                *candidate = self.median([at - 1, at, at + 1], &mut swaps);
            }
        }
        let median = self.median(candidates, &mut swaps);
        let pattern = match swaps {
            0 => Pattern::Increasing,
            12 => Pattern::Decreasing,
            _ => Pattern::Unknown,
        };
        (median, pattern)
    }

    fn median(&mut self, [mut one, mut two, three]: [usize; 3], swaps: &mut u32) -> usize {
        let mut order = |one: &mut usize, two: &mut usize| {
            if self.less(*two, *one) {
                *swaps += 1;
                std::mem::swap(one, two);
            }
        };
        let mut three = three;
        order(&mut one, &mut two);
        order(&mut two, &mut three);
        order(&mut one, &mut two);
        two
    }

    /// Moves up to five elements to their places. Says whether all are sorted then.
    fn touch_up(&mut self, (start, end): Part) -> bool {
        let mut at = start + 1;
        for _ in 0..5 {
            while at < end && !self.less(at, at - 1) {
                at += 1;
            }
            if at == end {
                return true;
            }
            if end - start < 50 {
                return false;
            }
            self.swap(at, at - 1);
            if at - start >= 2 {
                let mut back = at - 1;
                while back >= 1 && self.less(back, back - 1) {
                    self.swap(back, back - 1);
                    back -= 1;
                }
            }
            if end - at >= 2 {
                let mut forth = at + 1;
                while forth < end && self.less(forth, forth - 1) {
                    self.swap(forth, forth - 1);
                    forth += 1;
                }
            }
        }
        false
    }

    /// Brings what is less than the pivot before it. Gives where the pivot is then, and whether nothing had
    /// to move.
    fn split(&mut self, (start, end): Part, pivot: usize) -> (usize, bool) {
        self.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        let mut untouched = true;
        loop {
            while low <= high && self.less(low, start) {
                low += 1;
            }
            while low <= high && !self.less(high, start) {
                high -= 1;
            }
            if low > high {
                self.swap(high, start);
                return (high, untouched);
            }
            untouched = false;
            self.swap(low, high);
            low += 1;
            high -= 1;
        }
    }

    /// Brings what equals the pivot to the start, where nothing is less than it. Gives where the rest begins.
    fn split_equal(&mut self, (start, end): Part, pivot: usize) -> usize {
        self.swap(start, pivot);
        let (mut low, mut high) = (start + 1, end - 1);
        loop {
            while low <= high && !self.less(start, low) {
                low += 1;
            }
            while low <= high && self.less(start, high) {
                high -= 1;
            }
            if low > high {
                return low;
            }
            self.swap(low, high);
            low += 1;
            high -= 1;
        }
    }
}
