//! Parsing of attributes and fields, shared by derives and generators.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Error, Expr, Field, Fields, LitStr, Meta, Result, Token, Type};

/// Returns the fields of a struct with named fields, or of a tuple struct with one.
///
/// # Errors
/// If it is no struct, or has no fields.
pub fn struct_fields(input: &DeriveInput) -> Result<&Punctuated<Field, Token![,]>> {
    match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => Ok(&fields.named),
            Fields::Unnamed(fields) => Ok(&fields.unnamed),
            Fields::Unit => Err(Error::new_spanned(&input.ident, "an API type needs fields")),
        },
        _ => {
            Err(Error::new_spanned(&input.ident, "only structs describe API types; write a leaf for an enum"))
        }
    }
}

/// Returns the text of the doc comments, lines joined by blanks. Lines that begin with a plus are tags for generators.
pub fn doc(attributes: &[syn::Attribute]) -> String {
    doc_lines(attributes).collect::<Vec<_>>().join(" ").trim().to_owned()
}

/// Returns the lines of the doc comments, without tags.
pub fn doc_lines(attributes: &[syn::Attribute]) -> impl Iterator<Item = String> + '_ {
    attributes.iter().filter(|attribute| attribute.path().is_ident("doc")).filter_map(|attribute| {
        let Meta::NameValue(meta) = &attribute.meta else { return None };
        let Expr::Lit(literal) = &meta.value else { return None };
        let syn::Lit::Str(text) = &literal.lit else { return None };
        let text = text.value().trim().to_owned();
        (!text.starts_with('+')).then_some(text)
    })
}

/// Converts `min_ready_seconds` to `minReadySeconds`.
pub fn camel_case(name: &str) -> String {
    let name = name.strip_prefix("r#").unwrap_or(name).trim_end_matches('_');
    let mut out = String::new();
    let mut upper = false;
    for character in name.chars() {
        match character {
            '_' => upper = true,
            _ if upper => {
                out.extend(character.to_uppercase());
                upper = false;
            }
            _ => out.push(character),
        }
    }
    out
}

/// Returns the last name of a path type with its first generic argument: `Vec<T>` gives `Vec` and `T`.
pub fn outer(ty: &Type) -> Option<(String, Option<&Type>, Option<&Type>)> {
    let Type::Path(path) = ty else { return None };
    let segment = path.path.segments.last()?;
    let mut arguments = match &segment.arguments {
        syn::PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                syn::GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect::<Vec<_>>(),
        _ => Vec::new(),
    }
    .into_iter();
    Some((segment.ident.to_string(), arguments.next(), arguments.next()))
}

/// Contents of `#[field(…)]`.
#[derive(Clone, Default)]
pub struct FieldAttributes {
    /// The protobuf number; 0 for none.
    pub number: u32,
    /// The JSON name, where it is said.
    pub json: Option<String>,
    /// The name of the `Presence`, where it is said.
    pub presence: Option<&'static str>,
    /// The name of the `Era`, where it is said.
    pub era: Option<&'static str>,
    /// Whether an empty list is `[]`.
    pub not_null: bool,
    /// Whether its fields stand in the parent's JSON object.
    pub inline: bool,
    /// The name of the `ListType`, where it is said.
    pub list: Option<&'static str>,
    /// The keys of a list that is a map.
    pub keys: Vec<LitStr>,
    /// Whether server-side apply owns it as a whole.
    pub atomic: bool,
    /// The strategy of strategic merge patch.
    pub merge: Option<LitStr>,
    /// The key that strategic merge patch goes by.
    pub merge_key: Option<LitStr>,
    /// The default as JSON text.
    pub default: Option<String>,
    /// The constant with the values that a string may have.
    pub values: Option<syn::Path>,
}

impl FieldAttributes {
    /// Reads them from a field.
    ///
    /// # Errors
    /// If there are none, or a word is unknown or misused.
    pub fn read(field: &Field, name: &str) -> Result<Self> {
        let span = field.ident.as_ref().map_or_else(Span::call_site, syn::Ident::span);
        let mut attributes = field.attrs.iter().filter(|attribute| attribute.path().is_ident("field"));
        let attribute = attributes.next().ok_or_else(|| {
            Error::new(
                span,
                format!(
                    "field `{name}` has no `#[field(NUMBER)]`: give its protobuf number, or 0 if it has none"
                ),
            )
        })?;
        if let Some(second) = attributes.next() {
            return Err(Error::new_spanned(
                second,
                format!("field `{name}` has two `#[field(…)]`: put all words into one"),
            ));
        }
        let mut found = FieldAttributes::default();
        let words = match &attribute.meta {
            Meta::List(list) => list.parse_args_with(Punctuated::<Word, Token![,]>::parse_terminated)?,
            _ => Punctuated::new(),
        };
        let mut words = words.into_iter();
        match words.next() {
            Some(Word::Number(number)) => found.number = number.base10_parse()?,
            _ => {
                return Err(Error::new_spanned(
                    attribute,
                    format!("field `{name}`: the protobuf number comes first, as in `#[field(3, required)]`"),
                ));
            }
        }
        for word in words {
            found.take(word, name)?;
        }
        Ok(found)
    }

