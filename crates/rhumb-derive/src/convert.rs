//! `#[derive(Convert)]`: both directions between a version's struct and the hub's, by field name.
//!
//! The hub is taken apart without `..`, so the compiler itself refuses a field that only one side has. Both directions
//! take it apart with the same pattern, tokens and places alike, and convert through the same trait: what is wrong is
//! said twice in the same words at the same place, and the compiler prints that once.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Ident, Path, Result, Token, Type};

use crate::attributes::{outer, struct_fields};

/// What stands in a field's `#[convert(…)]`.
#[derive(Default)]
struct FieldPlan {
    rename: Option<Ident>,
    skip: bool,
    same: bool,
    with: Option<Path>,
}

/// What stands in the struct's `#[convert(…)]`.
struct StructPlan {
    hub: Path,
    lacks: Vec<Ident>,
}

/// Which way a value goes.
#[derive(Clone, Copy)]
enum Direction {
    ToHub,
    FromHub,
}

pub(crate) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let fields = struct_fields(input)?;
    let StructPlan { hub, mut lacks } = struct_plan(input)?;

    let (mut own, mut hub_names) = (Vec::new(), Vec::<Ident>::new());
    let (mut to_hub, mut from_hub) = (Vec::new(), Vec::new());
    let mut skipped = Vec::new();
    for field in fields {
        let Some(name) = &field.ident else {
            return Err(Error::new_spanned(field, "conversion needs named fields"));
        };
        let plan = field_plan(field, name)?;
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
        if let Some(lacked) = lacks.iter().find(|lacked| **lacked == hub_name) {
            return Err(Error::new(
                lacked.span(),
                format!("`lacks({lacked})`, but field `{name}` is there: remove one of them"),
            ));
        }
        if let Some(at) = hub_names.iter().position(|other| *other == hub_name) {
            let other = own.get(at).map_or_else(|| hub_name.to_string(), ToString::to_string);
            return Err(Error::new(
                plan.rename.as_ref().unwrap_or(name).span(),
                format!("fields `{other}` and `{name}` both convert to the hub's `{hub_name}`"),
            ));
        }
        let (to, from) = match &plan.with {
            Some(module) => {
                (quote!(#module::to_hub(#name, scope)?), quote!(#module::from_hub(#name, scope)?))
            }
            None if plan.same => (quote!(#name), quote!(#name)),
            None => (
                convert_expression(&field.ty, quote!(#name), Direction::ToHub),
                convert_expression(&field.ty, quote!(#name), Direction::FromHub),
            ),
        };
        own.push(name);
        hub_names.push(hub_name);
        to_hub.push(to);
        from_hub.push(from);
    }
    let ident = &input.ident;
    let slots: Vec<Ident> =
        own.iter().map(|name| Ident::new(&format!("hub_{name}").replace("r#", ""), Span::mixed_site())).collect();
    // A complaint about the pattern as a whole, such as a field that it doesn't mention, points to the hub's name.
    let pattern = |slots: &[Ident]| quote_spanned!(hub.span()=> #hub { #(#hub_names: #slots,)* #(#lacks: _,)* });
    let (written, read) = (pattern(&slots), pattern(&slots));
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
                let mut hub = <#hub as ::core::default::Default>::default();
                let #written = &mut hub;
                #(*#slots = #to_hub;)*
                ::core::result::Result::Ok(hub)
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
                let #read = self;
                ::core::result::Result::Ok(#ident {
                    #(#own: { let #own = #slots; #from_hub },)*
                    #(#skipped: ::core::default::Default::default(),)*
                })
            }
        }
    })
}

fn struct_plan(input: &DeriveInput) -> Result<StructPlan> {
    let mut hub = None;
    let mut lacks = Vec::new();
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
    Ok(StructPlan { hub, lacks })
}

fn field_plan(field: &syn::Field, name: &Ident) -> Result<FieldPlan> {
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
                return Err(meta.error(format!(
                    "field `{name}`: expected `rename = name`, `skip`, `same` or `with = module`"
                )));
            }
            Ok(())
        })?;
        if plan.skip && (plan.same || plan.with.is_some() || plan.rename.is_some()) {
            return Err(Error::new_spanned(
                attribute,
                format!("field `{name}` is skipped: there is nothing more to say of it"),
            ));
        }
        if plan.same && plan.with.is_some() {
            return Err(Error::new_spanned(
                attribute,
                format!("field `{name}` is the `same` in the hub, or is converted `with` functions: not both"),
            ));
        }
    }
    Ok(plan)
}

/// Types that never differ between versions: they, and containers of them, move as they are.
const FIXED: &[&str] =
    &["bool", "i32", "i64", "f64", "String", "ByteString", "TypeMeta", "ObjectMeta", "ListMeta"];

fn convert_expression(ty: &Type, value: TokenStream, direction: Direction) -> TokenStream {
    // Names the type's own side whichever way the value goes, so that a pair without a conversion is one mistake.
    let whole = |value: TokenStream| {
        let pair = quote_spanned!(ty.span()=> <#ty as ::rhumb_scheme::private::HubPair<_>>);
        match direction {
            Direction::ToHub => quote!(#pair::to_hub(#value, scope)?),
            Direction::FromHub => quote!(#pair::from_hub(#value, scope)?),
        }
    };
    let Some((name, first, second)) = outer(ty) else {
        return whole(value);
    };
    let item = format_ident!("item");
    match (name.as_str(), first, second) {
        ("Option" | "Vec" | "Box", Some(inner), _) | ("BTreeMap", _, Some(inner)) if is_fixed(inner) => {
            whole(value)
        }
        ("Option", Some(inner), _) => {
            let inner = convert_expression(inner, quote!(#item), direction);
            quote!(match #value {
                ::core::option::Option::Some(#item) => ::core::option::Option::Some(#inner),
                ::core::option::Option::None => ::core::option::Option::None,
            })
        }
        ("Box", Some(inner), _) => {
            let inner = convert_expression(inner, quote!(*#value), direction);
            quote!(::std::boxed::Box::new(#inner))
        }
        ("Vec", Some(inner), _) => {
            let inner = convert_expression(inner, quote!(#item), direction);
            quote!(#value
                .into_iter()
                .map(|#item| ::core::result::Result::Ok(#inner))
                .collect::<::core::result::Result<::std::vec::Vec<_>, ::rhumb_scheme::ConvertError>>()?)
        }
        ("BTreeMap", _, Some(inner)) => {
            let inner = convert_expression(inner, quote!(#item), direction);
            quote!(#value
                .into_iter()
                .map(|(key, #item)| ::core::result::Result::Ok((key, #inner)))
                .collect::<::core::result::Result<
                    ::std::collections::BTreeMap<_, _>,
                    ::rhumb_scheme::ConvertError,
                >>()?)
        }
        _ => whole(value),
    }
}

fn is_fixed(ty: &Type) -> bool {
    outer(ty).is_some_and(|(name, first, _)| first.is_none() && FIXED.contains(&name.as_str()))
}
