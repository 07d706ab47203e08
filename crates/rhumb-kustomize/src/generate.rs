//! Generators of ConfigMaps and Secrets, with hashes as name suffixes.

use std::collections::BTreeMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::fault::{Outcome, fail, listed, quote};
use crate::files::Loader;
use crate::kustomization::{GeneratorArgs, GeneratorOptions};
use crate::node::Node;
use crate::resource::{Behavior, Resource};
use crate::scalar::{Scalar, Tag};

/// Generated kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Product {
    ConfigMap,
    Secret,
}

/// Returns the options of one generator with those for all.
pub(crate) fn with_global_options(
    local: Option<&GeneratorOptions>,
    global: Option<&GeneratorOptions>,
) -> Option<GeneratorOptions> {
    let Some(global) = global else { return local.cloned() };
    let mut options = local.cloned().unwrap_or_default();
    let fill = |map: &mut BTreeMap<String, String>, more: &BTreeMap<String, String>| {
        for (key, value) in more {
            map.entry(key.clone()).or_insert_with(|| value.clone());
        }
    };
    fill(&mut options.labels, &global.labels);
    fill(&mut options.annotations, &global.annotations);
    options.disable_name_suffix_hash |= global.disable_name_suffix_hash;
    options.immutable |= global.immutable;
    Some(options)
}

/// Creates a ConfigMap or a Secret.
pub(crate) fn generate(product: Product, args: &GeneratorArgs, loader: &Loader<'_>) -> Outcome<Resource> {
    if args.name.is_empty() {
        return fail("a configmap must have a name");
    }
    let kind = if product == Product::Secret { "Secret" } else { "ConfigMap" };
    let mut node = Node::Mapping(vec![
        ("apiVersion".to_owned(), Node::string("v1")),
        ("kind".to_owned(), Node::string(kind)),
    ]);
    node.set_name(&args.name)?;
    if !args.namespace.is_empty() {
        node.set_namespace(&args.namespace)?;
    }
    if product == Product::Secret {
        let secret_type = if args.secret_type.is_empty() { "Opaque" } else { &args.secret_type };
        node.set_field("type", Node::string(secret_type))?;
    }
    let data = data(args, loader)?;
    match product {
        Product::Secret => {
            let entries =
                data.into_iter().map(|(key, value)| (key, Node::string(base64_lines(&value)))).collect();
            node.set_field("data", Node::Mapping(entries))?;
        }
        Product::ConfigMap => {
            let (mut text, mut binary) = (Vec::new(), Vec::new());
            for (key, value) in data {
                match String::from_utf8(value) {
                    Ok(value) => text.push((key, Node::string(value))),
                    Err(error) => binary.push((key, Node::string(base64_lines(error.as_bytes())))),
                }
            }
            for (field, entries) in [("data", text), ("binaryData", binary)] {
                if !entries.is_empty() {
                    node.set_field(field, Node::Mapping(entries))?;
                }
            }
        }
    }
    if let Some(options) = &args.options {
        if !options.labels.is_empty() {
            node.set_labels(&options.labels)?;
        }
        if !options.annotations.is_empty() {
            node.set_annotations(&options.annotations)?;
        }
        if options.immutable {
            node.set_field("immutable", Node::Scalar(Scalar::of("true", Tag::Bool)))?;
        }
    }
    let mut resource = Resource::new(node);
    resource.needs_hash = !args.options.as_ref().is_some_and(|options| options.disable_name_suffix_hash);
    resource.behavior = Behavior::from_text(&args.behavior);
    Ok(resource)
}

/// Base64 as kustomize writes it: lines of 70 characters, if one is not enough.
fn base64_lines(data: &[u8]) -> String {
    const LINE: usize = 70;
    let text = STANDARD.encode(data);
    if text.len() < LINE {
        return text;
    }
    let mut out = String::with_capacity(text.len() + text.len() / LINE + 1);
    for (at, character) in text.chars().enumerate() {
        if at > 0 && at % LINE == 0 {
            out.push('\n');
        }
        out.push(character);
    }
    out.push('\n');
    out
}

fn data(args: &GeneratorArgs, loader: &Loader<'_>) -> Outcome<BTreeMap<String, Vec<u8>>> {
    let pairs = pairs(args, loader).map_err(|error| error.under("loading KV pairs"))?;
    let mut data = BTreeMap::new();
    for (key, value) in pairs {
        if data.contains_key(&key) {
            return fail(format!("configmap {} illegally repeats the key `{key}`", args.name));
        }
        data.insert(key, value);
    }
    Ok(data)
}

