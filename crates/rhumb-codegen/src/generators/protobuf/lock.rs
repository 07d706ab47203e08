//! Lock file of field numbers.
//!
//! Bytes that were written once must be read forever, so a number keeps its meaning. The file has a line for each
//! message, and beneath it one for each number that it ever gave away:
//!
//! ```text
//! message stable_example::v1::CronTabSpec
//!   1 schedule
//!   2 image
//!   3 - replicas
//! ```
//!
//! The minus says that the field is gone; its number is never given away again.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use crate::problem::{Outcome, Place, Problem, Problems, shown};

const HEADER: &str = "# The numbers of protobuf fields, kept by `rhumb gen protobuf`. Keep this file with the source, and don't edit it:\n\
    # what was written with a number must be read with it for all times.\n";

/// Highest field number.
const HIGHEST: u32 = (1 << 29) - 1;

/// Contents of the lock file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    messages: BTreeMap<String, BTreeMap<u32, Entry>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    name: String,
    gone: bool,
}

/// A field with or without a number.
pub(crate) struct Field {
    /// Name in protobuf.
    pub(crate) name: String,
    /// Explicit number.
    pub(crate) number: Option<u32>,
    /// Previous name.
    pub(crate) renamed: Option<String>,
    /// Position.
    pub(crate) place: Place,
}

impl Lock {
    /// Reads the file. If there is none, nothing is locked yet.
    ///
    /// # Errors
    /// If it can't be read, or a line is none.
    pub(crate) fn read(file: &Path) -> Outcome<Self> {
        match fs::read_to_string(file) {
            Ok(text) => Lock::parse(&text, file),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Lock::default()),
            Err(error) => Err(Problem::file(&shown(file), error).into()),
        }
    }

    fn parse(text: &str, file: &Path) -> Outcome<Self> {
        let mut lock = Lock::default();
        let mut problems = Problems::default();
        let mut message: Option<&mut BTreeMap<u32, Entry>> = None;
        for (index, line) in text.lines().enumerate() {
            let trimmed = line.trim();
            if trimmed.is_empty() || trimmed.starts_with('#') {
                continue;
            }
            if let Some(name) = trimmed.strip_prefix("message ") {
                message = Some(lock.messages.entry(name.trim().to_owned()).or_default());
                continue;
            }
            let read = entry(trimmed).zip(message.as_deref_mut());
            let ok = read.is_some_and(|((number, entry), message)| message.insert(number, entry).is_none());
            if !ok {
                let place = Place { file: shown(file).into(), line: index + 1, text: trimmed.into() };
                problems.push(Problem::at(
                    &place,
                    "this is no line of a lock file, or a number is there twice: take the file from the history",
                ));
            }
        }
        problems.or(lock)
    }

    /// Returns the numbers of a message's fields, in the order of the fields. New ones are locked, and those of fields
    /// that are no longer there are reserved.
    ///
    /// # Errors
    /// Numbers that contradict what is locked.
    pub(crate) fn assign(
        &mut self,
        message: &str,
        renamed: Option<&str>,
        fields: &[Field],
    ) -> Outcome<Vec<u32>> {
        if !self.messages.contains_key(message)
            && let Some(entries) = renamed.and_then(|old| self.messages.remove(old))
        {
            self.messages.insert(message.to_owned(), entries);
        }
        let entries = self.messages.entry(message.to_owned()).or_default();
        let mut problems = Problems::default();
        let names: BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
        let mut numbers: Vec<Option<u32>> = Vec::new();
        for field in fields {
            let number = match field.number {
                Some(number) => given(entries, field, number, &names).map(Some),
                None => locked(entries, field, &names),
            };
            let number =
                problems.take(number.map_err(|what| Problem::at(&field.place, what).into())).flatten();
            if let Some(number) = number {
                entries.insert(number, Entry { name: field.name.clone(), gone: false });
                if numbers.contains(&Some(number)) {
                    let what = format!("another field of the message has the number {number} too");
                    problems.push(Problem::at(&field.place, what));
                }
            }
            numbers.push(number);
        }
        // What is gone is marked before numbers are given away: the highest one counts, whoever had it.
        for entry in entries.values_mut() {
            entry.gone |= !names.contains(entry.name.as_str());
        }
        let mut assigned = Vec::new();
        for (field, number) in fields.iter().zip(numbers) {
            let number = number.unwrap_or_else(|| {
                let number = next(entries);
                entries.insert(number, Entry { name: field.name.clone(), gone: false });
                number
            });
            assigned.push(number);
        }
        problems.or(assigned)
    }

    /// Returns the numbers of a message that no field may have any more.
    pub(crate) fn reserved(&self, message: &str) -> Vec<u32> {
        let entries = self.messages.get(message).into_iter().flatten();
        entries.filter(|(_, entry)| entry.gone).map(|(number, _)| *number).collect()
    }

    /// Returns the file.
    pub(crate) fn text(&self) -> String {
        let mut text = HEADER.to_owned();
        for (message, entries) in self.messages.iter().filter(|(_, entries)| !entries.is_empty()) {
            // Writing to a String can't fail.
            let _ = writeln!(text, "\nmessage {message}");
            for (number, Entry { name, gone }) in entries {
                let gone = if *gone { "- " } else { "" };
                let _ = writeln!(text, "  {number} {gone}{name}");
            }
        }
        text
    }
}

