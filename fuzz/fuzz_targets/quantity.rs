//! Any text, read as a quantity: an error or a value, never a panic. What a value prints reads back as an equal
//! value, and arithmetic takes any two.
//!
//! Lines are quantities of their own, so that an input has several to compute with.

#![no_main]

use libfuzzer_sys::fuzz_target;
use rhumb_meta::{Format, Quantity, Scale};

const FORMATS: [Format; 3] = [Format::DecimalExponent, Format::BinarySI, Format::DecimalSI];

/// Where the suffixes of decimal quantities end: a thousand times the largest. Beyond, Kubernetes prints none.
fn has_suffix(quantity: &Quantity) -> bool {
    let end = Quantity::from_scaled(1, Scale(21));
    *quantity < end && -quantity.clone() < end
}

/// Kubernetes counts exponents in 32 bits and lets them wrap, and so do we: then a value prints what reads as another.
fn has_sane_exponent(printed: &str) -> bool {
    let exponent = printed.rsplit_once(['e', 'E']).and_then(|(_, digits)| digits.parse::<i64>().ok());
    exponent.is_none_or(|exponent| exponent.unsigned_abs() < 1_000_000)
}

fn check(quantity: &Quantity) {
    for printed in [quantity.to_string(), quantity.to_canonical_string()] {
        let read: Quantity = printed.parse().expect("what was printed can be read");
        let comes_back = quantity.format() == Format::DecimalExponent || has_suffix(quantity);
        if comes_back && has_sane_exponent(&printed) {
            assert_eq!(read, *quantity, "{printed}");
            assert_eq!(read.to_canonical_string(), quantity.to_canonical_string(), "{printed}");
        }
    }
    let mut json = vec![b'"'];
    quantity.write_to(&mut json);
    json.push(b'"');
    Quantity::from_json_bytes(&json).expect("what was printed can be read");

    for format in FORMATS {
        let _ = quantity.clone().with_format(format).to_string();
    }
    for scale in [i32::MIN, -10, -9, -3, 0, 3, 18, 19, i32::MAX] {
        quantity.scaled_value(Scale(scale));
    }
    let _ = (quantity.value(), quantity.milli_value(), quantity.as_i64(), quantity.is_zero());
    let mut rounded = quantity.clone();
    rounded.round_up_to_milli();
    assert_eq!(rounded.sign(), quantity.sign(), "rounding away from zero");
    assert_eq!(-(-quantity.clone()), *quantity);
    assert!((quantity.clone() - quantity).is_zero());
}

fuzz_target!(|input: &[u8]| {
    let _ = Quantity::from_json_bytes(input);
    let Ok(text) = std::str::from_utf8(input) else { return };
    let quantities: Vec<Quantity> = text.lines().take(4).filter_map(|line| line.parse().ok()).collect();
    for left in &quantities {
        check(left);
        for right in &quantities {
            let sum = left.clone() + right;
            let _ = (sum.to_string(), (left.clone() - right).to_string());
            assert_eq!(left.cmp(right), right.cmp(left).reverse());
            assert_eq!(sum, right.clone() + left);
        }
    }
});
