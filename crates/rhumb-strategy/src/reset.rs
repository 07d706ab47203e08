//! Fields that server-side apply takes no ownership of, because the server resets them.

use rhumb_meta::GroupVersion;

/// A way through an object by the names of its fields; `*` is any element of a list.
pub(crate) type Path = &'static [&'static str];

pub(crate) const STATUS: &[Path] = &[&["status"]];
pub(crate) const SPEC: &[Path] = &[&["spec"]];
pub(crate) const SPEC_AND_METADATA: &[Path] = &[&["metadata"], &["spec"]];

/// What of an applied object is the server's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ResetFields {
    /// These fields, with all that is in them.
    Only(&'static [Path]),
    /// All but these fields, with all that is in them. The name `*` stands for any element of a list.
    AllBut(&'static [Path]),
}

impl ResetFields {
    /// Nothing.
    pub const NONE: ResetFields = ResetFields::Only(&[]);
}

/// Reset fields with the versions that they hold in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resets {
    pub(crate) versions: &'static [&'static str],
    pub(crate) fields: ResetFields,
}

impl Resets {
    pub(crate) fn of(&self, version: &GroupVersion) -> ResetFields {
        let text = version.to_string();
        if self.versions.contains(&text.as_str()) { self.fields } else { ResetFields::NONE }
    }
}
