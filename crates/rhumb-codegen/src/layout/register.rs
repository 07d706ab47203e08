//! The file that registers a group's kinds.

use std::fmt::Write;

use super::names::by_preference;

/// A kind of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Kind {
    /// Its version.
    pub(super) version: String,
    /// Its name.
    pub(super) name: String,
}

/// The text of the file, for kinds and their lists. The versions' own `defaults` are installed with them.
pub(super) fn register(group: &str, kinds: &[Kind], hub: &str) -> String {
    let mut versions: Vec<&str> = kinds.iter().map(|kind| kind.version.as_str()).collect();
    versions.sort_by(|one, other| by_preference(one, other));
    versions.dedup();
    let listed = versions.iter().map(|version| format!("{version:?}")).collect::<Vec<_>>().join(", ");
    let mut modules = versions.clone();
    modules.sort_unstable();
    let modules = match modules.as_slice() {
        [one] => format!("use crate::{one};"),
        all => format!("use crate::{{{}}};", all.join(", ")),
    };
    let mut out = format!(
        "//! What the group has: kinds, versions and the ways between them.\n\
         //!\n\
         //! Written by `rhumb gen`; `rhumb gen add-version` writes it anew.\n\n\
         use rhumb_meta::{{GroupVersion, INTERNAL}};\n\
         use rhumb_scheme::{{RegisterError, SchemeBuilder}};\n\n\
         {modules}\n\n\
         /// The group.\n\
         pub const GROUP: &str = {group:?};\n\n\
         /// Its versions, the most wanted first. The newest is the hub, which all others convert to and back.\n\
         pub const VERSIONS: &[&str] = &[{listed}];\n\n\
         /// Registers the kinds of all versions with their defaults and conversions.\n\
         ///\n\
         /// # Errors\n\
         /// If a kind has another type already.\n\
         pub fn install(builder: &mut SchemeBuilder) -> Result<(), RegisterError> {{\n"
    );
    // Writing to a String can't fail.
    for version in &versions {
        let places = if *version == hub { "INTERNAL".to_owned() } else { String::new() };
        let names: Vec<&str> =
            kinds.iter().filter(|kind| kind.version == *version).map(|kind| kind.name.as_str()).collect();
        if places.is_empty() {
            let _ = writeln!(out, "    let place = GroupVersion::new_static(GROUP, {version:?});");
        } else {
            let _ = writeln!(out, "    for version in [{version:?}, {places}] {{");
            let _ = writeln!(out, "        let place = GroupVersion::new_static(GROUP, version);");
        }
        let indent = if places.is_empty() { "    " } else { "        " };
        for name in names {
            let _ = writeln!(out, "{indent}builder.register::<{version}::{name}>(&place)?;");
            let _ = writeln!(out, "{indent}builder.register::<{version}::{name}List>(&place)?;");
        }
        if !places.is_empty() {
            let _ = writeln!(out, "    }}");
        }
    }
    for kind in kinds.iter().filter(|kind| kind.version != hub) {
        let Kind { version, name } = kind;
        let has_hub = kinds.iter().any(|other| other.version == hub && other.name == *name);
        for name in [name.clone(), format!("{name}List")].iter().filter(|_| has_hub) {
            let _ = writeln!(out, "    builder.hub_conversion::<{version}::{name}, {hub}::{name}>();");
        }
    }
    for version in &versions {
        let _ = writeln!(out, "    {version}::install_defaults(builder);");
    }
    let _ = writeln!(out, "    builder.version_priority(GROUP, VERSIONS)?;");
    out.push_str("    Ok(())\n}\n");
    out
}
