//! Labels, annotations and booleans.

use std::collections::BTreeMap;

use rhumb_meta::v1::ObjectMeta;

use crate::Lines;

/// The last-applied annotation, which is not shown.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Maximum line length of an annotation; longer ones get their own line, cut to this many bytes.
pub(crate) const LONGEST_ANNOTATION: usize = 140;

/// Labels, one per line.
pub fn labels(out: &mut Lines, title: &str, labels: &BTreeMap<String, String>) {
    indented_labels(out, "", title, labels);
}

/// Labels, one per line, behind blanks that no level stands for.
pub(crate) fn indented_labels(out: &mut Lines, indent: &str, title: &str, labels: &BTreeMap<String, String>) {
    out.put(0, format_args!("{indent}{title}:\t"));
    if labels.is_empty() {
        out.end("<none>");
    }
    for (index, (key, value)) in labels.iter().enumerate() {
        if index > 0 {
            out.put(0, indent);
            out.put(0, "\t");
        }
        out.end(format_args!("{key}={value}"));
    }
}

/// Annotations, one per line, or several if they are long.
pub fn annotations(out: &mut Lines, title: &str, annotations: &BTreeMap<String, String>) {
    out.put(0, format_args!("{title}:\t"));
    let mut shown = annotations.iter().filter(|(key, _)| *key != LAST_APPLIED).peekable();
    if shown.peek().is_none() {
        out.end("<none>");
    }
    for (index, (key, value)) in shown.enumerate() {
        if index > 0 {
            out.put(0, "\t");
        }
        let value = value.strip_suffix('\n').unwrap_or(value);
        if key.len() + value.len() + 2 > LONGEST_ANNOTATION || value.contains('\n') {
            out.end(format_args!("{key}:"));
            for line in value.split('\n') {
                out.end(format_args!("\t  {}", shortened(line, LONGEST_ANNOTATION - 2)));
            }
        } else {
            out.end(format_args!("{key}: {value}"));
        }
    }
}

/// Shortens a text to a number of bytes, with dots if it was longer.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    match text.as_bytes().get(..most) {
        Some(start) if text.len() > most => format!("{}...", String::from_utf8_lossy(start)),
        _ => text.to_owned(),
    }
}

/// Returns the kind and name of an object's controller.
pub(crate) fn controller_text(metadata: &ObjectMeta) -> Option<String> {
    let owner = metadata.owner_references.iter().find(|owner| owner.controller == Some(true))?;
    Some(format!("{}/{}", owner.kind, owner.name))
}

/// Yes or no.
pub(crate) fn truth(value: bool) -> &'static str {
    if value { "True" } else { "False" }
}

/// Yes, no, or not said.
pub(crate) fn truth_or_unset(value: Option<bool>) -> &'static str {
    value.map_or("<unset>", truth)
}
