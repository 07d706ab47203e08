//! Proleptic Gregorian calendar in integers.
//!
//! Days are counted in cycles of 400 years, which all have the same length. Within a cycle the year is taken
//! to begin in March, so that the leap day is its last and month lengths follow one linear formula.

const SECONDS_PER_DAY: i64 = 86_400;
const DAYS_PER_CYCLE: i64 = 146_097;

/// Days from 0000-03-01, where the cycles start, to 1970-01-01.
const EPOCH_DAY: i64 = 719_468;

/// Returns the number of days in a month; 0 for a month that does not exist.
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    }
}

/// Days from 1970-01-01 to the given date, for years of four digits.
pub fn days_from_date(year: i64, month: u32, day: u32) -> i64 {
    let march_year = if month > 2 { year } else { year - 1 };
    let cycle = march_year.div_euclid(400);
    let year_of_cycle = march_year.rem_euclid(400);
    let march_month = i64::from((month + 9) % 12);
    let day_of_year = (153 * march_month + 2) / 5 + i64::from(day) - 1;
    let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    cycle * DAYS_PER_CYCLE + day_of_cycle - EPOCH_DAY
}

/// Returns year, month and day of a day counted from 1970-01-01.
pub fn date_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + EPOCH_DAY;
    let cycle = shifted.div_euclid(DAYS_PER_CYCLE);
    // From here on all is small, and dividing small numbers takes the processor less time.
    let day_of_cycle = shifted.rem_euclid(DAYS_PER_CYCLE) as u32;
    let leap_days = day_of_cycle / 1460 - day_of_cycle / 36_524 + day_of_cycle / 146_096;
    let year_of_cycle = (day_of_cycle - leap_days) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let march_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    let year = cycle * 400 + i64::from(year_of_cycle) + i64::from(month <= 2);
    (year, month, day)
}

/// Appends a number in decimal, with zeros in front up to the given width.
pub(crate) fn write_padded(number: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut start = digits.len();
    let mut rest = number;
    for (index, digit) in digits.iter_mut().enumerate().rev() {
        if rest == 0 {
            break;
        }
        *digit = b'0' + (rest % 10) as u8;
        rest /= 10;
        start = index;
    }
    let start = start.min(digits.len().saturating_sub(width));
    out.extend_from_slice(digits.get(start..).unwrap_or_default());
}

/// Appends date and time of day for a Unix second, such as `2024-02-29T12:00:00`.
pub(crate) fn write_date_time(unix_seconds: i64, out: &mut Vec<u8>) {
    let (year, month, day) = date_from_days(unix_seconds.div_euclid(SECONDS_PER_DAY));
    let second = unix_seconds.rem_euclid(SECONDS_PER_DAY) as u32;
    let pair = |number: u32| [b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8];
    if let 0..=9999 = year {
        let [[a, b], [c, d]] = [pair(year as u32 / 100), pair(year as u32 % 100)];
        let [[e, f], [g, h]] = [pair(month), pair(day)];
        out.extend_from_slice(&[a, b, c, d, b'-', e, f, b'-', g, h]);
    } else {
        if year < 0 {
            out.push(b'-');
        }
        write_padded(year.unsigned_abs(), 4, out);
        let [[e, f], [g, h]] = [pair(month), pair(day)];
        out.extend_from_slice(&[b'-', e, f, b'-', g, h]);
    }
    let [[i, j], [k, l], [m, n]] = [pair(second / 3600), pair(second / 60 % 60), pair(second % 60)];
    out.extend_from_slice(&[b'T', i, j, b':', k, l, b':', m, n]);
}

/// Returns the Unix second of a date and a time of day.
pub(crate) fn unix_seconds(date: (i64, u32, u32), second_of_day: i64) -> i64 {
    days_from_date(date.0, date.1, date.2) * SECONDS_PER_DAY + second_of_day
}
