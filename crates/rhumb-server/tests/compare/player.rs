//! Sends the requests of a script and compares the answers with the recorded ones.

use std::thread;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value as Json, json};

use crate::connection::{Connection, Response, Target};
use crate::known::Difference;
use crate::mask::{Mask, Patterns};
use crate::script::{Script, Step, dig, drop_at, filled, merged};
use crate::wire;

/// The headers that are compared.
const HEADERS: [&str; 12] = [
    "Allow",
    "Cache-Control",
    "Content-Encoding",
    "Content-Type",
    "Etag",
    "Last-Modified",
    "Location",
    "Retry-After",
    "Vary",
    "Warning",
    "Www-Authenticate",
    "X-Content-Type-Options",
];
/// How often what a step waits for is asked for, and the pause between.
const ATTEMPTS: usize = 150;
const PAUSE: Duration = Duration::from_millis(100);
/// The most characters that a side of a difference is shown with.
const SIDE: usize = 300;

/// Plays a script to its end and gives all differences.
pub(crate) fn play(script: &Script, target: &Target) -> Result<Vec<Difference>, String> {
    let mut player = Player {
        script,
        target,
        connection: Connection::new(target),
        patterns: Patterns::new(),
        captured: Map::new(),
        kept: Map::new(),
    };
    let mut found = Vec::new();
    for step in &script.steps {
        let got = player.answer(step).map_err(|fault| format!("{}: {fault}", step.name))?;
        let expected = script.answers.get(&step.name).unwrap_or(&Json::Null);
        compare("", Some(expected), Some(&got), &mut |what, expected, got| {
            let (file, step) = (script.name.clone(), step.name.clone());
            let what = what.trim_start_matches('.').to_owned();
            found.push(Difference { file, step, what, expected: shown(expected), got: shown(got) });
        });
    }
    Ok(found)
}

struct Player<'a> {
    script: &'a Script,
    target: &'a Target,
    connection: Connection,
    patterns: Patterns,
    captured: Map<String, Json>,
    kept: Map<String, Json>,
}

impl Player<'_> {
    fn ask(&mut self, step: &Step) -> Result<Response, String> {
        let names = ["request", "headers", "body", "base64", "base"];
        let get = |name: &str| step.content.get(name).map(|value| filled(value, &self.captured));
        let [request, headers, body, base64, base] = names.map(get);
        let request = request.as_ref().and_then(Json::as_str).unwrap_or_default();
        let (method, path) = request.split_once(' ').ok_or("a request is a method and a path")?;
        let mut body = if let Some(text) = base64.as_ref().and_then(Json::as_str) {
            Some(STANDARD.decode(text).map_err(|error| error.to_string())?)
        } else if let Some(name) = base.as_ref().and_then(Json::as_str) {
            let target = self.kept.get(name).unwrap_or(&Json::Null);
            Some(sorted(merged(target, &body.unwrap_or_else(|| json!({})))).into_bytes())
        } else {
            body.map(|body| body.as_str().map_or_else(|| sorted(body.clone()), str::to_owned).into_bytes())
        };
        let size =
            step.content.get("size").and_then(Json::as_u64).and_then(|size| usize::try_from(size).ok());
        if let (Some(body), Some(size)) = (&mut body, size) {
            body.resize(size.max(body.len()), b' ');
        }
        let mut sent = json!({
            "Accept": "application/json",
            "Authorization": format!("Bearer {}", self.target.token),
            "User-Agent": "compare",
        });
        if body.is_some() {
            sent["Content-Type"] = Json::from("application/json");
        }
        for (name, value) in headers.as_ref().and_then(Json::as_object).into_iter().flatten() {
            sent[name] = value.clone();
        }
        let sent = sent.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
        let text = |value: &Json| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let sent: Vec<(String, String)> = sent.map(|(name, value)| (name.clone(), text(value))).collect();
        self.connection.send(method, path, &sent, body.as_deref()).map_err(|error| error.to_string())
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "the server is another process, and asking again is all one can do"
    )]
    fn until(&mut self, step: &Step) -> Result<Response, String> {
        let mut response = self.ask(step)?;
        let Some(until) = step.content.get("until") else { return Ok(response) };
        for _ in 0..ATTEMPTS {
            let has = match until {
                Json::String(text) => contains(&response.body, text.as_bytes()),
                status => status.as_u64() == Some(u64::from(response.status)),
            };
            if has {
                break;
            }
            thread::sleep(PAUSE);
            response = self.ask(step)?;
        }
        Ok(response)
    }

    /// The answer to a step in the form of a recorded one.
    fn answer(&mut self, step: &Step) -> Result<Json, String> {
        let response = self.until(step)?;
        let prefix = step.content.get("body").and_then(|body| dig(body, "metadata.generateName"));
        let host = &self.target.address;
        let mut mask =
            Mask::new(&self.patterns, &self.script.text, &self.captured, host, prefix.and_then(Json::as_str));
        let mut answer = json!({ "status": response.status });
        let headers = headers(&response, &mut mask);
        if !headers.is_empty() {
            answer["headers"] = Json::Object(headers);
        }
        let parsed: Option<Json> = serde_json::from_slice(&response.body).ok();
        if let Some((name, body)) = body(step, &response, parsed.as_ref(), &mut mask) {
            answer[name] = body;
        }
        let ignored = step.content.get("ignore").and_then(Json::as_array).into_iter().flatten();
        for path in ignored.filter_map(Json::as_str) {
            drop_at(&mut answer, path);
        }
        let parsed = parsed.unwrap_or(Json::Null);
        let captures = step.content.get("capture").and_then(Json::as_object).into_iter().flatten();
        for (name, path) in captures {
            let value = path.as_str().and_then(|path| dig(&parsed, path)).unwrap_or(&Json::Null);
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            self.captured.insert(name.clone(), Json::from(value));
        }
        if let Some(name) = step.content.get("keep").and_then(Json::as_str) {
            self.kept.insert(name.to_owned(), parsed);
        }
        Ok(answer)
    }
}

