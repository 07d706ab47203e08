//! What servers of some version can't do.

/// The version of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Version(u32, u32, u32);

impl Version {
    /// As if it were older than all others.
    pub(super) const UNKNOWN: Version = Version(0, 0, 0);

    /// Reads what a server says.
    pub(super) fn read(text: &str) -> Version {
        let mut numbers = text.split(['.', '-', '+']).map_while(|part| part.parse().ok());
        match (numbers.next(), numbers.next(), numbers.next()) {
            (Some(major), Some(minor), Some(patch)) => Version(major, minor, patch),
            _ => Version::UNKNOWN,
        }
    }

    /// Whether a question for progress is answered only after the events before it.
    pub(super) fn tells_progress_truly(self) -> bool {
        self.has_fix(31, 13)
    }

    /// Whether a removal at the very revision that was compacted is still told to a watch from there on.
    pub(super) fn keeps_removals(self) -> bool {
        self.has_fix(36, 18)
    }

    /// Whether it has something that came into 3.4 and 3.5 with these patches, and is in all later ones.
    fn has_fix(self, in_3_4: u32, in_3_5: u32) -> bool {
        match self {
            Version(3, 4, patch) => patch >= in_3_4,
            Version(3, 5, patch) => patch >= in_3_5,
            later => later > Version(3, 5, u32::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixes_are_known_by_version() {
        for (text, progress, removals) in [
            ("3.4.30", false, false),
            ("3.4.31", true, false),
            ("3.4.36", true, true),
            ("3.5.1", false, false),
            ("3.5.13", true, false),
            ("3.5.18", true, true),
            ("3.6.0-rc.1", true, true),
            ("3.6.8", true, true),
            ("4.0.0", true, true),
            ("3.3.99", false, false),
            ("3.6", false, false),
            ("", false, false),
            ("new", false, false),
        ] {
            let version = Version::read(text);
            assert_eq!(
                (version.tells_progress_truly(), version.keeps_removals()),
                (progress, removals),
                "{text}"
            );
        }
    }
}
