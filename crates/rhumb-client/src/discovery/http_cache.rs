//! HTTP cache on disk with revalidation by `ETag`.
//!
//! The directory is kubectl's `~/.kube/cache/http`, and so are the files: each has the SHA-256 of the address for a
//! name, and holds the SHA-256 of what follows, and an HTTP response as it goes over the wire. A file whose
//! sum is wrong is passed over. Either program reads what the other wrote.
//!
//! An answer is used without asking as long as its headers say that it is fresh (`max-age`, `Expires`), which
//! documents have whose address holds their hash.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, DATE, ETAG, EXPIRES,
    IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED, TRANSFER_ENCODING, VARY,
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::replace;
use crate::{Error, Request, Response};

const SUM: usize = 32;

/// Request header that the response varies by.
const VARIED_ACCEPT: HeaderName = HeaderName::from_static("x-varied-accept");

/// HTTP cache on disk.
#[derive(Clone, Debug)]
pub struct HttpCache {
    dir: PathBuf,
}

/// A cached response.
#[derive(Debug)]
pub(super) struct Stored {
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl HttpCache {
    /// Creates a cache in a directory.
    pub fn new(dir: impl Into<PathBuf>) -> Self {
        HttpCache { dir: dir.into() }
    }

    /// Sends a request, unless its answer is here and fresh. An answer that the server says is unchanged comes from
    /// here.
    pub(super) async fn fetch(
        &self,
        request: Request,
        accept: &str,
        now: SystemTime,
    ) -> Result<Response, Error> {
        let address = request.uri()?.to_string();
        let mut request = request.accept(accept);
        let stored = self.load(&address).filter(|stored| stored.suits(accept));
        if let Some(stored) = stored {
            if stored.is_fresh(now) {
                return Ok(stored.into_response());
            }
            let marks = [(ETAG, IF_NONE_MATCH), (LAST_MODIFIED, IF_MODIFIED_SINCE)];
            let mut has_mark = false;
            for (mark, question) in marks {
                if let Some(value) = stored.headers.get(mark) {
                    request = request.header(question, value.clone());
                    has_mark = true;
                }
            }
            match request.send().await {
                Err(error) if has_mark && is_unchanged(&error) => return Ok(stored.into_response()),
                other => return other.inspect(|response| self.save(&address, accept, response)),
            }
        }
        request.send().await.inspect(|response| self.save(&address, accept, response))
    }

    fn file(&self, address: &str) -> PathBuf {
        self.dir.join(hex(&Sha256::digest(address.as_bytes())))
    }

    pub(super) fn load(&self, address: &str) -> Option<Stored> {
        let (content, _) = replace::read(&self.file(address)).ok()?;
        let (sum, response) = content.split_at_checked(SUM)?;
        if Sha256::digest(response).as_slice() != sum {
            return None;
        }
        parse(response)
    }

    pub(super) fn save(&self, address: &str, accept: &str, response: &Response) {
        let control = text(&response.headers, CACHE_CONTROL).to_ascii_lowercase();
        if response.status != StatusCode::OK || control.split(',').any(|part| part.trim() == "no-store") {
            return;
        }
        let head = head(&response.headers, accept, response.body.len());
        let mut sum = Sha256::new();
        sum.update(&head);
        sum.update(&response.body);
        // A cache that can't be written is as if there were none.
        let _ = replace::replace(&self.file(address), &[sum.finalize().as_slice(), &head, &response.body]);
    }
}

fn is_unchanged(error: &Error) -> bool {
    error.code() == Some(i32::from(StatusCode::NOT_MODIFIED.as_u16()))
}

fn text(headers: &HeaderMap, name: HeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Stored {
    fn into_response(self) -> Response {
        Response { status: StatusCode::OK, headers: self.headers, body: self.body, warnings: Vec::new() }
    }

    /// Reports whether it was an answer to a request that is the same in what the answer depends on.
    fn suits(&self, accept: &str) -> bool {
        self.headers
            .get_all(VARY)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .all(|name| {
                let name = name.trim();
                let varied = HeaderName::try_from(format!("x-varied-{}", name.to_ascii_lowercase()));
                let kept = varied.ok().map(|varied| text(&self.headers, varied)).unwrap_or_default();
                match name {
                    "" => true,
                    name if name.eq_ignore_ascii_case("accept") => kept == accept,
                    // The others are the client's, and always the same.
                    name if name.eq_ignore_ascii_case("accept-encoding") => true,
                    _ => kept.is_empty(),
                }
            })
    }

    /// Reports whether it may be used without asking.
    fn is_fresh(&self, now: SystemTime) -> bool {
        let control = text(&self.headers, CACHE_CONTROL).to_ascii_lowercase();
        if control.split(',').any(|part| part.trim() == "no-cache") {
            return false;
        }
        let Some(date) = time(text(&self.headers, DATE)) else { return false };
        let max_age = control.split(',').find_map(|part| part.trim().strip_prefix("max-age="));
        let lifetime = match max_age {
            Some(seconds) => seconds.parse().ok().map(Duration::from_secs),
            None => time(text(&self.headers, EXPIRES)).and_then(|expires| expires.duration_since(date).ok()),
        };
        // What comes from the future was written by a clock that is wrong.
        match (lifetime, now.duration_since(date)) {
            (Some(lifetime), Ok(age)) => age < lifetime,
            _ => false,
        }
    }
}

/// Returns a time in a header; servers write `UTC` as well as `GMT`.
fn time(text: &str) -> Option<SystemTime> {
    let text = match text.strip_suffix("UTC") {
        Some(start) => format!("{start}GMT"),
        None => text.to_owned(),
    };
    httpdate::parse_http_date(&text).ok()
}

/// Returns the head of a response, as Go's programs write and read it. How the body came over the wire is not said
/// again.
fn head(headers: &HeaderMap, accept: &str, length: usize) -> Vec<u8> {
    let mut out = b"HTTP/1.1 200 OK\r\n".to_vec();
    let mut line = |name: &str, value: &[u8]| {
        out.extend_from_slice(name.as_bytes());
        out.extend_from_slice(b": ");
        out.extend_from_slice(value);
        out.extend_from_slice(b"\r\n");
    };
    line("Content-Length", length.to_string().as_bytes());
    for name in [CACHE_CONTROL, CONTENT_TYPE, DATE, ETAG, EXPIRES, LAST_MODIFIED, VARY] {
        for value in headers.get_all(&name) {
            line(&canonical(name.as_str()), value.as_bytes());
        }
    }
    let varies = headers.get_all(VARY).iter().filter_map(|value| value.to_str().ok());
    if varies.flat_map(|value| value.split(',')).any(|name| name.trim().eq_ignore_ascii_case(ACCEPT.as_str()))
    {
        line(&canonical(VARIED_ACCEPT.as_str()), accept.as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out
}

/// Formats `content-type` as `Content-Type`.
fn canonical(name: &str) -> String {
    let words: Vec<String> = name
        .split('-')
        .map(|word| {
            let mut letters = word.chars();
            let first = letters.next().map(|first| first.to_ascii_uppercase());
            first.into_iter().chain(letters).collect()
        })
        .collect();
    words.join("-")
}

/// Reads a response as it goes over the wire. One that is no success is of no use.
fn parse(response: &[u8]) -> Option<Stored> {
    let end = response.windows(4).position(|window| window == b"\r\n\r\n")?;
    let (head, body) = response.split_at_checked(end + 4)?;
    let mut lines = std::str::from_utf8(head).ok()?.split("\r\n");
    let mut status = lines.next()?.split(' ');
    if !status.next()?.starts_with("HTTP/") || status.next()? != "200" {
        return None;
    }
    let mut headers = HeaderMap::new();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        headers.append(HeaderName::try_from(name).ok()?, HeaderValue::try_from(value.trim()).ok()?);
    }
    // Others may write what ours never does: a body in pieces.
    let body = match text(&headers, TRANSFER_ENCODING) {
        "" => body.to_vec(),
        "chunked" => unchunk(body)?,
        _ => return None,
    };
    let length = text(&headers, CONTENT_LENGTH);
    if (!length.is_empty() && length.parse() != Ok(body.len())) || headers.contains_key(CONTENT_ENCODING) {
        return None;
    }
    headers.remove(CONNECTION);
    headers.remove(TRANSFER_ENCODING);
    Some(Stored { headers, body: body.into() })
}

/// Puts a body together from its pieces.
fn unchunk(mut rest: &[u8]) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n")?;
        let (line, behind) = rest.split_at_checked(end)?;
        let size = std::str::from_utf8(line).ok()?.split(';').next()?.trim();
        let size = usize::from_str_radix(size, 16).ok()?;
        let behind = behind.get(2..)?;
        if size == 0 {
            return Some(body);
        }
        let (piece, behind) = behind.split_at_checked(size)?;
        body.extend_from_slice(piece);
        rest = behind.strip_prefix(b"\r\n")?;
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, unchunk};

    #[test]
    fn a_body_in_pieces_is_put_together() {
        let whole =
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n";
        assert_eq!(parse(whole).unwrap().body, "abcde");
        for broken in
            ["", "3\r\nab", "zz\r\n", "3\r\nabcd\r\n0\r\n", "ffffffffffffffffff\r\n", "3\r\nabc\r\n"]
        {
            assert!(unchunk(broken.as_bytes()).is_none(), "{broken:?}");
        }
    }

    #[test]
    fn what_is_no_answer_is_passed_over() {
        let good = "HTTP/2.0 200 OK\r\nContent-Length: 2\r\nEtag: \"x\"\r\n\r\nok";
        assert_eq!(parse(good.as_bytes()).unwrap().body, "ok");
        for (from, to) in [
            ("200", "404"),
            ("HTTP", "FTP"),
            ("Length: 2", "Length: 3"),
            ("Etag", "E tag"),
            ("\r\n\r\n", "\r\n"),
            ("Content-Length: 2", "Content-Encoding: gzip"),
            ("Content-Length: 2", "Transfer-Encoding: other"),
        ] {
            assert!(parse(good.replace(from, to).as_bytes()).is_none(), "{to}");
        }
        for end in 0..good.len() {
            assert!(parse(&good.as_bytes()[..end]).is_none());
        }
    }
}
