//! Lists and maps with a limit. One that is too long is not looked at any closer.

use std::collections::{BTreeMap, HashSet};

use rhumb_scheme::validation::{BadValue, FieldErrors, FieldPath, Wanted};

/// A list with at most so many elements.
pub(super) fn list<T>(
    items: &[T],
    maximum: usize,
    path: &FieldPath,
    errors: &mut FieldErrors,
    mut check: impl FnMut(&T, &FieldPath, &mut FieldErrors),
) {
    if items.len() > maximum {
        return errors.too_many(path, items.len(), maximum);
    }
    for (index, item) in items.iter().enumerate().wanted() {
        check(item, &path.index(index), errors);
    }
}

/// A list whose elements differ in their keys as well. What stands there twice is told of after all else.
pub(super) fn set<'a, T, K: BadValue>(
    items: &'a [T],
    maximum: usize,
    key: impl Fn(&'a T) -> K,
    path: &FieldPath,
    errors: &mut FieldErrors,
    check: impl FnMut(&T, &FieldPath, &mut FieldErrors),
) {
    list(items, maximum, path, errors, check);
    if items.len() > maximum {
        return;
    }
    let mut seen = HashSet::new();
    for (index, item) in items.iter().enumerate().wanted() {
        let key = key(item);
        if !seen.insert(key.shown()) {
            errors.duplicate(&path.index(index), &key);
        }
    }
}

/// A map. Errors of keys speak of the map; where a value is shown by its key, a long key is cut.
pub(super) fn map<V>(
    entries: &BTreeMap<String, V>,
    shown_key: usize,
    path: &FieldPath,
    errors: &mut FieldErrors,
    mut key: impl FnMut(&str, &FieldPath, &mut FieldErrors),
    mut check: impl FnMut(&V, &FieldPath, &mut FieldErrors),
) {
    for (name, value) in entries {
        key(name, path, errors);
        check(value, &path.key(&cut(name, shown_key)), errors);
    }
}

/// Returns a text without its middle, if it has more bytes than so many.
fn cut(text: &str, maximum: usize) -> String {
    const GAP: &str = "...";
    let bytes = text.as_bytes();
    if bytes.len() <= maximum {
        return text.to_owned();
    }
    let kept = maximum.saturating_sub(GAP.len());
    let head = bytes.get(..kept.div_ceil(2)).unwrap_or_default();
    let tail = bytes.get(bytes.len().saturating_sub(kept / 2)..).unwrap_or_default();
    format!("{}{GAP}{}", String::from_utf8_lossy(head), String::from_utf8_lossy(tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_keys_lose_their_middle() {
        assert_eq!(cut("0123456789abcdef", 16), "0123456789abcdef");
        assert_eq!(cut("0123456789abcdefg", 16), "0123456...bcdefg");
    }
}
