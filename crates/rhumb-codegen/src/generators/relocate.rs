//! Declarations rewritten for a generated file.
//!
//! A generated file is a module below that of the package. Names in a declaration mean what they mean in the module
//! that declares it, so every path is looked up there and written anew: by its last part, with an import.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::VisitMut;
use syn::{DeriveInput, Ident, Path};

use crate::generator::Context;
use crate::problem::{Outcome, Problem};
use crate::universe::Type;

/// Returns the declaration of a type with all its paths as the file at hand writes them. The type itself keeps its
/// name.
pub(crate) fn relocated(context: &mut Context<'_>, ty: &Type) -> Outcome<DeriveInput> {
    let mut item = declaration(ty)?.clone();
    item.ident = own_name(context, ty);
    for attribute in &mut item.attrs {
        relocate_words(context, &ty.module, attribute);
    }
    let mut paths = Paths { context, module: &ty.module };
    if let syn::Data::Struct(data) = &mut item.data {
        for field in &mut data.fields {
            paths.visit_type_mut(&mut field.ty);
            for attribute in &mut field.attrs {
                relocate_words(paths.context, &ty.module, attribute);
            }
        }
    }
    Ok(item)
}

/// Returns a type that is written in a module, as the file at hand writes it.
pub(crate) fn relocated_type(context: &mut Context<'_>, module: &str, ty: &syn::Type) -> syn::Type {
    let mut ty = ty.clone();
    Paths { context, module }.visit_type_mut(&mut ty);
    ty
}

/// Returns the declaration of a type, which an alias has not.
pub(crate) fn declaration(ty: &Type) -> Outcome<&DeriveInput> {
    ty.item.as_ref().ok_or_else(|| {
        let message =
            format!("`{}` is another name for a type; only structs can be generated for", ty.name.name);
        Problem::at(&ty.place, message).into()
    })
}

/// Returns the current file's name of a type.
pub(crate) fn own_name(context: &mut Context<'_>, ty: &Type) -> Ident {
    // Private modules are seen from within their package only; others see what the package re-exports.
    let is_own = context.package.is_some_and(|package| package.path == ty.name.package);
    let path = match is_own {
        true => format!("{}::{}", ty.module, ty.name.name),
        false => ty.name.to_string(),
    };
    let path = written(context, &path);
    Ident::new(&context.imports.name(&path), Span::call_site())
}

/// Formats a path from the name of a crate, as the file at hand writes it: what is in its own package is above it.
fn written(context: &Context<'_>, path: &str) -> String {
    let Some(package) = context.package else { return path.to_owned() };
    if let Some(below) = path.strip_prefix(&package.path).and_then(|rest| rest.strip_prefix("::")) {
        return format!("super::{below}");
    }
    let own_crate = package.path.split("::").next().unwrap_or_default();
    match path.strip_prefix(own_crate).and_then(|rest| rest.strip_prefix("::")) {
        Some(rest) => format!("crate::{rest}"),
        None => path.to_owned(),
    }
}

/// Returns a path that is written in a module, as the file at hand writes it.
pub(crate) fn path(context: &mut Context<'_>, module: &str, path: &Path) -> Path {
    let text: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string().trim_start_matches("r#").to_owned())
        .collect();
    let absolute = context.universe.whole_path(module, &text.join("::"));
    if !absolute.contains("::") {
        return path.clone();
    }
    let absolute = written(context, &absolute);
    let span = path.segments.last().map_or_else(Span::call_site, |segment| segment.ident.span());
    let name = Ident::new(&context.imports.name(&absolute), span);
    let mut found = Path::from(name);
    if let (Some(new), Some(old)) = (found.segments.last_mut(), path.segments.last()) {
        new.arguments = old.arguments.clone();
    }
    found
}

struct Paths<'a, 'b> {
    context: &'a mut Context<'b>,
    module: &'a str,
}

impl VisitMut for Paths<'_, '_> {
    fn visit_type_path_mut(&mut self, ty: &mut syn::TypePath) {
        // The arguments of a path stand in the scope of the declaration as well.
        syn::visit_mut::visit_type_path_mut(self, ty);
        ty.path = path(self.context, self.module, &ty.path);
    }

    fn visit_trait_bound_mut(&mut self, bound: &mut syn::TraitBound) {
        syn::visit_mut::visit_trait_bound_mut(self, bound);
        bound.path = path(self.context, self.module, &bound.path);
    }
}

/// Attribute words whose values are paths.
const PATH_WORDS: &[&str] = &["values", "hub", "with"];

/// Rewrites the paths behind `values =`, `hub =` and `with =`.
fn relocate_words(context: &mut Context<'_>, module: &str, attribute: &mut syn::Attribute) {
    let is_ours = ["field", "convert"].iter().any(|name| attribute.path().is_ident(name));
    let syn::Meta::List(list) = &mut attribute.meta else { return };
    if !is_ours {
        return;
    }
    let mut out = TokenStream::new();
    let mut tokens = list.tokens.clone().into_iter().peekable();
    while let Some(token) = tokens.next() {
        let is_word =
            matches!(&token, TokenTree::Ident(word) if PATH_WORDS.iter().any(|known| word == known));
        out.extend([token]);
        if !is_word || !matches!(tokens.peek(), Some(TokenTree::Punct(mark)) if mark.as_char() == '=') {
            continue;
        }
        out.extend(tokens.next());
        let mut value = TokenStream::new();
        while let Some(token) =
            tokens.next_if(|token| !matches!(token, TokenTree::Punct(mark) if mark.as_char() == ','))
        {
            value.extend([token]);
        }
        match syn::parse2::<Path>(value.clone()) {
            Ok(found) => path(context, module, &found).to_tokens(&mut out),
            Err(_) => out.extend(value),
        }
    }
    list.tokens = out;
}

/// Converts an expansion's error to a problem with its position. Attributes are above the name of their field.
pub(crate) fn refused(ty: &Type, error: &syn::Error) -> Problem {
    let line = error.span().start().line;
    let mut members = ty.members.iter().map(|member| &member.place).filter(|_| line > ty.place.line);
    let place = members.find(|place| place.line >= line).unwrap_or(&ty.place);
    Problem::at(place, format!("{}: {error}", ty.name.name))
}
