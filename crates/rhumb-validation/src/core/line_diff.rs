//! Unified line diffs, as Kubernetes shows them when a pod may not change.
//!
//! The algorithm is that of Ratcliff and Obershelp in the form that Python's `difflib` made known: the longest run of
//! equal lines is taken, then the same is done on both sides of it. Its results are part of the message, so its
//! details are kept: in texts of 200 lines and more a line that is very common starts no run.

use std::collections::HashMap;

use rhumb_schema::budget;

/// Lines that are shown around a change.
const CONTEXT: usize = 3;
/// Texts with fewer lines have no common lines.
const LONG: usize = 200;
/// How many pairs of lines are compared. The algorithm takes time that grows with the third power of the lines if a
/// text is made for that; what it has not found by then counts as changed.
const MAX_PAIRS: usize = 4_000_000;

/// A run of equal lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    old: usize,
    new: usize,
    len: usize,
}

/// What becomes of a range of old lines: it stays, or a range of new lines takes its place.
#[derive(Clone, Copy, Debug)]
struct Step {
    stays: bool,
    old: (usize, usize),
    new: (usize, usize),
}

/// Returns the difference of two texts, empty if there is none.
pub(super) fn unified(old: &str, new: &str) -> String {
    let old: Vec<&str> = old.split('\n').collect();
    let new: Vec<&str> = new.split('\n').collect();
    let mut out = String::new();
    for group in groups(&steps(&old, &new)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (old_range, new_range) = (range(first.old.0, last.old.1), range(first.new.0, last.new.1));
        out.push_str(&format!("@@ -{old_range} +{new_range} @@\n"));
        for step in &group {
            let mut lines = |sign: char, lines: &[&str], (from, to): (usize, usize)| {
                for line in lines.get(from..to).unwrap_or_default() {
                    out.push(sign);
                    out.push_str(line);
                    out.push('\n');
                }
            };
            if step.stays {
                lines(' ', &old, step.old);
            } else {
                lines('-', &old, step.old);
                lines('+', &new, step.new);
            }
        }
    }
    out
}

fn range(start: usize, end: usize) -> String {
    match end.saturating_sub(start) {
        1 => format!("{}", start + 1),
        0 => format!("{start},0"),
        len => format!("{},{len}", start + 1),
    }
}

fn steps(old: &[&str], new: &[&str]) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut i, mut j) = (0, 0);
    for run in runs(old, new) {
        if i < run.old || j < run.new {
            steps.push(Step { stays: false, old: (i, run.old), new: (j, run.new) });
        }
        (i, j) = (run.old + run.len, run.new + run.len);
        if run.len > 0 {
            steps.push(Step { stays: true, old: (run.old, i), new: (run.new, j) });
        }
    }
    steps
}

/// Returns all runs in order, neighbours joined, with an empty one at the end.
fn runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, line) in new.iter().enumerate() {
        places.entry(line).or_default().push(at);
    }
    if new.len() >= LONG {
        places.retain(|_, places| places.len() <= new.len() / 100 + 1);
    }
    let mut found = Vec::new();
    let mut pairs = 0;
    let mut open = vec![((0, old.len()), (0, new.len()))];
    while let Some((in_old, in_new)) = open.pop() {
        if pairs > MAX_PAIRS || budget::is_stopped() {
            break;
        }
        let run = longest(old, new, &places, in_old, in_new, &mut pairs);
        if run.len > 0 {
            found.push(run);
            open.push(((in_old.0, run.old), (in_new.0, run.new)));
            open.push(((run.old + run.len, in_old.1), (run.new + run.len, in_new.1)));
        }
    }
    found.sort_by_key(|run| (run.old, run.new));
    let mut joined: Vec<Run> = Vec::new();
    for run in found {
        match joined.last_mut() {
            Some(last) if last.old + last.len == run.old && last.new + last.len == run.new => {
                last.len += run.len
            }
            _ => joined.push(run),
        }
    }
    joined.push(Run { old: old.len(), new: new.len(), len: 0 });
    joined
}

