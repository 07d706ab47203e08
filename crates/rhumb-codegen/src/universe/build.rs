//! Builds the universe from parsed modules.
//!
//! Packages are taken one after the other: those that were asked for, then those that they mention, until nothing new
//! is mentioned.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Data, Fields, Visibility};

use super::declarations::{self, Declared as Value};
use super::marks;
use super::resolve::type_ref;
use super::{
    Declaration, Function, Implementation, Kind, Member, Package, Submodule, Type, TypeName, TypeRef,
    Universe, Variant,
};
use crate::expand::attributes::{FieldAttributes, camel_case, doc, doc_lines};
use crate::problem::{Outcome, Problem, Problems};
use crate::source::{
    Declared, Depth, Disk, Found, GENERATED, Module, Request, SourceFile, Sources, is_private, locate,
};

/// Package tags whose values are package paths.
const PACKAGE_TAGS: &[&str] =
    &["k8s:conversion-gen", "k8s:conversion-gen-external-types", "k8s:defaulter-gen-input"];

pub(crate) fn build(request: &Request) -> Outcome<Universe> {
    let mut problems = Problems::default();
    let mut sources = Sources::new(&request.crates, Disk::behind(request.unwritten.clone()));
    let mut requested = Vec::new();
    for word in &request.paths {
        if let Some(found) = problems.take(locate(&mut sources, word)) {
            requested.push(found);
        }
    }
    let mut peers = Vec::new();
    for word in &request.peers {
        peers.extend(problems.take(locate(&mut sources, word)));
    }
    problems.or(())?;
    let bounds = request.bounding.iter().map(|word| Bound::named(word)).collect();
    let mut builder = Builder { sources, bounds, ..Builder::default() };
    builder.sources.requested = requested.iter().map(|(module, _)| module.clone()).collect();
    for (module, depth) in requested {
        builder.ask(&module, depth)?;
    }
    for (module, depth) in peers {
        builder.peer(&module, depth)?;
    }
    while let Some(path) = builder.queue.pop_front() {
        builder.package(&path)?;
    }
    builder.sources.problems = Problems::default();
    Ok(Universe {
        packages: builder.packages,
        types: builder.types,
        conversions: builder.conversions,
        implementations: builder.implementations,
        peers: builder.peers,
        sources: std::cell::RefCell::new(builder.sources),
    })
}

#[derive(Default)]
struct Builder {
    sources: Sources,
    bounds: Vec<Bound>,
    peers: Vec<String>,
    queue: VecDeque<String>,
    queued: BTreeSet<String>,
    asked: BTreeSet<String>,
    packages: BTreeMap<String, Package>,
    types: BTreeMap<TypeName, Type>,
    conversions: BTreeSet<(TypeName, TypeName)>,
    implementations: Vec<Implementation>,
}

/// Limits of generation.
enum Bound {
    /// A module and all below it.
    Module(String),
    /// The files below a directory.
    Directory(PathBuf),
}

impl Bound {
    fn named(word: &str) -> Self {
        match Path::new(word).canonicalize() {
            Ok(dir) if dir.is_dir() => Bound::Directory(dir),
            _ => Bound::Module(word.trim_end_matches("::").replace('-', "_")),
        }
    }

    fn holds(&self, path: &str, file: &Path) -> bool {
        match self {
            Bound::Module(module) => path
                .strip_prefix(module.as_str())
                .is_some_and(|rest| rest.is_empty() || rest.starts_with("::")),
            Bound::Directory(dir) => file.canonicalize().is_ok_and(|file| file.starts_with(dir)),
        }
    }
}

/// Contents taken out of a module, so that name resolution can load other modules meanwhile.
struct Content {
    file: Rc<SourceFile>,
    types: Vec<(String, Declared, bool)>,
    functions: Vec<syn::ItemFn>,
    constants: Vec<syn::ItemConst>,
    statics: Vec<syn::ItemStatic>,
    exports: Vec<(Option<String>, Vec<String>)>,
    conversions: Vec<(syn::Path, syn::Path)>,
    implementations: Vec<(syn::Path, syn::Path)>,
}

impl Builder {
    /// Notes a package that was asked for, and those below it.
    fn ask(&mut self, module: &str, depth: Depth) -> Outcome<()> {
        if self.sources.is_package(module) && self.is_bounded(module) {
            self.asked.insert(module.to_owned());
            self.enqueue(module);
        }
        if depth == Depth::All {
            for child in self.children(module)? {
                self.ask(&child, depth)?;
            }
        }
        Ok(())
    }

