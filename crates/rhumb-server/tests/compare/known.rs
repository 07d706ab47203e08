//! The differences that we know, and why they are there.
//!
//! A line of the file is `file | step | what`, in which `*` stands for anything; the comment before it says
//! why. A comment holds for all lines up to the next empty one.

use std::cell::Cell;
use std::fmt;
use std::fs;
use std::path::Path;

/// One place in which an answer is not the recorded one.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) file: String,
    pub(crate) step: String,
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) got: String,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {} | {} | {} | {}", self.file, self.step, self.what, self.expected, self.got)
    }
}

/// The list.
#[derive(Debug)]
pub(crate) struct Known {
    entries: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    file: String,
    step: String,
    what: String,
    occurred: Cell<bool>,
}

impl Known {
    /// Reads the list; every entry must stand under a reason.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
        let (mut entries, mut reason) = (Vec::new(), false);
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                reason = false;
            } else if line.starts_with('#') {
                reason = true;
            } else if !reason {
                return Err(format!("line {}: no comment says why", index + 1));
            } else {
                let parts: Vec<&str> = line.splitn(3, " | ").collect();
                let &[file, step, what] = parts.as_slice() else {
                    return Err(format!("line {}: not `file | step | what`", index + 1));
                };
                let occurred = Cell::new(false);
                let (file, step, what) = (file.to_owned(), step.to_owned(), what.to_owned());
                entries.push(Entry { file, step, what, occurred });
            }
        }
        Ok(Self { entries })
    }

    /// Whether a difference is listed. Every entry that covers it counts as one that still occurs.
    pub(crate) fn covers(&mut self, difference: &Difference) -> bool {
        let mut covered = false;
        for entry in &self.entries {
            if matches(&entry.file, &difference.file)
                && matches(&entry.step, &difference.step)
                && matches(&entry.what, &difference.what)
            {
                entry.occurred.set(true);
                covered = true;
            }
        }
        covered
    }

    /// The entries about files of a beginning that covered nothing.
    pub(crate) fn unused<'a>(&'a self, beginning: &'a str) -> impl Iterator<Item = String> + 'a {
        let left = self.entries.iter().filter(|entry| !entry.occurred.get());
        let left = left.filter(move |entry| beginning.is_empty() || entry.file.starts_with(beginning));
        left.map(|entry| format!("{} | {} | {}", entry.file, entry.step, entry.what))
    }
}

/// Whether a text is of a pattern in which `*` stands for any run of characters.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = text.find(part) else { return false };
        text = text.get(at + part.len()..).unwrap_or_default();
    }
    text.ends_with(last)
}

#[test]
fn patterns() {
    assert!(matches("a", "a") && !matches("a", "ab"));
    assert!(matches("a*", "a") && matches("a*c", "abc") && !matches("a*c", "abd"));
    assert!(matches("*b*d", "abcd") && !matches("*b*b", "ab"));
}
