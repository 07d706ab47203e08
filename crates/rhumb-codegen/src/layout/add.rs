//! Adds a version to an existing group.

use std::path::{Path, PathBuf};

use syn::spanned::Spanned;
use syn::{Attribute, Fields, Item, ItemStruct, LitStr, Meta};

use super::edit::{Edits, rename_module, tokens};
use super::names::check_version;
use super::{Files, generated};
use crate::namer::version::newest;
use crate::problem::{Outcome, Problem};
use crate::source::GENERATED;

/// Result of adding a version.
#[derive(Clone, Debug)]
pub struct Added {
    /// Files that are new or changed.
    pub files: Files,
    /// The group.
    pub group: String,
    /// The version that was the newest.
    pub old: String,
    /// Golden files in protobuf, each with the file that is to be like it but for its version.
    pub golden: Vec<(PathBuf, PathBuf)>,
    /// Number of open questions about the conversion.
    pub questions: usize,
}

/// Adds a version to the group in a crate's directory: a copy of the newest one, which then converts to it.
///
/// # Errors
/// If there is no such group, the version is there already or older than another, or a file can't be read.
pub fn add_version(root: &Path, version: &str) -> Outcome<Added> {
    check_version(version)?;
    let sources = sources(root)?;
    let versions = versions(&sources);
    let Some(old) = newest(versions.iter().map(String::as_str)) else {
        let message =
            "there is no version to begin with: a crate of a group has one in src/v1alpha1/ or the like";
        return Err(Problem::file(root, message).into());
    };
    if versions.iter().any(|known| known == version) {
        return Err(Problem::file(root, format!("there is a version {version} already")).into());
    }
    if newest([old, version]) != Some(version) {
        let message = format!("{version} is older than {old}: a new version comes behind all others");
        return Err(Problem::file(root, message).into());
    }
    Adding { root, sources: &sources, old, new: version, files: Files::new(), questions: 0 }.run()
}

/// Returns the Rust files of a crate's library, by their paths below its directory.
fn sources(root: &Path) -> Outcome<Files> {
    let mut found = Files::new();
    let mut waiting = vec![PathBuf::from("src")];
    while let Some(directory) = waiting.pop() {
        let full = root.join(&directory);
        let failed = |error: std::io::Error| Problem::file(&full, error);
        for entry in std::fs::read_dir(&full).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = directory.join(entry.file_name());
            if entry.file_type().map_err(failed)?.is_dir() {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = std::fs::read_to_string(root.join(&path)).map_err(failed)?;
                found.insert(path, text);
            }
        }
    }
    Ok(found)
}

/// Returns the versions that have a module in `src`.
fn versions(sources: &Files) -> Vec<String> {
    let mut found: Vec<String> = sources.keys().filter_map(|path| version_of(path)).collect();
    found.dedup();
    found
}

/// Returns the version that a file belongs to.
fn version_of(path: &Path) -> Option<String> {
    let part = path.iter().nth(1)?.to_str()?;
    let name = part.strip_suffix(".rs").unwrap_or(part);
    check_version(name).is_ok().then(|| name.to_owned())
}

struct Adding<'a> {
    root: &'a Path,
    sources: &'a Files,
    old: &'a str,
    new: &'a str,
    files: Files,
    questions: usize,
}

