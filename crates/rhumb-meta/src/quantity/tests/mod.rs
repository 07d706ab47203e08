//! Quantities against tables computed by Kubernetes, laws that hold for all of them, and hostile texts.

mod arithmetic;
mod parsing;

use std::cmp::Ordering;

use super::{Format, ParseQuantityError, Quantity, Scale};

fn parse(text: &str) -> Quantity {
    text.parse().unwrap_or_else(|error| panic!("{text:?}: {error}"))
}

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn digits(&mut self, max: u64) -> String {
        (0..self.below(max + 1)).map(|_| char::from(b'0' + self.below(10) as u8)).collect()
    }

    /// A well formed quantity that stays within the suffixes.
    fn quantity(&mut self) -> String {
        const SUFFIXES: [&str; 15] =
            ["", "n", "u", "m", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti", "Pi", "e3", "E-4"];
        let sign = ["", "-", "+"][self.below(3) as usize];
        let suffix = SUFFIXES[self.below(15) as usize];
        let whole = self.digits(8);
        let fraction = self.digits(12);
        format!("{sign}0{whole}.{fraction}{suffix}")
    }
}

#[test]
fn parses_and_prints_like_kubernetes() {
    for &(text, display, canonical, format, as_i64) in parsing::PARSED {
        let quantity = parse(text);
        assert_eq!(quantity.to_string(), display, "Display of {text:?}");
        assert_eq!(quantity.to_canonical_string(), canonical, "canonical form of {text:?}");
        assert_eq!(quantity.format(), format, "format of {text:?}");
        assert_eq!(quantity.as_i64(), as_i64, "as_i64 of {text:?}");
        let mut written = b"x".to_vec();
        quantity.write_to(&mut written);
        assert_eq!(written, format!("x{display}").into_bytes(), "write_to of {text:?}");
    }
}

