//! `--record`: stores the command line in the changed object.

use std::fmt::Write;

use rhumb_cli::Call;
use rhumb_cli::command::Flag;
use rhumb_scheme::Unstructured;
use serde_json::Value;

use crate::metadata::{annotations, set_annotations};

/// Name of the annotation.
pub(crate) const ANNOTATION: &str = "kubernetes.io/change-cause";

/// The flag.
pub(crate) static FLAGS: &[Flag] = &[Flag::bool("record", "Keep this command line in an annotation.")
    .deprecated("--record will be removed in the future")];

/// The command line to record, if wanted.
pub(crate) struct Recorder(Option<String>);

impl Recorder {
    /// Reads the flag.
    pub(crate) fn of(call: &Call) -> Self {
        Recorder(call.flags.bool("record").then(|| command_line(call, std::env::args().skip(1))))
    }

    /// Records it in an object.
    pub(crate) fn record(&self, object: &mut Unstructured) {
        if let Some(cause) = &self.0 {
            let mut found = annotations(object);
            found.insert(ANNOTATION.to_owned(), cause.clone());
            set_annotations(object, found);
        }
    }

    /// Returns the merge patch that records it in an object, if there is something to record.
    pub(crate) fn patch(&self, object: &Unstructured) -> Option<Value> {
        self.0.as_ref()?;
        let mut recorded = object.clone();
        self.record(&mut recorded);
        rhumb_patch::merge::create_two_way(object.tree(), recorded.tree()).ok()
    }
}

/// Returns the words of a command line, and behind them its flags with their values.
fn command_line(call: &Call, mut args: impl Iterator<Item = String>) -> String {
    let (mut words, mut flags) = (call.program().to_owned(), String::new());
    let mut note = |name: &str, value: &str| {
        let _ = write!(flags, " --{name}={value}");
    };
    while let Some(arg) = args.next() {
        if arg == "--" {
            break;
        }
        if let Some(long) = arg.strip_prefix("--") {
            let (name, given) =
                long.split_once('=').map_or((long, None), |(name, value)| (name, Some(value)));
            match (given, call.flags.find(name).and_then(|flag| flag.bare)) {
                (Some(value), _) => note(name, value),
                (None, Some(bare)) => note(name, bare),
                (None, None) => note(name, &args.next().unwrap_or_default()),
            }
        } else if let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) {
            let mut rest = letters;
            while let Some(letter) = rest.chars().next() {
                let after = rest.get(letter.len_utf8()..).unwrap_or_default();
                let Some(flag) = call.flags.find_short(letter) else { break };
                match (after.strip_prefix('='), flag.bare) {
                    (Some(value), _) => note(flag.name, value),
                    (None, Some(bare)) => {
                        note(flag.name, bare);
                        rest = after;
                        continue;
                    }
                    (None, None) if after.is_empty() => note(flag.name, &args.next().unwrap_or_default()),
                    (None, None) => note(flag.name, after),
                }
                break;
            }
        } else {
            let _ = write!(words, " {arg}");
        }
    }
    for arg in args {
        let _ = write!(words, " {arg}");
    }
    words + &flags
}
