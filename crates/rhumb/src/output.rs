//! Writing objects to standard output.

use std::io::Write;

use anyhow::{Result, bail};
use rhumb_codec::{Codecs, Format, json};
use rhumb_scheme::Object;

/// Returns the format that a value of `--output` names.
pub(crate) fn format(name: &str) -> Format {
    match name {
        "json" => Format::Json,
        "protobuf" => Format::Protobuf,
        _ => Format::Yaml,
    }
}

/// Writes objects one after the other: JSON indented by two spaces, YAML as documents. Protobuf holds only one
/// object.
pub(crate) fn objects(codecs: &Codecs, format: Format, objects: &[Box<dyn Object>]) -> Result<()> {
    if format == Format::Protobuf && objects.len() != 1 {
        bail!("protobuf output holds one object, but there are {}; use -o json or -o yaml", objects.len());
    }
    let serializer = codecs.serializer(format, true);
    let mut out = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(if format == Format::Yaml { b"---\n" } else { b"" });
        }
        serializer.encode(&**object, &mut out)?;
    }
    // A single JSON object has no final newline: byte for byte what Kubernetes keeps in its test data.
    if format == Format::Json && objects.len() == 1 {
        out.pop();
    }
    bytes(&out)
}

/// Writes an object as kubectl prints JSON: indented by four spaces, with a final newline.
pub(crate) fn kubectl_json(object: &dyn Object) -> Result<()> {
    let (mut compact, mut indented) = (Vec::new(), Vec::new());
    json::encode(object, &mut compact);
    json::indent(&compact, &mut indented);
    let mut out = Vec::with_capacity(indented.len() * 2);
    // JSON strings contain no newlines, so leading blanks are always indentation.
    for line in indented.split(|byte| *byte == b'\n') {
        out.resize(out.len() + line.iter().take_while(|byte| **byte == b' ').count(), b' ');
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    bytes(&out)
}

/// Writes bytes to standard output.
pub(crate) fn bytes(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}
