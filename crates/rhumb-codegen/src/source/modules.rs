//! Modules: parsed files and inline modules.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use proc_macro2::Span;
use syn::{Attribute, Item, UseTree, Visibility};

use super::comments::{Comment, CommentKind, scan};
use super::disk::Disk;
use crate::problem::{Outcome, Place, Problem, shown};
use crate::universe::{Tag, Tags};

/// A source file with its comments.
pub(crate) struct SourceFile {
    pub(crate) path: PathBuf,
    shown: Arc<Path>,
    lines: Vec<Arc<str>>,
    comments: BTreeMap<usize, Comment>,
}

impl SourceFile {
    /// Reads and parses a file.
    pub(crate) fn read(disk: &Disk, path: &Path) -> Outcome<(Rc<SourceFile>, syn::File)> {
        let text = disk.read(path).map_err(|error| Problem::file(&shown(path), error))?;
        let file = Rc::new(SourceFile {
            path: path.to_path_buf(),
            shown: shown(path).into(),
            lines: text.lines().map(Arc::from).collect(),
            comments: scan(&text).into_iter().map(|comment| (comment.line, comment)).collect(),
        });
        let parsed = syn::parse_file(&text).map_err(|error| {
            Problem::at(&file.place(error.span().start().line), format!("this is no Rust: {error}"))
        })?;
        Ok((file, parsed))
    }

    /// Returns a line as a place.
    pub(crate) fn place(&self, line: usize) -> Place {
        let text = line.checked_sub(1).and_then(|index| self.lines.get(index)).cloned();
        Place { file: self.shown.clone(), line, text: text.unwrap_or_else(|| "".into()) }
    }

    /// Returns the position of a span.
    pub(crate) fn place_of(&self, span: Span) -> Place {
        self.place(span.start().line)
    }

    /// Returns the comment that a line consists of.
    fn comment(&self, line: usize) -> Option<&Comment> {
        self.comments.get(&line).filter(|comment| comment.alone)
    }

    /// Returns the comments directly above a line, upwards.
    fn block_above(&self, line: usize) -> impl Iterator<Item = &Comment> {
        (1..line).rev().map_while(|line| self.comment(line))
    }

    fn is_blank(&self, line: usize) -> bool {
        line.checked_sub(1).and_then(|index| self.lines.get(index)).is_some_and(|line| line.trim().is_empty())
    }

    fn tags<'a>(&self, comments: impl Iterator<Item = &'a Comment>) -> Tags {
        let mut tags: Vec<Tag> =
            comments.filter_map(|comment| Tag::parse(&comment.text, &self.place(comment.line))).collect();
        tags.sort_by_key(|tag| tag.place.line);
        Tags(tags)
    }

    /// Returns the comments of an item that goes from its first attribute to its name: those directly above and
    /// between.
    fn closest(&self, first: usize, name: usize) -> Vec<&Comment> {
        self.block_above(first).chain((first..name).filter_map(|line| self.comment(line))).collect()
    }

    /// Returns the comments of the block that one blank line separates from the closest one.
    fn second_closest(&self, first: usize) -> Vec<&Comment> {
        let top = self.block_above(first).last().map_or(first, |comment| comment.line);
        let Some(blank) = top.checked_sub(1).filter(|line| self.is_blank(*line)) else { return Vec::new() };
        let block: Vec<&Comment> = self.block_above(blank).collect();
        match block.iter().any(|comment| comment.kind == CommentKind::Inner) {
            true => Vec::new(),
            false => block,
        }
    }

    /// Returns the tags of a type: in its comment, and in the block that one blank line separates from it.
    pub(crate) fn tags_of_type(&self, attributes: &[Attribute], name: Span) -> Tags {
        let (first, name) = extent(attributes, name);
        self.tags(self.second_closest(first).into_iter().chain(self.closest(first, name)))
    }

    /// Returns the tags of anything else: in its comment.
    pub(crate) fn tags_of_member(&self, attributes: &[Attribute], name: Span) -> Tags {
        let (first, name) = extent(attributes, name);
        self.tags(self.closest(first, name).into_iter())
    }

    /// Returns the tags of a file as a whole: above its first item, unless they are those of that item.
    fn tags_at_top(&self, first: Option<&Item>) -> Tags {
        let declared = first.and_then(declaration);
        let begins = match (&declared, first) {
            (Some((attributes, span)), _) => extent(attributes, *span).0,
            (None, Some(item)) => first_line(item),
            (None, None) => usize::MAX,
        };
        let mut of_item = BTreeSet::new();
        if declared.is_some() {
            let closest: Vec<&Comment> = self.block_above(begins).collect();
            if closest.iter().all(|comment| comment.kind != CommentKind::Inner) {
                of_item.extend(closest.iter().map(|comment| comment.line));
                of_item.extend(self.second_closest(begins).iter().map(|comment| comment.line));
            }
        }
        self.tags(self.comments.range(..begins).map(|(_, comment)| comment).filter(|comment| {
            comment.alone && comment.kind != CommentKind::Outer && !of_item.contains(&comment.line)
        }))
    }
}

