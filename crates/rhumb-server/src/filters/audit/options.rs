//! What is written to the audit log, and where.

use std::path::PathBuf;

/// What is written about requests, and where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AuditOptions {
    /// The file of the policy. Without it nothing is written.
    pub policy_file: Option<PathBuf>,
    /// The log; `-` for the standard output. Without it nothing is written.
    pub log_path: Option<PathBuf>,
    /// When the log is put aside, and how long that is kept.
    pub rotation: Rotation,
}

/// When a log is put aside, and how much of that is kept. Nothing is bounded by 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// How large it may become.
    pub most_bytes: u64,
    /// How many that were put aside are kept.
    pub most_files: usize,
    /// For how many days they are.
    pub most_days: u32,
}

impl Default for Rotation {
    fn default() -> Self {
        Rotation { most_bytes: 100 << 20, most_files: 100, most_days: 366 }
    }
}