    /// Notes a package that is read beside those that were asked for, and those below it.
    fn peer(&mut self, module: &str, depth: Depth) -> Outcome<()> {
        if self.sources.is_package(module) {
            self.enqueue(module);
            self.peers.push(module.to_owned());
        }
        if depth == Depth::All {
            for child in self.children(module)? {
                self.peer(&child, depth)?;
            }
        }
        Ok(())
    }

    fn is_bounded(&self, module: &str) -> bool {
        let file = self.sources.get(module).map(|found| found.file.path.clone()).unwrap_or_default();
        self.bounds.is_empty() || self.bounds.iter().any(|bound| bound.holds(module, &file))
    }

    fn enqueue(&mut self, package: &str) {
        if self.queued.insert(package.to_owned()) {
            self.queue.push_back(package.to_owned());
        }
    }

    /// Returns the modules directly below one, read. Generated ones are left out: they are made from the others.
    fn children(&mut self, module: &str) -> Outcome<Vec<String>> {
        let mut found = Vec::new();
        for name in self.sources.children(module) {
            let path = format!("{module}::{name}");
            if name.starts_with(GENERATED) || !self.sources.read(&path)? {
                continue;
            }
            if !self.sources.get(&path).is_some_and(Module::is_generated) {
                found.push(path);
            }
        }
        Ok(found)
    }

    /// Returns the modules of a package: its own, and the private ones below.
    fn modules(&mut self, package: &str) -> Outcome<Vec<String>> {
        let mut modules = vec![package.to_owned()];
        let mut next = 0;
        while let Some(module) = modules.get(next).cloned() {
            next += 1;
            for child in self.children(&module)? {
                if !self.sources.is_package(&child) {
                    modules.push(child);
                }
            }
        }
        Ok(modules)
    }

    fn package(&mut self, path: &str) -> Outcome<()> {
        let modules = self.modules(path)?;
        let Some(module) = self.sources.get(path) else { return Ok(()) };
        let dir = self.sources.crate_of(path).map(|found| found.dir.clone()).unwrap_or_default();
        let mut package = Package {
            path: path.to_owned(),
            name: path.rsplit("::").next().unwrap_or(path).to_owned(),
            file: module.file.path.clone(),
            dir: module.dir.clone(),
            crate_dir: dir,
            comments: module.comments.clone(),
            tags: module.tags.clone(),
            types: Vec::new(),
            exports: BTreeMap::new(),
            functions: Vec::new(),
            constants: BTreeMap::new(),
            statics: BTreeMap::new(),
            modules: module
                .children
                .iter()
                .map(|(name, child)| Submodule::new(name, child.private))
                .collect(),
            requested: self.asked.contains(path),
            place: module.file.place(1),
        };
        for name in PACKAGE_TAGS {
            let tags: Vec<String> = package.tags.all(name).map(|tag| tag.value().to_owned()).collect();
            for tag in tags {
                let parts: Vec<String> = tag.split("::").map(str::to_owned).collect();
                if let Some(Found::Module(target)) = self.sources.find(path, &parts) {
                    let target = self.sources.home(&target);
                    self.enqueue(&target);
                }
            }
        }
        for module in &modules {
            self.module(module, &mut package);
        }
        package.types.sort();
        package.types.dedup();
        self.packages.insert(path.to_owned(), package);
        Ok(())
    }

    fn module(&mut self, path: &str, package: &mut Package) {
        let Some(content) = self.sources.take(path) else { return };
        let Content { file, types, functions, constants, statics, exports, conversions, implementations } =
            content;
        for (name, declared, is_leaf) in types {
            let name = TypeName::new(&package.path, name);
            let ty = match declared {
                Declared::Item(item) => self.declared(name.clone(), path, &file, item, is_leaf),
                Declared::Alias(item) => self.alias(name.clone(), path, &file, &item),
            };
            package.types.push(name.clone());
            self.types.entry(name).or_insert(ty);
        }
        for function in functions {
            let changes = changed(&function.sig).map(|ty| type_ref(&mut self.sources, path, ty, &[]));
            package.functions.push(Function {
                name: function.sig.ident.to_string(),
                module: path.to_owned(),
                changes,
                private: is_private(&function.vis),
                tags: file.tags_of_type(&function.attrs, function.sig.ident.span()),
                place: file.place_of(function.sig.ident.span()),
                signature: function.sig,
            });
        }
        for item in &constants {
            let found = self.declaration(path, &file, Value::of_constant(item, &constants));
            package.constants.insert(found.name.clone(), found);
        }
        for item in &statics {
            let found = self.declaration(path, &file, Value::of_static(item, &constants));
            package.statics.insert(found.name.clone(), found);
        }
        for (name, parts) in exports {
            self.export(path, package, name, &parts);
        }
        for (own, hub) in conversions {
            if let (Some(own), Some(hub)) = (self.type_name(path, &own), self.type_name(path, &hub)) {
                self.conversions.insert((own, hub));
            }
        }
        let written = implementations.iter().map(|(implemented, own)| Implementation {
            implemented: last_part(implemented),
            own: own.segments.iter().map(|part| part.ident.to_string()).collect::<Vec<_>>().join("::"),
            module: path.to_owned(),
        });
        self.implementations.extend(written);
    }