fn entry(line: &str) -> Option<(u32, Entry)> {
    let (number, name) = line.split_once(' ')?;
    let (gone, name) = match name.strip_prefix("- ") {
        Some(name) => (true, name),
        None => (false, name),
    };
    let number = number.parse().ok().filter(|number| is_valid(*number))?;
    Some((number, Entry { name: name.to_owned(), gone }))
}

/// Reports whether a field number is allowed; protobuf reserves some.
fn is_valid(number: u32) -> bool {
    (1..=HIGHEST).contains(&number) && !(19_000..20_000).contains(&number)
}

type Entries = BTreeMap<u32, Entry>;

/// Returns the number that a field has by hand, if nothing speaks against it.
fn given(entries: &Entries, field: &Field, number: u32, names: &BTreeSet<&str>) -> Result<u32, String> {
    let Field { name, renamed, .. } = field;
    if !is_valid(number) {
        return Err(format!("{number} can't be the number of a field"));
    }
    let live = |name: &str| entries.iter().find(|(_, entry)| entry.name == name && !entry.gone);
    if let Some((locked, _)) = live(name)
        && *locked != number
    {
        return Err(format!(
            "`{name}` has the number {locked} in {}, and here {number}; a number never changes",
            super::LOCK
        ));
    }
    match entries.get(&number) {
        None => Ok(number),
        Some(entry) if entry.name == *name && !entry.gone => Ok(number),
        Some(entry) if entry.gone => Err(format!(
            "{number} was the number of `{}`, which is gone; take one that was never used",
            entry.name
        )),
        Some(entry) if renamed.as_deref() == Some(&entry.name) && !names.contains(entry.name.as_str()) => {
            Ok(number)
        }
        Some(entry) => Err(format!(
            "{number} is the number of `{}`; if that is the field's old name, write `// +protobuf.renamed={}` on it",
            entry.name, entry.name
        )),
    }
}

/// Returns the number that is locked for a field, if there is one.
fn locked(entries: &Entries, field: &Field, names: &BTreeSet<&str>) -> Result<Option<u32>, String> {
    let live = |name: &str| {
        let mut found = entries.iter().filter(|(_, entry)| entry.name == name && !entry.gone);
        found.next().map(|(number, _)| *number)
    };
    if let Some(number) = live(&field.name) {
        return Ok(Some(number));
    }
    let Some(old) = &field.renamed else { return Ok(None) };
    if names.contains(old.as_str()) {
        return Err(format!("`{old}` is still there, so `{}` can't be its new name", field.name));
    }
    match live(old) {
        Some(number) => Ok(Some(number)),
        None => Err(format!("there is no number of `{old}` in {} that could be kept", super::LOCK)),
    }
}

