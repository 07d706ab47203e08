//! Times against tables computed by Go, and the calendar against itself.

mod microseconds;
mod seconds;

use super::{MicroTime, Time};
use crate::civil;

/// Text, and Unix seconds, nanoseconds and printed form, or the error.
type Parsed = (&'static str, Result<(i64, u32, &'static str), &'static str>);

#[test]
fn parses_and_prints_seconds_like_go() {
    for &(text, ref expected) in seconds::SECONDS {
        let got = Time::parse(text).map(|time| (time.unix_seconds(), time.nanos(), time.to_string()));
        let expected = expected.map(|(seconds, nanos, printed)| (seconds, nanos, printed.to_owned()));
        assert_eq!(got.map_err(|error| error.to_string()), expected.map_err(str::to_owned), "{text:?}");
    }
}

#[test]
fn parses_and_prints_microseconds_like_go() {
    for &(text, ref expected) in microseconds::MICROSECONDS {
        let got = MicroTime::parse(text).map(|time| (time.unix_seconds(), time.nanos(), time.to_string()));
        let expected = expected.map(|(seconds, nanos, printed)| (seconds, nanos, printed.to_owned()));
        assert_eq!(got.map_err(|error| error.to_string()), expected.map_err(str::to_owned), "{text:?}");
    }
}

#[test]
fn prints_years_beyond_four_digits_like_go() {
    for &(seconds, text) in seconds::PRINTED {
        assert_eq!(Time::from_unix(seconds, 0).to_string(), text, "{seconds}");
    }
    // The ends of the range print something and do not overflow.
    assert!(Time::from_unix(i64::MAX, 0).to_string().starts_with("292277026596-12-04T15:30:07"));
    assert!(Time::from_unix(i64::MIN, 0).to_string().starts_with("-292277022657-01-27T08:29:52"));
}

#[test]
fn default_is_the_zero_time_of_go() {
    assert_eq!(Time::default().to_string(), "0001-01-01T00:00:00Z");
    assert_eq!(MicroTime::default().to_string(), "0001-01-01T00:00:00.000000Z");
    assert!(Time::default().is_zero() && MicroTime::default().is_zero());
    assert!(Time::parse("0001-01-01T01:00:00+01:00").is_ok_and(|time| time.is_zero()));
    assert!(!Time::from_unix(0, 0).is_zero());
    assert!(Time::parse("0001-01-01T00:00:00.000000001Z").is_ok_and(|time| !time.is_zero()));
}

#[test]
fn nanoseconds_carry_over_to_seconds() {
    let parts = |time: Time| (time.unix_seconds(), time.nanos());
    assert_eq!(parts(Time::from_unix(5, 1_500_000_000)), (6, 500_000_000));
    assert_eq!(parts(Time::from_unix(5, -1)), (4, 999_999_999));
    assert_eq!(parts(Time::from_unix(i64::MAX, i64::MAX)).0, i64::MAX);
}

#[test]
fn timestamps_keep_only_the_precision_of_the_text() {
    assert_eq!(Time::from_unix(7, 999).to_timestamp(), (7, 0));
    assert_eq!(Time::from_timestamp(7, 999), Time::from_unix(7, 0));
    assert_eq!(MicroTime::from_unix(7, 123_456_789).to_timestamp(), (7, 123_456_000));
    assert_eq!(MicroTime::from_timestamp(7, 123_456_789), MicroTime::from_unix(7, 123_456_000));
    assert_eq!(MicroTime::from_timestamp(7, -1_999), MicroTime::from_unix(6, 999_999_000));
    assert_eq!(MicroTime::from(Time::from_unix(7, 5)), MicroTime::from_unix(7, 5));
    assert_eq!(Time::from(MicroTime::from_unix(7, 5)), Time::from_unix(7, 5));
}

#[test]
fn times_are_ordered_by_instant() {
    assert!(Time::from_unix(1, 0) < Time::from_unix(1, 1));
    assert!(MicroTime::from_unix(-1, 999_999_999) < MicroTime::from_unix(0, 0));
    assert_eq!(Time::parse("2024-01-01T01:00:00+01:00"), Time::parse("2024-01-01T00:00:00Z"));
}

#[test]
fn the_calendar_counts_every_day_once() {
    let mut expected = (0, 1, 1);
    for days in civil::days_from_date(0, 1, 1)..=civil::days_from_date(9999, 12, 31) {
        let (year, month, day) = civil::date_from_days(days);
        assert_eq!((year, month, day), expected);
        assert_eq!(civil::days_from_date(year, month, day), days);
        expected = match (day == civil::days_in_month(year, month), month) {
            (false, _) => (year, month, day + 1),
            (true, 12) => (year + 1, 1, 1),
            (true, _) => (year, month + 1, 1),
        };
    }
    assert_eq!(expected, (10_000, 1, 1));
}

#[test]
fn printing_and_parsing_keeps_the_instant() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    for _ in 0..10_000 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        let seconds = (state % 315_000_000_000) as i64 - 62_000_000_000;
        let time = MicroTime::from_unix(seconds, (state >> 40) as i64 % 1_000_000 * 1000);
        assert_eq!(MicroTime::parse(&time.to_string()), Ok(time));
        assert_eq!(Time::parse(&time.to_string()), Ok(Time::from(time)));
        let whole = Time::from_unix(seconds, 0);
        assert_eq!(Time::parse(&whole.to_string()), Ok(whole));
    }
}
