//! `--raw`: a request to a path, optionally with a file as its body.

use std::fs;
use std::io::{Read, Write};

use http::Method;
use rhumb_cli::{Call, Failure, Outcome};
use rhumb_schema::text::quoted;
use tokio::io::AsyncReadExt;

/// `Accept` header: JSON, or anything else.
pub(crate) const ACCEPTED: &str = "application/json, */*";

/// Refuses what is no address on the server.
pub(crate) fn check_address(address: &str) -> Outcome {
    let wrong = |why: &str| {
        let quoted = quoted(address);
        Err(Failure::message(format!("--raw must be a valid URL path: parse {quoted}: {why}")))
    };
    if address.bytes().any(|byte| byte < b' ' || byte == 0x7f) {
        return wrong("net/url: invalid control character in URL");
    }
    let has_scheme = address.split_once(':').is_some_and(|(scheme, _)| {
        scheme.starts_with(|letter: char| letter.is_ascii_alphabetic())
            && scheme.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-.".contains(letter))
    });
    match address.starts_with('/') || has_scheme {
        true => Ok(()),
        false => wrong("invalid URI for request"),
    }
}

/// Refuses files that have no place in a raw request: the number of files must be right, and none is a URL.
pub(crate) fn check_files(filenames: &[String], recursive: bool, is_optional: bool) -> Outcome {
    match filenames {
        [] if is_optional => {}
        [file] => {
            if file.starts_with("http://") || file.starts_with("https://") {
                return Err("--raw cannot read from a url".into());
            }
        }
        _ => return Err("--raw can only use a single local file or stdin".into()),
    }
    match recursive {
        true => Err("--raw and --recursive are mutually exclusive".into()),
        false => Ok(()),
    }
}

/// Sends a request and prints what the server answers.
pub(crate) async fn send(call: &mut Call, method: Method, address: &str, file: Option<&str>) -> Outcome {
    let body = match file {
        None => Vec::new(),
        Some("-") => {
            let mut body = Vec::new();
            call.factory.occupy_standard_input();
            call.streams.input.read_to_end(&mut body).map_err(|error| Failure::message(error.to_string()))?;
            body
        }
        Some(path) => fs::read(path).map_err(|error| unopened(path, &error))?,
    };
    let request = call.factory.client()?.request(method).request_uri(address).accept(ACCEPTED);
    let mut stream = request.bytes(body).stream().await?;
    let mut piece = Vec::with_capacity(1 << 16);
    loop {
        piece.clear();
        if stream.read_buf(&mut piece).await? == 0 {
            return Ok(());
        }
        call.streams.out.write_all(&piece)?;
    }
}

/// Describes a file that can't be opened, as Go does.
pub(crate) fn unopened(path: &str, error: &std::io::Error) -> Failure {
    Failure::message(format!("open {path}: {}", system_words(error)))
}

/// Formats a system error as Go does.
pub(crate) fn system_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split_once(" (os error").map_or(text.as_str(), |(text, _)| text);
    let mut letters = text.chars();
    letters
        .next()
        .map(|first| first.to_lowercase().collect::<String>() + letters.as_str())
        .unwrap_or_default()
}
