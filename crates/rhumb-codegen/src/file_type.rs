//! Assembly and formatting of generated files.

use std::collections::BTreeMap;

use proc_macro2::TokenStream;

use crate::generator::{Output, Part};
use crate::problem::{Outcome, Problem};

/// A file before it is formatted.
#[derive(Clone, Default)]
pub struct FileDraft {
    /// The name, for errors.
    pub name: String,
    /// Text above the header, as Rust comments.
    pub boilerplate: String,
    /// The header, line by line, without marks of a comment. The first line names the command.
    pub header: Vec<String>,
    /// Lines of imports.
    pub imports: Vec<String>,
    /// Statics.
    pub vars: Vec<TokenStream>,
    /// Constants.
    pub consts: Vec<TokenStream>,
    /// Everything else.
    pub body: Output,
}

/// A file format.
pub trait FileType {
    /// Returns the file's text.
    ///
    /// # Errors
    /// If a piece is none of this format.
    fn assemble(&self, draft: &FileDraft) -> Outcome<String>;
}

/// File formats by name.
pub struct FileTypes(BTreeMap<&'static str, Box<dyn FileType>>);

impl Default for FileTypes {
    fn default() -> Self {
        let mut types = FileTypes(BTreeMap::new());
        types.add("rust", Rust);
        types.add("json", Json);
        types.add("proto", Proto);
        types.add("text", Text);
        types
    }
}

impl FileTypes {
    /// Adds a format, or puts it in the place of the one of that name.
    pub fn add(&mut self, name: &'static str, file_type: impl FileType + 'static) {
        self.0.insert(name, Box::new(file_type));
    }

    /// Returns a format by its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, name: &str) -> Outcome<&dyn FileType> {
        self.0.get(name).map(|found| &**found).ok_or_else(|| {
            let known: Vec<&str> = self.0.keys().copied().collect();
            Problem::new(format!("there is no file type {name:?}; there are {}", known.join(", "))).into()
        })
    }
}

/// Rust source, formatted by prettyplease.
pub struct Rust;

impl FileType for Rust {
    fn assemble(&self, draft: &FileDraft) -> Outcome<String> {
        let mut text = above(draft)?;
        comment(&mut text, "//!", &draft.header);
        let refused = |error: syn::Error, source: &str| {
            Problem::new(format!("{}: what was generated is no Rust: {error}\n{source}", draft.name))
        };
        if !draft.imports.is_empty() {
            text.push('\n');
            let source = grouped(&draft.imports).join("\n");
            let file = syn::parse_file(&source).map_err(|error| refused(error, &source))?;
            text.push_str(&prettyplease::unparse(&file));
        }
        let parse = |tokens: &TokenStream| {
            syn::parse2::<syn::File>(tokens.clone()).map_err(|error| refused(error, &tokens.to_string()))
        };
        let mut add = |file: &syn::File| {
            text.push('\n');
            text.push_str(&prettyplease::unparse(file));
        };
        for tokens in draft.consts.iter().chain(&draft.vars) {
            add(&parse(tokens)?);
        }
        for part in &draft.body.parts {
            add(&match part {
                Part::Rust(tokens) => parse(tokens),
                Part::Text(source) => syn::parse_file(source).map_err(|error| refused(error, source)),
                Part::Value(_) => Err(Problem::new(format!("{}: a value is no Rust", draft.name))),
            }?);
        }
        Ok(text)
    }
}

/// Lines of imports from one module as one line each.
fn grouped(lines: &[String]) -> Vec<String> {
    let mut modules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut others = Vec::new();
    for line in lines {
        let path = line.strip_prefix("use ").and_then(|line| line.strip_suffix(';'));
        let path = path.filter(|path| !path.contains(['{', '*']));
        let (path, alias) = path.map_or((None, ""), |path| match path.split_once(" as ") {
            Some((path, alias)) => (Some(path), alias),
            None => (Some(path), ""),
        });
        match path.and_then(|path| path.rsplit_once("::")) {
            Some((module, name)) if alias.is_empty() => {
                modules.entry(module).or_default().push(name.to_owned())
            }
            Some((module, name)) => {
                modules.entry(module).or_default().push(format!("{name} as {alias}"));
            }
            None => others.push(line.clone()),
        }
    }
    let grouped = modules.iter().map(|(module, names)| match names.as_slice() {
        [name] => format!("use {module}::{name};"),
        names => format!("use {module}::{{{}}};", names.join(", ")),
    });
    others.extend(grouped);
    others
}

