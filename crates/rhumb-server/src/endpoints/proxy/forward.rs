//! Requests that are passed on to pods, nodes and Services, and answers that are passed back.

use std::future::Ready;

use http::header::{CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, HOST, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::BodyExt;
use rhumb_meta::url::escape_path;
use rhumb_meta::v1::StatusReason;

use super::exchange::{self, Passed};
use super::html::{Coding, Rewritten};
use super::network::Target;
use crate::base::failure::{Failure, Outcome};
use crate::base::response::{self, Response};
use crate::endpoints::context::RequestContext;
use crate::endpoints::proxy::links::{Links, clean};
use crate::endpoints::proxy::{Passing, errors, location, upgrade};

const FORWARDED_URI: HeaderName = HeaderName::from_static("x-forwarded-uri");
/// Who else may read an answer is for this server to say.
const CROSS_ORIGIN: [HeaderName; 4] = [
    header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
    header::ACCESS_CONTROL_ALLOW_HEADERS,
    header::ACCESS_CONTROL_ALLOW_METHODS,
    header::ACCESS_CONTROL_ALLOW_ORIGIN,
];

/// Passes a request on.
pub(super) async fn answer(call: &RequestContext<'_>, passing: Passing) -> Outcome<Response> {
    let target = location::of_proxy(call).await?;
    let path = path_beyond(&call.path.rest, &passing.path);
    if passing.wants_upgrade() {
        return upgrade::pass(call, passing, &target, &in_request(&path)).await;
    }
    if path.is_empty() && matches!(passing.method, Method::GET | Method::HEAD) {
        return Ok(with_slash(&passing.path, call.query));
    }
    let links = Links {
        prefix: passing.path.strip_suffix(path.as_str()).unwrap_or(&passing.path).to_owned(),
        origin: target.authority(),
        host: passing.host.as_ref().and_then(|host| host.to_str().ok()).unwrap_or_default().to_owned(),
    };
    let request = outgoing(call, passing, &target, &path, &links)?;
    let is_head = *request.method() == Method::HEAD;
    let unreachable = |why: String| {
        let message = format!("error trying to reach service: {why}");
        Failure::new(StatusReason::ServiceUnavailable, message)
    };
    let connection =
        call.api.network.connect(&target).await.map_err(|error| unreachable(error.to_string()))?;
    let sent = exchange::send(connection, request).await;
    let (told, working) = sent.map_err(|error| unreachable(errors::exchange(&error)))?;
    let (mut head, body) = told.into_parts();
    exchange::without_connection(&mut head.headers);
    for name in CROSS_ORIGIN {
        head.headers.remove(name);
    }
    keep_private(&mut head.headers);
    let body = Passed { body, _working: working, end: None::<Ready<()>> };
    if let Some(location) = head.headers.get(LOCATION).filter(|value| !value.is_empty()) {
        let rewritten = links.location(location)?;
        head.headers.insert(LOCATION, rewritten);
        return Ok(Response::from_parts(head, body.boxed()));
    }
    let body = match coding(&head.headers).filter(|_| has_body(head.status, is_head)) {
        Some(coding) => {
            head.headers.remove(CONTENT_LENGTH);
            Rewritten::new(body.boxed(), links, coding).boxed_unsync()
        }
        None => body.boxed(),
    };
    Ok(Response::from_parts(head, body))
}

/// The path that is asked for on the other side: what stands behind the name of the subresource. It is cleaned of
/// steps upwards, so that it can't leave what is behind it.
pub(super) fn path_beyond(rest: &str, whole: &str) -> String {
    let mut path = rest.to_owned();
    if !path.is_empty() && !path.starts_with('/') {
        path.insert(0, '/');
    }
    if whole.ends_with('/') && !path.ends_with('/') {
        path.push('/');
    }
    if path.is_empty() { path } else { clean(&path) }
}

/// A path as it stands in a request.
fn in_request(path: &str) -> String {
    if path.is_empty() { "/".to_owned() } else { escape_path(path) }
}

/// Sends a client to the path with a slash at its end, to which the links in pages are relative.
fn with_slash(path: &str, query: &str) -> Response {
    let query = if query.is_empty() { String::new() } else { format!("?{query}") };
    let mut answer = Response::new(response::whole(bytes::Bytes::new()));
    *answer.status_mut() = StatusCode::MOVED_PERMANENTLY;
    response::set(&mut answer, LOCATION, &format!("{path}/{query}"));
    answer
}

fn outgoing(
    call: &RequestContext<'_>,
    mut passing: Passing,
    target: &Target,
    path: &str,
    links: &Links,
) -> Outcome<Request<exchange::PassedBody>> {
    exchange::without_connection(&mut passing.headers);
    passing.add_forwarded_for();
    let mut asked = in_request(path);
    if let Ok(value) = HeaderValue::try_from(links.of_path(if path.is_empty() { "/" } else { path })) {
        passing.headers.insert(FORWARDED_URI, value);
    }
    if !call.query.is_empty() {
        asked.push('?');
        asked.push_str(call.query);
    }
    let mut request = Request::new(passing.body);
    *request.method_mut() = passing.method;
    *request.uri_mut() = asked.parse().map_err(Failure::internal)?;
    *request.headers_mut() = passing.headers;
    let host = passing.host.or_else(|| HeaderValue::try_from(target.authority()).ok());
    if let Some(host) = host {
        request.headers_mut().insert(HOST, host);
    }
    Ok(request)
}

/// Says that the answer is for the client alone, before what the other side says about that.
fn keep_private(headers: &mut HeaderMap) {
    let told: Vec<HeaderValue> = headers.get_all(CACHE_CONTROL).iter().cloned().collect();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    for value in told {
        headers.append(CACHE_CONTROL, value);
    }
}

fn has_body(status: StatusCode, is_head: bool) -> bool {
    !is_head && !matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED)
}

/// How a page is packed; none if it is no page, or packed in a way that nobody here knows.
fn coding(headers: &HeaderMap) -> Option<Coding> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let media_type = text(CONTENT_TYPE).split(';').next().unwrap_or_default().trim().to_owned();
    if media_type != "text/html" {
        return None;
    }
    match text(CONTENT_ENCODING) {
        "" => Some(Coding::Plain),
        "gzip" => Some(Coding::Gzip),
        "deflate" => Some(Coding::Deflate),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_stay_where_they_are() {
        for (rest, whole, expect) in [
            ("", "/x/proxy", ""),
            ("", "/x/proxy/", "/"),
            ("a/b", "/x/proxy/a/b", "/a/b"),
            ("a/b", "/x/proxy/a/b/", "/a/b/"),
            ("../../etc", "/x/proxy/../../etc", "/etc"),
            ("a//b/./c", "/x/proxy/a//b/./c", "/a/b/c"),
            ("..", "/x/proxy/..", "/"),
        ] {
            assert_eq!(path_beyond(rest, whole), expect, "{whole}");
        }
        assert_eq!(in_request(""), "/");
        assert_eq!(in_request("/a b?c#d%/é"), "/a%20b%3Fc%23d%25/%C3%A9");
    }
}
