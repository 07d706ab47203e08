//! A log file that is put aside when it is full.
//!
//! What is put aside is called by the time at which that was done, between the name and its ending, as
//! Kubernetes does it: `audit-2026-11-16T11-17-17.110.log`. Of those files only the newest are kept.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_meta::MicroTime;

use crate::base::environment::Clock;
use crate::filters::audit::Rotation;

const SECONDS_A_DAY: i64 = 24 * 60 * 60;

pub(super) struct LogFile {
    path: PathBuf,
    file: File,
    size: u64,
    rotation: Rotation,
    clock: Arc<dyn Clock>,
}

impl LogFile {
    /// Goes on with a file, or begins one.
    pub(super) fn open(path: &Path, rotation: Rotation, clock: Arc<dyn Clock>) -> io::Result<Self> {
        if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
            std::fs::create_dir_all(directory)?;
        }
        let (file, size) = open(path)?;
        Ok(LogFile { path: path.to_owned(), file, size, rotation, clock })
    }

    fn rotate(&mut self) -> io::Result<()> {
        let (seconds, nanos) = self.clock.now();
        let mut time = Vec::new();
        MicroTime::from_unix(seconds, i64::from(nanos)).write_rfc3339(&mut time);
        let time = String::from_utf8_lossy(&time).replace(':', "-");
        // Milliseconds are as exact as names are.
        let time = time.get(..23).unwrap_or(&time);
        let aside = self.path.with_file_name(format!("{}{time}{}", self.prefix(), self.ending()));
        std::fs::rename(&self.path, aside)?;
        (self.file, self.size) = open(&self.path)?;
        self.forget(seconds)
    }

    /// What names of files that were put aside begin with.
    fn prefix(&self) -> String {
        let stem = self.path.file_stem().unwrap_or_default();
        format!("{}-", stem.to_string_lossy())
    }

    fn ending(&self) -> String {
        let ending = self.path.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
        ending.unwrap_or_default()
    }

    /// Removes files that were put aside long ago, or before enough others.
    fn forget(&self, now: i64) -> io::Result<()> {
        let (prefix, ending) = (self.prefix(), self.ending());
        let directory = self.path.parent().filter(|directory| !directory.as_os_str().is_empty());
        let mut aside = Vec::new();
        for entry in std::fs::read_dir(directory.unwrap_or(Path::new(".")))? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let time = name.strip_prefix(&prefix).and_then(|rest| rest.strip_suffix(&ending));
            if let Some(seconds) = time.and_then(seconds) {
                aside.push((seconds, name, path));
            }
        }
        aside.sort();
        let surplus = match self.rotation.most_files {
            0 => 0,
            most => aside.len().saturating_sub(most),
        };
        let oldest = match self.rotation.most_days {
            0 => i64::MIN,
            days => now.saturating_sub(i64::from(days).saturating_mul(SECONDS_A_DAY)),
        };
        for (index, (time, _, path)) in aside.into_iter().enumerate() {
            if index < surplus || time < oldest {
                std::fs::remove_file(path)?;
            }
        }
        Ok(())
    }
}

/// The time in a name, as seconds since 1970.
fn seconds(text: &str) -> Option<i64> {
    let (day, time) = text.split_once('T')?;
    let time = format!("{day}T{}Z", time.replace('-', ":"));
    rhumb_meta::Time::parse(&time).ok().map(|time| time.unix_seconds())
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    let size = file.metadata()?.len();
    Ok((file, size))
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        let full =
            self.rotation.most_bytes > 0 && self.size.saturating_add(length) > self.rotation.most_bytes;
        if full && self.size > 0 {
            self.rotate()?;
        }
        self.file.write_all(bytes)?;
        self.size = self.size.saturating_add(length);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};
    use std::time::Duration;

    use super::*;

    struct Ticking(AtomicI64);

    impl Clock for Ticking {
        fn now(&self) -> (i64, u32) {
            (self.0.fetch_add(1, Ordering::Relaxed), 5_000_000)
        }

        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }
    }

    #[test]
    fn full_files_are_put_aside_and_the_oldest_removed() {
        let directory = std::env::temp_dir().join(format!("rhumb-audit-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&directory);
        let path = directory.join("audit.log");
        let rotation = Rotation { most_bytes: 10, most_files: 2, most_days: 1 };
        let clock = Arc::new(Ticking(AtomicI64::new(1_000_000_000)));
        let mut log = LogFile::open(&path, rotation, clock).unwrap();
        for line in ["one..\n", "two\n", "three\n", "four..\n", "five..\n"] {
            log.write_all(line.as_bytes()).unwrap();
        }
        let mut names: Vec<String> = std::fs::read_dir(&directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["audit-2001-09-09T01-46-41.005.log", "audit-2001-09-09T01-46-42.005.log", "audit.log"]
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "five..\n");
        drop(log);
        std::fs::remove_dir_all(&directory).unwrap();
    }
}