/// Returns the first line of an item's attributes, and the line of its name.
fn extent(attributes: &[Attribute], name: Span) -> (usize, usize) {
    let name = name.start().line;
    let first = attributes.iter().map(|attribute| attribute.pound_token.span.start().line).min();
    (first.unwrap_or(name).min(name), name)
}

/// Returns the attributes and the name of an item that tags are about.
fn declaration(item: &Item) -> Option<(&[Attribute], Span)> {
    match item {
        Item::Struct(item) => Some((&item.attrs, item.ident.span())),
        Item::Enum(item) => Some((&item.attrs, item.ident.span())),
        Item::Type(item) => Some((&item.attrs, item.ident.span())),
        Item::Fn(item) => Some((&item.attrs, item.sig.ident.span())),
        _ => None,
    }
}

fn first_line(item: &Item) -> usize {
    use quote::ToTokens;
    let tokens = item.to_token_stream().into_iter();
    tokens.map(|token| token.span().start().line).min().unwrap_or(usize::MAX)
}

/// An import or re-export.
pub(crate) struct Import {
    /// Local name; `None` for a glob.
    pub(crate) name: Option<String>,
    /// Imported path.
    pub(crate) path: Vec<String>,
    /// Whether others see it too.
    pub(crate) public: bool,
}

/// A submodule.
pub(crate) struct Child {
    pub(crate) public: bool,
    pub(crate) private: bool,
    pub(crate) body: ChildBody,
}

/// Location of a module's items.
pub(crate) enum ChildBody {
    /// In the parent's file, until they are taken.
    Inline(Option<Vec<Item>>),
    /// In the first existing file.
    Files(Vec<PathBuf>),
}

/// A declared type as syntax.
pub(crate) enum Declared {
    Item(syn::DeriveInput),
    Alias(syn::ItemType),
}

/// A parsed module.
pub(crate) struct Module {
    pub(crate) file: Rc<SourceFile>,
    /// The directory that files of its children stand in.
    pub(crate) dir: PathBuf,
    pub(crate) public: bool,
    pub(crate) comments: Vec<String>,
    pub(crate) tags: Tags,
    /// Declared types, until they are taken.
    pub(crate) types: BTreeMap<String, Option<Declared>>,
    pub(crate) imports: Vec<Import>,
    pub(crate) children: BTreeMap<String, Child>,
    pub(crate) functions: Vec<syn::ItemFn>,
    pub(crate) constants: Vec<syn::ItemConst>,
    pub(crate) statics: Vec<syn::ItemStatic>,
    pub(crate) traits: Vec<syn::ItemTrait>,
    /// Types that describe themselves.
    pub(crate) leaves: BTreeSet<String>,
    /// The hub of types that have a hand-written conversion, `impl Convert<Hub> for Type`: type and hub.
    pub(crate) conversions: Vec<(syn::Path, syn::Path)>,
    /// The traits that are implemented by hand, and their types.
    pub(crate) implementations: Vec<(syn::Path, syn::Path)>,
}

/// Prefix of generated modules' names.
pub(crate) const GENERATED: &str = "zz_generated_";

/// Start of a generated file's first line.
pub(crate) const GENERATED_BY: &str = "Generated by `";

