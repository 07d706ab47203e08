//! Resolution of type expressions.

use syn::{GenericArgument, PathArguments};

use super::{Builtin, Leaf, TypeName, TypeRef};
use crate::source::{Found, Sources};

/// Built-in names, unless shadowed.
const LANGUAGE: &[&str] = &["bool", "i32", "i64", "u32", "u64", "f64", "String", "Option", "Box", "Vec"];

/// Types that API types can't contain, with alternatives.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("HashMap", "its order is that of chance; write `BTreeMap`"),
    ("HashSet", "write `Vec` with `#[field(…, list = \"set\")]`"),
    ("BTreeSet", "write `Vec` with `#[field(…, list = \"set\")]`"),
    ("f32", "write `f64`"),
    ("i8", "write `i32`"),
    ("i16", "write `i32`"),
    ("u8", "write `i32`, or `ByteString` for bytes"),
    ("u16", "write `i32`"),
    ("i128", "write `i64`"),
    ("u128", "write `i64`"),
    ("isize", "its size differs between machines; write `i64`"),
    ("usize", "its size differs between machines; write `i64`"),
    ("char", "write `String`"),
    ("str", "write `String`"),
    ("Rc", "write `Box`"),
    ("Arc", "write `Box`"),
    ("Cow", "write `String`"),
];

/// Returns the type that is written in a module. `parameters` are those of the type that it is a part of.
pub(super) fn type_ref(
    sources: &mut Sources,
    module: &str,
    ty: &syn::Type,
    parameters: &[String],
) -> TypeRef {
    let path = match ty {
        syn::Type::Path(path) if path.qself.is_none() => &path.path,
        syn::Type::Paren(inner) => return type_ref(sources, module, &inner.elem, parameters),
        syn::Type::Group(inner) => return type_ref(sources, module, &inner.elem, parameters),
        other => return TypeRef::Unknown(unsupported_form(other)),
    };
    let segments: Vec<String> = path
        .segments
        .iter()
        .map(|segment| segment.ident.to_string().trim_start_matches("r#").to_owned())
        .collect();
    let mut arguments = Vec::new();
    for segment in &path.segments {
        match &segment.arguments {
            PathArguments::None => {}
            PathArguments::AngleBracketed(angle) => {
                for argument in &angle.args {
                    match argument {
                        GenericArgument::Type(ty) => {
                            arguments.push(type_ref(sources, module, ty, parameters));
                        }
                        _ => return TypeRef::Unknown(unsupported_form(ty)),
                    }
                }
            }
            PathArguments::Parenthesized(_) => return TypeRef::Unknown(unsupported_form(ty)),
        }
    }
    let last = segments.last().map(String::as_str).unwrap_or_default();
    if segments.len() == 1 && parameters.iter().any(|parameter| parameter == last) {
        return TypeRef::Parameter(last.to_owned());
    }
    if segments.len() == 1 && LANGUAGE.contains(&last) && !sources.names(module, last) {
        return language(last, ty, arguments);
    }
    match sources.find(module, &segments) {
        Some(Found::Type(home, name)) => {
            if let Some(leaf) = Leaf::named(&name).filter(|_| is_ours(&home)) {
                return TypeRef::Leaf(leaf);
            }
            let name = TypeName { package: sources.home(&home), name };
            if arguments.is_empty() { TypeRef::Named(name) } else { TypeRef::Instance(name, arguments) }
        }
        Some(Found::Beyond(path)) => beyond(&path, ty, arguments),
        Some(Found::Module(path)) => {
            TypeRef::Unknown(format!("`{}` is the module {path}, not a type", shown(ty)))
        }
        Some(Found::Other(path)) => TypeRef::Unknown(format!("`{}` is {path}, not a type", shown(ty))),
        None if segments.len() == 1 => language(last, ty, arguments),
        None => TypeRef::Unknown(unknown(ty)),
    }
}

/// Reports whether a module is one whose leaves everyone knows.
fn is_ours(module: &str) -> bool {
    matches!(module.split("::").next(), Some("rhumb_meta" | "rhumb_schema"))
}

