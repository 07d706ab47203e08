//! Comments and blank lines of an edited file.

use rhumb_codec::yaml;

/// Returns a file as JSON, so that comments and layout don't count; if it is no YAML, without the lines that are
/// comments.
pub(super) fn strip_comments(file: &[u8]) -> Vec<u8> {
    if file.trim_ascii_start().first() == Some(&b'{') {
        return file.to_vec();
    }
    let mut json = Vec::new();
    match yaml::to_json(file, &yaml::ReadOptions::default(), &mut json) {
        Ok(_) => json,
        Err(_) => without_comments(file),
    }
}

/// Returns a file without the lines that are comments.
pub(super) fn without_comments(file: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(file.len());
    let mut lines = file.split(|byte| *byte == b'\n').peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim_ascii();
        if trimmed.starts_with(b"#") && !trimmed.starts_with(b"#!") {
            continue;
        }
        kept.extend_from_slice(line);
        if lines.peek().is_some() {
            kept.push(b'\n');
        }
    }
    kept
}

/// Reports whether there is anything but comments and empty lines.
pub(super) fn has_lines(file: &[u8]) -> bool {
    file.split(|byte| *byte == b'\n').any(|line| {
        let line = line.trim_ascii();
        !line.is_empty() && !line.starts_with(b"#")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_layout_do_not_count() {
        assert_eq!(strip_comments(b"# hello\na:   1\n"), strip_comments(b"a: 1 # one\n"));
        assert_eq!(without_comments(b"# x\na: [\n  # y\n#! z\n"), b"a: [\n#! z\n");
    }

    #[test]
    fn a_file_of_comments_is_empty() {
        assert!(!has_lines(b"# a\n\n   \n  # b"));
        assert!(has_lines(b"# a\nb: 1"));
    }
}
