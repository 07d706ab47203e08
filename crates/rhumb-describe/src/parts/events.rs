//! Events of an object.

use rhumb_api::core::v1::Event;

use super::sorted_as_go;
use crate::Lines;
use crate::go_text::or;

/// Events of an object; none if they aren't shown.
pub type Events<'a> = Option<&'a [Event]>;

/// Writes a table of events, the latest last.
pub fn events(out: &mut Lines, events: Events<'_>) {
    let Some(events) = events else { return };
    if events.is_empty() {
        out.field(0, "Events", "<none>");
        return;
    }
    let sorted = sorted_as_go(events, |one, other| one.last_timestamp < other.last_timestamp);
    out.line(0, "Events:");
    out.row(1, &[&"Type", &"Reason", &"Age", &"From", &"Message"]);
    out.row(1, &[&"----", &"------", &"----", &"----", &"-------"]);
    for event in sorted {
        let interval = interval(out, event);
        let source = or(&event.source.component, &event.reporting_component);
        let message = event.message.trim();
        let message = match event.involved_object.field_path.as_str() {
            "" => message.to_owned(),
            path => format!("{path}: {message}"),
        };
        out.row(1, &[&event.type_, &event.reason, &interval, &source, &message]);
    }
}

/// Formats the age of an event, and its count.
fn interval(out: &Lines, event: &Event) -> String {
    let first = if event.event_time.is_zero() {
        out.age(&event.first_timestamp)
    } else {
        out.micro_age(&event.event_time)
    };
    match &event.series {
        Some(series) => {
            format!("{} (x{} over {first})", out.micro_age(&series.last_observed_time), series.count)
        }
        None if event.count > 1 => {
            format!("{} (x{} over {first})", out.age(&event.last_timestamp), event.count)
        }
        None => first,
    }
}
