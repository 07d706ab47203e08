//! Links of pages and answers that come through the server, so that they lead through it again.

use http::HeaderValue;
use rhumb_meta::url::{Url, escape_path};
use rhumb_schema::text::quoted;

use crate::base::failure::{Failure, Outcome};

/// What must be known to change links.
#[derive(Clone, Debug)]
pub(super) struct Links {
    /// What stands before the path that the other side knows.
    pub(super) prefix: String,
    /// The other side's host, with its port.
    pub(super) origin: String,
    /// The host that the client asked, with its port.
    pub(super) host: String,
}

/// Removes empty steps, steps to where one is, and steps upwards from an absolute path. A slash at its end stays.
pub(super) fn clean(path: &str) -> String {
    let mut steps: Vec<&str> = Vec::new();
    for step in path.split('/') {
        match step {
            "" | "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    let end = if path.ends_with('/') && !steps.is_empty() { "/" } else { "" };
    format!("/{}{end}", steps.join("/"))
}

impl Links {
    /// The path by which clients reach a path of the other side.
    pub(super) fn of_path(&self, path: &str) -> String {
        let mut whole =
            clean(format!("{}/{}", escape_path(&self.prefix), escape_path(path)).trim_end_matches('/'));
        if path.ends_with('/') {
            whole.push('/');
        }
        whole
    }

    /// Changes where an answer sends the client.
    pub(super) fn location(&self, location: &HeaderValue) -> Outcome<HeaderValue> {
        let failed = |why: String| Failure::internal(format!("error trying to parse Location header: {why}"));
        let text = location.to_str().map_err(|_| {
            let why = "net/url: invalid control character in URL";
            failed(format!("parse {}: {why}", quoted(location.as_bytes())))
        })?;
        Url::parse(text).map_err(|error| failed(error.to_string()))?;
        match self.changed(text) {
            Some(changed) => HeaderValue::try_from(changed).map_err(|error| failed(error.to_string())),
            None => Ok(location.clone()),
        }
    }

    /// Changes a link so that it leads through the server; none if it does already, or leads elsewhere.
    pub(super) fn changed(&self, link: &str) -> Option<String> {
        let url = Url::parse(link).ok()?;
        let is_elsewhere = !url.host.is_empty() && url.host != self.origin && url.host != self.host;
        if is_elsewhere || url.user.is_some() {
            return None;
        }
        let end = link.find(['?', '#']).unwrap_or(link.len());
        let (before, after) = link.split_at(end);
        let (origin, path) = match before.find("//") {
            Some(at) if !url.host.is_empty() => {
                let start = at + 2;
                let length = before.get(start..)?.find('/')?;
                before.split_at_checked(start + length)?
            }
            // Something with a scheme and no host is no path.
            _ if !url.scheme.is_empty() => return None,
            _ => ("", before),
        };
        if !path.starts_with('/') {
            return None;
        }
        // A host that the client knows may stay; what only the server reaches must go.
        let origin = if url.host == self.host { origin } else { "" };
        let prefix = escape_path(&self.prefix);
        let joined =
            if path.starts_with(&prefix) { path.to_owned() } else { clean(&format!("{prefix}/{path}")) };
        let changed = format!("{origin}{joined}{after}");
        (changed != link).then_some(changed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREFIX: &str = "/api/v1/namespaces/a/pods/b/proxy";

    fn links() -> Links {
        Links { prefix: PREFIX.to_owned(), origin: "10.0.0.1:80".to_owned(), host: "front:6443".to_owned() }
    }

    #[test]
    fn links_lead_through_the_server() {
        for (link, expect) in [
            ("/x/y?z=/#f", Some(format!("{PREFIX}/x/y?z=/#f"))),
            ("/x/", Some(format!("{PREFIX}/x/"))),
            ("/", Some(format!("{PREFIX}/"))),
            ("http://10.0.0.1:80/x", Some(format!("{PREFIX}/x"))),
            ("//10.0.0.1:80/x", Some(format!("{PREFIX}/x"))),
            ("https://front:6443/x", Some(format!("https://front:6443{PREFIX}/x"))),
            ("http://10.0.0.1:80", None),
            ("http://other/x", None),
            ("//other/x", None),
            ("x/y", None),
            ("../x", None),
            ("#top", None),
            ("?q", None),
            ("", None),
            ("mailto:a@b", None),
            ("javascript:alert('/x')", None),
            ("/api/v1/namespaces/a/pods/b/proxy/x", None),
            ("/%zz", None),
        ] {
            assert_eq!(links().changed(link), expect, "{link}");
        }
    }

    #[test]
    fn the_other_side_learns_by_which_path_it_is_reached() {
        assert_eq!(links().of_path("/x/y"), format!("{PREFIX}/x/y"));
        assert_eq!(links().of_path("/x y/"), format!("{PREFIX}/x%20y/"));
        assert_eq!(links().of_path("/"), format!("{PREFIX}/"));
    }
}
