//! Arguments that name types and objects.

use crate::Failure;

/// Returns the parts of a comma list, none twice.
pub fn split_types(word: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in word.split(',') {
        if !parts.iter().any(|known| known == part) {
            parts.push(part.to_owned());
        }
    }
    parts
}

/// Expands `a,b x y` to each type with each name.
pub(super) fn multiply(words: &[String]) -> Vec<String> {
    let [first, names @ ..] = words else { return Vec::new() };
    let types = split_types(first);
    if names.is_empty() || types.len() < 2 {
        return words.to_vec();
    }
    types.iter().flat_map(|word| names.iter().map(move |name| format!("{word}/{name}"))).collect()
}

/// Returns the type and the name of `TYPE/NAME`.
pub(super) fn split_pair(word: &str) -> Result<(String, String), Failure> {
    let mut parts = word.split('/');
    let (Some(kind), Some(name), None) = (parts.next(), parts.next(), parts.next()) else {
        return Err("arguments in resource/name form may not have more than one slash".into());
    };
    if kind.is_empty() || name.is_empty() || split_types(kind).len() != 1 {
        return Err("arguments in resource/name form must have a single resource and name".into());
    }
    Ok((kind.to_owned(), name.to_owned()))
}
