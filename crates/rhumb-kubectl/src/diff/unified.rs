//! Unified diffs in the format of `diff -u -N`.

use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use rhumb_meta::Time;

use super::lines::changes;

/// Context lines around a change.
pub(super) const CONTEXT: usize = 3;

/// One of the two texts.
pub(super) struct Side<'a> {
    pub(super) path: String,
    pub(super) time: String,
    pub(super) text: &'a [u8],
}

/// Returns the present, as diff writes times.
pub(super) fn now() -> String {
    #[allow(clippy::disallowed_methods, reason = "the texts are made now, which their heads tell")]
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(now.as_secs()).unwrap_or_default();
    let text = Time::from_unix(seconds, 0).to_string();
    let text = text.trim_end_matches('Z').replace('T', " ");
    format!("{text}.{:09} +0000", now.subsec_nanos())
}

/// Formats the epoch as diff does.
pub(super) fn epoch() -> String {
    "1970-01-01 00:00:00.000000000 +0000".to_owned()
}

/// Returns the lines of a text, with their ends.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// Returns the differences of two texts; `None` if there are none.
pub(super) fn diff(sides: &[Side<'_>; 2], coloured: bool) -> Option<Vec<u8>> {
    let [from, to] = sides;
    if from.text == to.text {
        return None;
    }
    let (old, new) = (lines(from.text), lines(to.text));
    let changes = changes(&old, &new);
    let mut out = Vec::new();
    let colour = |out: &mut Vec<u8>, code: &str, line: &[u8]| {
        if !coloured {
            return out.extend_from_slice(line);
        }
        let (text, end) = match line.strip_suffix(b"\n") {
            Some(text) => (text, &b"\n"[..]),
            None => (line, &b""[..]),
        };
        out.extend_from_slice(format!("\x1b[{code}m").as_bytes());
        out.extend_from_slice(text);
        out.extend_from_slice(b"\x1b[0m");
        out.extend_from_slice(end);
    };
    let head = format!(
        "diff -u -N {} {}\n--- {}\t{}\n+++ {}\t{}\n",
        from.path, to.path, from.path, from.time, to.path, to.time
    );
    for line in head.split_inclusive('\n') {
        colour(&mut out, "1", line.as_bytes());
    }
    let mut rest = changes.as_slice();
    while let Some(first) = rest.first() {
        // Changes whose surroundings touch stand in one hunk.
        let count = 1 + rest.windows(2).take_while(|pair| touch(pair)).count();
        let (hunk, after) = rest.split_at(count);
        rest = after;
        let last = hunk.last().unwrap_or(first);
        let old_start = first.old.start.saturating_sub(CONTEXT);
        let new_start = first.new.start.saturating_sub(CONTEXT);
        let old_end = (last.old.end + CONTEXT).min(old.len());
        let new_end = (last.new.end + CONTEXT).min(new.len());
        let mut line = String::new();
        let _ = writeln!(line, "@@ -{} +{} @@", range(old_start, old_end), range(new_start, new_end));
        colour(&mut out, "36", line.as_bytes());
        let mut at = old_start;
        for change in hunk {
            for line in old.get(at..change.old.start).unwrap_or_default() {
                whole(&mut out, b' ', line);
            }
            for line in old.get(change.old.clone()).unwrap_or_default() {
                let mut text = Vec::new();
                whole(&mut text, b'-', line);
                colour(&mut out, "31", &text);
            }
            for line in new.get(change.new.clone()).unwrap_or_default() {
                let mut text = Vec::new();
                whole(&mut text, b'+', line);
                colour(&mut out, "32", &text);
            }
            at = change.old.end;
        }
        for line in old.get(at..old_end).unwrap_or_default() {
            whole(&mut out, b' ', line);
        }
    }
    Some(out)
}

fn touch(pair: &[super::lines::Change]) -> bool {
    matches!(pair, [one, next] if next.old.start - one.old.end <= 2 * CONTEXT)
}

/// Writes a marked line with a newline.
fn whole(out: &mut Vec<u8>, mark: u8, line: &[u8]) {
    out.push(mark);
    out.extend_from_slice(line);
    if !line.ends_with(b"\n") {
        out.extend_from_slice(b"\n\\ No newline at end of file\n");
    }
}

/// Lines by the first one and how many they are; of none, the one before them.
fn range(start: usize, end: usize) -> String {
    match end - start {
        0 => format!("{start},0"),
        1 => format!("{}", start + 1),
        count => format!("{},{count}", start + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(old: &str, new: &str) -> String {
        let sides = [
            Side { path: "a".to_owned(), time: "t".to_owned(), text: old.as_bytes() },
            Side { path: "b".to_owned(), time: "t".to_owned(), text: new.as_bytes() },
        ];
        diff(&sides, false).map(|text| String::from_utf8_lossy(&text).into_owned()).unwrap_or_default()
    }

    #[test]
    fn equal_texts_have_no_differences() {
        assert_eq!(check("a\n", "a\n"), "");
    }

    #[test]
    fn a_new_text_has_only_new_lines() {
        assert_eq!(check("", "a\nb\n"), "diff -u -N a b\n--- a\tt\n+++ b\tt\n@@ -0,0 +1,2 @@\n+a\n+b\n");
    }

    #[test]
    fn changes_far_from_each_other_stand_in_hunks_of_their_own() {
        let old: String = (0..20).map(|number| format!("{number}\n")).collect();
        let new = old.replacen("2\n", "x\n", 1).replace("17\n", "");
        let text = check(&old, &new);
        assert!(text.contains("@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+x\n 3\n 4\n 5\n@@ -15,6 +15,5 @@\n"), "{text}");
    }
}
