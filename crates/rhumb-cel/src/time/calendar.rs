//! The calendar: days since 1970 and what people call them.

/// A point in time as a calendar and a clock on the wall show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Civil {
    /// The year.
    pub year: i64,
    /// The month, from 1 on.
    pub month: u32,
    /// The day of the month, from 1 on.
    pub day: u32,
    /// The day of the year, from 1 on.
    pub day_of_year: u32,
    /// The day of the week, with Sunday as 0.
    pub weekday: u32,
    /// The hour.
    pub hour: u32,
    /// The minute.
    pub minute: u32,
    /// The second.
    pub second: u32,
}

const DAY: i64 = 86_400;

/// Returns the number of days from the first of January 1970 to a date of the Gregorian calendar.
pub(super) fn days(year: i64, month: u32, day: u32) -> i64 {
    // Years begin in March here, so that the leap day is the last of one.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = i64::from((month + 9) % 12);
    let of_year = (153 * month + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Returns the number of days of a month.
pub(super) fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

impl Civil {
    /// Returns what calendar and clock show so many seconds after the start of 1970.
    pub fn at(seconds: i64) -> Self {
        let date = seconds.div_euclid(DAY);
        let clock = seconds.rem_euclid(DAY) as u32;
        let shifted = date + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * of_year + 2) / 153;
        let day = (of_year - (153 * shifted_month + 2) / 5 + 1) as u32;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 } as u32;
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self {
            year,
            month,
            day,
            day_of_year: (date - days(year, 1, 1) + 1) as u32,
            weekday: (date + 4).rem_euclid(7) as u32,
            hour: clock / 3600,
            minute: clock / 60 % 60,
            second: clock % 60,
        }
    }
}
