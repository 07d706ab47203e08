//! Durations for display, with two or three significant figures.

#[cfg(test)]
mod tests;

const SECOND: i64 = 1_000_000_000;
const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
const YEAR: i64 = 365 * DAY;

/// Returns a duration in the form that ages have: `45s`, `3m20s`, `7h`, `5d3h`, `2y30d`.
///
/// Clocks of two machines are never the same, so that a time less than two seconds ahead counts as now;
/// anything further ahead is invalid.
pub fn human_duration(nanoseconds: i64) -> String {
    let seconds = nanoseconds / SECOND;
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        _ if seconds < 2 * MINUTE => format!("{seconds}s"),
        _ if seconds < 10 * MINUTE => two(seconds, (MINUTE, "m"), (1, "s")),
        _ if seconds < 3 * HOUR => one(seconds, MINUTE, "m"),
        _ if seconds < 8 * HOUR => two(seconds, (HOUR, "h"), (MINUTE, "m")),
        _ if seconds < 2 * DAY => one(seconds, HOUR, "h"),
        _ if seconds < 8 * DAY => two(seconds, (DAY, "d"), (HOUR, "h")),
        _ if seconds < 2 * YEAR => one(seconds, DAY, "d"),
        _ if seconds < 8 * YEAR => two(seconds, (YEAR, "y"), (DAY, "d")),
        _ => one(seconds, YEAR, "y"),
    }
}

/// Returns a duration with one unit: `45s`, `3m`, `7h`, `5d`, `2y`.
pub fn short_human_duration(nanoseconds: i64) -> String {
    let seconds = nanoseconds / SECOND;
    match seconds {
        ..-1 => "<invalid>".to_owned(),
        -1 => "0s".to_owned(),
        _ if seconds < MINUTE => format!("{seconds}s"),
        _ if seconds < HOUR => one(seconds, MINUTE, "m"),
        _ if seconds < DAY => one(seconds, HOUR, "h"),
        _ if seconds < YEAR => one(seconds, DAY, "d"),
        _ => one(seconds, YEAR, "y"),
    }
}

fn one(seconds: i64, unit: i64, name: &str) -> String {
    format!("{}{name}", seconds / unit)
}

/// A unit and what is left in the next smaller one, which is not shown if it is nothing.
fn two(seconds: i64, (large, name): (i64, &str), (small, small_name): (i64, &str)) -> String {
    match seconds % large / small {
        0 => one(seconds, large, name),
        rest => format!("{}{name}{rest}{small_name}", seconds / large),
    }
}
