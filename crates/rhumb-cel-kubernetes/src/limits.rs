//! Limits that costs are estimated with and expressions evaluated under.

/// The cost at which the evaluation of one expression stops.
pub const PER_CALL_COST: u64 = 1_000_000;

/// The cost at which the rules of one object, or the expressions of one policy, stop.
pub const RUNTIME_BUDGET: u64 = 10_000_000;

/// The cost at which match conditions stop.
pub const MATCH_CONDITIONS_BUDGET: u64 = RUNTIME_BUDGET / 4;

/// The size of a request, in bytes. Nothing in one is larger.
pub const REQUEST_BYTES: u64 = 3 * 1024 * 1024;

/// The length of the longest duration in JSON.
pub(crate) const LONGEST_DURATION: u64 = 32;

/// The length of the longest time in JSON.
pub(crate) const LONGEST_DATE_TIME: u64 = 32;

/// The length of a date in JSON.
pub(crate) const DATE: u64 = 12;

/// The length of the shortest duration in JSON.
pub(crate) const SHORTEST_DURATION: u64 = 3;

/// The length of the shortest time in JSON.
pub(crate) const SHORTEST_DATE_TIME: u64 = 21;

/// The length of the shortest text in JSON.
pub(crate) const SHORTEST_STRING: u64 = 2;

/// The length of the shortest boolean in JSON.
pub(crate) const SHORTEST_BOOL: u64 = 4;

/// The length of the shortest number in JSON.
pub(crate) const SHORTEST_NUMBER: u64 = 1;

/// The largest size of a named format's own text.
pub(crate) const FORMAT_SIZE: u64 = 64;

/// The largest size of a named format's expression, for estimates.
pub(crate) const FORMAT_REGEX_SIZE: f64 = 128.0;
