//! `embed`: the files of a directory in one Rust file, by path.
//!
//! A module says what it embeds: `// +rhumb:embed=pages` at its top, the directory seen from that of its submodules,
//! with `,as=text` and `,skip=*.orig` behind it where that is wanted. The file then stands beside it as `pages.rs`.
//! Without a module the flags say it: `--embed-dir`, `--embed-as`, `--embed-skip` and `--embed-name`.
//!
//! What can be said by `as`: `bytes` (the default) and `text` write the contents into the file; `include` and
//! `include-text` leave them where they are for the compiler to fetch. Text must be UTF-8.

mod gather;
mod pattern;

use std::path::{Component, Path, PathBuf};

use proc_macro2::{Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::generator::{Context, Generator, Options, Output, Target, Tool};
use crate::problem::{Outcome, Problem, Problems, shown};
use crate::universe::{Package, Tag, Type, Universe};

use gather::Found;
use pattern::Pattern;

/// The tool.
pub(super) const TOOL: Tool =
    Tool { name: "embed", about: "files of a directory embedded in one Rust file, by path", targets };

/// Tag of a module with embedded files.
const TAG: &str = "rhumb:embed";

/// Maximum total size of inline contents; compilers are slow with more.
const MOST_INLINE: u64 = 16 << 20;

/// How contents are embedded.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Bytes,
    Text,
    Include,
    IncludeText,
}

impl Form {
    fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "bytes" => Form::Bytes,
            "text" => Form::Text,
            "include" => Form::Include,
            "include-text" => Form::IncludeText,
            _ => return None,
        })
    }

    fn is_text(self) -> bool {
        matches!(self, Form::Text | Form::IncludeText)
    }

    fn is_inline(self) -> bool {
        matches!(self, Form::Bytes | Form::Text)
    }
}

/// A directory to embed.
struct Embed {
    /// The directory.
    dir: PathBuf,
    /// The directory as it was said, for the header.
    said: String,
    form: Form,
    skip: Vec<Pattern>,
    file_name: String,
    /// The directory that the file will stand in, from which included files are named.
    out: PathBuf,
}

fn targets(universe: &Universe, options: &Options) -> Outcome<Vec<Target>> {
    let mut targets = Vec::new();
    let mut problems = Problems::default();
    for package in universe.requested() {
        for tag in package.tags.all(TAG) {
            if let Some(embed) = problems.take(by_tag(package, tag, options)) {
                targets.push(Target::of(package, embed));
            }
        }
    }
    for dir in options.all("embed-dir") {
        if let Some(embed) = problems.take(by_flags(dir, options)) {
            let (dir, below) = (embed.out.clone(), PathBuf::new());
            targets.push(Target { package: None, dir, below, generators: vec![Box::new(embed)] });
        }
    }
    problems.or(targets)
}

/// Parses a tag: `pages,as=text,skip=*.orig,name=pages.rs`.
fn by_tag(package: &Package, tag: &Tag, options: &Options) -> Outcome<Embed> {
    let refused = |message: String| Problems::from(Problem::at(&tag.place, message));
    let mut words = tag.value().split(',').map(str::trim);
    let said = words.next().filter(|said| !said.is_empty());
    let said = said.ok_or_else(|| refused(format!("say which directory: `// +{TAG}=DIRECTORY`")))?;
    let below: PathBuf = package.path.split("::").skip(1).collect();
    let mut embed = Embed {
        dir: package.dir.join(said),
        said: said.to_owned(),
        form: Form::Bytes,
        skip: Vec::new(),
        file_name: named_after(Path::new(said)),
        out: options.directory(Some(&package.path), &package.dir, &below),
    };
    for word in words {
        match word.split_once('=') {
            Some(("as", form)) => embed.form = form_of(form).map_err(refused)?,
            Some(("skip", pattern)) => embed.skip.push(Pattern::new(pattern)),
            Some(("name", name)) => embed.file_name = name.to_owned(),
            _ => return Err(refused(format!("{word:?} is none of `as=…`, `skip=…` and `name=…`"))),
        }
    }
    check_name(&embed.file_name).map_err(refused)?;
    Ok(embed)
}

fn by_flags(said: &str, options: &Options) -> Outcome<Embed> {
    let dir = PathBuf::from(said);
    let beside = dir.parent().map(Path::to_path_buf).filter(|dir| !dir.as_os_str().is_empty());
    let file_name = options.flag("embed-name").map_or_else(|| named_after(&dir), str::to_owned);
    check_name(&file_name).map_err(Problem::new)?;
    let form = options.flag("embed-as").map_or(Ok(Form::Bytes), form_of).map_err(Problem::new)?;
    Ok(Embed {
        said: dir.file_name().unwrap_or(dir.as_os_str()).to_string_lossy().into_owned(),
        form,
        skip: options.all("embed-skip").iter().map(|pattern| Pattern::new(pattern)).collect(),
        file_name,
        out: options.directory(None, &beside.unwrap_or_else(|| PathBuf::from(".")), Path::new("")),
        dir,
    })
}

