//! Version of a server.

use rhumb_schema::Schema;

/// The version of a server, as `/version` answers.
#[derive(Clone, Default, Schema)]
pub struct VersionInfo {
    /// `1`
    #[field(0, required)]
    pub major: String,
    /// `36`, sometimes with a sign behind it.
    #[field(0, required)]
    pub minor: String,
    /// The major version that it behaves like.
    #[field(0)]
    pub emulation_major: String,
    /// The minor version that it behaves like.
    #[field(0)]
    pub emulation_minor: String,
    /// The oldest major version that it can work beside.
    #[field(0)]
    pub min_compatibility_major: String,
    /// The oldest minor version that it can work beside.
    #[field(0)]
    pub min_compatibility_minor: String,
    /// The whole version: `v1.36.4`.
    #[field(0, required)]
    pub git_version: String,
    /// What it was built from.
    #[field(0, required)]
    pub git_commit: String,
    /// `clean` or `dirty`.
    #[field(0, required)]
    pub git_tree_state: String,
    /// When it was built.
    #[field(0, required)]
    pub build_date: String,
    /// What it was built with.
    #[field(0, required)]
    pub go_version: String,
    /// The compiler.
    #[field(0, required)]
    pub compiler: String,
    /// What it was built for: `linux/amd64`.
    #[field(0, required)]
    pub platform: String,
}
