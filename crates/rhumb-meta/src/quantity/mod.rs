//! Resource quantities: exact decimal numbers with a unit suffix, such as `250m`, `1.5Gi` or `12e6`.
//!
//! This module owns the value itself: parsing, canonical printing, comparison and arithmetic, all without
//! floating point. It refuses to know about JSON or protobuf framing; [`Quantity::from_json_bytes`] and
//! [`Quantity::write_to`] are the two pure functions an encoder needs.
//!
//! Nearly every quantity in a cluster is a 64-bit integer times a power of ten, so that is the inline form
//! (`amount`). Whatever does not fit (`1.5Gi`, `1Pi`, twenty digits) goes to a decimal of any length
//! (`decimal`). Which of the two a value takes is visible through [`Quantity::as_i64`] and therefore follows
//! Kubernetes' own choice.

mod amount;
mod decimal;
mod parse;
mod render;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use amount::Amount;
pub use parse::ParseQuantityError;

/// Notation of a quantity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Powers of ten as an exponent, for example `12e6`.
    DecimalExponent,
    /// Powers of 1024 as a suffix, for example `12Mi`.
    BinarySI,
    /// Powers of 1000 as a suffix, for example `12M`.
    #[default]
    DecimalSI,
}

/// Power of ten: the unit of [`Quantity::scaled_value`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scale(pub i32);

impl Scale {
    /// 10⁻⁹, the finest unit of parsed quantities.
    pub const NANO: Scale = Scale(-9);
    /// 10⁻⁶.
    pub const MICRO: Scale = Scale(-6);
    /// 10⁻³.
    pub const MILLI: Scale = Scale(-3);
    /// 10³.
    pub const KILO: Scale = Scale(3);
    /// 10⁶.
    pub const MEGA: Scale = Scale(6);
    /// 10⁹.
    pub const GIGA: Scale = Scale(9);
    /// 10¹².
    pub const TERA: Scale = Scale(12);
    /// 10¹⁵.
    pub const PETA: Scale = Scale(15);
    /// 10¹⁸.
    pub const EXA: Scale = Scale(18);
}

/// An exact number with its notation.
///
/// Equality and order go by value alone: `1`, `1000m` and `1e0` are equal although they print differently.
/// The default is zero in [`Format::DecimalSI`] and prints `0`.
///
/// # Printing
///
/// `Display` gives the canonical form: no fractional digits, the largest fitting suffix, no precision lost.
/// One exception is inherited from Kubernetes, because stored objects and clients depend on it: a text that a
/// shallow check takes for canonical is given back unchanged (`+5`, `05`, `1.500`, `1E3`), until arithmetic
/// changes the value. [`Quantity::to_canonical_string`] never takes that shortcut.
///
/// Another inheritance: where a format has no suffix for an exponent (beyond `E` or `Ei`, or below `n`), the
/// suffix is left out, so that `1000E` prints as `1`.
///
/// # Limits
///
/// Parsing rounds up, away from zero, to a multiple of 10⁻⁹. Values written with a binary suffix are capped
/// at ±(2⁶³−1); decimal ones are not capped.
#[derive(Clone, Default)]
pub struct Quantity {
    amount: Amount,
    format: Format,
    /// The text as it was written, kept only where it must be given back and differs from the canonical form.
    verbatim: Option<Box<str>>,
}

impl Quantity {
    /// Returns a whole number in the given format.
    pub fn from_i64(value: i64, format: Format) -> Quantity {
        Quantity::small(value, 0, format)
    }

    /// Returns a number of thousandths in the given format.
    pub fn from_milli(value: i64, format: Format) -> Quantity {
        Quantity::small(value, -3, format)
    }

    /// Creates a quantity of `value` × 10^`scale` in [`Format::DecimalSI`].
    pub fn from_scaled(value: i64, scale: Scale) -> Quantity {
        Quantity::small(value, scale.0, Format::DecimalSI)
    }

    fn small(value: i64, scale: i32, format: Format) -> Quantity {
        Quantity { amount: Amount::Small { value, scale }, format, verbatim: None }
    }

    /// Reads a quantity from the raw bytes of a JSON value, quotes included where the value is a string.
    ///
    /// Bare numbers are read by their text, white space inside the quotes is dropped, `null` is zero, and
    /// escape sequences are not resolved: they make the value malformed, as they do in Kubernetes.
    pub fn from_json_bytes(raw: &[u8]) -> Result<Quantity, ParseQuantityError> {
        if raw == b"null" {
            return Ok(Quantity::default());
        }
        let inner = match raw {
            [b'"', inner @ .., b'"'] => inner,
            other => other,
        };
        match std::str::from_utf8(inner) {
            Ok(text) => text.trim().parse(),
            Err(_) => Err(ParseQuantityError::FormatWrong),
        }
    }