    /// Returns the type that a path means in a module.
    fn type_name(&mut self, module: &str, path: &syn::Path) -> Option<TypeName> {
        let parts: Vec<String> = path.segments.iter().map(|part| part.ident.to_string()).collect();
        match self.sources.find(module, &parts)? {
            Found::Type(home, name) => Some(TypeName::new(self.sources.home(&home), name)),
            _ => None,
        }
    }

    fn declaration(&mut self, module: &str, file: &SourceFile, item: Value<'_>) -> Declaration {
        Declaration {
            name: item.name.to_string(),
            module: module.to_owned(),
            ty: type_ref(&mut self.sources, module, declarations::borrowed(item.ty), &[]),
            syntax: item.ty.clone(),
            value: item.value(),
            expression: item.expression.clone(),
            mutable: item.mutable,
            private: is_private(item.visibility),
            comments: doc_lines(item.attributes).collect(),
            tags: file.tags_of_type(item.attributes, item.name.span()),
            place: file.place_of(item.name.span()),
        }
    }

    /// Collects the re-exports of a package.
    fn export(&mut self, module: &str, package: &mut Package, name: Option<String>, parts: &[String]) {
        let found = match self.sources.find(module, parts) {
            Some(Found::Type(home, own)) => vec![(name.unwrap_or_else(|| own.clone()), home, own)],
            Some(Found::Module(target)) if name.is_none() => {
                let names: Vec<String> =
                    self.sources.get(&target).map(|found| found.type_names()).unwrap_or_default();
                names.into_iter().map(|own| (own.clone(), target.clone(), own)).collect()
            }
            _ => Vec::new(),
        };
        for (name, home, own) in found {
            let home = self.sources.home(&home);
            if home != package.path {
                self.enqueue(&home);
                package.exports.insert(name, TypeName::new(home, own));
            }
        }
    }

    fn member_type(&mut self, module: &str, ty: &syn::Type, parameters: &[String]) -> TypeRef {
        let found = type_ref(&mut self.sources, module, ty, parameters);
        let mut mentioned = Vec::new();
        found.each_name(&mut |name| mentioned.push(name.package.clone()));
        mentioned.iter().for_each(|package| self.enqueue(package));
        found
    }

    fn alias(&mut self, name: TypeName, module: &str, file: &SourceFile, item: &syn::ItemType) -> Type {
        let target = self.member_type(module, &item.ty, &[]);
        Type {
            name,
            kind: Kind::Alias(target),
            members: Vec::new(),
            doc: doc(&item.attrs),
            comments: doc_lines(&item.attrs).collect(),
            tags: file.tags_of_type(&item.attrs, item.ident.span()),
            place: file.place_of(item.ident.span()),
            module: module.to_owned(),
            derives: Vec::new(),
            public: matches!(item.vis, Visibility::Public(_)),
            private: is_private(&item.vis),
            item: None,
            problems: Vec::new(),
        }
    }

    fn declared(
        &mut self,
        name: TypeName,
        module: &str,
        file: &SourceFile,
        mut item: syn::DeriveInput,
        is_leaf: bool,
    ) -> Type {
        let parameters: Vec<String> =
            item.generics.type_params().map(|parameter| parameter.ident.to_string()).collect();
        let tags = file.tags_of_type(&item.attrs, item.ident.span());
        let derives = derives(&item.attrs);
        let mut problems = Vec::new();
        let mut members = Vec::new();
        marks::of_type(&mut item.attrs, &tags, &mut problems);
        let kind = match &mut item.data {
            _ if is_leaf => Kind::Leaf,
            Data::Struct(data) => {
                for (position, field) in data.fields.iter_mut().enumerate() {
                    members.push(self.member(module, file, position, field, &parameters, &mut problems));
                }
                if parameters.is_empty() { Kind::Struct } else { Kind::Generic(parameters) }
            }
            Data::Enum(data) => Kind::Enum(
                data.variants
                    .iter()
                    .map(|variant| self.variant(module, file, variant, &parameters))
                    .collect(),
            ),
            Data::Union(_) => {
                problems.push(Problem::at(
                    &file.place_of(item.ident.span()),
                    format!(
                        "`{}` is a union of the language, which no API type can be: write a struct",
                        item.ident
                    ),
                ));
                Kind::Struct
            }
        };
        Type {
            name,
            kind,
            members,
            doc: doc(&item.attrs),
            comments: doc_lines(&item.attrs).collect(),
            tags,
            place: file.place_of(item.ident.span()),
            module: module.to_owned(),
            derives,
            public: matches!(item.vis, Visibility::Public(_)),
            private: is_private(&item.vis),
            item: Some(item),
            problems,
        }
    }

