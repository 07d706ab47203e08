//! The number of a quantity, in one of two representations.

use std::cmp::Ordering;

use super::decimal::Decimal;

/// Largest shift for which ten to its power times any `i64` fits an `i128`; beyond it any non-zero value exceeds 64
/// bits.
const MAX_SMALL_SHIFT: i64 = 19;

/// An exact number.
#[derive(Clone, Debug)]
pub(super) enum Amount {
    /// `value` × 10^`scale`, the common case.
    Small { value: i64, scale: i32 },
    /// Anything the small form cannot hold, and what Kubernetes chooses not to hold in it.
    Wide(Box<Decimal>),
}

impl Default for Amount {
    fn default() -> Amount {
        Amount::Small { value: 0, scale: 0 }
    }
}

/// Returns `value` × 10^`shift`, if it fits.
fn scale_up(value: i64, shift: i64) -> Option<i64> {
    if value == 0 {
        return Some(0);
    }
    let power = 10i64.checked_pow(u32::try_from(shift).ok()?)?;
    value.checked_mul(power)
}

/// Returns Kubernetes' result for `value` × 10^`shift` on overflow: the low 64 bits for some shifts, and 0 for others.
/// Checks such as "is a multiple of 1000" see the difference.
fn overflowed(value: i64, shift: i64) -> i64 {
    match shift {
        1 | 2 | 3 | 6 | 9 if value != i64::MIN => value.wrapping_mul(10i64.pow(shift as u32)),
        _ => 0,
    }
}

/// Returns `value` / 10^`shift`, rounded away from zero.
fn scale_down(value: i64, shift: i64) -> i64 {
    let power = u32::try_from(shift).ok().and_then(|shift| 10i64.checked_pow(shift));
    match power {
        Some(power) => value / power + (value % power).signum(),
        None => value.signum(),
    }
}

impl Amount {
    pub(super) fn wide(decimal: Decimal) -> Amount {
        Amount::Wide(Box::new(decimal))
    }

    /// Returns the value in the long form, whichever form it has.
    pub(super) fn to_decimal(&self) -> Decimal {
        match self {
            Amount::Small { value, scale } => Decimal::from_scaled(*value, i64::from(*scale)),
            Amount::Wide(decimal) => (**decimal).clone(),
        }
    }

    pub(super) fn sign(&self) -> i32 {
        match self {
            Amount::Small { value, .. } => value.signum() as i32,
            Amount::Wide(decimal) => decimal.sign(),
        }
    }

    pub(super) fn as_i64(&self) -> Option<i64> {
        match self {
            Amount::Small { value, scale } if *scale >= 0 => scale_up(*value, i64::from(*scale)),
            _ => None,
        }
    }

    /// The number as Kubernetes approximates it: digits times a power of ten, each rounded.
    pub(super) fn approximate_f64(&self) -> f64 {
        let power = |exponent: i64| format!("1e{exponent}").parse().unwrap_or(f64::INFINITY);
        match self {
            Amount::Small { value, scale: 0 } => *value as f64,
            Amount::Small { value, scale } => *value as f64 * power(i64::from(*scale)),
            Amount::Wide(decimal) => {
                let digits: String = decimal.digits().iter().map(|digit| char::from(b'0' + digit)).collect();
                let digits: f64 = digits.parse().unwrap_or(0.0);
                f64::from(decimal.sign()) * digits * power(decimal.exponent())
            }
        }
    }

    pub(super) fn scaled_value(&self, target: i32) -> i64 {
        match self {
            Amount::Small { value, scale } => {
                let shift = i64::from(*scale) - i64::from(target);
                match shift {
                    ..0 => scale_down(*value, -shift),
                    _ => scale_up(*value, shift).unwrap_or_else(|| overflowed(*value, shift)),
                }
            }
            Amount::Wide(decimal) => decimal.scaled_low_bits(i64::from(target)),
        }
    }

    /// Rounds away from zero to a multiple of ten to the power of `target`; false if it is one already.
    pub(super) fn round_up_to(&mut self, target: i32) -> bool {
        match self {
            Amount::Small { scale, .. } if *scale >= target => false,
            Amount::Small { value, scale } => {
                let value = scale_down(*value, i64::from(target) - i64::from(*scale));
                *self = Amount::Small { value, scale: target };
                true
            }
            Amount::Wide(decimal) if decimal.exponent() >= i64::from(target) => false,
            Amount::Wide(decimal) => {
                *self = Amount::wide((**decimal).clone().round_up_to(i64::from(target)));
                true
            }
        }
    }

    pub(super) fn compare(&self, other: &Amount) -> Ordering {
        match (self, other) {
            (Amount::Small { value: a, scale: s }, Amount::Small { value: b, scale: t }) => {
                compare_small(*a, i64::from(*s), *b, i64::from(*t))
            }
            (Amount::Wide(a), Amount::Wide(b)) => a.compare(b),
            (Amount::Wide(a), Amount::Small { .. }) => a.compare(&other.to_decimal()),
            (Amount::Small { .. }, Amount::Wide(b)) => self.to_decimal().compare(b),
        }
    }

    pub(super) fn add(&self, other: &Amount) -> Amount {
        if let (Amount::Small { value: a, scale: s }, Amount::Small { value: b, scale: t }) = (self, other)
            && let Some(sum) = add_small((*a, *s), (*b, *t))
        {
            return sum;
        }
        Amount::wide(self.to_decimal().add(&other.to_decimal()))
    }

    pub(super) fn sub(&self, other: &Amount) -> Amount {
        if let (Amount::Small { value: a, scale: s }, Amount::Small { value: b, scale: t }) = (self, other)
            && let Some(negated) = b.checked_neg()
            && let Some(sum) = add_small((*a, *s), (negated, *t))
        {
            return sum;
        }
        Amount::wide(self.to_decimal().add(&other.to_decimal().negated()))
    }

    pub(super) fn negated(self) -> Amount {
        match self {
            Amount::Small { value, scale } => match value.checked_neg() {
                Some(value) => Amount::Small { value, scale },
                None => Amount::wide(Decimal::from_scaled(value, i64::from(scale)).negated()),
            },
            Amount::Wide(decimal) => Amount::wide(decimal.negated()),
        }
    }
}

fn compare_small(a: i64, a_scale: i64, b: i64, b_scale: i64) -> Ordering {
    if a_scale == b_scale || a == 0 || b == 0 {
        return a.cmp(&b);
    }
    let shift = a_scale - b_scale;
    let (wider_a, wider_b) = if shift > MAX_SMALL_SHIFT {
        // With so many more zeros the left side outweighs any 64-bit integer, so its sign decides.
        return a.cmp(&0);
    } else if shift < -MAX_SMALL_SHIFT {
        return 0.cmp(&b);
    } else if shift > 0 {
        (i128::from(a) * 10i128.pow(shift as u32), i128::from(b))
    } else {
        (i128::from(a), i128::from(b) * 10i128.pow(-shift as u32))
    };
    wider_a.cmp(&wider_b)
}

/// Returns the sum at the finer of both scales, if it fits.
fn add_small((a, a_scale): (i64, i32), (b, b_scale): (i64, i32)) -> Option<Amount> {
    if b == 0 {
        return Some(Amount::Small { value: a, scale: a_scale });
    }
    if a == 0 {
        return Some(Amount::Small { value: b, scale: b_scale });
    }
    let scale = a_scale.min(b_scale);
    let a = scale_up(a, i64::from(a_scale) - i64::from(scale))?;
    let b = scale_up(b, i64::from(b_scale) - i64::from(scale))?;
    Some(Amount::Small { value: a.checked_add(b)?, scale })
}
