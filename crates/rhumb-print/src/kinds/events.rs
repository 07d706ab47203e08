//! Columns of events.

use rhumb_api::core::v1::Event;
use serde_json::Value as Json;

use crate::column::{Column, Printed, cells};
use crate::now::Now;
use crate::texts::or;

impl Printed for Event {
    const COLUMNS: &'static [Column] = &[
        Column::text("Last Seen", "How long ago it last happened."),
        Column::text("Type", "Normal or Warning."),
        Column::text("Reason", "One word for why it happened."),
        Column::text("Object", "What it happened to."),
        Column::text("Subobject", "Which part of the object it is about.").wide(),
        Column::text("Source", "Who reports it.").wide(),
        Column::text("Message", "What happened."),
        Column::text("First Seen", "How long ago it first happened.").wide(),
        Column::text("Count", "How often it has happened.").wide(),
        Column::NAME.wide(),
    ];

    fn cells(&self, now: &Now) -> Vec<Json> {
        let first = if self.first_timestamp.is_zero() {
            now.since_micro(&self.event_time)
        } else {
            now.since(&self.first_timestamp)
        };
        // What has happened once may come without a count.
        let count = if self.count == 0 { 1 } else { self.count };
        let (last, count) = match &self.series {
            Some(series) => (now.since_micro(&series.last_observed_time), series.count),
            None if self.last_timestamp.is_zero() => (first.clone(), count),
            None => (now.since(&self.last_timestamp), count),
        };
        cells![
            last,
            self.type_.as_str(),
            self.reason.as_str(),
            object(self),
            self.involved_object.field_path.as_str(),
            source(self),
            self.message.trim(),
            first,
            count,
            self.metadata.name.as_str(),
        ]
    }
}

fn object(event: &Event) -> String {
    let kind = event.involved_object.kind.to_lowercase();
    match event.involved_object.name.as_str() {
        "" => kind,
        name => format!("{kind}/{name}"),
    }
}

fn source(event: &Event) -> String {
    let component = or(&event.source.component, &event.reporting_component);
    match or(&event.source.host, &event.reporting_instance) {
        "" => component.to_owned(),
        instance => format!("{component}, {instance}"),
    }
}
