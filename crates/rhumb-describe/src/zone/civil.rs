//! Gregorian calendar dates.

const DAY: i64 = 86_400;
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Date and time of day.
pub(super) struct Civil {
    pub(super) year: i64,
    /// Month from 1.
    pub(super) month: i64,
    /// Day from 1.
    pub(super) day: i64,
    /// Weekday from 0 for Sunday.
    weekday: i64,
    second_of_day: i64,
}

impl Civil {
    /// Returns the date so many seconds after the beginning of 1970.
    pub(super) fn from_unix(seconds: i64) -> Self {
        let days = seconds.div_euclid(DAY);
        // Years that begin in March end with the leap day, and 400 of them are 146097 days.
        let shifted = days + 719_468;
        let era = shifted.div_euclid(146_097);
        let of_era = shifted.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * of_year + 2) / 153;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        Civil {
            year: year_of_era + era * 400 + i64::from(month <= 2),
            month,
            day: of_year - (153 * month_from_march + 2) / 5 + 1,
            weekday: (days + 4).rem_euclid(7),
            second_of_day: seconds.rem_euclid(DAY),
        }
    }

    pub(super) fn weekday_name(&self) -> &'static str {
        usize::try_from(self.weekday).ok().and_then(|index| WEEKDAYS.get(index)).copied().unwrap_or_default()
    }

    pub(super) fn month_name(&self) -> &'static str {
        usize::try_from(self.month - 1).ok().and_then(|index| MONTHS.get(index)).copied().unwrap_or_default()
    }

    pub(super) fn time_of_day(&self) -> String {
        let second = self.second_of_day;
        format!("{:02}:{:02}:{:02}", second / 3600, second / 60 % 60, second % 60)
    }
}

/// Returns the days from the beginning of 1970 to a date.
pub(super) fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = if month > 2 { month - 3 } else { month + 9 };
    let of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

/// Returns the day of the week, from 0 for Sunday, of a day since the beginning of 1970.
pub(super) fn weekday_of(days: i64) -> i64 {
    (days + 4).rem_euclid(7)
}

/// Reports whether a year has a 29th of February.
pub(super) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}
