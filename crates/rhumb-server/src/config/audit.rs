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
    help: "Audit policy file; without it nothing is audited",
    apply: |options, value| {
        options.audit.policy_file = Some(path(value)?);
        Ok(())
    },
};

pub(super) const PATH: Setting = Setting {
    name: "audit-log-path",
    takes: Takes::Value("FILE"),
    help: "Audit log file; - writes to standard output",
    apply: |options, value| {
        options.audit.log_path = Some(path(value)?);
        Ok(())
    },
};

pub(super) const AGE: Setting = Setting {
    name: "audit-log-maxage",
    takes: Takes::Value("DAYS"),
    help: "Days to keep rotated audit logs; 0 keeps them for ever [default: 366]",
    apply: |options, value| {
        options.audit.rotation.most_days = number("audit-log-maxage", value)?;
        Ok(())
    },
};

pub(super) const BACKUPS: Setting = Setting {
    name: "audit-log-maxbackup",
    takes: Takes::Value("NUMBER"),
    help: "Number of rotated audit logs to keep; 0 keeps all [default: 100]",
    apply: |options, value| {
        options.audit.rotation.most_files = number("audit-log-maxbackup", value)?;
        Ok(())
    },
};

pub(super) const SIZE: Setting = Setting {
    name: "audit-log-maxsize",
    takes: Takes::Value("MEGABYTES"),
    help: "Size in MiB at which the audit log is rotated; 0 disables rotation [default: 100]",
    apply: |options, value| {
        let megabytes: u32 = number("audit-log-maxsize", value)?;
        options.audit.rotation.most_bytes = u64::from(megabytes) << 20;
        Ok(())
    },
};

pub(super) const FORMAT: Setting = Setting {
    name: "audit-log-format",
    takes: Takes::Value("json"),
    help: "Format of the audit log: json, one event per line",
    apply: |_, value| match value {
        "json" => Ok(()),
        other => Err(format!("invalid audit log format {other}, allowed formats are \"json\"")),
    },
};
