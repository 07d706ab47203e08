//! Tools, targets and generators.
//!
//! A [`Tool`] is what a person asks for by name: `deepcopy`, `crd`. Asked for its targets, it says which files there
//! shall be: for each a [`Generator`], which is led through the types of a package and fills the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

use crate::namer::{Imports, Namers};
use crate::problem::{Outcome, Problem};
use crate::universe::{Package, Type, Universe};

/// A tool that users select by name.
#[derive(Clone, Copy)]
pub struct Tool {
    /// The name.
    pub name: &'static str,
    /// One-line description of its output.
    pub about: &'static str,
    /// The files that there shall be.
    pub targets: fn(&Universe, &Options) -> Outcome<Vec<Target>>,
}

/// Generators of one directory.
pub struct Target {
    /// The path of the package whose types the generators see. Where there is none, they see no types, and do their
    /// work in [`Generator::init`] and [`Generator::finalize`].
    pub package: Option<String>,
    /// The directory of the files, unless [`Options::directory`] says another.
    pub dir: PathBuf,
    /// The directory below [`Options::out`], if that is given. Empty for files that stand in it.
    pub below: PathBuf,
    /// Generators of the files. Those with the same file name share a file.
    pub generators: Vec<Box<dyn Generator>>,
}

impl Target {
    /// Creates a target in the directory of a package's submodules.
    pub fn of(package: &Package, generator: impl Generator + 'static) -> Self {
        Target {
            package: Some(package.path.clone()),
            dir: package.dir.clone(),
            below: package.path.split("::").skip(1).collect(),
            generators: vec![Box::new(generator)],
        }
    }
}

/// Generates one file. All methods but the name have defaults.
pub trait Generator {
    /// Returns the name, which the header of a file and errors mention.
    fn name(&self) -> &'static str;

    /// Reports whether a type of the package is for this generator.
    fn filter(&self, context: &Context<'_>, ty: &Type) -> bool {
        let _ = (context, ty);
        true
    }

    /// Returns the naming systems.
    fn namers(&self, context: &Context<'_>) -> Namers {
        let _ = context;
        Namers::default()
    }

    /// Writes what stands before all types.
    ///
    /// # Errors
    /// If something is wrong with what it works from. Nothing is written then, by no generator.
    fn init(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let _ = (context, out);
        Ok(())
    }

    /// Writes what belongs to one type.
    ///
    /// # Errors
    /// See [`Generator::init`].
    fn generate_type(&mut self, context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
        let _ = (context, ty, out);
        Ok(())
    }

    /// Writes what stands behind all types.
    ///
    /// # Errors
    /// See [`Generator::init`].
    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let _ = (context, out);
        Ok(())
    }

    /// Statics of the file. Asked for behind the types, which may have shown what is needed.
    fn vars(&self, context: &Context<'_>) -> Vec<TokenStream> {
        let _ = context;
        Vec::new()
    }

    /// Constants of the file.
    fn consts(&self, context: &Context<'_>) -> Vec<TokenStream> {
        let _ = context;
        Vec::new()
    }

    /// Lines of imports beyond those that the names in [`Context::imports`] make.
    fn imports(&self, context: &Context<'_>) -> Vec<String> {
        let _ = context;
        Vec::new()
    }

    /// Returns the name of the file in the target's directory. It may have directories in it.
    fn file_name(&self, context: &Context<'_>) -> String {
        context.options.file_of(self.name())
    }

    /// Returns the name of the [`crate::file_type::FileType`] that puts the file together.
    fn file_type(&self) -> &'static str {
        "rust"
    }

    /// Lines for the header of the file, beneath the one that names the command.
    fn header(&self, context: &Context<'_>) -> Vec<String> {
        let _ = context;
        Vec::new()
    }

    /// Reports whether a file with nothing in it is written too.
    fn keeps_empty(&self) -> bool {
        false
    }
}

/// Context of a generator.
pub struct Context<'a> {
    /// Everything that is known.
    pub universe: &'a Universe,
    /// The package at hand.
    pub package: Option<&'a Package>,
    /// Command line options.
    pub options: &'a Options,
    /// Naming systems of the generator.
    pub namers: Namers,
    /// The names that the file at hand uses from elsewhere.
    pub imports: Imports,
    pub(crate) notes: Vec<Problem>,
}

