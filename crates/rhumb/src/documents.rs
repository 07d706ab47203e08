//! Reading files and standard input into documents: one protobuf object, or a stream of JSON or YAML ones.

use std::io::Read;

use anyhow::{Context, Result, bail};
use rhumb_codec::Format;
use rhumb_codec::yaml::Documents;
use rhumb_schema::text::Scanner;

/// No file of objects is larger; what is, is a mistake.
const MAX_INPUT: u64 = 1 << 30;

/// One object's bytes and where they stand.
pub(crate) struct Document {
    /// The file's name, or `STDIN`.
    pub(crate) source: String,
    /// The line it begins at, from 1; 0 for protobuf.
    pub(crate) line: usize,
    /// Its format.
    pub(crate) format: Format,
    /// Its bytes.
    pub(crate) data: Vec<u8>,
}

impl Document {
    /// The place for error messages.
    pub(crate) fn place(&self) -> String {
        if self.line > 1 {
            format!("{}, document at line {}", self.source, self.line)
        } else {
            self.source.clone()
        }
    }
}

/// The documents of a file; `-` is standard input. Documents with nothing in them are left out.
pub(crate) fn read(name: &str) -> Result<Vec<Document>> {
    let (source, data) = if name == "-" {
        let mut data = Vec::new();
        std::io::stdin()
            .lock()
            .take(MAX_INPUT + 1)
            .read_to_end(&mut data)
            .context("reading standard input")?;
        ("STDIN".to_owned(), data)
    } else {
        let file = std::fs::File::open(name)
            .map_err(|error| anyhow::anyhow!("the path {name:?} cannot be read: {error}"))?;
        let mut data = Vec::new();
        file.take(MAX_INPUT + 1).read_to_end(&mut data).with_context(|| format!("reading {name:?}"))?;
        (name.to_owned(), data)
    };
    if data.len() as u64 > MAX_INPUT {
        bail!("{source} is larger than 1 GiB; split it up");
    }
    split(source, data)
}

fn split(source: String, data: Vec<u8>) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    match Format::recognize(&data) {
        Format::Protobuf => documents.push(Document { source, line: 0, format: Format::Protobuf, data }),
        Format::Json => {
            let mut scanner = Scanner::new(&data);
            while scanner.peek().is_some() {
                let line = 1 + data.iter().take(scanner.offset()).filter(|byte| **byte == b'\n').count();
                let value = scanner.skip().map_err(|error| {
                    let line = 1 + data.iter().take(error.offset).filter(|byte| **byte == b'\n').count();
                    anyhow::anyhow!("{source}, line {line}: {error}")
                })?;
                documents.push(Document {
                    source: source.clone(),
                    line,
                    format: Format::Json,
                    data: value.to_vec(),
                });
            }
        }
        Format::Yaml => {
            for document in Documents::new(&data) {
                let document = document.with_context(|| source.clone())?;
                if !is_blank(document.bytes) {
                    documents.push(Document {
                        source: source.clone(),
                        line: document.line,
                        format: Format::Yaml,
                        data: document.bytes.to_vec(),
                    });
                }
            }
        }
    }
    Ok(documents)
}

/// Whether a YAML document has nothing but comments in it.
fn is_blank(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').all(|line| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#")
    })
}
