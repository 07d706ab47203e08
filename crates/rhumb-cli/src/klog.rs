//! Log lines in klog's format: `W1116 08:04:03.123456   12345 prune.go:71] Deprecated: …`.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rhumb_meta::civil;

/// Formats a warning line with its position in kubectl's source, which scripts may look for.
pub fn warning(place: &str, text: &str) -> String {
    line('W', now(), std::process::id(), place, text)
}

/// Formats an error line with its position in kubectl's source, which scripts may look for.
pub fn error(place: &str, text: &str) -> String {
    line('E', now(), std::process::id(), place, text)
}

fn now() -> Duration {
    #[allow(clippy::disallowed_methods, reason = "a line of log tells when it was written")]
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default()
}

fn line(level: char, since_epoch: Duration, process: u32, place: &str, text: &str) -> String {
    let seconds = since_epoch.as_secs();
    let (month, day) = month_and_day(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let micros = since_epoch.subsec_micros();
    format!(
        "{level}{month:02}{day:02} {hour:02}:{minute:02}:{second:02}.{micros:06} {process:>7} {place}] {text}"
    )
}

/// Returns the month and the day of a day that is counted from 1970, both from one.
fn month_and_day(days: u64) -> (u32, u32) {
    let (_, month, day) = civil::date_from_days(i64::try_from(days).unwrap_or_default());
    (month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_written_as_klog_writes_them() {
        let since = Duration::from_micros(1_794_816_243_123_456);
        assert_eq!(line('W', since, 42, "a.go:1", "b"), "W1116 08:04:03.123456      42 a.go:1] b");
    }

    #[test]
    fn days_have_their_months() {
        assert_eq!(month_and_day(0), (1, 1));
        assert_eq!(month_and_day(59), (3, 1));
        assert_eq!(month_and_day(11_016), (2, 29));
        assert_eq!(month_and_day(11_017), (3, 1));
    }
}