impl<'a> Context<'a> {
    /// Creates a context for one file.
    pub fn new(universe: &'a Universe, package: Option<&'a Package>, options: &'a Options) -> Self {
        let imports = Imports::default();
        Context { universe, package, options, namers: Namers::default(), imports, notes: Vec::new() }
    }

    /// Says something that a person should know but that is no reason to fail.
    pub fn note(&mut self, note: Problem) {
        self.notes.push(note);
    }
}

/// Command line options besides generators and paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The command as the headers of files name it: `rhumb gen deepcopy`.
    pub command: String,
    /// Directory to write to in place of the packages': each file below its package's path in its crate.
    pub out: Option<PathBuf>,
    /// Like `out`, but each file below the full path of its package, which begins with the crate.
    pub output_base: Option<PathBuf>,
    /// The name of the Rust file that a generator writes for a package, with `*` for the generator's name. Where
    /// there is none, it is `zz_generated_*.rs`.
    pub output_file: Option<String>,
    /// Text at the top of all files that can have comments, such as a licence.
    pub boilerplate: String,
    /// The flags that generators have of their own, by name without hyphens.
    pub flags: BTreeMap<String, Vec<String>>,
}

impl Options {
    /// Returns the name of the Rust file that a generator writes for a package, unless it has a way of its own.
    pub fn file_of(&self, generator: &str) -> String {
        let pattern = self.output_file.as_deref().unwrap_or("zz_generated_*.rs");
        let name = pattern.replace('*', &generator.replace('-', "_"));
        if name.ends_with(".rs") { name } else { name + ".rs" }
    }

    /// Returns the module that such a file is declared as.
    pub fn module_of(&self, generator: &str) -> String {
        self.file_of(generator).trim_end_matches(".rs").replace(['.', '-'], "_")
    }

    /// Returns the directory of a file that belongs to a package, given where it goes if nothing else is said and its
    /// directory below [`Options::out`].
    pub fn directory(&self, package: Option<&str>, dir: &Path, below: &Path) -> PathBuf {
        match (&self.out, &self.output_base) {
            (Some(out), _) => out.join(below),
            (None, Some(base)) => {
                let name = package.and_then(|package| package.split("::").next()).unwrap_or_default();
                base.join(name).join(below)
            }
            (None, None) => dir.to_path_buf(),
        }
    }

    /// Returns the last value of a flag.
    pub fn flag(&self, name: &str) -> Option<&str> {
        self.flags.get(name)?.last().map(String::as_str)
    }

    /// Returns all values of a flag.
    pub fn all(&self, name: &str) -> &[String] {
        self.flags.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reports whether a flag that is on or off is on.
    pub fn is_on(&self, name: &str) -> bool {
        self.flag(name) == Some("true")
    }
}

/// Returns a text for the top of files, with the year in the place of `YEAR`.
pub fn boilerplate(text: &str, year: &str) -> String {
    text.replace("YEAR", year)
}

/// Part of a file.
#[derive(Clone)]
pub enum Part {
    /// Rust, to be laid out.
    Rust(TokenStream),
    /// Plain text. In a Rust file it must be items, which are formatted; comments in it are lost.
    Text(String),
    /// A value, for files that are data.
    Value(serde_json::Value),
}

/// Contents of a file so far.
#[derive(Clone, Default)]
pub struct Output {
    /// The pieces in their order. Formats put an empty line between pieces of Rust.
    pub parts: Vec<Part>,
}

impl Output {
    /// Adds Rust items.
    pub fn rust(&mut self, tokens: TokenStream) {
        self.parts.push(Part::Rust(tokens));
    }

    /// Adds text.
    pub fn text(&mut self, text: impl Into<String>) {
        self.parts.push(Part::Text(text.into()));
    }

    /// Adds a document.
    pub fn value(&mut self, value: serde_json::Value) {
        self.parts.push(Part::Value(value));
    }

    /// Reports whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }
}
