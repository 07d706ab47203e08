//! Replays session files and tells what differs.
#![allow(dead_code, reason = "not everyone who compares records as well")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::replay::{self, Programs};
use crate::session::{Session, difference};

/// How many sessions run at the same time.
const THREADS: usize = 3;

/// How many commands ran, and those that answered otherwise than recorded.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// How many commands ran.
    pub(crate) commands: usize,
    /// How many of them differ.
    pub(crate) different: usize,
    /// What differs, to be read.
    pub(crate) report: String,
}

/// All session files under a directory, or the file itself.
pub(crate) fn files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut found = Vec::new();
    for entry in fs::read_dir(path)? {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|extension| extension == "session") {
            found.extend(files(&path)?);
        }
    }
    found.sort();
    Ok(found)
}

/// Reads a session file.
pub(crate) fn read(path: &Path) -> Result<Session, String> {
    let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
    Session::parse(&text)
}

/// Replays a file and compares every answer with the recorded one.
pub(crate) fn check(path: &Path, programs: &Programs) -> Verdict {
    let played = read(path).and_then(|session| {
        let found = replay::replay(&session, programs).map_err(|error| error.to_string())?;
        Ok((session, found))
    });
    let (session, found) = match played {
        Ok(played) => played,
        Err(error) => {
            let report = format!("== {}: {error}\n", path.display());
            return Verdict { commands: 0, different: 1, report };
        }
    };
    let mask = replay::mask(&session);
    let mut verdict = Verdict { commands: session.steps.len(), ..Verdict::default() };
    for (step, found) in session.steps.iter().zip(&found) {
        // Recorded answers are masked by an older version of the masks, perhaps, or by hand.
        let (expected, found) = (mask.answer(&step.answer), mask.answer(found));
        if expected == found {
            continue;
        }
        verdict.different += 1;
        let (expected, found) = (expected.to_lines(), found.to_lines());
        let command = step.script.join("\n  > ");
        verdict.report.push_str(&format!("  $ {command}\n{}", difference(&expected, &found)));
    }
    if verdict.different > 0 {
        let head = format!("== {}: {} of {} differ\n", path.display(), verdict.different, verdict.commands);
        verdict.report.insert_str(0, &head);
    }
    verdict
}

/// Replays a file and writes the answers into it.
pub(crate) fn record(path: &Path, programs: &Programs) -> Verdict {
    let recorded = read(path).and_then(|mut session| {
        let found = replay::replay(&session, programs).map_err(|error| error.to_string())?;
        for (step, found) in session.steps.iter_mut().zip(found) {
            step.answer = found;
        }
        fs::write(path, session.to_text()).map_err(|error| error.to_string())?;
        Ok(session.steps.len())
    });
    match recorded {
        Ok(commands) => Verdict { commands, ..Verdict::default() },
        Err(error) => {
            Verdict { report: format!("== {}: {error}\n", path.display()), different: 1, commands: 0 }
        }
    }
}

/// Does something with every file, a few at a time; the results are in the order of the files.
pub(crate) fn for_each<R: Send>(files: &[PathBuf], work: impl Fn(&Path) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                while let Some((index, file)) = {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    files.get(index).map(|file| (index, file))
                } {
                    let result = work(file);
                    if let Ok(mut results) = results.lock() {
                        results.push((index, result));
                    }
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(index, _)| *index);
    results.into_iter().map(|(_, result)| result).collect()
}