#[test]
fn rejects_like_kubernetes() {
    for &(text, error) in parsing::REJECTED {
        assert_eq!(text.parse::<Quantity>().err(), Some(error), "{text:?}");
    }
    let texts = [
        (
            ParseQuantityError::FormatWrong,
            "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
        ),
        (ParseQuantityError::Numeric, "unable to parse numeric part of quantity"),
        (ParseQuantityError::Suffix, "unable to parse quantity's suffix"),
    ];
    for (error, text) in texts {
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn decodes_raw_json_like_kubernetes() {
    for &(raw, encoded) in parsing::JSON {
        let decoded = Quantity::from_json_bytes(raw.as_bytes()).ok();
        assert_eq!(decoded.map(|quantity| format!("\"{quantity}\"")).as_deref(), encoded, "{raw}");
    }
    assert!(Quantity::from_json_bytes(b"\"1\xff\"").is_err());
}

#[test]
fn converts_to_integers_like_kubernetes() {
    for &(text, value, milli, nano, mega) in arithmetic::VALUES {
        let quantity = parse(text);
        assert_eq!(quantity.value(), value, "value of {text:?}");
        assert_eq!(quantity.milli_value(), milli, "milli value of {text:?}");
        assert_eq!(quantity.scaled_value(Scale::NANO), nano, "nano value of {text:?}");
        assert_eq!(quantity.scaled_value(Scale::MEGA), mega, "mega value of {text:?}");
    }
}

#[test]
fn negative_values_round_away_from_zero_in_both_forms() {
    assert_eq!(parse("-1.5").value(), -2);
    assert_eq!(parse("-0.1Ki").value(), -103);
    assert_eq!(parse("-1Pi").value(), -(1 << 50));
    assert_eq!(parse("-1500u").milli_value(), -2);
}

#[test]
fn orders_and_sums_like_kubernetes() {
    for &(left, right, order, sum, difference) in arithmetic::SUMS {
        let (a, b) = (parse(left), parse(right));
        assert_eq!(a.cmp(&b) as i8, order, "order of {left:?} and {right:?}");
        assert_eq!((a.clone() + &b).to_string(), sum, "{left:?} + {right:?}");
        assert_eq!((a - &b).to_string(), difference, "{left:?} - {right:?}");
    }
}

#[test]
fn prints_every_format_like_kubernetes() {
    for &(value, scale, binary, decimal, exponent) in arithmetic::FORMS {
        let quantity = Quantity::from_scaled(value, Scale(scale));
        let print = |format| quantity.clone().with_format(format).to_string();
        assert_eq!(print(Format::BinarySI), binary, "{value} × 10^{scale}");
        assert_eq!(print(Format::DecimalSI), decimal, "{value} × 10^{scale}");
        assert_eq!(print(Format::DecimalExponent), exponent, "{value} × 10^{scale}");
    }
}

#[test]
fn default_is_a_plain_zero() {
    let zero = Quantity::default();
    assert_eq!((zero.to_string().as_str(), zero.format()), ("0", Format::DecimalSI));
    assert!(zero.is_zero());
    assert_eq!((zero.sign(), zero.as_i64()), (0, Some(0)));
    assert_eq!((zero + &parse("2Gi")).to_string(), "2Gi");
}

#[test]
fn constructors_take_their_unit() {
    assert_eq!(Quantity::from_i64(5 << 30, Format::BinarySI).to_string(), "5Gi");
    assert_eq!(Quantity::from_milli(1500, Format::DecimalSI).to_string(), "1500m");
    assert_eq!(Quantity::from_milli(2000, Format::DecimalSI).to_string(), "2");
    assert_eq!(Quantity::from_scaled(3, Scale::KILO).to_string(), "3k");
    assert_eq!(format!("[{:>6}]", Quantity::from_i64(5, Format::DecimalSI)), "[     5]");
}

#[test]
fn equality_ignores_how_a_value_is_written() {
    assert_eq!(parse("1"), parse("1000m"));
    assert_eq!(parse("1Gi"), parse("1073741824"));
    assert_eq!(parse("0.5Gi"), parse("512Mi"));
    assert_ne!(parse("1"), parse("1.000000001"));
    assert!(parse("-1e30") < parse("1n"));
}

#[test]
fn arithmetic_forgets_the_written_text() {
    assert_eq!(parse("+5").to_string(), "+5");
    assert_eq!((-parse("+5")).to_string(), "-5");
    assert_eq!((parse("+5") + &Quantity::default()).to_string(), "5");
}

#[test]
fn negating_the_smallest_integer_does_not_overflow() {
    let smallest = Quantity::from_i64(i64::MIN, Format::DecimalSI);
    assert_eq!((-smallest.clone()).to_string(), "9223372036854775808");
    assert_eq!((Quantity::default() - &smallest).to_string(), "9223372036854775808");
    assert_eq!((smallest.clone() - &smallest).to_string(), "0");
}

#[test]
fn printing_and_parsing_keeps_the_value() {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for _ in 0..20_000 {
        let text = numbers.quantity();
        let quantity = parse(&text);
        for printed in [quantity.to_string(), quantity.to_canonical_string()] {
            assert_eq!(parse(&printed), quantity, "{text:?} printed as {printed:?}");
        }
        let canonical = quantity.to_canonical_string();
        assert_eq!(parse(&canonical).to_canonical_string(), canonical, "{text:?}");
    }
}

#[test]
fn arithmetic_obeys_its_laws() {
    let mut numbers = Numbers(0x2545_f491_4f6c_dd1d);
    for _ in 0..20_000 {
        let (a, b, c) = (parse(&numbers.quantity()), parse(&numbers.quantity()), parse(&numbers.quantity()));
        let sum = a.clone() + &b;
        assert_eq!(sum, b.clone() + &a, "{a} + {b}");
        assert_eq!(sum.clone() + &c, a.clone() + &(b.clone() + &c), "{a} + {b} + {c}");
        assert_eq!(sum.clone() - &b, a, "{a} + {b} - {b}");
        assert_eq!(a.clone() - &b, -(b.clone() - &a), "{a} - {b}");
        assert_eq!(a.cmp(&b), (a.clone() - &b).sign().cmp(&0), "{a} and {b}");
        assert_eq!(a.cmp(&b), b.cmp(&a).reverse(), "{a} and {b}");
        assert_eq!(sum.sign().cmp(&0), a.cmp(&-b.clone()), "{a} and -{b}");
    }
}

#[test]
fn a_million_digits_are_read_and_printed() {
    let long = "7".repeat(1_000_000);
    assert_eq!(parse(&long).to_string(), long);
    assert_eq!(parse(&format!("0.{}1", "0".repeat(1_000_000))).to_string(), "1n");
    assert_eq!(
        parse(&format!("1{}", "0".repeat(999_999))).with_format(Format::DecimalExponent).to_string(),
        "1e999999"
    );
    assert_eq!(parse(&format!("{long}Ki")).to_string(), "9223372036854775807");
    assert_eq!(parse(&format!("{}5", "0".repeat(1_000_000))).value(), 5);
    assert_eq!(parse(&format!("1e{}3", "0".repeat(1_000_000))).value(), 1000);
    assert!(parse(&long) > parse("1e999998"));
    assert!(parse(&long) < parse("1e1000000"));
}

#[test]
fn huge_exponents_cost_nothing() {
    let huge = parse("1234567890123456789e2000000000");
    assert_eq!(huge.to_string(), "123456789012345678900e1999999998");
    assert_eq!(parse("1234567890123456789e-2000000000").to_string(), "1e-9");
    assert_eq!(parse("1e2147483647").cmp(&parse("1")), Ordering::Greater);
    assert_eq!(parse("-1e2147483647").cmp(&huge), Ordering::Less);
    assert_eq!(huge.value(), 0);
    // The exact sum has two billion digits; the small part is dropped instead.
    assert_eq!(huge.clone() + &parse("1"), huge);
    assert_eq!(parse("1") - &huge, -huge.clone());
    assert_eq!((huge.clone() - &huge).to_string(), "0");
    assert_eq!(huge.with_format(Format::BinarySI).to_string(), "123456789012345678900e1999999998");
    assert_eq!(parse("0e2147483647").value(), 0);
}

#[test]
fn fractions_are_as_near_as_kubernetes_has_them() {
    let check = |text: &str, expected: f64| assert_eq!(parse(text).approximate_f64(), expected, "{text}");
    check("0", 0.0);
    check("-100m", -0.1);
    check("1.5Gi", 1_610_612_736.0);
    check("9999999999999999999999", 1e22);
    check("-1e2147483647", f64::NEG_INFINITY);
}