impl Module {
    /// Takes a file apart.
    pub(crate) fn of_file(disk: &Disk, file: &Path, dir: PathBuf, public: bool) -> Outcome<Module> {
        let (source, parsed) = SourceFile::read(disk, file)?;
        let comments = crate::expand::attributes::doc_lines(&parsed.attrs).collect();
        let tags = source.tags_at_top(parsed.items.first());
        let mut module = Module::empty(source, dir, public);
        module.comments = comments;
        module.tags = tags;
        module.take(parsed.items);
        Ok(module)
    }

    /// Takes the items of an inline module apart.
    pub(crate) fn inline(file: Rc<SourceFile>, dir: PathBuf, public: bool, items: Vec<Item>) -> Module {
        let mut module = Module::empty(file, dir, public);
        module.take(items);
        module
    }

    /// Returns a module whose children are the files of a directory, which no file declares.
    pub(crate) fn of_directory(dir: &Path) -> Outcome<Module> {
        let file = Rc::new(SourceFile {
            path: dir.to_path_buf(),
            shown: shown(dir).into(),
            lines: Vec::new(),
            comments: BTreeMap::new(),
        });
        let mut module = Module::empty(file, dir.to_path_buf(), true);
        let entries = fs::read_dir(dir).map_err(|error| Problem::file(&shown(dir), error))?;
        for path in entries.filter_map(|entry| Some(entry.ok()?.path())) {
            let named = path.file_stem().and_then(|stem| stem.to_str());
            let Some(name) = named.filter(|name| !name.starts_with('.')) else { continue };
            let body = match path.is_dir() {
                true => path.join("mod.rs"),
                false if path.extension().is_some_and(|extension| extension == "rs") => path.clone(),
                false => continue,
            };
            if body.is_file() {
                let child = Child { public: true, private: false, body: ChildBody::Files(vec![body]) };
                module.children.insert(name.to_owned(), child);
            }
        }
        Ok(module)
    }

    fn empty(file: Rc<SourceFile>, dir: PathBuf, public: bool) -> Module {
        Module {
            file,
            dir,
            public,
            comments: Vec::new(),
            tags: Tags::default(),
            types: BTreeMap::new(),
            imports: Vec::new(),
            children: BTreeMap::new(),
            functions: Vec::new(),
            constants: Vec::new(),
            statics: Vec::new(),
            traits: Vec::new(),
            leaves: BTreeSet::new(),
            conversions: Vec::new(),
            implementations: Vec::new(),
        }
    }

    /// Returns the paths from which it imports everything.
    pub(crate) fn globs(&self) -> Vec<Vec<String>> {
        let globs = self.imports.iter().filter(|import| import.name.is_none());
        globs.map(|import| import.path.clone()).collect()
    }

    /// Reports whether it is a file that this crate wrote.
    pub(crate) fn is_generated(&self) -> bool {
        let first = self.comments.first();
        first.is_some_and(|line| line.starts_with(GENERATED_BY) && line.contains("Do not edit"))
    }

    /// Reports whether it declares something of a name that is neither a type nor a module.
    pub(crate) fn declares_other(&self, name: &str) -> bool {
        self.functions.iter().any(|item| item.sig.ident == name)
            || self.constants.iter().any(|item| item.ident == name)
            || self.statics.iter().any(|item| item.ident == name)
            || self.traits.iter().any(|item| item.ident == name)
    }

    /// Returns the names of the types it declares.
    pub(crate) fn type_names(&self) -> Vec<String> {
        self.types.keys().cloned().collect()
    }

    fn take(&mut self, items: Vec<Item>) {
        for item in items {
            match item {
                Item::Struct(item) if !is_test(&item.attrs) => {
                    self.types.insert(item.ident.to_string(), Some(Declared::Item(item.into())));
                }
                Item::Enum(item) if !is_test(&item.attrs) => {
                    self.types.insert(item.ident.to_string(), Some(Declared::Item(item.into())));
                }
                Item::Type(item) if !is_test(&item.attrs) => {
                    self.types.insert(item.ident.to_string(), Some(Declared::Alias(item)));
                }
                Item::Use(item) => {
                    let public = matches!(item.vis, Visibility::Public(_));
                    imports(&item.tree, &mut Vec::new(), public, &mut self.imports);
                }
                Item::Mod(item) if !is_test(&item.attrs) => self.child(item),
                Item::Fn(item) if !is_test(&item.attrs) => self.functions.push(item),
                Item::Const(item) => self.constants.push(item),
                Item::Static(item) if !is_test(&item.attrs) => self.statics.push(item),
                Item::Trait(item) if !is_test(&item.attrs) => self.traits.push(item),
                Item::Macro(item) => self.leaf(&item.mac),
                Item::Impl(item) => self.implementation(&item),
                _ => {}
            }
        }
    }

