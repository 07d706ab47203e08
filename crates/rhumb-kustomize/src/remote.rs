//! Detects URLs and Git repositories, which are refused.

use crate::fault::Fault;

/// Reports whether a path is to be had by HTTP.
pub(crate) fn is_url(path: &str) -> bool {
    without_prefix(path, "http://").is_some() || without_prefix(path, "https://").is_some()
}

/// Reports whether a path names a Git repository, by the rules that kustomize has for that.
pub(crate) fn is_repository(path: &str) -> bool {
    if path.starts_with('/') {
        return false;
    }
    let path = path.split('?').next().unwrap_or(path);
    let path = without_prefix(path, "git::").unwrap_or(path);
    let schemes = ["ssh://", "https://", "http://", "file://"];
    let scheme = schemes.iter().find_map(|scheme| without_prefix(path, scheme).map(|rest| (*scheme, rest)));
    let (scheme, rest) = scheme.unwrap_or(("", path));
    let (has_user, rest) = match rest.split_once('@') {
        Some((user, host)) if is_user(user) => (true, host),
        _ => (false, rest),
    };
    let is_github = ["github.com/", "github.com:"].iter().any(|host| without_prefix(rest, host).is_some());
    if scheme.is_empty() && !has_user && !is_github {
        return false;
    }
    if scheme == "file://" {
        return !rest.is_empty();
    }
    let takes_colon = scheme.is_empty();
    let slash = rest.find('/');
    let colon = rest.find(':').filter(|at| *at > 0 && takes_colon);
    let end = match (slash, colon) {
        (Some(slash), Some(colon)) => slash.min(colon),
        (Some(end), None) | (None, Some(end)) => end,
        (None, None) => return false,
    };
    let repository = rest.get(end + 1..).unwrap_or_default();
    if let Some(at) = repository.find("//") {
        return at > 0;
    }
    repository.contains("_git/") || repository.contains(".git") || repository.contains('/')
}

fn is_user(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|character| character.is_ascii_alphanumeric() || character == '-')
}

/// The rest of a text behind a prefix, in upper or lower case.
fn without_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let begin = text.get(..prefix.len())?;
    begin.eq_ignore_ascii_case(prefix).then(|| text.get(prefix.len()..))?
}

/// Says that something remote is not fetched.
pub(crate) fn refusal(path: &str) -> Fault {
    Fault(format!(
        "'{path}' is remote, and kustomizations are built from local files only; fetch it first and name the \
         local copy"
    ))
}
