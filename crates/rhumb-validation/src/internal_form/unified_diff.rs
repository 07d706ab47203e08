//! The difference of two texts as a unified diff, exactly as Kubernetes prints it.
//!
//! The longest run of lines that both texts have splits them in two, and the same is done with what is left on either
//! side. What differs is shown with three lines around it. Lines that are everywhere in a long text start no run.

use std::collections::HashMap;
use std::fmt::Write;
use std::ops::Range;

/// How many equal lines are shown around a difference.
const AROUND: usize = 3;
/// From how many lines on a text is long.
const LONG: usize = 200;

/// Lines that both texts have.
#[derive(Clone, Copy)]
struct Run {
    old: usize,
    new: usize,
    length: usize,
}

/// A part of both texts, which is the same in both or not.
#[derive(Clone)]
struct Part {
    same: bool,
    old: Range<usize>,
    new: Range<usize>,
}

/// The diff, empty if the texts are the same.
pub(super) fn unified_diff(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut out = String::new();
    for group in groups(parts(&old, &new)) {
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let (of_old, of_new) = (first.old.start..last.old.end, first.new.start..last.new.end);
        _ = writeln!(out, "@@ -{} +{} @@", span(&of_old), span(&of_new));
        for part in group {
            let mut show = |mark: char, lines: Option<&[&str]>| {
                for line in lines.unwrap_or_default() {
                    _ = writeln!(out, "{mark}{line}");
                }
            };
            if part.same {
                show(' ', old.get(part.old));
            } else {
                show('-', old.get(part.old));
                show('+', new.get(part.new));
            }
        }
    }
    out
}

fn span(lines: &Range<usize>) -> String {
    match lines.len() {
        1 => (lines.start + 1).to_string(),
        0 => format!("{},0", lines.start),
        length => format!("{},{length}", lines.start + 1),
    }
}

/// The texts cut into parts.
fn parts(old: &[&str], new: &[&str]) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut at_old, mut at_new) = (0, 0);
    let end = Run { old: old.len(), new: new.len(), length: 0 };
    for run in runs(old, new).into_iter().chain([end]) {
        if at_old < run.old || at_new < run.new {
            parts.push(Part { same: false, old: at_old..run.old, new: at_new..run.new });
        }
        (at_old, at_new) = (run.old + run.length, run.new + run.length);
        if run.length > 0 {
            parts.push(Part { same: true, old: run.old..at_old, new: run.new..at_new });
        }
    }
    parts
}

/// The runs in their order, those that touch each other as one.
fn runs(old: &[&str], new: &[&str]) -> Vec<Run> {
    let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, line) in new.iter().enumerate() {
        places.entry(line).or_default().push(index);
    }
    if new.len() >= LONG {
        places.retain(|_, indices| indices.len() <= new.len() / 100 + 1);
    }
    let mut found = Vec::new();
    let mut left = vec![(0..old.len(), 0..new.len())];
    while let Some((of_old, of_new)) = left.pop() {
        let run = longest(old, new, &places, &of_old, &of_new);
        if run.length > 0 {
            let (after_old, after_new) = (run.old + run.length, run.new + run.length);
            for (of_old, of_new) in
                [(of_old.start..run.old, of_new.start..run.new), (after_old..of_old.end, after_new..of_new.end)]
            {
                if !of_old.is_empty() && !of_new.is_empty() {
                    left.push((of_old, of_new));
                }
            }
            found.push(run);
        }
    }
    found.sort_by_key(|run| run.old);
    let mut joined: Vec<Run> = Vec::new();
    for run in found {
        match joined.last_mut() {
            Some(last) if last.old + last.length == run.old && last.new + last.length == run.new => {
                last.length += run.length;
            }
            _ => joined.push(run),
        }
    }
    joined
}

/// The longest run in a part of each text; of several the first.
fn longest(
    old: &[&str],
    new: &[&str],
    places: &HashMap<&str, Vec<usize>>,
    of_old: &Range<usize>,
    of_new: &Range<usize>,
) -> Run {
    let mut best = Run { old: of_old.start, new: of_new.start, length: 0 };
    // How long the run is that ends before each line of the new text.
    let mut ending: HashMap<usize, usize> = HashMap::new();
    for (at_old, line) in old.iter().enumerate().take(of_old.end).skip(of_old.start) {
        let mut next = HashMap::new();
        for &at_new in places.get(line).into_iter().flatten().filter(|at| of_new.contains(at)) {
            let length = ending.get(&at_new).copied().unwrap_or_default() + 1;
            next.insert(at_new + 1, length);
            if length > best.length {
                best = Run { old: at_old + 1 - length, new: at_new + 1 - length, length };
            }
        }
        ending = next;
    }
    // Lines that start no run still belong to one that they touch.
    while best.old > of_old.start && best.new > of_new.start && old.get(best.old - 1) == new.get(best.new - 1) {
        best = Run { old: best.old - 1, new: best.new - 1, length: best.length + 1 };
    }
    while best.old + best.length < of_old.end
        && best.new + best.length < of_new.end
        && old.get(best.old + best.length) == new.get(best.new + best.length)
    {
        best.length += 1;
    }
    best
}

/// The parts that are shown together: differences with less than two times the lines around them in between.
fn groups(mut parts: Vec<Part>) -> Vec<Vec<Part>> {
    if let Some(first) = parts.first_mut().filter(|part| part.same) {
        *first = tail(first);
    }
    if let Some(last) = parts.last_mut().filter(|part| part.same) {
        *last = head(last);
    }
    let mut groups = Vec::new();
    let mut group = Vec::new();
    for part in parts {
        if part.same && part.old.len() > 2 * AROUND {
            group.push(head(&part));
            groups.push(std::mem::take(&mut group));
            group.push(tail(&part));
        } else {
            group.push(part);
        }
    }
    groups.push(group);
    groups.retain(|group| group.iter().any(|part| !part.same));
    groups
}

fn head(part: &Part) -> Part {
    let length = part.old.len().min(AROUND);
    Part {
        same: part.same,
        old: part.old.start..part.old.start + length,
        new: part.new.start..part.new.start + length,
    }
}

fn tail(part: &Part) -> Part {
    let length = part.old.len().min(AROUND);
    Part { same: part.same, old: part.old.end - length..part.old.end, new: part.new.end - length..part.new.end }
}
