//! Reset fields, which server-side apply doesn't own because the server sets them.

use rhumb_meta::GroupVersion;

/// Path of a field, including everything below it.
pub type ResetPath = &'static [&'static str];

pub(crate) const STATUS: &[ResetPath] = &[&["status"]];
pub(crate) const SPEC: &[ResetPath] = &[&["spec"]];
pub(crate) const SPEC_AND_METADATA: &[ResetPath] = &[&["metadata"], &["spec"]];

/// Reset fields by version.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resets {
    pub(crate) versions: &'static [&'static str],
    pub(crate) fields: &'static [ResetPath],
}

impl Resets {
    pub(crate) fn of(&self, version: &GroupVersion) -> &'static [ResetPath] {
        let text = version.to_string();
        if self.versions.contains(&text.as_str()) { self.fields } else { &[] }
    }
}