/// A JSON document, or several as a list, indented by two spaces.
pub struct Json;

impl FileType for Json {
    fn assemble(&self, draft: &FileDraft) -> Outcome<String> {
        let mut values = Vec::new();
        for part in &draft.body.parts {
            match part {
                Part::Value(value) => values.push(value.clone()),
                Part::Text(text) => values.push(serde_json::from_str(text).map_err(|error| {
                    Problem::new(format!("{}: what was generated is no JSON: {error}", draft.name))
                })?),
                Part::Rust(_) => return Err(Problem::new(format!("{}: Rust is no JSON", draft.name)).into()),
            }
        }
        let document = match values.len() {
            1 => values.remove(0),
            _ => serde_json::Value::Array(values),
        };
        Ok(format!("{document:#}\n"))
    }
}

/// Protobuf definitions with a header of comments.
pub struct Proto;

impl FileType for Proto {
    fn assemble(&self, draft: &FileDraft) -> Outcome<String> {
        let mut text = above(draft)?;
        comment(&mut text, "//", &draft.header);
        text.push('\n');
        body_text(&mut text, draft)?;
        Ok(text)
    }
}

/// Plain text without a header.
pub struct Text;

impl FileType for Text {
    fn assemble(&self, draft: &FileDraft) -> Outcome<String> {
        let mut text = String::new();
        body_text(&mut text, draft)?;
        Ok(text)
    }
}

fn body_text(text: &mut String, draft: &FileDraft) -> Outcome<()> {
    for part in &draft.body.parts {
        match part {
            Part::Text(part) => text.push_str(part),
            _ => return Err(Problem::new(format!("{}: only text can stand in this file", draft.name)).into()),
        }
    }
    Ok(())
}

/// Returns the header of a file with Rust comments, and a blank line.
fn above(draft: &FileDraft) -> Outcome<String> {
    let lines = boilerplate_lines(&draft.boilerplate)?;
    if lines.is_empty() {
        return Ok(String::new());
    }
    Ok(format!("{}\n\n", draft.boilerplate.trim_end()))
}

/// Returns the lines of what stands above a header, without the marks of a comment.
///
/// # Errors
/// If something in it is no comment of Rust or C, or is documentation of what would follow.
pub fn boilerplate_lines(text: &str) -> Outcome<Vec<String>> {
    let mut lines = Vec::new();
    let mut in_block = false;
    for line in text.trim().lines() {
        let line = line.trim();
        let rest = match line {
            line if in_block => Some(line.strip_prefix("* ").or(line.strip_prefix('*')).unwrap_or(line)),
            "" => Some(""),
            line if line.starts_with("///") || line.starts_with("/**") => None,
            line => match line.strip_prefix("//") {
                Some(rest) if !rest.starts_with('!') => Some(rest.strip_prefix(' ').unwrap_or(rest)),
                Some(_) => None,
                None => line.strip_prefix("/*").map(str::trim_start).inspect(|_| in_block = true),
            },
        };
        let Some(rest) = rest else {
            let message =
                format!("the text for the top of files must be comments, `//` or `/* */`, not {line:?}");
            return Err(Problem::new(message).into());
        };
        let ended = in_block && line.ends_with("*/");
        let rest = if ended { rest.trim_end_matches('/').trim_end_matches('*') } else { rest };
        in_block &= !ended;
        // Lines with nothing but a mark of a block are none of its text.
        if !(rest.trim().is_empty() && (ended || line == "/*")) {
            lines.push(rest.trim_end().to_owned());
        }
    }
    match in_block {
        true => Err(Problem::new("the text for the top of files has a comment `/*` that doesn't end").into()),
        false => Ok(lines),
    }
}

/// Adds lines as comments behind a mark.
pub fn comment(text: &mut String, mark: &str, lines: &[String]) {
    for line in lines {
        text.push_str(mark);
        if !line.is_empty() {
            text.push(' ');
            text.push_str(line);
        }
        text.push('\n');
    }
}
