//! Output of the Rust file.
//!
//! The table is sorted by id and found in by halving. A message has its texts per language in the order of the
//! languages; where one has none, the slice is empty and the first language stands in, with its own plural rule.

use proc_macro2::{Literal, TokenStream};
use quote::{format_ident, quote};

use super::catalogue::Catalogue;
use super::plural::Rule;
use crate::generator::Output;
use crate::namer::capital;

pub(super) fn write(catalogues: &[Catalogue], out: &mut Output) {
    languages(catalogues, out);
    let rules = catalogues.iter().map(|catalogue| {
        let (variant, body) = (variant(&catalogue.code), rule(&catalogue.rule));
        quote!(Language::#variant => #body)
    });
    out.rust(quote! {
        #[doc = " A message in all languages."]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Message {
            #[doc = " What it is asked for by."]
            pub id: &'static str,
            #[doc = " Per language its text, or its plural forms; nothing where it is not translated."]
            pub texts: [&'static [&'static str]; LANGUAGES],
        }
    });
    out.rust(quote! {
        #[doc = " Which plural form a language has for a number."]
        #[allow(
            clippy::manual_range_contains,
            clippy::nonminimal_bool,
            reason = "rules are written as the languages' files have them"
        )]
        fn form(language: Language, n: u64) -> u64 {
            match language { #(#rules,)* }
        }
    });
    let base = catalogues.first();
    let count = Literal::usize_unsuffixed(base.map_or(0, |base| base.messages.len()));
    let entries = base.into_iter().flat_map(|base| base.messages.keys()).map(|id| {
        let texts = catalogues.iter().map(|catalogue| {
            let texts =
                catalogue.messages.get(id).map(|message| message.texts.as_slice()).unwrap_or_default();
            quote!(&[#(#texts),*])
        });
        quote!(Message { id: #id, texts: [#(#texts),*] })
    });
    out.rust(quote! {
        #[doc = " All messages, in the order of their ids."]
        pub static MESSAGES: [Message; #count] = [#(#entries),*];
    });
    lookups(catalogues, out);
}

/// Generates the languages and their selection by the environment.
fn languages(catalogues: &[Catalogue], out: &mut Output) {
    let variants: Vec<_> = catalogues.iter().map(|catalogue| variant(&catalogue.code)).collect();
    let codes: Vec<&str> = catalogues.iter().map(|catalogue| catalogue.code.as_str()).collect();
    let docs = codes.iter().map(|code| format!(" `{code}`."));
    let count = Literal::usize_unsuffixed(catalogues.len());
    out.rust(quote! {
        #[doc = " How many languages there are."]
        pub const LANGUAGES: usize = #count;
    });
    out.rust(quote! {
        #[doc = " A language. The first is the one that the others fall back to."]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Language {
            #[default]
            #(#[doc = #docs] #variants,)*
        }
    });
    out.rust(quote! {
        impl Language {
            #[doc = " All languages."]
            pub const ALL: [Language; LANGUAGES] = [#(Language::#variants),*];

            #[doc = " Its code."]
            pub fn code(self) -> &'static str {
                match self { #(Language::#variants => #codes,)* }
            }

            #[doc = " The language of a locale such as `de_AT.UTF-8`: that of the country, or else of the language"]
            #[doc = " as such."]
            pub fn of_locale(locale: &str) -> Option<Language> {
                let code = locale.split(['.', '@']).next().unwrap_or(locale).replace('-', "_");
                let language = code.split('_').next().unwrap_or(&code);
                let find = |code: &str| {
                    Language::ALL.into_iter().find(|language| language.code().eq_ignore_ascii_case(code))
                };
                find(&code).or_else(|| find(language))
            }
        }
    });
}

fn lookups(catalogues: &[Catalogue], out: &mut Output) {
    let Some(base) = catalogues.first().map(|base| variant(&base.code)) else { return };
    out.rust(quote! {
        #[doc = " The forms of a message in a language or the one it falls back to, and which of them it is."]
        fn forms(language: Language, id: &str) -> Option<(Language, &'static [&'static str])> {
            let found = MESSAGES.binary_search_by(|message| message.id.cmp(id)).ok()?;
            let message = MESSAGES.get(found)?;
            let in_language = |language: Language| {
                let texts: &'static [&'static str] = message.texts.get(language as usize)?;
                (!texts.is_empty()).then_some((language, texts))
            };
            in_language(language).or_else(|| in_language(Language::#base))
        }
    });
    out.rust(quote! {
        #[doc = " A message. Of one with plural forms it is the one for most numbers."]
        pub fn text(language: Language, id: &str) -> Option<&'static str> {
            forms(language, id).and_then(|(_, texts)| texts.last().copied())
        }
    });
    out.rust(quote! {
        #[doc = " The form of a message that goes with a number."]
        pub fn plural(language: Language, id: &str, n: u64) -> Option<&'static str> {
            let (language, texts) = forms(language, id)?;
            let form = usize::try_from(form(language, n)).ok()?;
            texts.get(form).or(texts.last()).copied()
        }
    });
    out.rust(quote! {
        #[doc = " A text with its placeholders filled: `{name}` by the value of that name, `{{` and `}}` by braces. A"]
        #[doc = " placeholder without a value stays."]
        pub fn fill(text: &str, values: &[(&str, &dyn std::fmt::Display)]) -> String {
            let mut filled = String::with_capacity(text.len());
            let mut rest = text;
            while let Some(at) = rest.find(['{', '}']) {
                let (before, from) = rest.split_at(at);
                filled.push_str(before);
                let (brace, behind) = from.split_at(1);
                let named = behind.split_once('}').filter(|_| brace == "{");
                let value = named.and_then(|(name, behind)| {
                    let (_, value) = values.iter().find(|(known, _)| *known == name)?;
                    Some((value, behind))
                });
                rest = if let Some(doubled) = behind.strip_prefix(brace) {
                    filled.push_str(brace);
                    doubled
                } else if let Some((value, behind)) = value {
                    filled.push_str(&value.to_string());
                    behind
                } else {
                    filled.push_str(brace);
                    behind
                };
            }
            filled.push_str(rest);
            filled
        }
    });
}

/// Returns the code of a language as a variant: `PtBr`.
fn variant(code: &str) -> proc_macro2::Ident {
    format_ident!("{}", code.split('_').map(|part| capital(&part.to_lowercase())).collect::<String>())
}

fn rule(rule: &Rule) -> TokenStream {
    let (rust, has_n) = rule.rust();
    if has_n { rust } else { quote!(0) }
}
