//! Tags that say what an attribute says. They are put into the declaration as attributes, so that everything that
//! reads attributes knows them too: a type without derives can't have any, because the compiler knows attributes only
//! from the derives they belong to.

use proc_macro2::TokenStream;
use syn::{Attribute, Field, parse_quote};

use super::{Tag, Tags};
use crate::problem::Problem;

/// Puts the tags `+rhumb:schema=…`, `+rhumb:resource=…` and `+rhumb:convert=…` of a type into its attributes.
pub(super) fn of_type(attributes: &mut Vec<Attribute>, tags: &Tags, problems: &mut Vec<Problem>) {
    for name in ["schema", "resource", "convert"] {
        for tag in tags.all(&format!("rhumb:{name}")) {
            if let Some(words) = words(tag, problems) {
                let name = syn::Ident::new(name, proc_macro2::Span::call_site());
                attributes.push(parse_quote!(#[#name(#words)]));
            }
        }
    }
}

/// Puts the tags of a field into its attributes: `+rhumb:field=…`, `+rhumb:convert=…`, and those of Kubernetes that
/// say what `#[field(…)]` says.
pub(super) fn of_field(field: &mut Field, tags: &Tags, problems: &mut Vec<Problem>) {
    if tags.0.is_empty() {
        return;
    }
    for tag in tags.all("rhumb:convert") {
        if let Some(words) = words(tag, problems) {
            field.attrs.push(parse_quote!(#[convert(#words)]));
        }
    }
    let own = field.attrs.iter().position(|attribute| attribute.path().is_ident("field"));
    let given = match own.and_then(|position| field.attrs.get(position)) {
        Some(attribute) => match &attribute.meta {
            syn::Meta::List(list) => Some(list.tokens.clone()),
            _ => None,
        },
        None => tags.get("rhumb:field").and_then(|tag| words(tag, problems)),
    };
    // A field without a number is no field of a table.
    let Some(given) = given else { return };
    let said = given.to_string();
    let mut more = TokenStream::new();
    let mut add = |word: &str, tokens: TokenStream| {
        if !said.contains(word) {
            more.extend(quote::quote!(, #tokens));
        }
    };
    let keys: Vec<String> = tags.all("listMapKey").map(|tag| unquoted(tag.value()).to_owned()).collect();
    match tags.value("listType") {
        Some("map") if !keys.is_empty() => add("keys", quote::quote!(keys(#(#keys),*))),
        Some(kind @ ("atomic" | "set")) => add("list", quote::quote!(list = #kind)),
        _ => {}
    }
    if [tags.value("mapType"), tags.value("structType")].contains(&Some("atomic")) {
        add("atomic", quote::quote!(atomic));
    }
    for (tag, word) in [("patchStrategy", "merge"), ("patchMergeKey", "merge_key")] {
        if let Some(value) = tags.value(tag) {
            let (value, word) = (unquoted(value), syn::Ident::new(word, proc_macro2::Span::call_site()));
            add(&format!("{word} ="), quote::quote!(#word = #value));
        }
    }
    if tags.has("required") && !["shown", "omitzero"].iter().any(|word| said.contains(word)) {
        add("required", quote::quote!(required));
    }
    if let Some(tag) = tags.get("default") {
        match default(tag) {
            Ok(tokens) => add("default", quote::quote!(default = #tokens)),
            Err(problem) => problems.push(problem),
        }
    }
    if own.is_some() && more.is_empty() {
        return;
    }
    let merged: Attribute = parse_quote!(#[field(#given #more)]);
    match own.and_then(|position| field.attrs.get_mut(position)) {
        Some(attribute) => *attribute = merged,
        None => field.attrs.push(merged),
    }
}

/// Returns the value of a tag as the words of an attribute.
fn words(tag: &Tag, problems: &mut Vec<Problem>) -> Option<TokenStream> {
    let parsed = tag.value().parse::<TokenStream>();
    parsed
        .map_err(|error| problems.push(Problem::at(&tag.place, format!("the tag can't be read: {error}"))))
        .ok()
}

/// Converts a default in a tag, which is JSON, to a literal of the attribute.
fn default(tag: &Tag) -> Result<TokenStream, Problem> {
    let value: serde_json::Value = serde_json::from_str(tag.value()).map_err(|error| {
        Problem::at(&tag.place, format!("the default is no JSON: {error}; texts stand in quotation marks"))
    })?;
    Ok(match &value {
        serde_json::Value::String(text) if !text.starts_with(['{', '[']) => quote::quote!(#text),
        serde_json::Value::Bool(truth) => quote::quote!(#truth),
        serde_json::Value::Number(number) => number.to_string().parse().unwrap_or_default(),
        serde_json::Value::Array(_) | serde_json::Value::Object(_) => {
            let text = value.to_string();
            quote::quote!(#text)
        }
        _ => {
            let text = "a default is a text, a number, a truth value, a list or an object";
            return Err(Problem::at(&tag.place, text));
        }
    })
}

fn unquoted(text: &str) -> &str {
    text.trim().trim_matches(['"', '`'])
}
