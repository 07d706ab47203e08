//! Marker values in kubebuilder's grammar.
//!
//! A value is a text (in quotes, in backticks, or bare up to the next delimiter), a number, a truth value, a list
//! (`{a,b}` or `a;b`) or a map (`{a: b}`). JSON is understood too.

use serde_json::{Map, Value as Json};

/// Reads `name=value,name=value`.
///
/// # Errors
/// What can't be read, in words.
pub(crate) fn arguments(text: &str) -> Result<Vec<(String, String)>, String> {
    let mut reader = Reader { rest: text };
    let mut found = Vec::new();
    loop {
        reader.blanks();
        let (name, rest) = reader
            .rest
            .split_once('=')
            .ok_or_else(|| format!("expected `name=value`, found {:?}", reader.rest))?;
        let name = name.trim().trim_end_matches(':');
        if name.is_empty() || name.contains(|other: char| !other.is_ascii_alphanumeric()) {
            return Err(format!("{name:?} is no name of an argument"));
        }
        reader.rest = rest;
        found.push((name.to_owned(), reader.raw()?.to_owned()));
        reader.blanks();
        if reader.rest.is_empty() {
            return Ok(found);
        }
        if !reader.eat(',') {
            return Err(format!("expected a comma before {:?}", reader.rest));
        }
    }
}

/// Reads a value that is a text: quoted, or all of it.
///
/// # Errors
/// If a quote doesn't end, or something follows it.
pub(crate) fn text(raw: &str) -> Result<String, String> {
    let raw = raw.trim();
    if !raw.starts_with(['"', '`']) {
        return Ok(raw.to_owned());
    }
    let mut reader = Reader { rest: raw };
    let text = reader.quoted()?;
    reader.end()?;
    Ok(text)
}

/// Reads a value that is a list of whatever: `a;b`, `{a,b}`, or JSON.
///
/// # Errors
/// If it is none.
pub(crate) fn list(raw: &str) -> Result<Vec<Json>, String> {
    let raw = raw.trim();
    if let Ok(Json::Array(values)) = serde_json::from_str(raw) {
        return Ok(values);
    }
    let mut reader = Reader { rest: raw };
    if reader.eat('{') {
        let values = reader.list_items('}', ',')?;
        reader.end()?;
        return Ok(values);
    }
    let mut values = Vec::new();
    loop {
        values.push(reader.value(&[';'])?);
        reader.blanks();
        if reader.rest.is_empty() {
            return Ok(values);
        }
        if !reader.eat(';') {
            return Err(format!("expected a semicolon before {:?}", reader.rest));
        }
    }
}

/// Reads any value.
///
/// # Errors
/// If it is none.
pub(crate) fn any(raw: &str) -> Result<Json, String> {
    let raw = raw.trim();
    if let Ok(value) = serde_json::from_str(raw) {
        return Ok(value);
    }
    if raw.starts_with('{') {
        let mut reader = Reader { rest: raw };
        let value = reader.value(&[])?;
        reader.end()?;
        return Ok(value);
    }
    if raw.contains(';') && !raw.starts_with(['"', '`']) {
        return list(raw).map(Json::Array);
    }
    let mut reader = Reader { rest: raw };
    let value = reader.value(&[])?;
    reader.end()?;
    Ok(value)
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn blanks(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, expected: char) -> bool {
        self.blanks();
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn end(&mut self) -> Result<(), String> {
        self.blanks();
        if self.rest.is_empty() { Ok(()) } else { Err(format!("{:?} follows the value", self.rest)) }
    }

    /// Returns the text of one argument, up to the comma behind it.
    fn raw(&mut self) -> Result<&'a str, String> {
        self.blanks();
        let whole = self.rest;
        let mut depth = 0_u32;
        loop {
            match self.rest.chars().next() {
                None => break,
                Some('"' | '`') => {
                    self.quoted()?;
                    continue;
                }
                Some('{' | '[') => depth = depth.saturating_add(1),
                Some('}' | ']') => depth = depth.saturating_sub(1),
                Some(',') if depth == 0 => break,
                Some(_) => {}
            }
            let mut rest = self.rest.chars();
            rest.next();
            self.rest = rest.as_str();
        }
        let length = whole.len() - self.rest.len();
        Ok(whole.get(..length).unwrap_or_default().trim_end())
    }

    fn quoted(&mut self) -> Result<String, String> {
        let unended = || "a quote has no end".to_owned();
        let mut rest = self.rest.chars();
        let quote = rest.next().unwrap_or('"');
        let mut text = String::new();
        loop {
            match rest.next().ok_or_else(unended)? {
                end if end == quote => break,
                '\\' if quote == '"' => match rest.next().ok_or_else(unended)? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'u' => {
                        let digits: String = rest.by_ref().take(4).collect();
                        let point = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                        text.push(point.ok_or_else(|| format!("\\u{digits} is no character"))?);
                    }
                    plain @ ('"' | '\\' | '\'' | '/') => text.push(plain),
                    other => return Err(format!("\\{other} means nothing in a text")),
                },
                plain => text.push(plain),
            }
        }
        self.rest = rest.as_str();
        Ok(text)
    }

    fn value(&mut self, ends: &[char]) -> Result<Json, String> {
        self.blanks();
        match self.rest.chars().next() {
            Some('"' | '`') => self.quoted().map(Json::String),
            Some('{') => {
                self.eat('{');
                self.braced()
            }
            Some('[') => {
                self.eat('[');
                self.list_items(']', ',').map(Json::Array)
            }
            _ => {
                let end = self.rest.find(ends).filter(|_| !ends.is_empty()).unwrap_or(self.rest.len());
                let (bare, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
                self.rest = rest;
                Ok(scalar(bare.trim()))
            }
        }
    }

    /// Parses a braced value: a map if its first element has a colon, else a list.
    fn braced(&mut self) -> Result<Json, String> {
        let before = self.rest;
        if self.key().is_some() {
            self.rest = before;
            return self.map_items();
        }
        self.rest = before;
        self.list_items('}', ',').map(Json::Array)
    }

    /// Returns a key with its colon.
    fn key(&mut self) -> Option<String> {
        self.blanks();
        let key = if self.rest.starts_with(['"', '`']) {
            self.quoted().ok()?
        } else {
            let end = self.rest.find([':', ',', '}', '{'])?;
            let (key, rest) = self.rest.split_at_checked(end)?;
            self.rest = rest;
            key.trim().to_owned()
        };
        self.eat(':').then_some(key)
    }

    fn map_items(&mut self) -> Result<Json, String> {
        let mut map = Map::new();
        loop {
            if self.eat('}') {
                return Ok(Json::Object(map));
            }
            let key = self.key().ok_or_else(|| format!("expected `key: value` at {:?}", self.rest))?;
            let value = self.value(&[',', '}'])?;
            map.insert(key, value);
            if !self.eat(',') && !self.rest.starts_with('}') {
                return Err("a brace has no end".to_owned());
            }
        }
    }

    fn list_items(&mut self, close: char, comma: char) -> Result<Vec<Json>, String> {
        let mut values = Vec::new();
        loop {
            if self.eat(close) {
                return Ok(values);
            }
            values.push(self.value(&[comma, close])?);
            if !self.eat(comma) && !self.rest.starts_with(close) {
                return Err("a bracket has no end".to_owned());
            }
        }
    }
}