/// Returns a name that no one imports: it is the language's, or unknown.
fn language(name: &str, ty: &syn::Type, arguments: Vec<TypeRef>) -> TypeRef {
    let builtin = match name {
        "bool" => Builtin::Bool,
        "i32" => Builtin::Int32,
        "i64" => Builtin::Int64,
        "u32" => Builtin::Uint32,
        "u64" => Builtin::Uint64,
        "f64" => Builtin::Double,
        "String" => Builtin::Text,
        _ => return container(name, ty, arguments),
    };
    TypeRef::Builtin(builtin)
}

/// Returns a container of the language or its library.
fn container(name: &str, ty: &syn::Type, arguments: Vec<TypeRef>) -> TypeRef {
    let mut given = arguments.into_iter();
    match (name, given.next(), given.next()) {
        ("Option", Some(inner), None) => TypeRef::Option(Box::new(inner)),
        ("Box", Some(inner), None) => TypeRef::Boxed(Box::new(inner)),
        ("Vec", Some(inner), None) => TypeRef::Slice(Box::new(inner)),
        ("BTreeMap", Some(key), Some(value)) => match key {
            TypeRef::Builtin(Builtin::Text) | TypeRef::Named(_) | TypeRef::Unknown(_) => {
                TypeRef::Map(Box::new(key), Box::new(value))
            }
            _ => TypeRef::Unknown(format!("`{}`: the keys of a map are texts; write `String`", shown(ty))),
        },
        (name, ..) => match UNSUPPORTED.iter().find(|(other, _)| *other == name) {
            Some((_, advice)) => {
                TypeRef::Unknown(format!("`{}` can't stand in an API type: {advice}", shown(ty)))
            }
            None => TypeRef::Unknown(unknown(ty)),
        },
    }
}

/// Returns the type of a path in a crate without available source.
fn beyond(path: &str, ty: &syn::Type, arguments: Vec<TypeRef>) -> TypeRef {
    let (above, name) = path.rsplit_once("::").unwrap_or(("", path));
    match path.split("::").next() {
        Some("std" | "core" | "alloc") => container(name, ty, arguments),
        Some("rhumb_meta" | "rhumb_schema") => match Leaf::named(name) {
            Some(leaf) => TypeRef::Leaf(leaf),
            // The metadata of objects has two paths.
            None if above == "rhumb_meta" => TypeRef::Named(TypeName::new("rhumb_meta::v1", name)),
            None => TypeRef::Named(TypeName::new(above, name)),
        },
        Some("serde_json") if name == "Value" => TypeRef::Leaf(Leaf::Tree),
        krate => {
            let krate = krate.unwrap_or_default();
            TypeRef::Unknown(format!(
                "`{}` is {path}, and the source of the crate {krate} is not known: \
                 give it with --source {krate}=DIRECTORY",
                shown(ty)
            ))
        }
    }
}

fn unknown(ty: &syn::Type) -> String {
    format!("no type `{}` is known here: import it with `use`, or declare it", shown(ty))
}

fn unsupported_form(ty: &syn::Type) -> String {
    let advice = match ty {
        syn::Type::Reference(_) => "API types own what they hold; write `String` or `Box`",
        syn::Type::Tuple(_) => "write a struct with named fields",
        syn::Type::Array(_) | syn::Type::Slice(_) => "write `Vec`",
        _ => "write a struct, or one of the types that `#[derive(Schema)]` knows",
    };
    format!("`{}` can't stand in an API type: {advice}", shown(ty))
}

/// Formats a type as people write it.
pub(super) fn shown(ty: &syn::Type) -> String {
    use quote::ToTokens;
    let text = ty.to_token_stream().to_string();
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let word =
            |character: Option<char>| character.is_some_and(|found| found.is_alphanumeric() || found == '_');
        let parts = word(out.chars().last()) && word(characters.peek().copied());
        // Only what separates words keeps its blank.
        if character != ' ' || parts || out.ends_with([',', ';']) {
            out.push(character);
        }
    }
    out
}
