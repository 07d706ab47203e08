//! Processor time and priority of the calling thread.

use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Clock ticks per second.
const TICKS: f64 = 100.0;

fn this() -> Option<PathBuf> {
    std::fs::read_link("/proc/thread-self").ok()
}

/// Returns the thread's processor time in seconds.
pub(crate) fn busy() -> f64 {
    let stat =
        this().and_then(|path| std::fs::read_to_string(PathBuf::from("/proc").join(path).join("stat")).ok());
    let stat = stat.unwrap_or_default();
    // The name of the thread is in parentheses and may have blanks; what follows has none.
    let rest = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = rest.split_whitespace().skip(11).take(2).filter_map(|tick| tick.parse::<f64>().ok());
    ticks.sum::<f64>() / TICKS
}

/// Lets every other thread of the machine go before the calling one. If that can't be had, it goes on as it is.
pub(crate) fn step_back(nice: u8) {
    let id = this().and_then(|path| Some(path.file_name()?.to_str()?.to_owned()));
    if let Some(id) = id {
        let mut renice = Command::new("renice");
        renice.args(["-n", &nice.to_string(), "-p", &id]);
        let _ = renice.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
}
