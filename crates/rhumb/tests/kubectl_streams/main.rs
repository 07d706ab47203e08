//! The commands of kubectl that lead into containers, against a server with a stand-in for a kubelet behind it.
//!
//! They are sessions like those of `tests/kubectl`. With `RHUMB_TEST_KUBECTL`, which names a kubectl of Kubernetes'
//! own, they are replayed with that one, as `cargo xtask test --clients --only kubectl-1.36-streams` does; with
//! `RHUMB_TEST_RECORD` too its answers are written into the files.

#[path = "../kubectl/compare.rs"]
mod compare;
#[path = "../support/kubelet/mod.rs"]
mod kubelet;
#[path = "../kubectl/mask.rs"]
mod mask;
#[path = "../kubectl/replay.rs"]
mod replay;
#[path = "../kubectl/session.rs"]
mod session;

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use compare::Verdict;
use kubelet::Kubelet;
use replay::Programs;

/// Sessions whose answers are Rhumb's own, because it is clearer on purpose.
const OWN: [&str; 1] = ["clearer.session"];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kubectl_streams")
}

/// Does something with every session, each with a stand-in of its own.
fn replay_with(kubectl: &Path, play: fn(&Path, &Programs) -> Verdict) {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let mut files = compare::files(&here().join("sessions")).expect("the sessions can be read");
    if let Ok(part) = std::env::var("RHUMB_TEST_SESSIONS") {
        files.retain(|file| file.to_string_lossy().contains(&part));
    }
    if kubectl != Path::new(env!("CARGO_BIN_EXE_rhumb")) {
        files.retain(|file| !OWN.iter().any(|own| file.ends_with(own)));
    }
    let verdicts = compare::for_each(&files, |file| {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = scratch.join(format!("pod-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&root).expect("a directory");
        let kubelet = runtime.block_on(Kubelet::start_in(root.clone()));
        let text = |value: &Path| value.to_string_lossy().into_owned();
        let environment = [
            ("KUBELET_PORT", kubelet.address().port().to_string()),
            ("POD", text(&root)),
            ("CLUSTER", text(&here().join("cluster.sh"))),
        ];
        let programs = Programs {
            server: PathBuf::from(env!("CARGO_BIN_EXE_rhumb")),
            kubectl: kubectl.to_owned(),
            scratch: scratch.clone(),
            environment: environment.map(|(name, value)| (name.to_owned(), value)).to_vec(),
        };
        let verdict = play(file, &programs);
        let _ = std::fs::remove_dir_all(root);
        verdict
    });
    let sum = |count: fn(&Verdict) -> usize| verdicts.iter().map(count).sum::<usize>();
    let (commands, different) = (sum(|verdict| verdict.commands), sum(|verdict| verdict.different));
    let report: String = verdicts.iter().map(|verdict| verdict.report.as_str()).collect();
    assert!(different == 0, "{different} of {commands} commands answer otherwise:\n{report}");
}

#[test]
fn kubectl_answers_as_recorded() {
    let named = std::env::var_os("RHUMB_TEST_KUBECTL").map(PathBuf::from);
    let play = match std::env::var_os("RHUMB_TEST_RECORD") {
        Some(_) if named.is_none() => {
            panic!("answers are those of the kubectl that RHUMB_TEST_KUBECTL names")
        }
        Some(_) => compare::record,
        None => compare::check,
    };
    replay_with(&named.unwrap_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_rhumb"))), play);
}
