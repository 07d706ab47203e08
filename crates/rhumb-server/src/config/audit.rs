//! What is written about requests, and where.

use super::{Setting, Takes, path};

/// A number that is not negative, or what is said otherwise.
fn number<N: std::str::FromStr>(name: &str, value: &str) -> Result<N, String> {
    if value.starts_with('-') && value.parse::<i64>().is_ok() {
        return Err(format!("--{name} {value} can't be a negative number"));
    }
    value.parse().map_err(|_| format!("{value:?} is not a number"))
}

pub(super) const POLICY: Setting = Setting {
    name: "audit-policy-file",
    takes: Takes::Value("FILE"),
    help: "Which requests are written to the audit log, and how much of them; without it none are",
    apply: |options, value| {
        options.audit.policy_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const PATH: Setting = Setting {
    name: "audit-log-path",
    takes: Takes::Value("FILE"),
    help: "The audit log; - for the standard output",
    apply: |options, value| {
        options.audit.log_path = Some(path(value)?);
        Ok(())
    },
};

pub(super) const AGE: Setting = Setting {
    name: "audit-log-maxage",
    takes: Takes::Value("DAYS"),
    help: "How long full audit logs are kept; 0 for ever [default: 366]",
    apply: |options, value| {
        options.audit.rotation.most_days = number("audit-log-maxage", value)?;
        Ok(())
    },
};

pub(super) const BACKUPS: Setting = Setting {
    name: "audit-log-maxbackup",
    takes: Takes::Value("NUMBER"),
    help: "How many full audit logs are kept; 0 for all [default: 100]",
    apply: |options, value| {
        options.audit.rotation.most_files = number("audit-log-maxbackup", value)?;
        Ok(())
    },
};

pub(super) const SIZE: Setting = Setting {
    name: "audit-log-maxsize",
    takes: Takes::Value("MEGABYTES"),
    help: "How large the audit log becomes before it is put aside; 0 for as large as it gets [default: 100]",
    apply: |options, value| {
        let megabytes: u32 = number("audit-log-maxsize", value)?;
        options.audit.rotation.most_bytes = u64::from(megabytes) << 20;
        Ok(())
    },
};

pub(super) const FORMAT: Setting = Setting {
    name: "audit-log-format",
    takes: Takes::Value("json"),
    help: "The form of the audit log: JSON, an event in a line",
    apply: |_, value| match value {
        "json" => Ok(()),
        other => Err(format!("invalid audit log format {other}, allowed formats are \"json\"")),
    },
};
