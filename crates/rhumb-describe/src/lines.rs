//! Text of a description: indented lines with tab-separated cells.
//!
//! Nothing is laid out before the end, because the width of a cell depends on the lines below it.

use std::fmt::{Display, Write as _};
use std::io::Write as _;

use rhumb_meta::human::human_duration;
use rhumb_meta::{MicroTime, Time};
use rhumb_output::terminal::escaped;
use rhumb_output::{TabLayout, TabWriter};

use crate::zone::Zone;

/// A description being written.
///
/// It knows what is needed to tell of times: the moment that ages are counted to, and the zone of dates.
pub struct Lines {
    text: String,
    nesting: usize,
    now: Time,
    zone: Zone,
}

impl Lines {
    /// Creates a description that begins.
    pub fn new(now: Time, zone: Zone) -> Self {
        Lines { text: String::new(), nesting: 0, now, zone }
    }

    /// Writes a piece of text, behind two blanks for every level.
    pub fn put(&mut self, level: usize, text: impl Display) {
        for _ in 0..level.saturating_add(self.nesting) {
            self.text.push_str("  ");
        }
        // What could be taken for a command by a terminal must not reach it.
        self.text.push_str(&escaped(&text.to_string()));
    }

    /// Writes a piece of text that ends a line.
    pub fn end(&mut self, text: impl Display) {
        self.put(0, format_args!("{text}\n"));
    }

    /// Writes a line.
    pub fn line(&mut self, level: usize, text: impl Display) {
        self.put(level, format_args!("{text}\n"));
    }

    /// Writes a line with a title and a value.
    pub fn field(&mut self, level: usize, title: &str, value: impl Display) {
        self.put(level, format_args!("{title}:\t{value}\n"));
    }

    /// Writes a line with several cells.
    pub fn row(&mut self, level: usize, cells: &[&dyn Display]) {
        let mut line = String::new();
        for (index, cell) in cells.iter().enumerate() {
            let tab = if index == 0 { "" } else { "\t" };
            // Writing to a string doesn't fail.
            let _ = write!(line, "{tab}{cell}");
        }
        self.line(level, line);
    }

    /// Writes something further inside: every piece of it begins that many levels deeper.
    pub fn nested(&mut self, levels: usize, write: impl FnOnce(&mut Self)) {
        let outer = self.nesting;
        self.nesting = outer.saturating_add(levels);
        write(self);
        self.nesting = outer;
    }

    /// Formats the age of a timestamp.
    pub fn age(&self, time: &Time) -> String {
        self.age_of(time.is_zero(), time.unix_seconds(), time.nanos())
    }

    /// Formats the age of a precise timestamp.
    pub fn micro_age(&self, time: &MicroTime) -> String {
        self.age_of(time.is_zero(), time.unix_seconds(), time.nanos())
    }

    fn age_of(&self, is_zero: bool, seconds: i64, nanos: u32) -> String {
        if is_zero {
            return "<unknown>".to_owned();
        }
        human_duration(nanos_between((seconds, nanos), (self.now.unix_seconds(), self.now.nanos())))
    }

    /// Returns a date with its time of day, as mails have it.
    pub fn date(&self, time: &Time) -> String {
        self.zone.mail_date(time)
    }

    /// Returns a date in the form that Go gives a time without being asked for one.
    pub fn plain_date(&self, time: &Time) -> String {
        self.zone.plain_date(time)
    }

    /// Returns the text with its cells laid out in columns.
    pub fn aligned(self) -> String {
        let mut writer = TabWriter::new(Vec::new(), TabLayout::DESCRIPTION);
        // Memory takes what is written to it.
        let _ = writer.write_all(self.text.as_bytes()).and_then(|()| writer.flush());
        String::from_utf8_lossy(writer.get_mut()).into_owned()
    }

    /// Returns the text with tabs between its cells.
    pub fn with_tabs(self) -> String {
        self.text
    }
}

/// Returns the saturating difference of two times in nanoseconds.
pub(crate) fn nanos_between(start: (i64, u32), end: (i64, u32)) -> i64 {
    let nanos = |(seconds, nanos): (i64, u32)| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
    let span = nanos(end) - nanos(start);
    i64::try_from(span).unwrap_or(if span < 0 { i64::MIN } else { i64::MAX })
}