/// Returns a bare word: a truth value, a number, or a text.
fn scalar(bare: &str) -> Json {
    match bare {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ => number(bare).unwrap_or_else(|| bare.into()),
    }
}

/// Returns a number, whole where it can be.
pub(crate) fn number(text: &str) -> Option<Json> {
    let first = text.strip_prefix('-').unwrap_or(text);
    if !first.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if let Ok(whole) = text.parse::<i64>() {
        return Some(whole.into());
    }
    let number = text.parse::<f64>().ok()?;
    serde_json::Number::from_f64(number).map(Json::Number)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_end_at_commas_outside_quotes_and_braces() {
        let found = arguments(r#"rule="self.a == \"x,y\"",message=`no, "thanks"`,path={a,b}, priority = 1"#);
        let found = found.unwrap_or_default();
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["rule", "message", "path", "priority"]);
        let texts: Vec<String> = found.iter().map(|(_, raw)| text(raw).unwrap_or_default()).collect();
        assert_eq!(texts, [r#"self.a == "x,y""#, r#"no, "thanks""#, "{a,b}", "1"]);
    }

    #[test]
    fn values_are_guessed() {
        for (raw, expected) in [
            ("5", json!(5)),
            ("-1.5", json!(-1.5)),
            ("true", json!(true)),
            ("Always", json!("Always")),
            ("\"5\"", json!("5")),
            ("`a\\b`", json!("a\\b")),
            ("{a,b}", json!(["a", "b"])),
            ("a;2;\"3\"", json!(["a", 2, "3"])),
            ("{}", json!({})),
            ("{a: 1, b: {c, d}, \"e\": {f: true}}", json!({ "a": 1, "b": ["c", "d"], "e": { "f": true } })),
            ("{\"a\": [1, 2]}", json!({ "a": [1, 2] })),
            ("{{x: 1},{x: 2}}", json!([{ "x": 1 }, { "x": 2 }])),
        ] {
            assert_eq!(any(raw), Ok(expected), "{raw}");
        }
        assert_eq!(list("Allow;Forbid"), Ok(vec![json!("Allow"), json!("Forbid")]));
        assert_eq!(list("one"), Ok(vec![json!("one")]));
    }

    #[test]
    fn what_is_no_value_is_an_error() {
        for raw in ["\"open", "{a: 1", "{a,b", "\"a\" b", "[1"] {
            assert!(any(raw).is_err(), "{raw}");
        }
        for raw in ["", "name", "=x", "a b=c", "a=\"open"] {
            assert!(arguments(raw).is_err(), "{raw}");
        }
        assert!(text("\"a\" b=c").is_err());
    }
}
