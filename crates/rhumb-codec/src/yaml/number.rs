//! Number formatting as in Go.
//!
//! JSON, YAML and the text of map keys each lay out the same shortest digits in another way; this module takes
//! the digits from the standard library, whose shortest form agrees with Go's, and owns only the layout.

use std::io::Write;

/// Shortest decimal digits of a finite number without the point, and the exponent of the first digit.
struct Digits {
    negative: bool,
    bytes: [u8; 24],
    len: usize,
    exponent: i32,
}

impl Digits {
    fn of64(value: f64) -> Digits {
        let mut text = [0u8; 40];
        let mut rest = &mut text[..];
        let _ = write!(rest, "{value:e}");
        let used = 40 - rest.len();
        Digits::split(text.get(..used).unwrap_or_default())
    }

    fn of32(value: f32) -> Digits {
        let mut text = [0u8; 40];
        let mut rest = &mut text[..];
        let _ = write!(rest, "{value:e}");
        let used = 40 - rest.len();
        Digits::split(text.get(..used).unwrap_or_default())
    }

    fn split(text: &[u8]) -> Digits {
        let mut digits = Digits { negative: false, bytes: [b'0'; 24], len: 0, exponent: 0 };
        let mut exponent_negative = false;
        let mut in_exponent = false;
        for &byte in text {
            match byte {
                b'-' if in_exponent => exponent_negative = true,
                b'-' => digits.negative = true,
                b'e' => in_exponent = true,
                b'0'..=b'9' if in_exponent => {
                    digits.exponent = digits.exponent * 10 + i32::from(byte - b'0');
                }
                b'0'..=b'9' => {
                    if let Some(slot) = digits.bytes.get_mut(digits.len) {
                        *slot = byte;
                        digits.len += 1;
                    }
                }
                _ => {}
            }
        }
        if exponent_negative {
            digits.exponent = -digits.exponent;
        }
        digits
    }

    fn significant(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// Writes `d.ddde±x`, with at least `exponent_width` digits in the exponent.
    fn scientific(&self, exponent_width: usize, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        let digits = self.significant();
        out.extend_from_slice(digits.get(..1).unwrap_or(b"0"));
        if let Some(fraction) = digits.get(1..)
            && !fraction.is_empty()
        {
            out.push(b'.');
            out.extend_from_slice(fraction);
        }
        out.push(b'e');
        out.push(if self.exponent < 0 { b'-' } else { b'+' });
        let _ = write!(out, "{:0width$}", self.exponent.unsigned_abs(), width = exponent_width);
    }

    /// Writes the digits around a point, with no exponent.
    fn positional(&self, out: &mut Vec<u8>) {
        if self.negative {
            out.push(b'-');
        }
        let digits = self.significant();
        if self.exponent < 0 {
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', (-self.exponent - 1).unsigned_abs() as usize));
            out.extend_from_slice(digits);
            return;
        }
        let whole = self.exponent.unsigned_abs() as usize + 1;
        if digits.len() <= whole {
            out.extend_from_slice(digits);
            out.extend(std::iter::repeat_n(b'0', whole - digits.len()));
        } else {
            let (before, after) = digits.split_at(whole);
            out.extend_from_slice(before);
            out.push(b'.');
            out.extend_from_slice(after);
        }
    }

    fn general(&self, out: &mut Vec<u8>) {
        // Go leaves the positional form outside 1e-4 to 1e6 when the shortest digits are asked for.
        if !(-4..6).contains(&self.exponent) {
            self.scientific(2, out);
        } else {
            self.positional(out);
        }
    }
}

/// Writes a finite number the way Go's `encoding/json` does.
pub(super) fn write_json_float(value: f64, out: &mut Vec<u8>) {
    let digits = Digits::of64(value);
    let size = value.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        digits.scientific(1, out);
    } else {
        digits.positional(out);
    }
}

/// Writes a number as `strconv.FormatFloat(value, 'g', -1, 64)` does, with YAML's names for the odd values.
pub(super) fn write_general_float(value: f64, out: &mut Vec<u8>) {
    if value.is_finite() { Digits::of64(value).general(out) } else { write_odd(value, out) }
}

/// Writes a number as a map key: the same as [`write_general_float`] after rounding to 32 bits.
pub(super) fn write_key_float(value: f64, out: &mut Vec<u8>) {
    let narrow = value as f32;
    if narrow.is_finite() { Digits::of32(narrow).general(out) } else { write_odd(f64::from(narrow), out) }
}

fn write_odd(value: f64, out: &mut Vec<u8>) {
    out.extend_from_slice(match value {
        v if v.is_nan() => b".nan",
        v if v > 0.0 => b".inf",
        _ => b"-.inf",
    });
}

/// Writes a whole number in decimal.
pub(super) fn write_int(value: i64, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    write_uint(value.unsigned_abs(), out);
}

/// Writes an unsigned whole number in decimal.
pub(super) fn write_uint(mut value: u64, out: &mut Vec<u8>) {
    let mut text = [0u8; 20];
    let mut at = text.len();
    loop {
        at -= 1;
        if let Some(slot) = text.get_mut(at) {
            let digit = (value % 10) as u8;
            *slot = b'0' + digit;
        }
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
}
