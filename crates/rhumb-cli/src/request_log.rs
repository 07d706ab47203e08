//! Request logs of `-v`: requests and responses from level 6, as kubectl logs them; below that, why watches ended.

use std::fmt::Write;
use std::io;
use std::time::{Duration, SystemTime};

use http::{HeaderMap, StatusCode};
use rhumb_client::config::{Environment, RequestObserver, SentRequest, WatchEnd};
use rhumb_meta::MicroTime;

/// Lowest level with output: watches that were cut off.
pub(crate) const LEAST: i64 = 1;

/// Level at which the ends of other watches are logged.
const WATCHES: i64 = 5;

/// Level at which requests are logged.
pub(crate) const REQUESTS: i64 = 6;

/// Logs to standard error by level: 1 watches that were cut off, 5 why other watches ended, 6 requests with their
/// duration, 7 request headers, 8 response headers and the start of bodies, 9 a curl command and longer bodies, 10
/// full bodies.
pub(crate) struct RequestLog {
    level: i64,
    environment: Environment,
}

impl RequestLog {
    pub(crate) fn new(level: i64, environment: &Environment) -> Self {
        RequestLog { level, environment: environment.clone() }
    }

    /// Writes one message.
    pub(crate) fn say(&self, place: &str, message: &str) {
        log('I', &self.environment, place, message);
    }

    fn body(&self, place: &str, what: &str, body: &[u8]) {
        if self.level < 8 {
            return;
        }
        let text = match body.iter().any(|byte| *byte < 0x0a) {
            true => hex_dump(body),
            false => String::from_utf8_lossy(body).into_owned(),
        };
        let text = truncate(&text, self.level);
        let mut message = format!("\"{what}\"");
        add_text(&mut message, "body", &text);
        self.say(place, &message);
    }
}

impl RequestObserver for RequestLog {
    fn sending(&self, request: &SentRequest<'_>) {
        self.body("helper.go:113", "Request Body", request.body);
        let mut message = String::from("\"Request\"");
        match self.level {
            ..=6 => return,
            7 | 8 => {
                add_text(&mut message, "verb", request.method.as_str());
                add_text(&mut message, "url", &request.uri.to_string());
                add_block(&mut message, "headers", &headers(request.headers));
            }
            _ => add_block(&mut message, "curlCommand", &curl(request)),
        }
        self.say("round_trippers.go:527", &message);
    }

    fn answered(&self, request: &SentRequest<'_>, answer: Option<(StatusCode, &HeaderMap)>, took: Duration) {
        if self.level < REQUESTS {
            return;
        }
        let mut message = String::from("\"Response\"");
        if self.level == REQUESTS || self.level > 8 {
            add_text(&mut message, "verb", request.method.as_str());
            add_text(&mut message, "url", &request.uri.to_string());
        }
        add_text(&mut message, "status", &answer.map_or_else(String::new, |(status, _)| status.to_string()));
        if let Some((_, of_answer)) = answer
            && self.level > 7
        {
            add_block(&mut message, "headers", &headers(of_answer));
        }
        let _ = write!(message, " milliseconds={}", took.as_millis());
        self.say("round_trippers.go:632", &message);
    }

    fn received(&self, body: &[u8]) {
        self.body("helper.go:113", "Response Body", body);
    }

    fn watch_ended(&self, why: WatchEnd<'_>) {
        let (least, place, what, error) = match why {
            WatchEnd::Truncated => {
                let what = "Unexpected EOF during watch stream event decoding";
                (LEAST, "streamwatcher.go:120", what, "unexpected EOF".to_owned())
            }
            WatchEnd::Failed(error) => (
                WATCHES,
                "streamwatcher.go:123",
                UNDECODED,
                error.connection_problem().unwrap_or_else(|| error.chain()),
            ),
            _ => (WATCHES, "streamwatcher.go:123", UNDECODED, "context deadline exceeded".to_owned()),
        };
        if self.level >= least {
            let mut message = format!("{what:?}");
            add_text(&mut message, "err", &error);
            self.say(place, &message);
        }
    }
}

/// Message about a watch whose connection failed or whose time is over.
const UNDECODED: &str = "Unable to decode an event from the watch stream";

/// Writes a line of the log to standard error: how grave it is (`I`, `W`, `E`), when it was, where, and what.
pub fn log(severity: char, environment: &Environment, place: &str, message: &str) {
    let line = format!("{}{place}] {message}\n", header(severity, environment.now()));
    // There is nobody to tell that it could not be written.
    let _ = io::Write::write_all(&mut io::stderr(), line.as_bytes());
}

