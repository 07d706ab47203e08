//! Writing objects to standard output.

use std::io::Write;

use anyhow::{Result, bail};
use rhumb_codec::{Codecs, Format};
use rhumb_scheme::Object;

/// The format behind a flag's value.
pub(crate) fn format(name: &str) -> Format {
    match name {
        "json" => Format::Json,
        "protobuf" => Format::Protobuf,
        _ => Format::Yaml,
    }
}

/// Writes objects one after the other in a format: JSON indented by two spaces, YAML documents behind `---`. Protobuf
/// has no place for a second object.
pub(crate) fn objects(codecs: &Codecs, format: Format, objects: &[Box<dyn Object>]) -> Result<()> {
    if format == Format::Protobuf && objects.len() != 1 {
        bail!("protobuf holds exactly one object, and there are {}; use -o json or -o yaml", objects.len());
    }
    let serializer = codecs.serializer(format, true);
    let mut out = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        if index > 0 {
            out.extend_from_slice(if format == Format::Yaml { b"---\n" } else { b"" });
        }
        serializer.encode(&**object, &mut out)?;
    }
    // A lone JSON object ends without a line end, so that it is byte for byte what Kubernetes keeps in its files.
    if format == Format::Json && objects.len() == 1 {
        out.pop();
    }
    bytes(&out)
}

/// Writes bytes as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()?;
    Ok(())
}

/// Whether an error says that nobody reads our output any more.
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
