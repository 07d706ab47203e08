//! Validation of cron schedules: five fields, or a word such as `@daily`.

use rhumb_meta::Duration;
use rhumb_schema::text::quoted;

use super::time_zones;

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// What a field may hold: numbers within bounds, the first of which may have names.
struct Field {
    min: u64,
    max: u64,
    names: &'static [&'static str],
}

const FIELDS: [Field; 5] = [
    Field { min: 0, max: 59, names: &[] },
    Field { min: 0, max: 23, names: &[] },
    Field { min: 1, max: 31, names: &[] },
    Field { min: 1, max: 12, names: &MONTHS },
    Field { min: 0, max: 6, names: &DAYS },
];

/// Why a schedule can't be read.
pub(super) fn check(schedule: &str) -> Result<(), String> {
    let mut rest = schedule;
    if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
        let zone_and_rest = rest.split_once('=').map_or("", |(_, rest)| rest);
        let Some((zone, fields)) = zone_and_rest.split_once(' ') else {
            // A zone and nothing else makes Kubernetes' parser trip over itself, and its words are what it says then.
            return Err("invalid schedule format: runtime error: slice bounds out of range [:-1]".to_owned());
        };
        time_zones::check(zone).map_err(|reason| format!("provided bad location {zone}: {reason}"))?;
        rest = fields.trim();
    }
    if rest.starts_with('@') {
        return descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        let found = fields.len();
        return Err(format!("expected exactly 5 fields, found {found}: [{}]", fields.join(" ")));
    }
    for (text, field) in fields.iter().zip(&FIELDS) {
        for range in text.split(',').filter(|range| !range.is_empty()) {
            field.range(range)?;
        }
    }
    Ok(())
}

fn descriptor(text: &str) -> Result<(), String> {
    if let "@yearly" | "@annually" | "@monthly" | "@weekly" | "@daily" | "@midnight" | "@hourly" = text {
        return Ok(());
    }
    match text.strip_prefix("@every ") {
        Some(duration) => Duration::parse(duration)
            .map(|_| ())
            .map_err(|error| format!("failed to parse duration {text}: {error}")),
        None => Err(format!("unrecognized descriptor: {text}")),
    }
}

impl Field {
    /// A number, a range or a star, perhaps with a step.
    fn range(&self, text: &str) -> Result<(), String> {
        let parts: Vec<&str> = text.split('/').collect();
        let bounds: Vec<&str> = parts.first().copied().unwrap_or_default().split('-').collect();
        let (start, mut end) = match bounds.as_slice() {
            ["*" | "?", ..] => (self.min, self.max),
            [single] => {
                let number = self.number(single)?;
                (number, number)
            }
            [first, last] => (self.number(first)?, self.number(last)?),
            // Of too many bounds the first is still read before it is said that they are too many.
            [first, ..] => {
                self.number(first)?;
                return Err(format!("too many hyphens: {text}"));
            }
            [] => (self.min, self.max),
        };
        let step = match parts.as_slice() {
            [] | [_] => 1,
            [_, step] => {
                let step = number(step)?;
                if bounds.len() == 1 {
                    end = self.max;
                }
                step
            }
            _ => return Err(format!("too many slashes: {text}")),
        };
        if start < self.min {
            return Err(format!("beginning of range ({start}) below minimum ({}): {text}", self.min));
        }
        if end > self.max {
            return Err(format!("end of range ({end}) above maximum ({}): {text}", self.max));
        }
        if start > end {
            return Err(format!("beginning of range ({start}) beyond end of range ({end}): {text}"));
        }
        if step == 0 {
            return Err(format!("step of range should be a positive number: {text}"));
        }
        Ok(())
    }

    /// Returns a number or a name for one.
    fn number(&self, text: &str) -> Result<u64, String> {
        let lower = text.to_lowercase();
        match self.names.iter().zip(self.min..).find(|(name, _)| **name == lower) {
            Some((_, number)) => Ok(number),
            None => number(text),
        }
    }
}

fn number(text: &str) -> Result<u64, String> {
    let parsed: Result<i64, _> = text.parse();
    let number = parsed.map_err(|error| {
        let reason = match error.kind() {
            std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => "value out of range",
            _ => "invalid syntax",
        };
        format!("failed to parse int from {text}: strconv.Atoi: parsing {}: {reason}", quoted(text))
    })?;
    u64::try_from(number).map_err(|_| format!("negative number ({number}) not allowed: {text}"))
}