    /// Returns the format in which this quantity prints.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Returns the same value in another notation.
    #[must_use]
    pub fn with_format(self, format: Format) -> Quantity {
        if format == self.format {
            return self;
        }
        Quantity { amount: self.amount, format, verbatim: None }
    }

    /// Reports whether the value is zero.
    pub fn is_zero(&self) -> bool {
        self.amount.sign() == 0
    }

    /// Returns -1, 0 or 1 for a negative, zero or positive value.
    pub fn sign(&self) -> i32 {
        self.amount.sign()
    }

    /// Returns the value as a whole number, rounded away from zero. See [`Quantity::scaled_value`] about overflow.
    pub fn value(&self) -> i64 {
        self.scaled_value(Scale(0))
    }

    /// Returns the value in thousandths, rounded away from zero. See [`Quantity::scaled_value`] about overflow.
    pub fn milli_value(&self) -> i64 {
        self.scaled_value(Scale::MILLI)
    }

    /// Returns the value divided by ten to the power of `scale`, rounded away from zero.
    ///
    /// A result beyond 64 bits is not reported: as in Kubernetes it is either the low 64 bits or 0. Compare
    /// with a bound first where that matters.
    pub fn scaled_value(&self, scale: Scale) -> i64 {
        self.amount.scaled_value(scale.0)
    }

    /// Returns the value as a 64-bit integer, where the inline form holds it without a fractional exponent.
    ///
    /// `None` does not mean that the value is fractional: `1Pi` and `1000m` are whole numbers whose form is
    /// not that of an integer, and give `None` as they do in Kubernetes.
    pub fn as_i64(&self) -> Option<i64> {
        self.amount.as_i64()
    }

    /// The nearest number with a binary fraction, or one beside it.
    pub fn approximate_f64(&self) -> f64 {
        self.amount.approximate_f64()
    }

    /// Rounds away from zero to thousandths, which is as fine as amounts of resources may be.
    pub fn round_up_to_milli(&mut self) {
        if self.amount.round_up_to(Scale::MILLI.0) {
            self.verbatim = None;
        }
    }

    /// Returns the canonical form, even where `Display` would give back the text that was parsed.
    pub fn to_canonical_string(&self) -> String {
        render::render(&self.amount, self.format).as_str().to_owned()
    }

    /// Appends what `Display` prints. The bytes are ASCII and need no escaping in JSON.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        match &self.verbatim {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => out.extend_from_slice(render::render(&self.amount, self.format).as_bytes()),
        }
    }

    /// Adopts the notation of the other summand if this one is zero.
    fn before_sum(&mut self, other: &Quantity) {
        self.verbatim = None;
        if self.is_zero() {
            self.format = other.format;
        }
    }
}

impl FromStr for Quantity {
    type Err = ParseQuantityError;

    fn from_str(text: &str) -> Result<Quantity, ParseQuantityError> {
        parse::parse(text)
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verbatim {
            Some(text) => f.pad(text),
            None => f.pad(render::render(&self.amount, self.format).as_str()),
        }
    }
}

impl fmt::Debug for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Quantity({self}, {:?})", self.format)
    }
}

impl PartialEq for Quantity {
    fn eq(&self, other: &Quantity) -> bool {
        self.amount.compare(&other.amount).is_eq()
    }
}

impl Eq for Quantity {}

impl PartialOrd for Quantity {
    fn partial_cmp(&self, other: &Quantity) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Quantity {
    fn cmp(&self, other: &Quantity) -> Ordering {
        self.amount.compare(&other.amount)
    }
}

/// Exact, except that a summand more than ten thousand decimal places below the other's last digit is
/// dropped: without a limit a few bytes such as `1e2000000000` would demand gigabytes of digits.
impl AddAssign<&Quantity> for Quantity {
    fn add_assign(&mut self, other: &Quantity) {
        self.before_sum(other);
        self.amount = self.amount.add(&other.amount);
    }
}

/// Has the precision of addition.
impl SubAssign<&Quantity> for Quantity {
    fn sub_assign(&mut self, other: &Quantity) {
        self.before_sum(other);
        self.amount = self.amount.sub(&other.amount);
    }
}

impl Add<&Quantity> for Quantity {
    type Output = Quantity;

    fn add(mut self, other: &Quantity) -> Quantity {
        self += other;
        self
    }
}

impl Sub<&Quantity> for Quantity {
    type Output = Quantity;

    fn sub(mut self, other: &Quantity) -> Quantity {
        self -= other;
        self
    }
}

impl Neg for Quantity {
    type Output = Quantity;

    fn neg(self) -> Quantity {
        Quantity { amount: self.amount.negated(), format: self.format, verbatim: None }
    }
}
