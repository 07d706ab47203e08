//! Spans of time.

use std::fmt;

/// A span of time in nanoseconds, some 292 years at most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(i64);

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

/// The largest absolute number of nanoseconds, which only a negative span reaches.
const LIMIT: u64 = 1 << 63;

impl Duration {
    /// Makes a span of so many nanoseconds.
    pub const fn from_nanos(nanos: i64) -> Self {
        Self(nanos)
    }

    /// Returns the number of nanoseconds.
    pub const fn nanos(self) -> i64 {
        self.0
    }

    /// Returns the number of seconds as a fraction.
    pub fn seconds(self) -> f64 {
        (self.0 / SECOND) as f64 + (self.0 % SECOND) as f64 / 1e9
    }

    /// Parses numbers with units, such as `1h30m` or `-1.5s`.
    pub fn parse(text: &str) -> Option<Self> {
        let (negative, mut rest) = match text.as_bytes().first()? {
            b'-' => (true, text.get(1..)?),
            b'+' => (false, text.get(1..)?),
            _ => (false, text),
        };
        if rest == "0" {
            return Some(Self(0));
        }
        if rest.is_empty() {
            return None;
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let (term, after) = parse_term(rest)?;
            total = total.checked_add(term).filter(|total| *total <= LIMIT)?;
            rest = after;
        }
        match (negative, i64::try_from(total)) {
            (true, Ok(total)) => Some(Self(-total)),
            (true, Err(_)) => Some(Self(i64::MIN)),
            (false, total) => total.ok().map(Self),
        }
    }
}

/// Parses one number with its unit, and returns the nanoseconds and what comes after.
fn parse_term(text: &str) -> Option<(u64, &str)> {
    let whole_len = text.bytes().take_while(u8::is_ascii_digit).count();
    let (whole, rest) = text.split_at(whole_len);
    let whole = whole.bytes().try_fold(0u64, |sum, digit| {
        let sum = sum.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        (sum <= LIMIT).then_some(sum)
    })?;
    let (fraction, rest) = match rest.strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("", rest),
    };
    if whole_len == 0 && fraction.is_empty() {
        return None;
    }
    let unit_len = rest.bytes().take_while(|byte| *byte != b'.' && !byte.is_ascii_digit()).count();
    let (unit, rest) = rest.split_at_checked(unit_len)?;
    let unit: u64 = match unit {
        "ns" => 1,
        "us" | "µs" | "μs" => 1_000,
        "ms" => 1_000_000,
        "s" => 1_000_000_000,
        "m" => 60_000_000_000,
        "h" => 3_600_000_000_000,
        _ => return None,
    };
    let mut nanos = whole.checked_mul(unit).filter(|nanos| *nanos <= LIMIT)?;
    // Digits that do not fit are left out, as Go does.
    let mut digits: u64 = 0;
    let mut scale = 1.0;
    for digit in fraction.bytes() {
        let more = digits.checked_mul(10).and_then(|more| more.checked_add(u64::from(digit - b'0')));
        let Some(more) = more.filter(|more| *more <= LIMIT) else { break };
        digits = more;
        scale *= 10.0;
    }
    if digits > 0 {
        let more = (digits as f64 * (unit as f64 / scale)) as u64;
        nanos = nanos.checked_add(more).filter(|nanos| *nanos <= LIMIT)?;
    }
    Some((nanos, rest))
}

impl fmt::Display for Duration {
    /// Writes the seconds, such as `5400s` or `1.5s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}s", self.seconds())
    }
}