    fn take(&mut self, word: Word, name: &str) -> Result<()> {
        let meta = match word {
            Word::Meta(meta) => *meta,
            Word::Number(number) => {
                return Err(Error::new_spanned(number, format!("field `{name}` has two protobuf numbers")));
            }
        };
        let Some(ident) = meta.path().get_ident().map(ToString::to_string) else {
            return Err(Error::new_spanned(meta, format!("field `{name}`: expected a word")));
        };
        match ident.as_str() {
            "json" => self.json = Some(text(&meta, name)?.value()),
            "required" => self.presence = Some("Required"),
            "shown" => self.presence = Some("Shown"),
            "required_omitempty" => self.presence = Some("RequiredOmitEmpty"),
            "omitzero" => self.presence = Some("OmitZero"),
            "once_shown" => self.era = Some("OnceShown"),
            "gone" => self.era = Some("Gone"),
            "newer" => self.era = Some("Newer"),
            "not_null" => self.not_null = true,
            "inline" => self.inline = true,
            "atomic" => self.atomic = true,
            "list" => {
                let kind = text(&meta, name)?;
                self.list = Some(match kind.value().as_str() {
                    "atomic" => "Atomic",
                    "set" => "Set",
                    _ => {
                        return Err(Error::new_spanned(
                            kind,
                            format!("field `{name}`: a list is \"atomic\", \"set\", or has `keys(…)`"),
                        ));
                    }
                });
            }
            "keys" => {
                let Meta::List(list) = &meta else {
                    return Err(Error::new_spanned(meta, format!("field `{name}`: write `keys(\"name\")`")));
                };
                self.keys = list
                    .parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)?
                    .into_iter()
                    .collect();
            }
            "merge" => self.merge = Some(text(&meta, name)?),
            "merge_key" => self.merge_key = Some(text(&meta, name)?),
            "default" => self.default = Some(json_literal(&meta, name)?),
            "values" => {
                let Meta::NameValue(syn::MetaNameValue { value: Expr::Path(path), .. }) = &meta else {
                    return Err(Error::new_spanned(
                        meta,
                        format!("field `{name}`: write `values = NAME_OF_A_CONSTANT`"),
                    ));
                };
                self.values = Some(path.path.clone());
            }
            other => {
                return Err(Error::new_spanned(&meta, format!("field `{name}`: unknown word `{other}`")));
            }
        }
        Ok(())
    }
}

/// One item of `#[field(…)]`.
enum Word {
    Number(syn::LitInt),
    Meta(Box<Meta>),
}

impl syn::parse::Parse for Word {
    fn parse(input: syn::parse::ParseStream<'_>) -> Result<Self> {
        if input.peek(syn::LitInt) {
            input.parse().map(Word::Number)
        } else {
            input.parse().map(|meta| Word::Meta(Box::new(meta)))
        }
    }
}

fn text(meta: &Meta, name: &str) -> Result<LitStr> {
    if let Meta::NameValue(pair) = meta
        && let Expr::Lit(literal) = &pair.value
        && let syn::Lit::Str(text) = &literal.lit
    {
        return Ok(text.clone());
    }
    let word = meta.path().get_ident().map(ToString::to_string).unwrap_or_default();
    Err(Error::new_spanned(meta, format!("field `{name}`: `{word}` takes a string, as in `{word} = \"…\"`")))
}

/// Returns a Rust literal as JSON text. A string that itself starts with `{` or `[` is taken for JSON.
fn json_literal(meta: &Meta, name: &str) -> Result<String> {
    let no_literal = format!("field `{name}`: a default is a string, a number or a truth value");
    let Meta::NameValue(pair) = meta else { return Err(Error::new_spanned(meta, no_literal)) };
    match &pair.value {
        Expr::Lit(literal) => match &literal.lit {
            syn::Lit::Str(text) => {
                let text = text.value();
                if text.starts_with(['{', '[']) { Ok(text) } else { Ok(format!("{text:?}")) }
            }
            syn::Lit::Int(number) => Ok(number.base10_digits().to_owned()),
            syn::Lit::Float(number) => Ok(number.base10_digits().to_owned()),
            syn::Lit::Bool(truth) => Ok(truth.value.to_string()),
            other => Err(Error::new_spanned(other, no_literal)),
        },
        other => Err(Error::new_spanned(other, no_literal)),
    }
}
