//! Splits files and standard input into documents: one protobuf object, or a stream of JSON or YAML.

use std::io::Read;

use anyhow::{Context, Result, bail};
use rhumb_codec::{Format, yaml};
use rhumb_schema::text::Scanner;

/// Largest input in bytes.
const MAX_INPUT: u64 = 1 << 30;

/// Bytes of one object and where they come from.
pub(crate) struct Document {
    /// Name of the file, or `STDIN`.
    pub(crate) source: String,
    /// First line, from 1; 0 for protobuf.
    pub(crate) line: usize,
    /// Its format.
    pub(crate) format: Format,
    /// Its bytes.
    pub(crate) data: Vec<u8>,
}

impl Document {
    /// Returns the position for error messages.
    pub(crate) fn place(&self) -> String {
        if self.line > 1 {
            format!("{}, document at line {}", self.source, self.line)
        } else {
            self.source.clone()
        }
    }
}

/// Name of standard input in messages.
const STDIN: &str = "STDIN";

/// Lists files for error messages.
pub(crate) fn names(files: &[String]) -> String {
    let names: Vec<&str> = files.iter().map(|file| if file == "-" { STDIN } else { file }).collect();
    names.join(", ")
}

/// Reads the documents of a file, or of standard input for `-`. Empty documents are left out.
pub(crate) fn read(name: &str) -> Result<Vec<Document>> {
    let (source, data) = if name == "-" {
        let mut data = Vec::new();
        std::io::stdin()
            .lock()
            .take(MAX_INPUT + 1)
            .read_to_end(&mut data)
            .context("reading standard input")?;
        (STDIN.to_owned(), data)
    } else {
        let file =
            std::fs::File::open(name).map_err(|error| anyhow::anyhow!("cannot read {name:?}: {error}"))?;
        let mut data = Vec::new();
        file.take(MAX_INPUT + 1).read_to_end(&mut data).with_context(|| format!("reading {name:?}"))?;
        (name.to_owned(), data)
    };
    if data.len() as u64 > MAX_INPUT {
        bail!("{source} is larger than 1 GiB, the limit; split it");
    }
    split(source, data)
}

/// Builds a kustomization and returns its objects.
pub(crate) fn kustomized(root: &str) -> Result<Vec<Document>> {
    let options = rhumb_kustomize::Options { reorder: rhumb_kustomize::Reorder::None, ..Default::default() };
    let built = rhumb_kustomize::build(&rhumb_kustomize::Disk, std::path::Path::new(root), &options)?;
    let document = |value: &serde_json::Value| Document {
        source: root.to_owned(),
        line: 0,
        format: Format::Json,
        data: value.to_string().into_bytes(),
    };
    Ok(built.objects.iter().map(|object| document(&object.value)).collect())
}

fn split(source: String, data: Vec<u8>) -> Result<Vec<Document>> {
    match Format::recognize(&data) {
        Format::Protobuf => Ok(vec![Document { source, line: 0, format: Format::Protobuf, data }]),
        Format::Json => split_json(&source, &data),
        Format::Yaml => split_yaml(&source, &data, 1),
    }
}

/// Splits a stream of JSON values. If the second value is malformed, the rest is tried as YAML, because the first
/// may have been a YAML flow mapping; after two values the stream is JSON.
fn split_json(source: &str, data: &[u8]) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    let mut scanner = Scanner::new(data);
    let (mut line, mut counted, mut behind_last) = (1, 0, 0);
    while scanner.peek().is_some() {
        line += lines(data, counted, scanner.offset());
        counted = scanner.offset();
        match scanner.skip() {
            Ok(value) => documents.push(Document {
                source: source.to_owned(),
                line,
                format: Format::Json,
                data: value.to_vec(),
            }),
            Err(error) => {
                let failed = line + lines(data, counted, error.offset);
                let error = anyhow::anyhow!("{source}, line {failed}: {error}");
                if documents.len() > 1 {
                    return Err(error);
                }
                let rest = rest_of_line(data, behind_last);
                let first = 1 + lines(data, 0, rest);
                let others = split_yaml(source, data.get(rest..).unwrap_or_default(), first);
                // If it isn't YAML either, the error of JSON is returned.
                let others = others.ok().filter(|others| others.first().is_some_and(is_yaml));
                documents.extend(others.ok_or(error)?);
                return Ok(documents);
            }
        }
        behind_last = scanner.offset();
    }
    Ok(documents)
}

/// Counts newlines between two offsets.
fn lines(data: &[u8], from: usize, to: usize) -> usize {
    data.get(from..to).unwrap_or_default().iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the start of the next line if only blanks precede it, else the first offset that is not blank.
fn rest_of_line(data: &[u8], from: usize) -> usize {
    let rest = data.get(from..).unwrap_or_default();
    let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace() && **byte != b'\n').count();
    from + blanks + usize::from(rest.get(blanks) == Some(&b'\n'))
}

fn is_yaml(document: &Document) -> bool {
    yaml::to_json(&document.data, &yaml::ReadOptions::default(), &mut Vec::new()).is_ok()
}

/// Splits a stream of YAML documents that starts at a line of the file.
fn split_yaml(source: &str, data: &[u8], first_line: usize) -> Result<Vec<Document>> {
    let mut documents = Vec::new();
    for document in yaml::Documents::new(data) {
        let document = document.map_err(|error| {
            let line = first_line + error.line - 1;
            anyhow::Error::new(error).context(format!("{source}, line {line}"))
        })?;
        if !is_blank(document.bytes) {
            documents.push(Document {
                source: source.to_owned(),
                line: first_line + document.line - 1,
                format: Format::Yaml,
                data: document.bytes.to_vec(),
            });
        }
    }
    Ok(documents)
}

/// Reports whether a YAML document has nothing but comments.
fn is_blank(text: &[u8]) -> bool {
    text.split(|byte| *byte == b'\n').all(|line| {
        let line = line.trim_ascii();
        line.is_empty() || line.starts_with(b"#")
    })
}