/// Formats a line's header, `I1116 07:55:36.123456   12345 `: severity, date, time and process.
fn header(severity: char, now: SystemTime) -> String {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    let mut text = Vec::new();
    MicroTime::from_unix(seconds, i64::from(since.subsec_nanos())).write_rfc3339(&mut text);
    let text = String::from_utf8_lossy(&text);
    // 2026-11-16T07:55:36.123456Z
    let part = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    format!("{severity}{}{} {} {:>7} ", part(5, 7), part(8, 10), part(11, 26), std::process::id())
}

fn add_text(message: &mut String, key: &str, text: &str) {
    match text.contains('\n') {
        true => add_block(message, key, text),
        false => drop(write!(message, " {key}={text:?}")),
    }
}

/// Appends a multi-line value, one line each.
fn add_block(message: &mut String, key: &str, text: &str) {
    let _ = write!(message, " {key}=<");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        let _ = write!(message, "\n\t{line}");
    }
    message.push_str("\n >");
}

/// Headers in the order of their names, with credentials hidden.
fn headers(headers: &HeaderMap) -> String {
    let mut lines: Vec<String> = headers
        .iter()
        // It is the transport's affair, and kubectl's doesn't show it.
        .filter(|(name, _)| *name != http::header::ACCEPT_ENCODING)
        .map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes());
            let value =
                if *name == http::header::AUTHORIZATION { masked(&value) } else { value.into_owned() };
            format!("{}: {value}\n", capitalized(name.as_str()))
        })
        .collect();
    lines.sort();
    lines.concat()
}

/// Formats `content-type` as `Content-Type`.
fn capitalized(name: &str) -> String {
    let mut upper = true;
    let letters = name.chars().map(|letter| {
        let shown = if upper { letter.to_ascii_uppercase() } else { letter };
        upper = letter == '-';
        shown
    });
    letters.collect()
}

/// Masks credentials in a header value.
fn masked(value: &str) -> String {
    let (scheme, rest) = value.split_once(' ').unwrap_or((value, ""));
    match (scheme.to_lowercase().as_str(), rest) {
        ("bearer" | "basic" | "negotiate", "") => scheme.to_owned(),
        ("bearer" | "basic" | "negotiate", _) => format!("{scheme} <masked>"),
        ("", _) => String::new(),
        _ => "<masked>".to_owned(),
    }
}

fn curl(request: &SentRequest<'_>) -> String {
    let mut text = format!("curl -v -X{} ", request.method);
    for line in headers(request.headers).lines() {
        let _ = write!(text, " -H {line:?}");
    }
    let _ = write!(text, " '{}'", request.uri);
    text
}

fn truncate(text: &str, level: i64) -> String {
    let limit = match level {
        ..=8 => 1024,
        9 => 10240,
        _ => return text.to_owned(),
    };
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = (0..=limit).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    format!("{} [truncated {} chars]", text.get(..end).unwrap_or_default(), text.len() - end)
}

/// Formats a hex dump in lines of sixteen bytes with offsets and characters.
fn hex_dump(bytes: &[u8]) -> String {
    let mut out = String::new();
    for (line, chunk) in bytes.chunks(16).enumerate() {
        let _ = write!(out, "{:08x} ", line * 16);
        for at in 0..16 {
            let gap = if at == 8 { "  " } else { " " };
            match chunk.get(at) {
                Some(byte) => drop(write!(out, "{gap}{byte:02x}")),
                None => drop(write!(out, "{gap}  ")),
            }
        }
        let letters: String = chunk
            .iter()
            .map(|byte| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' })
            .collect();
        let _ = writeln!(out, "  |{letters}|");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_are_hidden() {
        assert_eq!(masked("Bearer abc"), "Bearer <masked>");
        assert_eq!(masked("Secret"), "<masked>");
        let mut map = HeaderMap::new();
        map.insert("authorization", http::HeaderValue::from_static("Basic YTpi"));
        map.insert("accept-encoding", http::HeaderValue::from_static("gzip"));
        assert_eq!(headers(&map), "Authorization: Basic <masked>\n");
    }

    #[test]
    fn lines_look_like_those_of_kubectl() {
        let now = SystemTime::UNIX_EPOCH + Duration::new(1_794_815_736, 123_456_000);
        assert!(header('I', now).starts_with("I1116 07:55:36.123456 "), "{}", header('I', now));
        let mut message = String::new();
        add_text(&mut message, "a", "b\"");
        add_text(&mut message, "c", "d\ne\n");
        assert_eq!(message, " a=\"b\\\"\" c=<\n\td\n\te\n >");
        assert!(hex_dump(b"k8s\0").starts_with("00000000  6b 38 73 00 "));
        assert!(truncate(&"x".repeat(2000), 8).ends_with("x [truncated 976 chars]"));
    }
}