fn form_of(text: &str) -> Result<Form, String> {
    Form::parse(text).ok_or_else(|| {
        format!("files can be embedded as `bytes`, `text`, `include` or `include-text`, not as {text:?}")
    })
}

/// Returns the Rust file beside a directory.
fn named_after(dir: &Path) -> String {
    let name = dir.file_name().unwrap_or_default().to_string_lossy();
    let name: String =
        name.chars().map(|character| if character.is_alphanumeric() { character } else { '_' }).collect();
    if name.is_empty() { "files.rs".to_owned() } else { format!("{}.rs", name.to_lowercase()) }
}

fn check_name(name: &str) -> Result<(), String> {
    let mut parts = Path::new(name).components();
    let is_plain = matches!((parts.next(), parts.next()), (Some(Component::Normal(_)), None));
    if is_plain && name.ends_with(".rs") {
        return Ok(());
    }
    Err(format!("{name:?} is no name for a Rust file"))
}

impl Generator for Embed {
    fn name(&self) -> &'static str {
        "embed"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn file_name(&self, _: &Context<'_>) -> String {
        self.file_name.clone()
    }

    fn header(&self, _: &Context<'_>) -> Vec<String> {
        vec![String::new(), format!("The files of `{}`.", self.said)]
    }

    fn finalize(&mut self, _: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let files = gather::gather(&self.dir, &self.skip)?;
        self.check(&files)?;
        let size: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
        let count = Literal::usize_unsuffixed(files.len());
        let (contents, what) = if self.form.is_text() {
            (quote!(&'static str), "text")
        } else {
            (quote!(&'static [u8]), "bytes")
        };
        let contents_doc = format!(" Its {what}.");
        let mut entries = Vec::new();
        let mut sizes = Vec::new();
        for file in &files {
            let path = &file.path;
            let held = self.held(file);
            // What the compiler fetches may have changed since; it can count, too.
            sizes.push(quote!(#held.len()));
            entries.push(quote!(File { path: #path, contents: #held }));
        }
        let size = match self.form.is_inline() {
            true => Literal::u64_unsuffixed(size).into_token_stream(),
            false if sizes.is_empty() => quote!(0),
            false => quote!(#(#sizes)+*),
        };
        out.rust(quote! {
            #[doc = " A file."]
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct File {
                #[doc = " Its path in the directory, with `/` between the parts."]
                pub path: &'static str,
                #[doc = #contents_doc]
                pub contents: #contents,
            }
        });
        out.rust(quote! {
            #[doc = " How many files there are."]
            pub const COUNT: usize = #count;
        });
        out.rust(quote! {
            #[doc = " How many bytes they have together."]
            pub const SIZE: usize = #size;
        });
        out.rust(quote! {
            #[doc = " All files, in the order of their paths."]
            pub static FILES: [File; COUNT] = [#(#entries),*];
        });
        out.rust(quote! {
            #[doc = " The contents of the file that has a path."]
            pub fn get(path: &str) -> Option<#contents> {
                let found = FILES.binary_search_by(|file| file.path.cmp(path)).ok()?;
                FILES.get(found).map(|file| file.contents)
            }
        });
        Ok(())
    }
}

impl Embed {
    fn check(&self, files: &[Found]) -> Outcome<()> {
        let mut problems = Problems::default();
        if self.form.is_text() {
            for file in files.iter().filter(|file| std::str::from_utf8(&file.bytes).is_err()) {
                let what = "is no UTF-8: skip it, or embed the files as bytes";
                problems.push(Problem::file(&shown(&self.dir.join(&file.path)), what));
            }
        }
        let size: u64 = files.iter().map(|file| file.bytes.len() as u64).sum();
        if self.form.is_inline() && size > MOST_INLINE {
            let what = format!(
                "its files have {size} bytes, too many to write into a source file: embed them `as=include`"
            );
            problems.push(Problem::file(&shown(&self.dir), what));
        }
        problems.or(())
    }

    /// Returns the expression of a file's contents.
    fn held(&self, file: &Found) -> TokenStream {
        match self.form {
            Form::Bytes => Literal::byte_string(&file.bytes).into_token_stream(),
            Form::Text => Literal::string(&String::from_utf8_lossy(&file.bytes)).into_token_stream(),
            Form::Include => {
                let path = way(&self.out, &self.dir.join(&file.path));
                quote!(include_bytes!(#path))
            }
            Form::IncludeText => {
                let path = way(&self.out, &self.dir.join(&file.path));
                quote!(include_str!(#path))
            }
        }
    }
}

/// Returns the relative path from a directory to a file, separated by `/`.
fn way(from: &Path, to: &Path) -> String {
    let (from, to) = (absolute(from), absolute(to));
    let shared = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let up = from.iter().skip(shared).map(|_| "..".to_owned());
    up.chain(to.into_iter().skip(shared)).collect::<Vec<_>>().join("/")
}

/// Returns the parts of a path from the root, without `.` and `..`.
fn absolute(path: &Path) -> Vec<String> {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            Component::Prefix(_) | Component::RootDir | Component::CurDir => {}
        }
    }
    parts
}
