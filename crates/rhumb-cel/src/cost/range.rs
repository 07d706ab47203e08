//! Ranges of sizes and costs. Sums and products stop at the largest number.

/// The least and the most that something can be: a size (characters, bytes, elements) or a cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The least.
    pub min: u64,
    /// The most.
    pub max: u64,
}

impl Range {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { min: 0, max: u64::MAX };

    /// Contains nothing; the start of a [union](Self::or).
    pub(super) const EMPTY: Self = Self { min: u64::MAX, max: 0 };

    /// Returns a range of one number.
    pub const fn exactly(number: u64) -> Self {
        Self { min: number, max: number }
    }

    /// Returns the range up to a number.
    pub const fn up_to(max: u64) -> Self {
        Self { min: 0, max }
    }

    /// Adds two ranges.
    #[must_use]
    pub const fn plus(self, other: Self) -> Self {
        Self { min: self.min.saturating_add(other.min), max: self.max.saturating_add(other.max) }
    }

    /// Multiplies two ranges.
    #[must_use]
    pub const fn times(self, other: Self) -> Self {
        Self { min: self.min.saturating_mul(other.min), max: self.max.saturating_mul(other.max) }
    }

    /// Multiplies by a factor and rounds up.
    #[must_use]
    pub fn scaled(self, factor: f64) -> Self {
        Self { min: scale(self.min, factor), max: scale(self.max, factor) }
    }

    /// Returns the range that covers both.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }
}

/// Multiplies a number by a factor and rounds up.
fn scale(number: u64, factor: f64) -> u64 {
    // A cast of what is too large gives the largest number.
    (number as f64 * factor).ceil() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_overflows() {
        let most = Range::exactly(u64::MAX);
        assert_eq!(most.plus(Range::exactly(1)), most);
        assert_eq!(most.times(Range::exactly(2)), most);
        assert_eq!(most.scaled(2.0), most);
        assert_eq!(Range::UNKNOWN.times(Range::exactly(0)), Range::exactly(0));
    }

    #[test]
    fn products_with_factors_are_rounded_up() {
        assert_eq!(Range { min: 1, max: 11 }.scaled(0.1), Range { min: 1, max: 2 });
        assert_eq!(Range::exactly(0).scaled(0.25), Range::exactly(0));
    }
}
