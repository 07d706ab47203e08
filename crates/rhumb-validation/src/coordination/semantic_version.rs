//! Semantic versions: three numbers, pre-release and build identifiers.

/// A version without the marks of its build, which don't count when versions are compared.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SemanticVersion {
    numbers: [u64; 3],
    release: Release,
}

/// The marks of what comes before a release, or none of the release itself, which comes after all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Release {
    Before(Vec<Mark>),
    #[default]
    Itself,
}

/// One mark. Numbers come before words.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    Number(u64),
    Word(String),
}

impl SemanticVersion {
    /// Reads a version such as `1.36.0-alpha.1+build.5`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        let (major, minor, rest) = (parts.next()?, parts.next()?, parts.next()?);
        let (rest, build) = match rest.split_once('+') {
            Some((rest, build)) => (rest, Some(build)),
            None => (rest, None),
        };
        if let Some(build) = build
            && !build.split('.').all(is_word)
        {
            return None;
        }
        let (patch, release) = match rest.split_once('-') {
            Some((patch, marks)) => {
                (patch, Release::Before(marks.split('.').map(mark).collect::<Option<_>>()?))
            }
            None => (rest, Release::Itself),
        };
        Some(SemanticVersion { numbers: [number(major)?, number(minor)?, number(patch)?], release })
    }
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

fn mark(text: &str) -> Option<Mark> {
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return number(text).map(Mark::Number);
    }
    is_word(text).then(|| Mark::Word(text.to_owned()))
}

/// Returns a number without signs and needless zeros.
fn number(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_digit()) && (text == "0" || !text.starts_with('0'));
    if is_plain { text.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered() {
        let ordered = [
            "0.0.0",
            "1.0.0-1",
            "1.0.0-2",
            "1.0.0-alpha",
            "1.0.0-alpha.1",
            "1.0.0-alpha.beta",
            "1.0.0-beta",
            "1.0.0-rc.1",
            "1.0.0",
            "1.0.1",
            "1.2.0",
            "1.10.0",
            "2.0.0",
        ];
        for pair in ordered.windows(2) {
            let [lower, higher] = pair else { continue };
            assert!(SemanticVersion::parse(lower) < SemanticVersion::parse(higher), "{lower} < {higher}");
        }
        assert_eq!(SemanticVersion::parse("1.2.3+a"), SemanticVersion::parse("1.2.3+b.c"));
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in
            ["", "1", "1.2", "v1.2.3", "1.02.3", "1.2.x", "1.2.3-", "1.2.3-01", "1.2.3+", "1.2.3.4", "1..3"]
        {
            assert_eq!(SemanticVersion::parse(text), None, "{text}");
        }
    }
}
