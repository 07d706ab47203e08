//! Path patterns: `*` matches any part of a name, `?` one character.

/// What to leave out. Without a slash it is about names, wherever they stand; with one it is about paths from the
/// directory. What is in a directory that it matches is left out too.
pub(super) struct Pattern(Vec<char>);

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        Pattern(text.trim_end_matches('/').chars().collect())
    }

    pub(super) fn matches(&self, path: &str) -> bool {
        let path = if self.0.contains(&'/') { path } else { path.rsplit('/').next().unwrap_or(path) };
        let start = usize::from(self.0.first() == Some(&'/'));
        matches(self.0.get(start..).unwrap_or_default(), &path.chars().collect::<Vec<_>>())
    }
}

/// Goes on from the last star whenever what follows it doesn't fit, one character further each time.
fn matches(pattern: &[char], text: &[char]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(at), text.get(read)) {
            (None, None) => return true,
            (Some('*'), _) => {
                retry = Some((at + 1, read));
                at += 1;
                continue;
            }
            (Some('?'), Some(character)) if *character != '/' => {
                at += 1;
                read += 1;
                continue;
            }
            (Some(wanted), Some(character)) if wanted == character && *wanted != '?' => {
                at += 1;
                read += 1;
                continue;
            }
            _ => {}
        }
        match retry {
            Some((after, from)) if text.get(from).is_some_and(|character| *character != '/') => {
                retry = Some((after, from + 1));
                (at, read) = (after, from + 1);
            }
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_paths_are_matched() {
        for (pattern, path, expected) in [
            ("*.orig", "a/b.orig", true),
            ("*.orig", "b.original", false),
            ("drafts", "a/drafts", true),
            ("drafts/", "drafts", true),
            ("/drafts", "drafts", true),
            ("/drafts", "a/drafts", false),
            ("a/*", "a/b", true),
            ("a/*", "a/b/c", false),
            ("*/c", "b/c", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("a*b*c", "aXbXbXc", true),
            ("a*b*c", "aXbXbX", false),
            ("?", "?", true),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(path), expected, "{pattern} {path}");
        }
    }
}
