//! `#[derive(Convert)]`: conversions between a version's struct and the hub's, by field name.
//!
//! The hub is taken apart without `..`, so the compiler itself refuses a field that only one side has. Both directions
//! take it apart with the same pattern, tokens and places alike, and convert through the same trait: what is wrong is
//! then said twice in the same words of the same place, which the compiler prints once.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::punctuated::Punctuated;
use syn::spanned::Spanned;
use syn::{DeriveInput, Error, Ident, Path, Result, Token, Type};

use super::attributes::{outer, struct_fields};

/// Contents of a field's `#[convert(…)]`.
#[derive(Default)]
struct FieldPlan {
    rename: Option<Ident>,
    skip: bool,
    same: bool,
    with: Option<Path>,
}

/// Contents of a struct's `#[convert(…)]`.
struct StructPlan {
    hub: Path,
    lacks: Vec<Ident>,
}

/// Expands `#[derive(Convert)]`: conversions to and from the hub.
///
/// # Errors
/// What is missing or contradicts itself in the attributes, at its place.
pub fn convert(input: &DeriveInput) -> Result<TokenStream> {
    let fields = struct_fields(input)?;
    let StructPlan { hub, mut lacks } = struct_plan(input)?;

    let (mut own, mut hub_names) = (Vec::new(), Vec::<Ident>::new());
    let (mut own_slots, mut hub_slots) = (Vec::new(), Vec::new());
    let (mut to_hub, mut from_hub) = (Vec::new(), Vec::new());
    let mut skipped = Vec::new();
    let scope = Ident::new("scope", Span::mixed_site());
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
        check_hub_name(name, &hub_name, plan.rename.is_some(), &own, &hub_names, &lacks)?;
        // Complaints about the types are to point to the field's type, in either direction.
        let ty = &field.ty;
        let place = Span::mixed_site().located_at(ty.span());
        let slot = |side: &str| Ident::new(&format!("{side}_{}", own.len()), place);
        let (own_slot, hub_slot) = (slot("own"), slot("hub"));
        match &plan.with {
            Some(module) => {
                to_hub.push(quote!(*#hub_slot = #module::to_hub(#own_slot, #scope)?;));
                from_hub.push(quote!(#module::from_hub(#hub_slot, #scope)?));
            }
            None => {
                let way = if plan.same { quote!(::rhumb_scheme::private::Whole) } else { way(ty) };
                let private = quote!(::rhumb_scheme::private);
                let there =
                    quote_spanned!(place=> let way = #private::Between::<#way, #ty, _>::of(&*#hub_slot););
                let back =
                    quote_spanned!(place=> let way = #private::Between::<#way, #ty, _>::of(&#hub_slot););
                to_hub.push(quote_spanned!(place=>
                    #there #private::Passage::there(way, #own_slot, #hub_slot, #scope)?;));
                from_hub.push(quote_spanned!(place=>
                    { #back #private::Passage::back(way, #hub_slot, #scope)? }));
            }
        }
        own.push(name);
        hub_names.push(hub_name);
        own_slots.push(own_slot);
        hub_slots.push(hub_slot);
    }
    let ident = &input.ident;
    // A complaint about the pattern as a whole, such as a field that it doesn't mention, points to the hub's name.
    let parts = quote_spanned!(hub.span()=> #hub { #(#hub_names: #hub_slots,)* #(#lacks: _,)* });
    Ok(quote! {
        #[automatically_derived]
        impl ::rhumb_scheme::Convert<#hub> for #ident {
            fn convert(
                self,
                #scope: &::rhumb_scheme::Scope,
            ) -> ::core::result::Result<#hub, ::rhumb_scheme::ConvertError> {
                let _ = #scope;
                let #ident { #(#own: #own_slots,)* #(#skipped: _,)* } = self;
                let mut hub = <#hub as ::core::default::Default>::default();
                let #parts = &mut hub;
                #(#to_hub)*
                ::core::result::Result::Ok(hub)
            }
        }
        #[automatically_derived]
        impl ::rhumb_scheme::Convert<#ident> for #hub {
            fn convert(
                self,
                #scope: &::rhumb_scheme::Scope,
            ) -> ::core::result::Result<#ident, ::rhumb_scheme::ConvertError> {
                let _ = #scope;
                let #parts = self;
                ::core::result::Result::Ok(#ident {
                    #(#own: #from_hub,)*
                    #(#skipped: ::core::default::Default::default(),)*
                })
            }
        }
    })
}

/// Refuses a field of the hub that is said to be missing here, or that two fields want to be.
fn check_hub_name(
    name: &Ident,
    hub_name: &Ident,
    renamed: bool,
    own: &[&Ident],
    hub_names: &[Ident],
    lacks: &[Ident],
) -> Result<()> {
    if let Some(lacked) = lacks.iter().find(|lacked| *lacked == hub_name) {
        return Err(Error::new(
            lacked.span(),
            format!("`lacks({lacked})`, but field `{name}` is there: remove one of them"),
        ));
    }
    let taken = hub_names.iter().zip(own).find(|(other, _)| *other == hub_name);
    if let Some((_, other)) = taken {
        return Err(Error::new(
            if renamed { hub_name.span() } else { name.span() },
            format!("fields `{other}` and `{name}` both convert to the hub's `{hub_name}`"),
        ));
    }
    Ok(())
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
                format!(
                    "field `{name}` is the `same` in the hub, or is converted `with` functions: not both"
                ),
            ));
        }
    }
    Ok(plan)
}

/// Types that are equal in all versions: containers of them are moved.
const FIXED: &[&str] =
    &["bool", "i32", "i64", "f64", "String", "ByteString", "TypeMeta", "ObjectMeta", "ListMeta"];

/// Returns the conversion of a type: element by element through containers, else as a whole.
fn way(ty: &Type) -> TokenStream {
    let inner = match outer(ty) {
        Some((name, Some(inner), _)) if matches!(name.as_str(), "Option" | "Box" | "Vec") => Some(inner),
        Some((name, _, Some(inner))) if name == "BTreeMap" => Some(inner),
        _ => None,
    };
    match inner {
        Some(inner) if !is_fixed(inner) => {
            let inner = way(inner);
            quote!(::rhumb_scheme::private::Each<#inner>)
        }
        _ => quote!(::rhumb_scheme::private::Whole),
    }
}

fn is_fixed(ty: &Type) -> bool {
    outer(ty).is_some_and(|(name, first, _)| first.is_none() && FIXED.contains(&name.as_str()))
}
