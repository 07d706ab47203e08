//! Path routing with the rules of Go's `ServeMux`: unclean paths are redirected to clean ones.

use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderValue, Method, Response, StatusCode, Uri};

use super::relay::{Answer, whole};

/// Returns the path to ask for in place of another: without empty and dotted parts, and with a slash behind it if only
/// that makes it one of the prefixes. `None` if it is right as it is.
///
/// Escapes stay as they are. Go escapes them again, so that they lead elsewhere.
pub(super) fn elsewhere(path: &str, prefixes: &[&str]) -> Option<String> {
    let mut target = clean(path);
    let with_slash = format!("{target}/");
    if prefixes.contains(&with_slash.as_str()) {
        target = with_slash;
    }
    (target != path).then_some(target)
}

/// Returns a path without empty parts, `.` and `..`. A slash at its end stays.
fn clean(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    let mut clean = format!("/{}", parts.join("/"));
    if path.ends_with('/') && !parts.is_empty() {
        clean.push('/');
    }
    clean
}

/// Says where to ask instead, with the same method and the same query.
pub(super) fn redirect(method: &Method, uri: &Uri, path: &str) -> Answer {
    let target = match uri.query() {
        Some(query) => format!("{path}?{query}"),
        None => path.to_owned(),
    };
    let body = match *method {
        Method::GET => format!("<a href=\"{}\">Temporary Redirect</a>.\n\n", escaped(&target)),
        _ => String::new(),
    };
    let mut response = Response::new(whole(body.into()));
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    let headers = response.headers_mut();
    if matches!(*method, Method::GET | Method::HEAD) {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    }
    // What came as an address has nothing in it that a header could not have.
    if let Ok(target) = HeaderValue::from_str(&target) {
        headers.insert(LOCATION, target);
    }
    response
}

/// Formats a text as HTML shows it.
pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&#34;")
        .replace('\'', "&#39;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_are_not_clean_lead_elsewhere() {
        let prefixes = ["/custom/", "/w/"];
        for (path, target) in [
            ("/custom/healthz", None),
            ("/custom/", None),
            ("/custom/x/", None),
            ("/other", None),
            ("//custom/healthz", Some("/custom/healthz")),
            ("/custom//healthz", Some("/custom/healthz")),
            ("/custom", Some("/custom/")),
            ("/w", Some("/w/")),
            ("/custom/../custom/./x", Some("/custom/x")),
            ("/custom/x/..", Some("/custom/")),
            ("/custom/x/../", Some("/custom/")),
            ("/custom/..", Some("/")),
            ("/../..", Some("/")),
            ("/other//x", Some("/other/x")),
            ("/custom/a%20b//c", Some("/custom/a%20b/c")),
            ("/custom/a%2e%2e/b/%2e%2e/c", None),
        ] {
            assert_eq!(elsewhere(path, &prefixes).as_deref(), target, "{path}");
        }
        assert_eq!(elsewhere("/static", &["/", "/static/"]).as_deref(), Some("/static/"));
        assert_eq!(elsewhere("/", &["/"]), None);
    }

    #[test]
    fn the_place_to_ask_is_told_to_programs_and_to_people() {
        let uri: Uri = "http://localhost//a?b=c&d=%20".parse().unwrap();
        let answer = redirect(&Method::GET, &uri, "/a");
        assert_eq!(answer.status(), 307);
        assert_eq!(answer.headers().get(LOCATION).unwrap(), "/a?b=c&d=%20");
        assert_eq!(answer.headers().get(CONTENT_TYPE).unwrap(), "text/html; charset=utf-8");
        assert!(redirect(&Method::POST, &uri, "/a").headers().get(CONTENT_TYPE).is_none());
        assert_eq!(escaped("/a?b&c=<'\">"), "/a?b&amp;c=&lt;&#39;&#34;&gt;");
    }
}
