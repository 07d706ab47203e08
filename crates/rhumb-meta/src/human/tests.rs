use super::{human_duration, short_human_duration};

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;
const MILLISECOND: i64 = 1_000_000;

#[test]
fn long_form() {
    let check = |nanoseconds: i64, expect: &str| assert_eq!(human_duration(nanoseconds), expect);
    check(-2 * SECOND, "<invalid>");
    check(-2 * SECOND + 1, "0s");
    check(i64::MIN, "<invalid>");
    check(0, "0s");
    check(SECOND - MILLISECOND, "0s");
    check(2 * MINUTE - MILLISECOND, "119s");
    check(2 * MINUTE, "2m");
    check(2 * MINUTE + SECOND, "2m1s");
    check(10 * MINUTE - MILLISECOND, "9m59s");
    check(10 * MINUTE, "10m");
    check(10 * MINUTE + SECOND, "10m");
    check(3 * HOUR - MILLISECOND, "179m");
    check(3 * HOUR, "3h");
    check(3 * HOUR + MINUTE, "3h1m");
    check(8 * HOUR - MILLISECOND, "7h59m");
    check(8 * HOUR, "8h");
    check(8 * HOUR + 59 * MINUTE, "8h");
    check(2 * DAY - MILLISECOND, "47h");
    check(2 * DAY, "2d");
    check(2 * DAY + HOUR, "2d1h");
    check(8 * DAY - MILLISECOND, "7d23h");
    check(8 * DAY, "8d");
    check(8 * DAY + 23 * HOUR, "8d");
    check(2 * YEAR - MILLISECOND, "729d");
    check(2 * YEAR, "2y");
    check(2 * YEAR + 23 * HOUR, "2y");
    check(2 * YEAR + 23 * HOUR + 59 * MINUTE, "2y");
    check(2 * YEAR + DAY - MILLISECOND, "2y");
    check(2 * YEAR + DAY, "2y1d");
    check(3 * YEAR, "3y");
    check(4 * YEAR, "4y");
    check(5 * YEAR, "5y");
    check(8 * YEAR - MILLISECOND, "7y364d");
    check(8 * YEAR, "8y");
    check(8 * YEAR + 364 * DAY, "8y");
    check(9 * YEAR, "9y");
    check(i64::MAX, "292y");
}

#[test]
fn short_form() {
    let check = |nanoseconds: i64, expect: &str| assert_eq!(short_human_duration(nanoseconds), expect);
    check(-2 * SECOND, "<invalid>");
    check(-2 * SECOND + 1, "0s");
    check(0, "0s");
    check(SECOND - MILLISECOND, "0s");
    check(SECOND, "1s");
    check(2 * SECOND - MILLISECOND, "1s");
    check(MINUTE - MILLISECOND, "59s");
    check(MINUTE, "1m");
    check(2 * MINUTE - MILLISECOND, "1m");
    check(HOUR - MILLISECOND, "59m");
    check(HOUR, "1h");
    check(2 * HOUR - MILLISECOND, "1h");
    check(DAY - MILLISECOND, "23h");
    check(DAY, "1d");
    check(2 * DAY - MILLISECOND, "1d");
    check(YEAR - MILLISECOND, "364d");
    check(YEAR, "1y");
    check(2 * YEAR - MILLISECOND, "1y");
    check(2 * YEAR, "2y");
}
