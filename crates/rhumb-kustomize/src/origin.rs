//! Origin of an object or a change.

use serde_json::Value;

use crate::node::yaml_text;

/// An origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Origin {
    /// The file, seen from where the build began.
    pub(crate) path: String,
    /// The file with the configuration of what made it.
    pub(crate) configured_in: String,
    /// Generator or transformer: API version, kind, name and namespace.
    pub(crate) configured_by: [String; 4],
}

impl Origin {
    /// Something that a field of a kustomization does.
    pub(crate) fn builtin(file: String, kind: &str) -> Origin {
        let configured_by = ["builtin".to_owned(), kind.to_owned(), String::new(), String::new()];
        Origin { path: String::new(), configured_in: file, configured_by }
    }

    /// Returns the origin's lines, without indentation.
    fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut line = |key: &str, value: &str| {
            if !value.is_empty() {
                lines.push(format!("{key}: {}", yaml_text(&Value::String(value.to_owned())).trim_end()));
            }
        };
        line("path", &self.path);
        line("configuredIn", &self.configured_in);
        if self.configured_by.iter().any(|part| !part.is_empty()) {
            lines.push("configuredBy:".to_owned());
            for (key, value) in ["apiVersion", "kind", "name", "namespace"].iter().zip(&self.configured_by) {
                if !value.is_empty() {
                    let value = yaml_text(&Value::String(value.clone()));
                    lines.push(format!("  {key}: {}", value.trim_end()));
                }
            }
        }
        lines
    }

    /// Returns the text of the annotation.
    pub(crate) fn annotation(&self) -> String {
        let lines = self.lines();
        if lines.is_empty() {
            return "{}\n".to_owned();
        }
        lines.iter().map(|line| format!("{line}\n")).collect()
    }
}

/// Returns the text of the annotation that lists changes.
pub(crate) fn list_annotation(origins: &[Origin]) -> String {
    let mut text = String::new();
    for origin in origins {
        for (at, line) in origin.lines().iter().enumerate() {
            text.push_str(if at == 0 { "- " } else { "  " });
            text.push_str(line);
            text.push('\n');
        }
    }
    text
}

/// Joins paths and takes `.` and `..` out, as far as the path itself tells.
pub(crate) fn join(base: &str, path: &str) -> String {
    let joined = match (base.is_empty(), path.is_empty()) {
        (true, true) => return String::new(),
        (true, false) => path.to_owned(),
        (false, true) => base.to_owned(),
        (false, false) => format!("{base}/{path}"),
    };
    clean(&joined)
}

/// Returns a path without `.`, `..` and doubled slashes, as far as the path itself tells.
pub(crate) fn clean(path: &str) -> String {
    let is_absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            ".." if is_absolute => {}
            part => parts.push(part),
        }
    }
    match (is_absolute, parts.is_empty()) {
        (true, _) => format!("/{}", parts.join("/")),
        (false, true) => ".".to_owned(),
        (false, false) => parts.join("/"),
    }
}