impl Adding<'_> {
    fn run(mut self) -> Outcome<Added> {
        let (old, new) = (self.old, self.new);
        let group = self.group()?;
        for (path, text) in self.sources.iter().filter(|(path, _)| !is_generated(path)) {
            if version_of(path).is_some_and(|version| version == old) {
                self.copy(path, text, &group)?;
                self.step_down(path, text)?;
                continue;
            }
            // What was written for the hub follows it.
            let name = path.display().to_string();
            let mut changed = rename_module(&name, text, old, new)?;
            if path == Path::new("src/lib.rs") {
                changed = with_hub(&with_module(&name, &changed, old, new)?, old, new)?;
            }
            if changed != *text {
                self.files.insert(path.clone(), changed);
            }
        }
        let golden = self.golden(&group)?;
        generated::add(self.root, &mut self.files)?;
        Ok(Added { files: self.files, group, old: old.to_owned(), golden, questions: self.questions })
    }

    /// Returns the group that the versions are of.
    fn group(&self) -> Outcome<String> {
        for (path, text) in self.sources.iter().filter(|(path, _)| version_of(path).is_some()) {
            if let Some(group) = group_of(path, text)? {
                return Ok(group);
            }
        }
        let message = "no struct says what it is: one of them has #[resource(group = …, version = …, …)]";
        Err(Problem::file(self.root, message).into())
    }

    /// Returns the file in the new version.
    fn copy(&mut self, path: &Path, text: &str, group: &str) -> Outcome<()> {
        let (old, new) = (self.old, self.new);
        let file = path.display().to_string();
        let mut parts = path.iter();
        let mut target: PathBuf = parts.next().into_iter().collect();
        let module = parts.next().and_then(|part| part.to_str()).unwrap_or_default();
        target.push(module.replacen(old, new, 1));
        target.extend(parts);
        let renamed = rename_module(&file, text, old, new)?;
        let tokens = tokens(&file, &renamed)?;
        let mut edits = Edits::new(&renamed);
        for window in tokens.windows(3) {
            if let [(word, _), (sign, _), (value, place)] = window
                && word == "version"
                && sign == "="
                && *value == format!("{old:?}")
            {
                edits.replace(place.clone(), format!("{new:?}"));
            }
        }
        // Comments tell of the version by its full name.
        let said = edits.finish().replace(&format!("{group}/{old}`"), &format!("{group}/{new}`"));
        self.files.insert(target, said);
        Ok(())
    }

    /// Returns the file in the old version, which is the hub no more.
    fn step_down(&mut self, path: &Path, text: &str) -> Outcome<()> {
        let (old, new) = (self.old, self.new);
        let parsed = parse(path, text)?;
        let mut edits = Edits::new(text);
        let mut questions = String::new();
        let mut converts = false;
        for item in &parsed.items {
            let Item::Struct(found) = item else { continue };
            let Some(derive) = derive_of(found, "Schema") else { continue };
            if derive_of(found, "Convert").is_none()
                && let Fields::Named(_) = found.fields
                && let Meta::List(list) = &derive.meta
            {
                edits.insert(list.delimiter.span().close().byte_range().start, ", Convert");
                let hub = format!("\n#[convert(hub = {new}::{})]", found.ident);
                edits.insert(derive.span().byte_range().end, hub);
                converts = true;
            }
            questions.push_str(&self.ask(found));
        }
        if converts {
            let has_import = text.contains("rhumb_scheme::Convert") || text.contains("::{Convert");
            let import = if has_import { "" } else { "use rhumb_scheme::Convert;\n" };
            edits.insert(behind_uses(&parsed), format!("\n{import}\nuse crate::{new};"));
        }
        let is_directory = path.iter().count() > 2;
        if is_directory && path.file_name().is_some_and(|name| name == "mod.rs") {
            edits.insert(before_modules(&parsed), "mod conversion;\n");
        }
        if !questions.is_empty() {
            let heading = conversion(old, new);
            if is_directory {
                let place = path.with_file_name("conversion.rs");
                let known = self.files.remove(&place).unwrap_or_else(|| format!("{heading}\n"));
                self.files.insert(place, known + &questions);
            } else {
                let heading: String =
                    heading.lines().map(|line| format!("{}\n", line.replacen("//!", "//", 1))).collect();
                edits.insert(text.len(), format!("\n{heading}\n{questions}"));
            }
        }
        // Objects are stored in one version.
        let is_kept = |line: &&str| line.trim_start_matches('/').trim() != "+kubebuilder:storageversion";
        let changed: String = edits.finish().split_inclusive('\n').filter(is_kept).collect();
        if changed != text {
            self.files.insert(path.to_owned(), changed);
        }
        Ok(())
    }

    /// Returns the questions about the fields of a struct.
    fn ask(&mut self, found: &ItemStruct) -> String {
        // What every kind has in the same way is no question.
        const CLEAR: [&str; 3] = ["type_meta", "metadata", "items"];
        let mut out = String::new();
        for field in &found.fields {
            let Some(name) = field.ident.as_ref().map(ToString::to_string) else { continue };
            if !CLEAR.contains(&name.as_str()) {
                self.questions += 1;
                out.push_str(&format!("// OPEN {}.{name}: moves as it is.\n", found.ident));
            }
        }
        out
    }

    /// Returns the golden files of the new version. Those in protobuf are no text, and are named only.
    fn golden(&mut self, group: &str) -> Outcome<Vec<(PathBuf, PathBuf)>> {
        let directory = self.root.join("golden");
        let entries = match std::fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Problem::file(&directory, error).into()),
        };
        let mut binary = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| Problem::file(&directory, error))?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let Some(rest) = name.strip_prefix(&format!("{group}.{}.", self.old)) else { continue };
            let target = PathBuf::from("golden").join(format!("{group}.{}.{rest}", self.new));
            if rest.ends_with(".pb") {
                binary.push((PathBuf::from("golden").join(&name), target));
                continue;
            }
            let text = std::fs::read_to_string(entry.path());
            let text = text.map_err(|error| Problem::file(&entry.path(), error))?;
            let place = |version: &str| format!("{group}/{version}");
            self.files.insert(target, text.replacen(&place(self.old), &place(self.new), 1));
        }
        binary.sort();
        Ok(binary)
    }
}

