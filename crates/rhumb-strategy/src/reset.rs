//! Fields that server-side apply takes no ownership of, because the server resets them.

use rhumb_meta::GroupVersion;

/// A way through an object by the names of its fields. It stands for the field with all that is in it.
pub type ResetPath = &'static [&'static str];

pub(crate) const STATUS: &[ResetPath] = &[&["status"]];
pub(crate) const SPEC: &[ResetPath] = &[&["spec"]];
pub(crate) const SPEC_AND_METADATA: &[ResetPath] = &[&["metadata"], &["spec"]];

/// Reset fields with the versions that they hold in.
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
