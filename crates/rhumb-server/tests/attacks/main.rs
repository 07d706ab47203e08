//! Attacks that others suffered, tried on this server; SECURITY.md says which test stands for which of them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may stop at the first surprise"
)]

#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "../front/authority.rs"]
mod authority;
#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "../front/client.rs"]
mod client;
#[path = "../inside/mod.rs"]
mod inside;
#[allow(dead_code, reason = "every test uses a part of it")]
#[path = "../front/issuer.rs"]
mod issuer;
#[path = "../../../rhumb/tests/support/kubelet/mod.rs"]
mod kubelet;

mod bombs;
mod dice;
mod faults;
mod hostile;
mod issuers;
mod labels;
mod logs;
mod promises;
mod proxies;
mod scopes;
mod slow;
mod sockets;
mod watches;

/// Held by what measures the memory of the process, so that it measures its own.
static MEASURING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

/// The resident memory of the process, in kilobytes.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// The options of a server on this machine, with some of them set.
fn options(settings: &[(&str, &str)]) -> rhumb_server::config::Options {
    let mut options = rhumb_server::config::Options {
        storage: rhumb_server::config::Storage::InMemory,
        ..Default::default()
    };
    for (name, value) in settings {
        options.apply(name, value).unwrap();
    }
    options.listen = ([127, 0, 0, 1], 0).into();
    options
}

/// A user of a name, in no group.
fn user(name: &str) -> rhumb_server::identity::User {
    rhumb_server::identity::User { name: name.to_owned(), ..Default::default() }
}