fn parse(path: &Path, text: &str) -> Outcome<syn::File> {
    syn::parse_file(text).map_err(|error| {
        let line = error.span().start().line;
        Problem::new(format!("{}:{line}: {error}", path.display())).into()
    })
}

/// Returns the group that a struct of a file says it is of.
fn group_of(path: &Path, text: &str) -> Outcome<Option<String>> {
    let mut group = None;
    for item in parse(path, text)?.items {
        let Item::Struct(item) = item else { continue };
        for attribute in item.attrs.iter().filter(|attribute| attribute.path().is_ident("resource")) {
            let read = attribute.parse_nested_meta(|meta| {
                if meta.path.is_ident("group") {
                    group = Some(meta.value()?.parse::<LitStr>()?.value());
                } else if meta.input.peek(syn::Token![=]) {
                    meta.value()?.parse::<syn::Expr>()?;
                }
                Ok(())
            });
            read.map_err(|error| {
                let line = error.span().start().line;
                Problem::new(format!("{}:{line}: {error}", path.display()))
            })?;
        }
    }
    Ok(group)
}

/// Reports whether a file is made from others.
fn is_generated(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(GENERATED))
}

/// Returns the attribute by which a struct derives something.
fn derive_of<'a>(found: &'a ItemStruct, name: &str) -> Option<&'a Attribute> {
    found.attrs.iter().filter(|attribute| attribute.path().is_ident("derive")).find(|attribute| {
        let Meta::List(list) = &attribute.meta else { return false };
        list.tokens.clone().into_iter().any(|token| token.to_string() == name)
    })
}

/// Returns the position after a file's leading imports.
fn behind_uses(file: &syn::File) -> usize {
    let uses = file.items.iter().filter(|item| matches!(item, Item::Use(_)));
    let inner = file.attrs.iter().map(|attribute| attribute.span().byte_range().end);
    uses.map(|item| item.span().byte_range().end).chain(inner).max().unwrap_or_default()
}

/// Returns the position of a file's first module declaration.
fn before_modules(file: &syn::File) -> usize {
    let mut modules = file.items.iter().filter(|item| matches!(item, Item::Mod(_)));
    match modules.next() {
        Some(first) => first.span().byte_range().start,
        None => behind_uses(file),
    }
}

/// Returns a text that declares a module behind another one in the same way.
fn with_module(file: &str, text: &str, old: &str, new: &str) -> Outcome<String> {
    let parsed = parse(Path::new(file), text)?;
    let mut edits = Edits::new(text);
    for item in &parsed.items {
        if let Item::Mod(module) = item
            && module.ident == old
            && module.content.is_none()
        {
            let place = item.span().byte_range();
            let declared = text.get(place.clone()).unwrap_or_default();
            edits.insert(place.end, format!("\n{}", declared.replace(old, new)));
        }
    }
    Ok(edits.finish())
}

/// Returns a text of the group's module that names the hub: `+rhumb:hub=v1`.
fn with_hub(text: &str, old: &str, new: &str) -> Outcome<String> {
    let tag = |version: &str| format!("+rhumb:hub={version}");
    if text.lines().any(|line| line.trim_start_matches('/').trim() == tag(old)) {
        return Ok(text.replacen(&tag(old), &tag(new), 1));
    }
    let parsed = parse(Path::new("src/lib.rs"), text)?;
    let behind = parsed.attrs.iter().map(|attribute| attribute.span().byte_range().end).max();
    let mut edits = Edits::new(text);
    match behind {
        Some(behind) => edits.insert(behind, format!("\n\n// {}", tag(new))),
        None => edits.insert(0, format!("// {}\n\n", tag(new))),
    }
    Ok(edits.finish())
}

/// Returns the text above the questions.
fn conversion(old: &str, new: &str) -> String {
    format!(
        "//! How `{old}` becomes `{new}`, which is the hub, and comes back.\n\
         //!\n\
         //! When `{new}` was made it was a copy of `{old}`, so that every field moves as it is:\n\
         //! `#[derive(Convert)]` on the types says that. The lines below are the questions that are open: as\n\
         //! `{new}` changes, answer them in the types and delete them. What only one side has, and nothing\n\
         //! is said about, does not compile.\n\
         //!\n\
         //! | the field in `{new}` | what to write here |\n\
         //! |---|---|\n\
         //! | has another name | `#[convert(rename = its_name)]` on the field |\n\
         //! | has another form | `#[convert(with = module)]`: functions `to_hub` and `from_hub` |\n\
         //! | is not there | `#[convert(skip)]` on the field; think of where its value is kept |\n\
         //! | is only there | `lacks(its_name)` beside `hub = …`; what is written here loses it |\n\
         //! | is split, joined, moved | `impl Convert<{new}::T> for T`, and back, by hand; no derive |\n"
    )
}
