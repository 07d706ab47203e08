//! The kubectl in the binary against recorded sessions of Kubernetes' own.
//!
//! Every file under `sessions/` is replayed with a server of its own. `RHUMB_TEST_SESSIONS` takes only those whose
//! path contains a text. Whether the real kubectl still answers so is seen with `tool.rs`, which also records; the
//! real one takes many minutes for all of them.

mod compare;
mod mask;
mod replay;
mod session;

use std::path::{Path, PathBuf};

use compare::Verdict;
use replay::Programs;

fn recorded() -> Vec<PathBuf> {
    let sessions = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl/sessions");
    let mut files = compare::files(&sessions).expect("the sessions can be read");
    if let Ok(part) = std::env::var("RHUMB_TEST_SESSIONS") {
        files.retain(|file| file.to_string_lossy().contains(&part));
    }
    files
}

#[test]
fn the_binary_answers_as_recorded() {
    let programs = Programs {
        server: PathBuf::from(env!("CARGO_BIN_EXE_rhumb")),
        kubectl: PathBuf::from(env!("CARGO_BIN_EXE_rhumb")),
        scratch: PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
        environment: Vec::new(),
    };
    let files = recorded();
    // Some sessions hold limits of a second or two, which a busy machine may miss: one that differs is replayed once
    // more, alone with what else differed.
    let mut verdicts = compare::for_each(&files, |file| compare::check(file, &programs));
    for (file, verdict) in files.iter().zip(&mut verdicts).filter(|(_, verdict)| verdict.different > 0) {
        *verdict = compare::check(file, &programs);
    }
    let sum = |count: fn(&Verdict) -> usize| verdicts.iter().map(count).sum::<usize>();
    let (commands, different) = (sum(|verdict| verdict.commands), sum(|verdict| verdict.different));
    let report: String = verdicts.iter().map(|verdict| verdict.report.as_str()).collect();
    assert!(different == 0, "{different} of {commands} commands answer otherwise:\n{report}");
}

/// A file that reads back otherwise than it was written would hide a part of an answer.
#[test]
fn sessions_are_written_as_they_are_read() {
    for file in recorded() {
        let text = std::fs::read_to_string(&file).expect("it can be read");
        let session = compare::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(session.to_text(), text, "{}", file.display());
    }
}
