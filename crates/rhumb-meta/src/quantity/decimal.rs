//! Signed decimals of any length, with the operations that quantities need.
//!
//! Digits are kept one per byte. That is wasteful and slow next to binary limbs, but these numbers are rare
//! and short; in exchange reading, printing, rounding and shifting are plain copies, linear in the length of
//! the text, and a hostile text of a million digits costs a million bytes and no more.
//!
//! The exponent is never multiplied out, so `1e2000000000` is one digit.

use std::cmp::Ordering;

/// Maximum number of zeros written out to align two numbers, beyond their own digits.
const MAX_SPREAD: i64 = 10_000;

/// `±digits × 10^exponent`.
#[derive(Clone, Debug)]
pub(super) struct Decimal {
    negative: bool,
    /// Values 0 to 9, most significant first, neither starting nor ending with 0. Zero has no digits.
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Builds a number from digit values that may start and end with zeros.
    pub(super) fn new(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Decimal {
        let kept = digits.iter().rposition(|&digit| digit != 0).map_or(0, |last| last + 1);
        exponent += (digits.len() - kept) as i64;
        digits.truncate(kept);
        let leading = digits.iter().take_while(|&&digit| digit == 0).count();
        digits.drain(..leading);
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        Decimal { negative, digits, exponent }
    }

    pub(super) fn from_scaled(value: i64, exponent: i64) -> Decimal {
        let mut digits = Vec::with_capacity(19);
        let mut rest = value.unsigned_abs();
        while rest > 0 {
            digits.push((rest % 10) as u8);
            rest /= 10;
        }
        digits.reverse();
        Decimal::new(value < 0, digits, exponent)
    }

    pub(super) fn sign(&self) -> i32 {
        match (self.digits.is_empty(), self.negative) {
            (true, _) => 0,
            (false, true) => -1,
            (false, false) => 1,
        }
    }

    pub(super) fn digits(&self) -> &[u8] {
        &self.digits
    }

    pub(super) fn exponent(&self) -> i64 {
        self.exponent
    }

    pub(super) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    /// Reports whether the magnitude is 1024 or more.
    pub(super) fn reaches_1024(&self) -> bool {
        self.compare_magnitude(&Decimal::from_scaled(1024, 0)).is_ge()
    }

    pub(super) fn negated(mut self) -> Decimal {
        self.negative = !self.negative && !self.digits.is_empty();
        self
    }

    /// Returns the position just above the most significant digit: the value is below 10 to this power.
    fn top(&self) -> i64 {
        self.digits.len() as i64 + self.exponent
    }

    /// Rounds away from zero to a multiple of 10^`exponent`.
    pub(super) fn round_up_to(self, exponent: i64) -> Decimal {
        let excess = exponent - self.exponent;
        if excess <= 0 || self.digits.is_empty() {
            return self;
        }
        let kept = usize::try_from(self.digits.len() as i64 - excess).unwrap_or(0);
        let mut digits = self.digits;
        digits.truncate(kept);
        // The last digit is never zero, so cutting any digit off loses something and calls for rounding.
        for digit in digits.iter_mut().rev() {
            *digit += 1;
            if *digit < 10 {
                return Decimal::new(self.negative, digits, exponent);
            }
            *digit = 0;
        }
        digits.insert(0, 1);
        Decimal::new(self.negative, digits, exponent)
    }

    /// Multiplies by 2^`bits`, where `bits` is at most 60 so that a digit's product and carry fit 64 bits.
    pub(super) fn times_power_of_two(self, bits: u32) -> Decimal {
        let mut reversed = Vec::with_capacity(self.digits.len() + 19);
        let mut carry = 0u64;
        for &digit in self.digits.iter().rev() {
            let product = (u64::from(digit) << bits.min(60)) + carry;
            reversed.push((product % 10) as u8);
            carry = product / 10;
        }
        while carry > 0 {
            reversed.push((carry % 10) as u8);
            carry /= 10;
        }
        reversed.reverse();
        Decimal::new(self.negative, reversed, self.exponent)
    }

    /// Splits an integer into digits and the number of factors 1024 taken out of it. `None` for zero,
    /// fractions and integers beyond [`MAX_SPREAD`] digits, as the time this takes grows with their square.
    pub(super) fn without_factors_of_1024(&self) -> Option<(Vec<u8>, u32)> {
        if !self.is_integer() || self.top() > MAX_SPREAD || self.digits.is_empty() {
            return None;
        }
        let mut digits = self.digits.clone();
        digits.resize(digits.len() + self.exponent as usize, 0);
        let mut times = 0;
        loop {
            let mut quotient = Vec::with_capacity(digits.len());
            let mut remainder = 0u32;
            for &digit in &digits {
                remainder = remainder * 10 + u32::from(digit);
                if !quotient.is_empty() || remainder >= 1024 {
                    quotient.push((remainder / 1024) as u8);
                }
                remainder %= 1024;
            }
            if remainder != 0 {
                return Some((digits, times));
            }
            digits = quotient;
            times += 1;
        }
    }

    /// Returns the low 64 bits of the value divided by 10^`scale`, rounded away from zero.
    pub(super) fn scaled_low_bits(&self, scale: i64) -> i64 {
        let rounded;
        let whole = if self.exponent < scale {
            rounded = self.clone().round_up_to(scale);
            &rounded
        } else {
            self
        };
        let mantissa =
            whole.digits.iter().fold(0i64, |sum, &digit| sum.wrapping_mul(10).wrapping_add(i64::from(digit)));
        // Sixty-four tens hold sixty-four factors of two, which leaves nothing in the low 64 bits.
        let low = match u32::try_from(whole.exponent - scale) {
            Ok(shift) if shift < 64 => mantissa.wrapping_mul(10i64.wrapping_pow(shift)),
            _ => 0,
        };
        if self.negative { low.wrapping_neg() } else { low }
    }

    pub(super) fn compare(&self, other: &Decimal) -> Ordering {
        match self.sign().cmp(&other.sign()) {
            Ordering::Equal if self.negative => other.compare_magnitude(self),
            Ordering::Equal => self.compare_magnitude(other),
            unequal => unequal,
        }
    }

    /// Without leading or trailing zeros the digits compare like text, once both start at the same place.
    fn compare_magnitude(&self, other: &Decimal) -> Ordering {
        self.top().cmp(&other.top()).then_with(|| self.digits.cmp(&other.digits))
    }

    /// Returns the sum. Where aligning would write out more than [`MAX_SPREAD`] zeros, the smaller number is dropped.
    pub(super) fn add(&self, other: &Decimal) -> Decimal {
        if other.digits.is_empty() {
            return self.clone();
        }
        if self.digits.is_empty() {
            return other.clone();
        }
        let (coarse, fine) = if self.exponent >= other.exponent { (self, other) } else { (other, self) };
        let gap = coarse.exponent - fine.exponent;
        if gap > MAX_SPREAD.max(fine.digits.len() as i64) {
            return coarse.clone();
        }
        let mut aligned = coarse.digits.clone();
        aligned.resize(aligned.len() + gap as usize, 0);
        if coarse.negative == fine.negative {
            return Decimal::new(fine.negative, add_digits(&aligned, &fine.digits), fine.exponent);
        }
        match coarse.compare_magnitude(fine) {
            Ordering::Less => {
                Decimal::new(fine.negative, subtract_digits(&fine.digits, &aligned), fine.exponent)
            }
            _ => Decimal::new(coarse.negative, subtract_digits(&aligned, &fine.digits), fine.exponent),
        }
    }
}

/// Column by column from the right, with zeros to the left of the shorter number.
fn columns<'a>(a: &'a [u8], b: &'a [u8]) -> impl Iterator<Item = (u8, u8)> + 'a {
    let length = a.len().max(b.len());
    let padded = |digits: &'a [u8]| digits.iter().rev().copied().chain(std::iter::repeat(0));
    padded(a).zip(padded(b)).take(length)
}

fn add_digits(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut reversed = Vec::with_capacity(a.len().max(b.len()) + 1);
    let mut carry = 0;
    for (x, y) in columns(a, b) {
        let sum = x + y + carry;
        reversed.push(sum % 10);
        carry = sum / 10;
    }
    reversed.push(carry);
    reversed.reverse();
    reversed
}

/// `a` minus `b`, where `b` is not the larger one.
fn subtract_digits(a: &[u8], b: &[u8]) -> Vec<u8> {
    let mut reversed = Vec::with_capacity(a.len());
    let mut borrow = 0;
    for (x, y) in columns(a, b) {
        let taken = y + borrow;
        borrow = u8::from(x < taken);
        reversed.push(x + 10 * borrow - taken);
    }
    reversed.reverse();
    reversed
}
