//! Numbers and texts against tables computed by Kubernetes.

mod fixtures;

use super::{IntOrString, Rounding};

#[test]
fn scales_percentages_like_kubernetes() {
    for &(text, total, ref expected) in fixtures::SCALED {
        let value = IntOrString::from(text);
        let scaled = |rounding| value.scaled_value(total, rounding).map_err(|error| error.to_string());
        let got = scaled(Rounding::Up).and_then(|up| Ok((up, scaled(Rounding::Down)?)));
        assert_eq!(got, expected.map_err(str::to_owned), "{text:?} of {total}");
    }
    assert_eq!(IntOrString::Int(-3).scaled_value(10, Rounding::Up), Ok(-3));
}

#[test]
fn tells_numbers_from_texts_like_kubernetes() {
    for &(text, number, int_value) in fixtures::PARSED {
        let expected = number.map_or_else(|| IntOrString::from(text), IntOrString::from);
        assert_eq!(IntOrString::parse(text), expected, "{text:?}");
        assert_eq!(IntOrString::from(text).int_value(), int_value, "{text:?}");
    }
    assert_eq!(IntOrString::Int(-7).int_value(), -7);
}

#[test]
fn displays_what_it_holds() {
    assert_eq!(IntOrString::default(), IntOrString::Int(0));
    assert_eq!(IntOrString::from(8080).to_string(), "8080");
    assert_eq!(IntOrString::from("25%").to_string(), "25%");
    assert_eq!(IntOrString::from(String::from("http")).to_string(), "http");
    assert_eq!(format!("{:>5}|{:>5}", IntOrString::from(80), IntOrString::from("80")), "   80|   80");
}
