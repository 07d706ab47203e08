//! Suggestions for mistyped words.

use super::Command;

/// Maximum edit distance.
const NEAR: usize = 2;

/// Returns the commands below one that a word may have meant: those that differ in few letters, those that it begins,
/// and those that say they are meant by it.
pub fn suggestions(command: &Command, word: &str) -> Vec<&'static str> {
    let word = word.to_lowercase();
    let mut children: Vec<_> = command.children().filter(|child| !child.hidden).collect();
    children.sort_by_key(|child| child.family);
    let is_meant = |child: &&Command| {
        distance(child.name, &word) <= NEAR
            || child.name.starts_with(&word)
            || child.suggest_for.contains(&word.as_str())
    };
    children.into_iter().filter(is_meant).map(|child| child.name).collect()
}

/// Returns the nearest of some names, if one is near; else the shortest that begins with the word. Short words must
/// have more in common than not.
pub(super) fn nearest<'a>(names: impl IntoIterator<Item = &'a str>, word: &str) -> Option<&'a str> {
    let word = word.to_lowercase();
    let names: Vec<&str> = names.into_iter().collect();
    let near = names
        .iter()
        .map(|name| (distance(name, &word), *name))
        .filter(|(distance, name)| *distance <= NEAR.min(name.len().min(word.len()).saturating_sub(1) / 2))
        .min_by_key(|(distance, _)| *distance);
    let begun = names.iter().copied().filter(|name| word.len() > NEAR && name.starts_with(&word));
    near.map(|(_, name)| name).or_else(|| begun.min_by_key(|name| name.len()))
}

/// Returns the edit distance of two words.
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
    use super::super::Command;
    use super::{distance, nearest, suggestions};

    #[test]
    fn a_command_is_suggested_for_the_words_that_it_names() {
        static DELETE: Command = Command { name: "delete", suggest_for: &["rm", "remove"], ..Command::EMPTY };
        static RUN: Command = Command { name: "run", ..Command::EMPTY };
        static ROOT: Command = Command { name: "kubectl", commands: &[&[&RUN, &DELETE]], ..Command::EMPTY };
        assert_eq!(suggestions(&ROOT, "remove"), ["delete"]);
        assert_eq!(suggestions(&ROOT, "Rm"), ["run", "delete"]);
        assert!(suggestions(&ROOT, "removed").is_empty());
    }

    #[test]
    fn a_short_word_is_not_taken_for_another_short_one() {
        let names = ["as", "allow-missing-template-keys", "all-namespaces", "image", "user"];
        assert_eq!(nearest(names, "imag"), Some("image"));
        assert_eq!(nearest(names, "all"), Some("all-namespaces"));
        assert_eq!(nearest(names, "sel"), None);
        assert_eq!(nearest(names, "x"), None);
        assert_eq!(nearest(["type", "name"], "nope"), None);
    }

    #[test]
    fn distances_count_changed_letters() {
        assert_eq!(distance("get", "gett"), 1);
        assert_eq!(distance("set", "gett"), 2);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("delete", "delete"), 0);
    }
}
