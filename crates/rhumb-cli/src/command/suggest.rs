//! What a mistyped word may have meant.

use super::Command;

/// How many letters may differ.
const NEAR: usize = 2;

/// The commands below one that a word may have meant: those that differ in few letters, and those that it begins.
pub fn suggestions(command: &Command, word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    let mut children: Vec<_> = command.children().filter(|child| !child.hidden).collect();
    children.sort_by_key(|child| child.family);
    let names = children.into_iter().map(|child| child.name);
    names.filter(|name| distance(name, &word) <= NEAR || name.starts_with(&word)).collect()
}

/// The nearest of some names, if one is near.
pub(super) fn nearest<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> Option<&'a str> {
    let word = word.to_lowercase();
    names
        .into_iter()
        .map(|name| (distance(name, &word), name))
        .filter(|(distance, _)| *distance <= NEAR)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// How many letters must be put in, taken out or changed to get from one word to the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (line, letter) in from.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        let mut next = Vec::with_capacity(row.len());
        next.push(left);
        for (other, above) in to.iter().zip(row.iter().skip(1)) {
            let changed = diagonal + usize::from(*other != letter);
            diagonal = *above;
            left = changed.min(left + 1).min(above + 1);
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::distance;

    #[test]
    fn distances_count_changed_letters() {
        assert_eq!(distance("get", "gett"), 1);
        assert_eq!(distance("set", "gett"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("delete", "delete"), 0);
    }
}