fn pairs(args: &GeneratorArgs, loader: &Loader<'_>) -> Outcome<Vec<(String, Vec<u8>)>> {
    let mut pairs = Vec::new();
    for path in &args.envs {
        from_env_file(path, loader, &mut pairs)
            .map_err(|error| error.under(format!("env source files: {}", listed(&args.envs))))?;
    }
    for literal in &args.literals {
        let pair = from_literal(literal)
            .map_err(|error| error.under(format!("literal sources {}", listed(&args.literals))))?;
        pairs.push(pair);
    }
    for source in &args.files {
        let pair = from_file(source, loader)
            .map_err(|error| error.under(format!("file sources: {}", listed(&args.files))))?;
        pairs.push(pair);
    }
    Ok(pairs)
}

fn from_env_file(path: &str, loader: &Loader<'_>, pairs: &mut Vec<(String, Vec<u8>)>) -> Outcome<()> {
    let content = loader.load(path)?;
    let content = content.strip_suffix(b"\n").unwrap_or(&content);
    if content.is_empty() {
        return Ok(());
    }
    for (at, line) in content.split(|byte| *byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let Ok(text) = std::str::from_utf8(line) else {
            let bytes: Vec<String> = line.iter().map(ToString::to_string).collect();
            return fail(format!(
                "line {} has invalid utf8 bytes : {}",
                listed(&bytes),
                String::from_utf8_lossy(line)
            ));
        };
        let text = if at == 0 { text.strip_prefix('\u{feff}').unwrap_or(text) } else { text };
        let text = text.trim_start();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        if !key.is_empty() {
            pairs.push((key.to_owned(), value.as_bytes().to_vec()));
        }
    }
    Ok(())
}

fn from_literal(literal: &str) -> Outcome<(String, Vec<u8>)> {
    match literal.split_once('=') {
        Some((key, value)) if !key.is_empty() => {
            Ok((key.to_owned(), without_quotes(value).as_bytes().to_vec()))
        }
        _ => fail(format!("invalid literal source {literal}, expected key=value")),
    }
}

fn without_quotes(text: &str) -> &str {
    for quote in ['"', '\''] {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner {
            return inner;
        }
    }
    text
}

fn from_file(source: &str, loader: &Loader<'_>) -> Outcome<(String, Vec<u8>)> {
    let (key, path) = match source.split('=').collect::<Vec<_>>().as_slice() {
        [path] => (crate::origin::clean(path).rsplit('/').next().unwrap_or(path).to_owned(), *path),
        ["", path] => {
            return fail(format!(
                "missing key name for file path {} in source {}",
                quote(path),
                quote(source)
            ));
        }
        [key, ""] => {
            return fail(format!(
                "missing file path for key name {} in source {}",
                quote(key),
                quote(source)
            ));
        }
        [key, path] => ((*key).to_owned(), *path),
        _ => return fail(format!("source {} key name or file path contains '='", quote(source))),
    };
    Ok((key, loader.load(path)?))
}

/// Returns the hash that ends a generated object's name.
pub(crate) fn hash(node: &Node) -> Outcome<String> {
    let value = |path: &[&str]| -> Outcome<Value> {
        match node.at(path) {
            None => Ok(Value::String(String::new())),
            Some(Node::Scalar(scalar)) => Ok(Value::String(scalar.text.clone())),
            Some(Node::Sequence(_)) => Ok(Value::Null),
            Some(map) => map.to_json(),
        }
    };
    let mut fields = Map::new();
    let mut extra = "";
    match node.kind() {
        kind @ ("ConfigMap" | "Secret") => {
            fields.insert("kind".to_owned(), json!(kind));
            // The name would be looked for under a key with a slash, which no object has.
            fields.insert("name".to_owned(), json!(""));
            fields.insert("data".to_owned(), value(&["data"])?);
            if kind == "Secret" {
                fields.insert("type".to_owned(), value(&["type"])?);
                extra = "stringData";
            } else {
                extra = "binaryData";
            }
        }
        _ => {
            if let Value::Object(map) = node.to_json()? {
                fields = map;
            }
        }
    }
    if !extra.is_empty()
        && let more @ Value::Object(_) = value(&[extra])?
    {
        fields.insert(extra.to_owned(), more);
    }
    let digest = Sha256::digest(go_json(&Value::Object(fields)).as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let letter = |character| match character {
        '0' => 'g',
        '1' => 'h',
        '3' => 'k',
        'a' => 'm',
        'e' => 't',
        other => other,
    };
    Ok(hex.chars().take(10).map(letter).collect())
}

/// JSON with the characters escaped that Go escapes.
fn go_json(value: &Value) -> String {
    let text = value.to_string();
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            '\u{2028}' => out.push_str("\\u2028"),
            '\u{2029}' => out.push_str("\\u2029"),
            other => out.push(other),
        }
    }
    out
}