/// Returns the longest run within ranges, of several the one that starts first in the old text, then in the new one.
fn longest(
    old: &[&str],
    new: &[&str],
    places: &HashMap<&str, Vec<usize>>,
    in_old: (usize, usize),
    in_new: (usize, usize),
    pairs: &mut usize,
) -> Run {
    let mut best = Run { old: in_old.0, new: in_new.0, len: 0 };
    let mut lengths: HashMap<usize, usize> = HashMap::new();
    for (i, line) in old.iter().enumerate().take(in_old.1).skip(in_old.0) {
        let mut next = HashMap::new();
        let places = places.get(line).map(Vec::as_slice).unwrap_or_default();
        let first = places.partition_point(|j| *j < in_new.0);
        *pairs += 1;
        for &j in places.iter().skip(first).take_while(|j| **j < in_new.1) {
            *pairs += 1;
            let before =
                j.checked_sub(1).and_then(|before| lengths.get(&before)).copied().unwrap_or_default();
            let len = before + 1;
            next.insert(j, len);
            if len > best.len {
                best = Run { old: i + 1 - len, new: j + 1 - len, len };
            }
        }
        lengths = next;
        if *pairs > MAX_PAIRS || budget::is_stopped() {
            break;
        }
    }
    // Common lines start no run but may belong to one.
    while best.old > in_old.0 && best.new > in_new.0 && old.get(best.old - 1) == new.get(best.new - 1) {
        best = Run { old: best.old - 1, new: best.new - 1, len: best.len + 1 };
    }
    while best.old + best.len < in_old.1
        && best.new + best.len < in_new.1
        && old.get(best.old + best.len) == new.get(best.new + best.len)
    {
        best.len += 1;
    }
    best
}

/// Changes with the lines around them, those together that would overlap.
fn groups(steps: &[Step]) -> Vec<Vec<Step>> {
    let mut groups = Vec::new();
    let mut group: Vec<Step> = Vec::new();
    let last = steps.len().saturating_sub(1);
    for (index, step) in steps.iter().enumerate() {
        let mut step = *step;
        if step.stays && index == 0 {
            step = tail(step);
        }
        if step.stays && index == last {
            step = head(step);
        }
        if step.stays && step.old.1 - step.old.0 > 2 * CONTEXT {
            group.push(head(step));
            groups.push(std::mem::take(&mut group));
            step = tail(step);
        }
        group.push(step);
    }
    groups.push(group);
    groups.retain(|group| group.iter().any(|step| !step.stays));
    groups
}

fn head(step: Step) -> Step {
    let len = (step.old.1 - step.old.0).min(CONTEXT);
    Step { old: (step.old.0, step.old.0 + len), new: (step.new.0, step.new.0 + len), ..step }
}

fn tail(step: Step) -> Step {
    let len = (step.old.1 - step.old.0).min(CONTEXT);
    Step { old: (step.old.1 - len, step.old.1), new: (step.new.1 - len, step.new.1), ..step }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_line_stands_between_its_neighbours() {
        let diff = unified("a\nb\nc\nd\ne\nf\ng\nh", "a\nb\nc\nd\nE\nf\ng\nh");
        assert_eq!(diff, "@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n");
    }

    #[test]
    fn changes_far_apart_are_shown_apart() {
        let old: Vec<String> = (0..30).map(|number| number.to_string()).collect();
        let mut new = old.clone();
        new[2] = "two".into();
        new.remove(25);
        let expected = "@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+two\n 3\n 4\n 5\n\
                        @@ -23,7 +23,6 @@\n 22\n 23\n 24\n-25\n 26\n 27\n 28\n";
        assert_eq!(unified(&old.join("\n"), &new.join("\n")), expected);
    }

    #[test]
    fn texts_that_are_made_to_be_hard_to_compare_end() {
        // Each line stands there as often as a line may that is not common, and no two runs are long.
        let text = |factor: usize| -> String {
            (0..20_000).map(|line| format!("{}\n", line * factor % 20_011 % 199)).collect()
        };
        let diff = unified(&text(7), &text(11));
        assert!(diff.starts_with("@@ -"), "{}", &diff[..40]);
    }

    #[test]
    fn equal_texts_have_no_difference() {
        assert_eq!(unified("a\nb", "a\nb"), "");
    }
}
