//! URL paths: validation, escaping and joining of segments.
//!
//! The rules are those of Go's clients, so that the same request has the same URL.

use rhumb_meta::url;

/// Validates a path segment; returns its problems.
pub(crate) fn segment_problems(name: &str) -> Vec<String> {
    if name == "." || name == ".." {
        return vec![format!("may not be '{name}'")];
    }
    let contained = ["/", "%"].into_iter().filter(|part| name.contains(part));
    contained.map(|part| format!("may not contain '{part}'")).collect()
}

/// Joins parts with slashes; without empty parts, and with `.` and `..` resolved.
pub(crate) fn join<'a>(parts: impl IntoIterator<Item = &'a str>) -> String {
    let mut rooted = None;
    let mut kept: Vec<&str> = Vec::new();
    for part in parts.into_iter().filter(|part| !part.is_empty()) {
        let rooted = *rooted.get_or_insert(part.starts_with('/'));
        for segment in part.split('/') {
            match segment {
                "" | "." => {}
                ".." if rooted || kept.last().is_some_and(|last| *last != "..") => {
                    kept.pop();
                }
                segment => kept.push(segment),
            }
        }
    }
    let root = if rooted.unwrap_or_default() { "/" } else { "" };
    format!("{root}{}", kept.join("/"))
}

/// Takes the escapes off a path; none if they are malformed or what they stand for is no text.
pub(crate) fn unescape(path: &str) -> Option<String> {
    String::from_utf8(url::unescape(path).ok()?.into_owned()).ok()
}

#[cfg(test)]
mod tests {
    use rhumb_meta::url::escape_path as escape;

    use super::*;

    #[test]
    fn parts_are_joined_as_go_joins_them() {
        for (parts, expect) in [
            (&["/", "", "/api/v1"][..], "/api/v1"),
            (&["/api/v1", "namespaces", "default", "pods", "a"], "/api/v1/namespaces/default/pods/a"),
            (&["/prefix/", "/api//v1/"], "/prefix/api/v1"),
            (&["/a/b", "../c"], "/a/c"),
            (&["/..", "a"], "/a"),
            (&["", ""], ""),
            (&["a", "../..", "b"], "../b"),
            (&["/a", "./b/."], "/a/b"),
        ] {
            assert_eq!(join(parts.iter().copied()), expect, "{parts:?}");
        }
    }

    #[test]
    fn segments_are_checked() {
        assert!(segment_problems("web-0.a:b").is_empty());
        assert_eq!(segment_problems(".."), ["may not be '..'"]);
        assert_eq!(segment_problems("a/b%"), ["may not contain '/'", "may not contain '%'"]);
    }

    #[test]
    fn escapes_come_and_go() {
        let path = "/api/v1/nodes/a b?c#ü:d@e!(f)";
        assert_eq!(escape(path), "/api/v1/nodes/a%20b%3Fc%23%C3%BC:d@e%21%28f%29");
        assert_eq!(unescape(&escape(path)).as_deref(), Some(path));
        assert_eq!(unescape("%4"), None);
        assert_eq!(unescape("%+1"), None);
    }
}
