//! What the kernel says about the process. Where there is no `/proc`, nothing is told.

use std::fs;

use rhumb_metrics::{Kind, Text};

/// The kernel counts time in hundredths of a second and memory in pages of this size.
const TICKS: f64 = 100.0;
const PAGE: u64 = 4096;

pub(super) fn render(text: &mut Text) {
    let mut tell = |name: &str, kind: Kind, help: &str, value: Option<String>| {
        if let Some(value) = value {
            text.family(name, kind, help).sample("", value);
        }
    };
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program may hold anything; what counts begins behind its last parenthesis.
    let fields: Vec<&str> =
        stat.rsplit_once(')').map(|(_, rest)| rest.split_whitespace().collect()).unwrap_or_default();
    let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
    let used = number(11).zip(number(12)).map(|(user, system)| user.saturating_add(system));
    let seconds = |ticks: u64| (ticks as f64 / TICKS).to_string();
    tell("process_cpu_seconds_total", Kind::Counter, "Processor time in seconds.", used.map(seconds));
    tell("process_max_fds", Kind::Gauge, "How many files may be open.", largest_open());
    let open = fs::read_dir("/proc/self/fd").ok().map(|files| files.count().to_string());
    tell("process_open_fds", Kind::Gauge, "How many files are open.", open);
    let resident = number(21).map(|pages| pages.saturating_mul(PAGE).to_string());
    tell("process_resident_memory_bytes", Kind::Gauge, "Resident memory in bytes.", resident);
    let start = number(19).zip(boot_time()).map(|(ticks, boot)| (boot + ticks as f64 / TICKS).to_string());
    tell(
        "process_start_time_seconds",
        Kind::Gauge,
        "When the process started, in seconds since 1970.",
        start,
    );
    let address_space = number(20).map(|bytes| bytes.to_string());
    tell("process_virtual_memory_bytes", Kind::Gauge, "Address space in bytes.", address_space);
}

fn largest_open() -> Option<String> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next().map(str::to_owned)
}

fn boot_time() -> Option<f64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}
