//! `#[derive(Convert)]`: both directions between a version's struct and the hub's, by field name.
//!
//! Both sides are taken apart without `..`, so the compiler itself refuses a field that only one side has.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::punctuated::Punctuated;
use syn::{DeriveInput, Error, Ident, Result, Token, Type};

use crate::attributes::{outer, struct_fields};

#[derive(Default)]
struct FieldPlan {
    rename: Option<Ident>,
    skip: bool,
    same: bool,
    with: Option<syn::Path>,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = struct_fields(input)?;
    let mut hub: Option<Type> = None;
    let mut lacks: Vec<Ident> = Vec::new();
    for attribute in input.attrs.iter().filter(|attribute| attribute.path().is_ident("convert")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("hub") {
                hub = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("lacks") {
                let content;
                syn::parenthesized!(content in meta.input);
                lacks.extend(Punctuated::<Ident, Token![,]>::parse_terminated(&content)?);
            } else {
                return Err(meta.error("expected `hub = path::Type` or `lacks(field, …)`"));
            }
            Ok(())
        })?;
    }
    let hub = hub.ok_or_else(|| {
        Error::new_spanned(&input.ident, "say what to convert to: `#[convert(hub = path::Type)]`")
    })?;

    let (mut own, mut hub_names) = (Vec::new(), Vec::new());
    let (mut to_hub, mut from_hub) = (Vec::new(), Vec::new());
    let mut skipped = Vec::new();
    for field in fields {
        let Some(name) = &field.ident else {
            return Err(Error::new_spanned(field, "conversion needs named fields"));
        };
        let plan = plan(field)?;
        if plan.skip {
            skipped.push(name);
            continue;
        }
        // The label says which version the object is in, so it can't move along; the scheme writes the new one.
        if name == "type_meta" {
            skipped.push(name);
            lacks.push(name.clone());
            continue;
        }
        let hub_name = plan.rename.clone().unwrap_or_else(|| name.clone());
        let (to, from) = match &plan.with {
            Some(module) => {
                (quote!(#module::to_hub(#name, scope)?), quote!(#module::from_hub(#name, scope)?))
            }
            None if plan.same => (quote!(#name), quote!(#name)),
            None => {
                let expression = convert_expression(&field.ty, quote!(#name));
                (expression.clone(), expression)
            }
        };
        own.push(name);
        hub_names.push(hub_name);
        to_hub.push(to);
        from_hub.push(from);
    }
    let ident = &input.ident;
    // Elements are converted in closures of the form `Ok(…)`, whose inside mostly ends in a `?`.
    Ok(quote! {
        #[automatically_derived]
        #[allow(clippy::needless_question_mark)]
        impl ::rhumb_scheme::Convert<#hub> for #ident {
            fn convert(
                self,
                scope: &::rhumb_scheme::Scope,
            ) -> ::core::result::Result<#hub, ::rhumb_scheme::ConvertError> {
                let _ = scope;
                let #ident { #(#own,)* #(#skipped: _,)* } = self;
                ::core::result::Result::Ok(#hub {
                    #(#hub_names: #to_hub,)*
                    #(#lacks: ::core::default::Default::default(),)*
                })
            }
        }
        #[automatically_derived]
        #[allow(clippy::needless_question_mark)]
        impl ::rhumb_scheme::Convert<#ident> for #hub {
            fn convert(
                self,
                scope: &::rhumb_scheme::Scope,
            ) -> ::core::result::Result<#ident, ::rhumb_scheme::ConvertError> {
                let _ = scope;
                // A field that was not renamed is matched under its own name.
                #[allow(non_shorthand_field_patterns)]
                let #hub { #(#hub_names: #own,)* #(#lacks: _,)* } = self;
                ::core::result::Result::Ok(#ident {
                    #(#own: #from_hub,)*
                    #(#skipped: ::core::default::Default::default(),)*
                })
            }
        }
    })
}

fn plan(field: &syn::Field) -> Result<FieldPlan> {
    let mut plan = FieldPlan::default();
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("convert")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                plan.rename = Some(meta.value()?.parse()?);
            } else if meta.path.is_ident("skip") {
                plan.skip = true;
            } else if meta.path.is_ident("same") {
                plan.same = true;
            } else if meta.path.is_ident("with") {
                plan.with = Some(meta.value()?.parse()?);
            } else {
                return Err(meta.error("expected `rename = name`, `skip`, `same` or `with = module`"));
            }
            Ok(())
        })?;
    }
    Ok(plan)
}

/// Types that never differ between versions: moved as they are.
const FIXED: &[&str] =
    &["bool", "i32", "i64", "f64", "String", "ByteString", "TypeMeta", "ObjectMeta", "ListMeta"];

fn convert_expression(ty: &Type, value: TokenStream) -> TokenStream {
    let Some((name, first, second)) = outer(ty) else {
        return quote!(::rhumb_scheme::Convert::convert(#value, scope)?);
    };
    let item = format_ident!("item");
    match (name.as_str(), first, second) {
        (fixed, None, _) if FIXED.contains(&fixed) => value,
        ("Option" | "Vec" | "Box", Some(inner), _) if is_fixed(inner) => value,
        ("BTreeMap", _, Some(inner)) if is_fixed(inner) => value,
        ("Option", Some(inner), _) => {
            let inner = convert_expression(inner, quote!(#item));
            quote!(match #value {
                ::core::option::Option::Some(#item) => ::core::option::Option::Some(#inner),
                ::core::option::Option::None => ::core::option::Option::None,
            })
        }
        ("Box", Some(inner), _) => {
            let inner = convert_expression(inner, quote!((*#value)));
            quote!(::std::boxed::Box::new(#inner))
        }
        ("Vec", Some(inner), _) => {
            let inner = convert_expression(inner, quote!(#item));
            quote!(#value
                .into_iter()
                .map(|#item| ::core::result::Result::Ok(#inner))
                .collect::<::core::result::Result<::std::vec::Vec<_>, ::rhumb_scheme::ConvertError>>()?)
        }
        ("BTreeMap", _, Some(inner)) => {
            let inner = convert_expression(inner, quote!(#item));
            quote!(#value
                .into_iter()
                .map(|(key, #item)| ::core::result::Result::Ok((key, #inner)))
                .collect::<::core::result::Result<
                    ::std::collections::BTreeMap<_, _>,
                    ::rhumb_scheme::ConvertError,
                >>()?)
        }
        _ => quote!(::rhumb_scheme::Convert::convert(#value, scope)?),
    }
}

fn is_fixed(ty: &Type) -> bool {
    outer(ty).is_some_and(|(name, first, _)| first.is_none() && FIXED.contains(&name.as_str()))
}