fn headers(response: &Response, mask: &mut Mask<'_>) -> Map<String, Json> {
    let mut found = Map::new();
    for name in HEADERS {
        let values: Vec<&str> = response.headers(name).collect();
        if values.is_empty() {
            continue;
        }
        let values = match name {
            "Etag" | "Last-Modified" => json!(["<present>"]),
            _ => values.iter().map(|value| Json::from(mask.text(value))).collect(),
        };
        found.insert(name.to_owned(), values);
    }
    found
}

/// How a body is compared: as a tree, as the events of a watch, as protobuf or as text.
fn body(
    step: &Step,
    response: &Response,
    parsed: Option<&Json>,
    mask: &mut Mask<'_>,
) -> Option<(&'static str, Json)> {
    let data = &response.body;
    let sort = step.content.get("compare").and_then(Json::as_str).unwrap_or("body");
    if sort == "status" || data.is_empty() {
        return None;
    }
    if sort == "body" {
        let content = response.header("Content-Type");
        if content.starts_with("application/vnd.kubernetes.protobuf") {
            return Some(("protobuf", Json::from(wire::masked(data))));
        }
        let request = step.content.get("request").and_then(Json::as_str).unwrap_or_default();
        let is_event = |tree: &Json| request.contains("watch=") && tree.get("type").is_some();
        let tree = parsed.filter(|tree| tree.is_object() || tree.is_array());
        if let Some(tree) = tree.filter(|tree| !is_event(tree)) {
            return Some(("body", mask.value(tree)));
        }
        if content.starts_with("application/json") && data.first() == Some(&b'{') {
            let lines = data.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
            let events = lines.map(|line| serde_json::from_slice(line).unwrap_or(Json::Null));
            let wanted = |event: &Json| event["type"] != "BOOKMARK" || step.name.contains("bookmark");
            return Some(("events", events.filter(wanted).map(|event| mask.value(&event)).collect()));
        }
    }
    Some(("text", Json::from(mask.text(&String::from_utf8_lossy(data)))))
}

/// JSON with its keys in order, whatever features of the parser are on: where a field is raw JSON a server
/// keeps it as it came.
fn sorted(mut value: Json) -> String {
    value.sort_all_objects();
    value.to_string()
}

fn contains(data: &[u8], text: &[u8]) -> bool {
    text.is_empty() || data.windows(text.len()).any(|window| window == text)
}

type Found<'a> = dyn FnMut(&str, Option<&Json>, Option<&Json>) + 'a;

fn compare(at: &str, expected: Option<&Json>, got: Option<&Json>, found: &mut Found<'_>) {
    match (expected, got) {
        (Some(Json::Object(one)), Some(Json::Object(other))) => {
            for (key, value) in one {
                compare(&format!("{at}.{key}"), Some(value), other.get(key), found);
            }
            for (key, value) in other.iter().filter(|(key, _)| !one.contains_key(*key)) {
                compare(&format!("{at}.{key}"), None, Some(value), found);
            }
        }
        (Some(Json::Array(one)), Some(Json::Array(other))) if one.len() == other.len() => {
            for (index, (one, other)) in one.iter().zip(other).enumerate() {
                compare(&format!("{at}.{index}"), Some(one), Some(other), found);
            }
        }
        _ if expected == got => {}
        _ => found(at, expected, got),
    }
}

fn shown(value: Option<&Json>) -> String {
    let text = value.map_or_else(|| "<absent>".to_owned(), Json::to_string);
    match text.char_indices().nth(SIDE) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
