//! Durations against tables computed by Go.

mod fixtures;

use super::Duration;

#[test]
fn parses_like_go() {
    for &(text, ref expected) in fixtures::PARSED {
        let got = Duration::parse(text).map(Duration::nanoseconds).map_err(|error| error.to_string());
        assert_eq!(got, expected.map_err(str::to_owned), "{text:?}");
    }
}

#[test]
fn prints_like_go() {
    for &(nanoseconds, text) in fixtures::PRINTED {
        assert_eq!(Duration(nanoseconds).to_string(), text);
    }
}

#[test]
fn printing_and_parsing_keeps_the_span() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for shift in (0..64).cycle().take(10_000) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let duration = Duration((state as i64) >> shift);
        assert_eq!(Duration::parse(&duration.to_string()), Ok(duration));
    }
}
