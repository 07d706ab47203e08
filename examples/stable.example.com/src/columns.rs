//! What `kubectl get` shows of a CronTab, in whatever version it is asked for.

use rhumb_print::{Cell, Column, Now, Printed, cells};

use crate::v1::CronTab;

impl Printed for CronTab {
    const COLUMNS: &'static [Column] = &[
        Column::NAME,
        Column::text("Schedule", "When it runs."),
        Column::text("Suspended", "Whether it is kept from running."),
        Column::integer("Ready", "How many are ready to run."),
        Column::text("Image", "What runs.").wide(),
        Column::AGE,
    ];

    fn cells(&self, now: &Now) -> Vec<Cell> {
        let image = match self.spec.tag.as_str() {
            "" => self.spec.image.clone(),
            tag => format!("{}:{tag}", self.spec.image),
        };
        cells![
            self.metadata.name.as_str(),
            self.spec.schedule.as_str(),
            if self.spec.policy.suspend { "True" } else { "False" },
            self.status.replicas,
            image,
            now.since(&self.metadata.creation_timestamp),
        ]
    }
}
