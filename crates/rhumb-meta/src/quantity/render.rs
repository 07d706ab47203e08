//! Canonical formatting of quantities.

use super::Format;
use super::amount::Amount;
use super::decimal::Decimal;

/// Buffer size: a sign, the 39 digits of the longest `i128`, and `Ei` — or, in decimal, 21 digits and a 32-bit
/// exponent.
const INLINE: usize = 48;

/// A formatted quantity, on the stack unless it is long.
pub(super) enum Rendered {
    /// The text fills the array from `start` to its end.
    Inline {
        bytes: [u8; INLINE],
        start: usize,
    },
    Heap(Vec<u8>),
}

impl Rendered {
    pub(super) fn as_bytes(&self) -> &[u8] {
        match self {
            Rendered::Inline { bytes, start } => bytes.get(*start..).unwrap_or_default(),
            Rendered::Heap(bytes) => bytes,
        }
    }

    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(self.as_bytes()).unwrap_or_default()
    }
}

/// Fills an array backwards, in the order in which digits are computed.
struct Backwards {
    bytes: [u8; INLINE],
    start: usize,
}

impl Backwards {
    fn new() -> Backwards {
        Backwards { bytes: [0; INLINE], start: INLINE }
    }

    fn push(&mut self, byte: u8) {
        self.start = self.start.saturating_sub(1);
        self.bytes[self.start] = byte;
    }

    fn push_text(&mut self, text: &str) {
        text.bytes().rev().for_each(|byte| self.push(byte));
    }

    fn push_number(&mut self, number: i128) {
        let mut rest = number.unsigned_abs();
        // 128-bit division is slow, so it is left as soon as the number allows.
        let mut low = loop {
            match u64::try_from(rest) {
                Ok(low) => break low,
                Err(_) => {
                    self.push(b'0' + (rest % 10) as u8);
                    rest /= 10;
                }
            }
        };
        loop {
            self.push(b'0' + (low % 10) as u8);
            low /= 10;
            if low == 0 {
                break;
            }
        }
        if number < 0 {
            self.push(b'-');
        }
    }

    fn finish(self) -> Rendered {
        Rendered::Inline { bytes: self.bytes, start: self.start }
    }
}

/// Returns the suffix for ten to a multiple of three. Exponents beyond the table have none and print like 0.
fn decimal_suffix(exponent: i64) -> &'static str {
    match exponent {
        -9 => "n",
        -6 => "u",
        -3 => "m",
        3 => "k",
        6 => "M",
        9 => "G",
        12 => "T",
        15 => "P",
        18 => "E",
        _ => "",
    }
}

fn binary_suffix(times: u32) -> &'static str {
    match times {
        1 => "Ki",
        2 => "Mi",
        3 => "Gi",
        4 => "Ti",
        5 => "Pi",
        6 => "Ei",
        _ => "",
    }
}

pub(super) fn render(amount: &Amount, format: Format) -> Rendered {
    match amount {
        Amount::Small { value: 0, .. } => {
            let mut text = Backwards::new();
            text.push(b'0');
            text.finish()
        }
        Amount::Small { value, scale } => {
            if format != Format::BinarySI {
                return render_small_decimal(*value, *scale, format);
            }
            match small_integer(*value, *scale) {
                SmallInteger::Fits(integer) if integer.unsigned_abs() >= 1024 => render_small_binary(integer),
                SmallInteger::Fits(_) | SmallInteger::Fraction => {
                    render_small_decimal(*value, *scale, Format::DecimalSI)
                }
                SmallInteger::TooLong => {
                    render_decimal(&Decimal::from_scaled(*value, i64::from(*scale)), format)
                }
            }
        }
        Amount::Wide(decimal) => render_decimal(decimal, format),
    }
}

/// `value` × 10^`scale`, multiplied out.
enum SmallInteger {
    Fits(i128),
    Fraction,
    TooLong,
}

fn small_integer(value: i64, scale: i32) -> SmallInteger {
    let value = i128::from(value);
    match (10i128.checked_pow(scale.unsigned_abs()), scale < 0) {
        (Some(power), false) => value.checked_mul(power).map_or(SmallInteger::TooLong, SmallInteger::Fits),
        (None, false) => SmallInteger::TooLong,
        (Some(power), true) if value % power == 0 => SmallInteger::Fits(value / power),
        (_, true) => SmallInteger::Fraction,
    }
}

fn render_small_decimal(value: i64, scale: i32, format: Format) -> Rendered {
    let (mut mantissa, mut exponent) = (value, scale);
    while mantissa % 10 == 0 {
        mantissa /= 10;
        exponent = exponent.wrapping_add(1);
    }
    let excess = exponent.rem_euclid(3);
    exponent = exponent.wrapping_sub(excess);

    let mut text = Backwards::new();
    match format {
        Format::DecimalExponent if exponent != 0 => {
            text.push_number(i128::from(exponent));
            text.push(b'e');
        }
        Format::DecimalExponent => {}
        _ => text.push_text(decimal_suffix(i64::from(exponent))),
    }
    text.push_number(i128::from(mantissa) * 10i128.pow(excess as u32));
    text.finish()
}

fn render_small_binary(integer: i128) -> Rendered {
    let (mut mantissa, mut times) = (integer, 0);
    // Kubernetes takes no factors out of the smallest integer, whose magnitude overflows there.
    while mantissa % 1024 == 0 && integer != i128::from(i64::MIN) {
        mantissa /= 1024;
        times += 1;
    }
    let mut text = Backwards::new();
    text.push_text(binary_suffix(times));
    text.push_number(mantissa);
    text.finish()
}

fn render_decimal(decimal: &Decimal, format: Format) -> Rendered {
    if decimal.sign() == 0 {
        return Rendered::Heap(b"0".to_vec());
    }
    let mut text = Vec::with_capacity(decimal.digits().len() + 4);
    if decimal.sign() < 0 {
        text.push(b'-');
    }
    let mut format = format;
    if format == Format::BinarySI && decimal.is_integer() && decimal.reaches_1024() {
        if let Some((digits, times)) = decimal.without_factors_of_1024() {
            text.extend(digits.iter().map(|digit| b'0' + digit));
            text.extend_from_slice(binary_suffix(times).as_bytes());
            return Rendered::Heap(text);
        }
        // Thousands of digits are beyond any suffix, so only an exponent can tell the magnitude.
        format = Format::DecimalExponent;
    }
    let excess = decimal.exponent().rem_euclid(3);
    let exponent = decimal.exponent() - excess;
    text.extend(decimal.digits().iter().map(|digit| b'0' + digit));
    text.extend(std::iter::repeat_n(b'0', excess as usize));
    match format {
        Format::DecimalExponent if exponent != 0 => text.extend_from_slice(format!("e{exponent}").as_bytes()),
        Format::DecimalExponent => {}
        _ => text.extend_from_slice(decimal_suffix(exponent).as_bytes()),
    }
    Rendered::Heap(text)
}