/// Returns the number behind the highest.
fn next(entries: &Entries) -> u32 {
    let after = entries.keys().next_back().map_or(1, |highest| highest.saturating_add(1));
    if (19_000..20_000).contains(&after) { 20_000 } else { after.min(HIGHEST) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, number: u32, renamed: &str) -> Field {
        Field {
            name: name.to_owned(),
            number: Some(number).filter(|number| *number > 0),
            renamed: Some(renamed.to_owned()).filter(|old| !old.is_empty()),
            place: Place { file: Path::new("types.rs").into(), line: 1, text: "".into() },
        }
    }

    fn assign(lock: &mut Lock, fields: &[Field]) -> Result<Vec<u32>, String> {
        // Each run reads what the last one wrote.
        let mut read =
            Lock::parse(&lock.text(), Path::new("api.lock")).map_err(|problems| problems.to_string())?;
        let numbers = read.assign("a::v1::T", None, fields).map_err(|problems| problems.to_string())?;
        *lock = read;
        Ok(numbers)
    }

    #[test]
    fn numbers_stay_whatever_happens_to_the_fields() {
        let mut lock = Lock::default();
        let plain = |names: &[&str]| names.iter().map(|name| field(name, 0, "")).collect::<Vec<_>>();
        assert_eq!(assign(&mut lock, &plain(&["a", "b", "c"])), Ok(vec![1, 2, 3]));
        assert_eq!(assign(&mut lock, &plain(&["c", "a", "b"])), Ok(vec![3, 1, 2]), "order doesn't count");
        assert_eq!(assign(&mut lock, &plain(&["a", "d"])), Ok(vec![1, 4]), "3 is not given away again");
        assert_eq!(lock.reserved("a::v1::T"), [2, 3]);
        assert_eq!(
            assign(&mut lock, &plain(&["a", "b", "d"])),
            Ok(vec![1, 5, 4]),
            "even to one that comes back"
        );
        assert_eq!(lock.reserved("a::v1::T"), [2, 3]);
        assert_eq!(
            lock.text().split_once("\n\n").map(|(_, rest)| rest),
            Some("message a::v1::T\n  1 a\n  2 - b\n  3 - c\n  4 d\n  5 b\n")
        );
    }

    #[test]
    fn a_renamed_field_keeps_its_number() {
        let mut lock = Lock::default();
        assert_eq!(assign(&mut lock, &[field("a", 0, ""), field("b", 0, "")]), Ok(vec![1, 2]));
        let renamed = || [field("a", 0, ""), field("new", 0, "b")];
        assert_eq!(assign(&mut lock, &renamed()), Ok(vec![1, 2]));
        assert_eq!(assign(&mut lock, &renamed()), Ok(vec![1, 2]), "the tag may stay");
        assert!(lock.reserved("a::v1::T").is_empty());
        let wrong = assign(&mut lock, &[field("a", 0, ""), field("new", 0, ""), field("x", 0, "y")]);
        assert!(wrong.is_err_and(|what| what.contains("no number of `y`")));
        let both = assign(&mut lock, &[field("a", 0, ""), field("x", 0, "a")]);
        assert!(both.is_err_and(|what| what.contains("still there")));
    }

    #[test]
    fn numbers_by_hand_are_held_against_the_lock() {
        let mut lock = Lock::default();
        assert_eq!(assign(&mut lock, &[field("a", 3, ""), field("b", 7, "")]), Ok(vec![3, 7]));
        let changed = assign(&mut lock, &[field("a", 4, ""), field("b", 7, "")]);
        assert!(changed.is_err_and(|what| what.contains("never changes")));
        assert_eq!(assign(&mut lock, &[field("a", 3, "")]), Ok(vec![3]));
        let again = assign(&mut lock, &[field("a", 3, ""), field("c", 7, "")]);
        assert!(again.is_err_and(|what| what.contains("`b`, which is gone")));
        let taken = assign(&mut lock, &[field("other", 3, "")]);
        assert!(taken.is_err_and(|what| what.contains("+protobuf.renamed=a")));
        assert_eq!(assign(&mut lock, &[field("other", 3, "a")]), Ok(vec![3]));
        let twice = assign(&mut lock, &[field("other", 3, ""), field("d", 9, ""), field("e", 9, "")]);
        assert!(twice.is_err());
        let kept = assign(&mut lock, &[field("other", 3, ""), field("d", 19_500, "")]);
        assert!(kept.is_err_and(|what| what.contains("can't be the number")));
    }

    #[test]
    fn a_broken_file_is_an_error_with_its_line() {
        for text in ["1 a", "message m\nx y", "message m\n1 a\n1 b", "message m\n0 a", "message m\n19001 a"] {
            let outcome = Lock::parse(text, Path::new("api.lock"));
            assert!(outcome.is_err_and(|problems| problems.to_string().starts_with("api.lock:")), "{text}");
        }
    }
}
