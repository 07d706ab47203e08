//! Request filter of the proxy.

use regex::Regex;
use rhumb_cli::Failure;
use rhumb_cli::command::Flags;

/// Filters requests by method, path and host.
pub(super) struct Filter {
    accept_paths: Vec<Regex>,
    reject_paths: Vec<Regex>,
    accept_hosts: Vec<Regex>,
    reject_methods: Vec<Regex>,
}

impl Filter {
    /// Reads the flags.
    pub(super) fn new(flags: &Flags) -> Result<Self, Failure> {
        let list = |name: &str| expressions(flags.text(name));
        Ok(Filter {
            accept_paths: list("accept-paths")?,
            reject_paths: list("reject-paths")?,
            accept_hosts: list("accept-hosts")?,
            reject_methods: list("reject-methods")?,
        })
    }

    /// Reports whether a request is taken. The host may have a port.
    pub(super) fn accepts(&self, method: &str, path: &str, host: &str) -> bool {
        let matches = |text: &str, all: &[Regex]| all.iter().any(|expression| expression.is_match(text));
        !matches(path, &self.reject_paths)
            && !matches(method, &self.reject_methods)
            && matches(path, &self.accept_paths)
            && matches(without_port(host), &self.accept_hosts)
    }
}

/// Expressions with commas between them.
fn expressions(list: &str) -> Result<Vec<Regex>, Failure> {
    if list.is_empty() {
        return Ok(Vec::new());
    }
    let compile = |text: &str| {
        Regex::new(text).map_err(|error| {
            let error = error.to_string();
            let reason = error.lines().last().unwrap_or_default().trim_start_matches("error: ");
            let message = format!("Error compiling re: error parsing regexp: {reason}: `{text}`");
            Failure::Exit { code: 255, message: Some(message) }
        })
    };
    list.split(',').map(compile).collect()
}

/// Returns the host of `localhost:8080`; brackets around an address go with the port.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.chars().all(|digit| digit.is_ascii_digit()) => {
            match name.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                Some(address) => address,
                None if name.contains(':') => host,
                None => name,
            }
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter() -> Filter {
        Filter {
            accept_paths: expressions("^.*").unwrap(),
            reject_paths: expressions("^/api/.*/pods/.*/exec,^/api/.*/pods/.*/attach").unwrap(),
            accept_hosts: expressions("^localhost$,^127\\.0\\.0\\.1$,^\\[::1\\]$").unwrap(),
            reject_methods: expressions("^$").unwrap(),
        }
    }

    #[test]
    fn only_this_machine_is_served_by_default() {
        let filter = filter();
        for (method, path, host, expect) in [
            ("GET", "/api/v1/pods", "localhost:8001", true),
            ("POST", "/api/v1/namespaces", "127.0.0.1", true),
            ("GET", "/api/v1/pods", "evil.example:8001", false),
            ("GET", "/api/v1/namespaces/a/pods/b/exec", "localhost", false),
            ("GET", "/api/v1/namespaces/a/pods/b/log", "localhost", true),
        ] {
            assert_eq!(filter.accepts(method, path, host), expect, "{method} {path} {host}");
        }
    }

    #[test]
    fn ports_are_cut_off() {
        assert_eq!(without_port("a:1"), "a");
        assert_eq!(without_port("[::1]:1"), "::1");
        assert_eq!(without_port("[::1]"), "[::1]");
        assert_eq!(without_port("::1"), "::1");
    }
}
