//! Plurals of kinds.

use std::collections::BTreeMap;

use crate::expand;

/// Plurals as Kubernetes derives them, with exceptions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plural {
    /// Kinds and their plurals, both as they are written in Rust: `Endpoints` and `Endpoints`.
    pub exceptions: BTreeMap<String, String>,
}

impl Plural {
    /// Plurals with exceptions, each written `Kind:Kinds`.
    pub fn with(exceptions: &[String]) -> Self {
        let pairs = exceptions.iter().filter_map(|pair| pair.split_once(':'));
        Plural { exceptions: pairs.map(|(kind, plural)| (kind.to_owned(), plural.to_owned())).collect() }
    }

    /// Returns the plural of a kind as it is in code: `CronTabs`.
    pub fn public(&self, kind: &str) -> String {
        if let Some(plural) = self.exceptions.get(kind) {
            return plural.clone();
        }
        let guess = expand::guess_plural(kind);
        // The guess changes at most the last letter of the kind; what is before keeps its capitals.
        match kind.strip_suffix(['y', 'Y']).filter(|_| guess.ends_with("ies")) {
            Some(stem) => format!("{stem}ies"),
            None => format!("{kind}{}", guess.get(kind.to_lowercase().len()..).unwrap_or_default()),
        }
    }

    /// Returns the plural of a kind as it is in paths: `crontabs`.
    pub fn lower(&self, kind: &str) -> String {
        self.public(kind).to_lowercase()
    }
}