    fn member(
        &mut self,
        module: &str,
        file: &SourceFile,
        position: usize,
        field: &mut syn::Field,
        parameters: &[String],
        problems: &mut Vec<Problem>,
    ) -> Member {
        let ident = field.ident.as_ref().map(ToString::to_string).unwrap_or_else(|| position.to_string());
        let name = ident.strip_prefix("r#").unwrap_or(&ident).to_owned();
        let span = field.ident.as_ref().map_or_else(|| field.ty.span(), syn::Ident::span);
        let tags = file.tags_of_member(&field.attrs, span);
        marks::of_field(field, &tags, problems);
        let is_described = field.attrs.iter().any(|attribute| attribute.path().is_ident("field"));
        let attributes = is_described.then(|| FieldAttributes::read(field, &name)).and_then(|read| {
            read.map_err(|error| {
                problems.push(Problem::at(&file.place(line_of(error.span(), span)), error.to_string()));
            })
            .ok()
        });
        let json = match &attributes {
            Some(attributes) if attributes.inline => String::new(),
            attributes => attributes
                .as_ref()
                .and_then(|attributes| attributes.json.clone())
                .unwrap_or_else(|| camel_case(&name)),
        };
        Member {
            json,
            ty: self.member_type(module, &field.ty, parameters),
            syntax: field.ty.clone(),
            field: attributes,
            doc: doc(&field.attrs),
            comments: doc_lines(&field.attrs).collect(),
            tags,
            place: file.place_of(span),
            name,
        }
    }

    fn variant(
        &mut self,
        module: &str,
        file: &SourceFile,
        variant: &syn::Variant,
        parameters: &[String],
    ) -> Variant {
        let fields = match &variant.fields {
            Fields::Unit => Vec::new(),
            fields => fields.iter().map(|field| self.member_type(module, &field.ty, parameters)).collect(),
        };
        Variant {
            name: variant.ident.to_string(),
            doc: doc(&variant.attrs),
            tags: file.tags_of_member(&variant.attrs, variant.ident.span()),
            fields,
            place: file.place_of(variant.ident.span()),
        }
    }
}

impl Sources {
    /// Takes what a package is made from out of a module; the names stay known.
    fn take(&mut self, path: &str) -> Option<Content> {
        let module: &mut Module = self.get_mut(path)?;
        let leaves = &module.leaves;
        let types = module
            .types
            .iter_mut()
            .filter_map(|(name, declared)| Some((name.clone(), declared.take()?, leaves.contains(name))))
            .collect();
        Some(Content {
            file: module.file.clone(),
            types,
            functions: module.functions.clone(),
            constants: module.constants.clone(),
            statics: module.statics.clone(),
            exports: module
                .imports
                .iter()
                .filter(|import| import.public)
                .map(|import| (import.name.clone(), import.path.clone()))
                .collect(),
            conversions: module.conversions.clone(),
            implementations: module.implementations.clone(),
        })
    }
}

fn last_part(path: &syn::Path) -> String {
    path.segments.last().map(|part| part.ident.to_string()).unwrap_or_default()
}

/// Returns the line of a span, or that of another where the first is of no file.
pub(crate) fn line_of(span: Span, other: Span) -> usize {
    let line = span.start().line;
    if line <= 1 { other.start().line } else { line }
}

/// Returns the type behind the only parameter `&mut T` of a function.
fn changed(signature: &syn::Signature) -> Option<&syn::Type> {
    let mut inputs = signature.inputs.iter();
    match (inputs.next(), inputs.next()) {
        (Some(syn::FnArg::Typed(argument)), None) => match &*argument.ty {
            syn::Type::Reference(reference) if reference.mutability.is_some() => Some(&reference.elem),
            _ => None,
        },
        _ => None,
    }
}

fn derives(attributes: &[syn::Attribute]) -> Vec<String> {
    let mut found = Vec::new();
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("derive")) {
        // What can't be read here, the compiler refuses as well.
        drop(attribute.parse_nested_meta(|meta| {
            found.extend(meta.path.segments.last().map(|segment| segment.ident.to_string()));
            Ok(())
        }));
    }
    found
}
