//! `#[derive(Resource)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Error, Expr, LitStr, Meta, Result, Token};

/// Usage of the attribute, for errors.
const EXAMPLE: &str = "`#[resource(group = \"stable.example.com\", version = \"v1\", namespaced)]`";

/// Returns the trait `Resource`, as `#[derive(Resource)]` writes it.
///
/// # Errors
/// What is missing or wrong in `#[resource(…)]`, at its place.
pub fn resource(input: &DeriveInput) -> Result<TokenStream> {
    let words = Words::read(input)?;
    let missing = |what: &str| {
        Error::new_spanned(&input.ident, format!("the resource has no {what}: write {EXAMPLE} on the struct"))
    };
    let group = words.group.ok_or_else(|| missing("`group`"))?;
    let version = words.version.ok_or_else(|| missing("`version`"))?;
    let namespaced = words.namespaced.ok_or_else(|| {
        Error::new_spanned(
            &input.ident,
            "whether the objects live in namespaces is not said: add `namespaced` or `cluster` to `#[resource(…)]`",
        )
    })?;
    check(&group, "group", |byte| {
        byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-.".contains(&byte)
    })?;
    check(&version, "version", |byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')?;
    let kind = match words.kind {
        Some(kind) => {
            check(&kind, "kind", |byte| byte.is_ascii_alphanumeric())?;
            kind.value()
        }
        None => input.ident.to_string().trim_start_matches("r#").to_owned(),
    };
    let plural = match words.plural {
        Some(plural) => {
            check(&plural, "plural", |byte| {
                byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
            })?;
            plural.value()
        }
        None => guess_plural(&kind),
    };
    let scope = if namespaced { quote!(Namespaced) } else { quote!(Cluster) };
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::rhumb_meta::Resource for #ident {
            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const KIND: &'static str = #kind;
            const PLURAL: &'static str = #plural;
            const SCOPE: ::rhumb_meta::Scope = ::rhumb_meta::Scope::#scope;
        }
    })
}

/// Contents of `#[resource(…)]`.
#[derive(Default)]
pub struct Words {
    /// The group.
    pub group: Option<LitStr>,
    /// The version.
    pub version: Option<LitStr>,
    /// The kind, where it is not the name of the struct.
    pub kind: Option<LitStr>,
    /// The plural, where it is not the one that is guessed.
    pub plural: Option<LitStr>,
    /// Whether the objects live in namespaces.
    pub namespaced: Option<bool>,
}

impl Words {
    /// Reads the attribute of a struct.
    ///
    /// # Errors
    /// If there is none, or a word of it is unknown or misused.
    pub fn read(input: &DeriveInput) -> Result<Self> {
        let mut attributes = input.attrs.iter().filter(|attribute| attribute.path().is_ident("resource"));
        let attribute = attributes.next().ok_or_else(|| {
            Error::new_spanned(
                &input.ident,
                format!("where the objects are is not said: write {EXAMPLE} on the struct"),
            )
        })?;
        if let Some(second) = attributes.next() {
            return Err(Error::new_spanned(second, "there are two `#[resource(…)]`: put all words into one"));
        }
        let mut words = Words::default();
        if let Meta::List(list) = &attribute.meta {
            for word in list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)? {
                words.take(&word)?;
            }
        }
        Ok(words)
    }

    fn take(&mut self, word: &Meta) -> Result<()> {
        let name = word.path().get_ident().map(ToString::to_string).unwrap_or_default();
        let slot = match name.as_str() {
            "group" => &mut self.group,
            "version" => &mut self.version,
            "kind" => &mut self.kind,
            "plural" => &mut self.plural,
            "namespaced" | "cluster" => {
                if !matches!(word, Meta::Path(_)) {
                    return Err(Error::new_spanned(word, format!("`{name}` stands alone, without a value")));
                }
                if self.namespaced.replace(name == "namespaced").is_some() {
                    return Err(Error::new_spanned(word, "the scope is said twice"));
                }
                return Ok(());
            }
            _ => {
                return Err(Error::new_spanned(
                    word,
                    "unknown word: there are `group`, `version`, `kind`, `plural`, `namespaced` and `cluster`",
                ));
            }
        };
        if let Meta::NameValue(pair) = word
            && let Expr::Lit(literal) = &pair.value
            && let syn::Lit::Str(text) = &literal.lit
        {
            if slot.replace(text.clone()).is_some() {
                return Err(Error::new_spanned(word, format!("`{name}` is said twice")));
            }
            return Ok(());
        }
        Err(Error::new_spanned(word, format!("`{name}` takes a string, as in `{name} = \"…\"`")))
    }
}

fn check(text: &LitStr, what: &str, allowed: fn(u8) -> bool) -> Result<()> {
    let value = text.value();
    if value.is_empty() {
        return Err(Error::new_spanned(text, format!("the {what} is empty")));
    }
    match value.chars().find(|character| !u8::try_from(*character).is_ok_and(allowed)) {
        Some(character) => Err(Error::new_spanned(text, format!("{character:?} can't stand in a {what}"))),
        None => Ok(()),
    }
}

/// Returns the plural that Kubernetes guesses for a kind.
pub fn guess_plural(kind: &str) -> String {
    let singular = kind.to_lowercase();
    if singular.ends_with("endpoints") {
        singular
    } else if singular.ends_with('s') {
        format!("{singular}es")
    } else if let Some(stem) = singular.strip_suffix('y') {
        format!("{stem}ies")
    } else {
        format!("{singular}s")
    }
}
