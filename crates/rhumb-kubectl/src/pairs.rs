//! `KEY=VALUE` and `KEY-` arguments: labels and annotations to set and remove.

use std::collections::BTreeMap;

use rhumb_cli::Failure;

/// Returns the words before the first pair, and the pairs.
///
/// # Errors
/// A word stands behind a pair.
pub(crate) fn split(args: &[String], what: &str) -> Result<(Vec<String>, Vec<String>), Failure> {
    let (mut words, mut pairs) = (Vec::new(), Vec::new());
    for arg in args {
        let sets = arg.contains('=') && !arg.starts_with('=');
        let removes = arg.ends_with('-') && arg != "-";
        if sets || removes {
            pairs.push(arg.clone());
        } else if pairs.is_empty() {
            words.push(arg.clone());
        } else {
            return Err(format!("all resources must be specified before {what} changes: {arg}").into());
        }
    }
    Ok((words, pairs))
}

/// Pairs to set and keys to remove.
#[derive(Clone, Debug, Default)]
pub(crate) struct Changes {
    /// Pairs to set.
    pub(crate) set: BTreeMap<String, String>,
    /// Keys to remove.
    pub(crate) remove: Vec<String>,
}

impl Changes {
    /// Returns the changes that pairs ask for.
    ///
    /// # Errors
    /// A pair is none.
    pub(crate) fn parse(pairs: &[String], what: &str) -> Result<Self, Failure> {
        let mut changes = Changes::default();
        let mut wrong: Vec<&str> = Vec::new();
        for pair in pairs {
            match pair.split_once('=') {
                Some((key, value)) if !key.is_empty() => {
                    drop(changes.set.insert(key.to_owned(), value.to_owned()))
                }
                _ => match pair.strip_suffix('-') {
                    Some(key) if !key.is_empty() => changes.remove.push(key.to_owned()),
                    _ => wrong.push(pair),
                },
            }
        }
        match wrong.is_empty() {
            true => Ok(changes),
            false => Err(format!("invalid {what} format: {}", wrong.join(", ")).into()),
        }
    }

    /// Reports whether nothing changes.
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.remove.is_empty()
    }
}
