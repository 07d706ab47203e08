//! Defaults that depend on more than one field.

use super::v1::CronTab;

pub(super) fn default_cron_tab(tab: &mut CronTab) {
    if tab.spec.replicas.is_none() && !tab.spec.suspend {
        tab.spec.replicas = Some(3);
    }
}
