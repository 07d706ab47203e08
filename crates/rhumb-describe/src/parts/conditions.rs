//! Condition tables.

use std::fmt::Display;

use rhumb_meta::Time;

use crate::Lines;

/// Conditions by type, status and reason.
pub(crate) fn brief_conditions<'a>(
    out: &mut Lines,
    conditions: impl IntoIterator<Item = (&'a String, &'a String, &'a String)>,
) {
    let mut conditions = conditions.into_iter().peekable();
    if conditions.peek().is_none() {
        return;
    }
    out.line(0, "Conditions:");
    out.row(1, &[&"Type", &"Status", &"Reason"]);
    out.row(1, &[&"----", &"------", &"------"]);
    for (kind, status, reason) in conditions {
        out.row(1, &[&format_args!("{kind} "), status, reason]);
    }
}

/// Conditions with the time of their last change.
pub(crate) fn conditions_with_times<'a>(
    out: &mut Lines,
    conditions: impl IntoIterator<Item = (&'a String, &'a String, &'a Time, &'a String, &'a String)>,
) {
    out.line(0, "Conditions:");
    let titles: [&dyn Display; 5] = [&"Type", &"Status", &"LastTransitionTime", &"Reason", &"Message"];
    out.row(1, &titles);
    out.row(1, &[&"----", &"------", &"------------------", &"------", &"-------"]);
    for (kind, status, time, reason, message) in conditions {
        let date = out.date(time);
        out.row(1, &[kind, status, &date, reason, message]);
    }
}