    fn child(&mut self, item: syn::ItemMod) {
        let name = item.ident.to_string();
        let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
        let body = match item.content {
            Some((_, items)) => ChildBody::Inline(Some(items)),
            None => ChildBody::Files(match path_attribute(&item.attrs) {
                Some(path) => {
                    vec![self.file.path.parent().unwrap_or(Path::new(".")).join(path)]
                }
                None => vec![self.dir.join(format!("{name}.rs")), self.dir.join(&name).join("mod.rs")],
            }),
        };
        let public = matches!(item.vis, Visibility::Public(_));
        self.children.insert(name, Child { public, private: is_private(&item.vis), body });
    }

    /// Records `leaf_value!(Type, …)` and similar macros.
    fn leaf(&mut self, invocation: &syn::Macro) {
        let is_leaf =
            invocation.path.segments.last().is_some_and(|name| name.ident.to_string().contains("leaf"));
        if let (true, Some(proc_macro2::TokenTree::Ident(name))) =
            (is_leaf, invocation.tokens.clone().into_iter().next())
        {
            self.leaves.insert(name.to_string());
        }
    }

    /// Records `impl Described for Type` as a leaf, `impl Convert<Hub> for Type` as a conversion.
    fn implementation(&mut self, item: &syn::ItemImpl) {
        let (Some((path, _)), syn::Type::Path(own)) = (&item.trait_, &*item.self_ty) else { return };
        let Some(last) = path.segments.last() else { return };
        self.implementations.push((path.clone(), own.path.clone()));
        if last.ident == "Described"
            && let Some(name) = own.path.get_ident()
        {
            self.leaves.insert(name.to_string());
        }
        if last.ident == "Convert"
            && let syn::PathArguments::AngleBracketed(arguments) = &last.arguments
            && let Some(syn::GenericArgument::Type(syn::Type::Path(hub))) = arguments.args.first()
        {
            self.conversions.push((own.path.clone(), hub.path.clone()));
        }
    }
}

/// Reports whether only the module of an item and those below see it.
pub(crate) fn is_private(visibility: &Visibility) -> bool {
    match visibility {
        Visibility::Inherited => true,
        Visibility::Restricted(within) => within.path.is_ident("self"),
        _ => false,
    }
}

/// Collects the imports of a `use`.
pub(crate) fn imports(tree: &UseTree, prefix: &mut Vec<String>, public: bool, found: &mut Vec<Import>) {
    let text = |ident: &syn::Ident| {
        let text = ident.to_string();
        text.strip_prefix("r#").unwrap_or(&text).to_owned()
    };
    match tree {
        UseTree::Path(path) => {
            prefix.push(text(&path.ident));
            imports(&path.tree, prefix, public, found);
            prefix.pop();
        }
        UseTree::Name(name) => {
            let name = text(&name.ident);
            let mut path = prefix.clone();
            if name == "self" {
                found.push(Import { name: path.last().cloned(), path, public });
            } else {
                path.push(name.clone());
                found.push(Import { name: Some(name), path, public });
            }
        }
        UseTree::Rename(rename) => {
            let mut path = prefix.clone();
            if rename.ident != "self" {
                path.push(text(&rename.ident));
            }
            found.push(Import { name: Some(text(&rename.rename)), path, public });
        }
        UseTree::Glob(_) => found.push(Import { name: None, path: prefix.clone(), public }),
        UseTree::Group(group) => group.items.iter().for_each(|tree| imports(tree, prefix, public, found)),
    }
}

/// Reports whether something is there for tests alone.
pub(crate) fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

/// Returns the file that `#[path = …]` names.
pub(crate) fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("path")).find_map(|attribute| {
        let syn::Meta::NameValue(pair) = &attribute.meta else { return None };
        let syn::Expr::Lit(literal) = &pair.value else { return None };
        if let syn::Lit::Str(text) = &literal.lit { Some(text.value()) } else { None }
    })
}
