//! POSIX time zone rules: `CET-1CEST,M3.5.0,M10.5.0/3`.

use super::Clocks;
use super::civil::{Civil, days_to, is_leap, weekday_of};

/// A rule for all years.
#[derive(Debug)]
pub(super) struct Rule {
    standard: Clocks,
    daylight: Option<Daylight>,
}

#[derive(Debug)]
struct Daylight {
    clocks: Clocks,
    start: Moment,
    end: Moment,
}

/// A time of the year, in the local time before it.
#[derive(Debug)]
struct Moment {
    day: Day,
    /// Seconds from midnight on.
    time: i64,
}

/// Day of a year.
#[derive(Debug)]
enum Day {
    /// From 1, never counting February 29.
    Julian(i64),
    /// From 0, counting February 29.
    Ordinal(i64),
    /// A weekday of a month; the fifth is the last.
    Weekday { month: i64, week: i64, weekday: i64 },
}

impl Rule {
    /// Reads a rule. Without dates there is no telling when summer is, so such a rule is none.
    pub(super) fn parse(text: &str) -> Option<Rule> {
        let mut reader = Reader(text);
        let name = reader.name()?;
        let standard = Clocks { offset: -reader.time(24)?, name };
        if reader.0.is_empty() {
            return Some(Rule { standard, daylight: None });
        }
        let name = reader.name()?;
        let offset = if reader.0.starts_with(',') { standard.offset + 3600 } else { -reader.time(24)? };
        let (start, end) = (reader.moment()?, reader.moment()?);
        let daylight = Daylight { clocks: Clocks { offset, name }, start, end };
        reader.0.is_empty().then_some(Rule { standard, daylight: Some(daylight) })
    }

    /// Returns the state at a time.
    pub(super) fn at(&self, seconds: i64) -> Clocks {
        let Some(daylight) = &self.daylight else { return self.standard.clone() };
        let year = Civil::from_unix(seconds.saturating_add(self.standard.offset)).year;
        let start = daylight.start.in_year(year) - self.standard.offset;
        let end = daylight.end.in_year(year) - daylight.clocks.offset;
        // In the south summer is over the turn of the year.
        let is_summer =
            if start < end { (start..end).contains(&seconds) } else { !(end..start).contains(&seconds) };
        if is_summer { daylight.clocks.clone() } else { self.standard.clone() }
    }
}

impl Moment {
    /// Seconds since the beginning of 1970, by the clocks of the place.
    fn in_year(&self, year: i64) -> i64 {
        let days = match self.day {
            Day::Julian(day) => {
                let after_leap_day = i64::from(is_leap(year) && day >= 60);
                days_to(year, 1, 1) + day - 1 + after_leap_day
            }
            Day::Ordinal(day) => days_to(year, 1, 1) + day,
            Day::Weekday { month, week, weekday } => {
                let first = days_to(year, month, 1);
                let next = if month == 12 { days_to(year + 1, 1, 1) } else { days_to(year, month + 1, 1) };
                let mut day = first + (weekday - weekday_of(first)).rem_euclid(7) + (week - 1) * 7;
                while day >= next {
                    day -= 7;
                }
                day
            }
        };
        days * 86_400 + self.time
    }
}

struct Reader<'a>(&'a str);

impl Reader<'_> {
    fn skip(&mut self, character: char) -> Option<()> {
        self.0 = self.0.strip_prefix(character)?;
        Some(())
    }

    /// Parses a name: at least three letters, or anything between angle brackets.
    fn name(&mut self) -> Option<String> {
        if let Some(rest) = self.0.strip_prefix('<') {
            let (name, rest) = rest.split_once('>')?;
            self.0 = rest;
            return Some(name.to_owned());
        }
        let end = self.0.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(self.0.len());
        let (name, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        (name.len() >= 3).then(|| name.to_owned())
    }

    fn number(&mut self, least: i64, most: i64) -> Option<i64> {
        let end = self.0.find(|character: char| !character.is_ascii_digit()).unwrap_or(self.0.len());
        let (digits, rest) = self.0.split_at_checked(end)?;
        self.0 = rest;
        digits.parse().ok().filter(|number| (least..=most).contains(number))
    }

    /// Hours, and minutes and seconds if they are there, in seconds.
    fn time(&mut self, most_hours: i64) -> Option<i64> {
        let sign = match self.0.chars().next() {
            Some('-') => -1,
            _ => 1,
        };
        self.0 = self.0.strip_prefix(['+', '-']).unwrap_or(self.0);
        let mut seconds = self.number(0, most_hours)? * 3600;
        for unit in [60, 1] {
            if self.skip(':').is_none() {
                break;
            }
            seconds += self.number(0, 59)? * unit;
        }
        Some(sign * seconds)
    }

    fn moment(&mut self) -> Option<Moment> {
        self.skip(',')?;
        let day = if self.skip('J').is_some() {
            Day::Julian(self.number(1, 365)?)
        } else if self.skip('M').is_some() {
            let month = self.number(1, 12)?;
            self.skip('.')?;
            let week = self.number(1, 5)?;
            self.skip('.')?;
            Day::Weekday { month, week, weekday: self.number(0, 6)? }
        } else {
            Day::Ordinal(self.number(0, 365)?)
        };
        let time = if self.skip('/').is_some() { self.time(167)? } else { 2 * 3600 };
        Some(Moment { day, time })
    }
}
