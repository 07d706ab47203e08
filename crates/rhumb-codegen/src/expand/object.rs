//! `#[derive(Object)]`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::{DeriveInput, Error, Result};

use super::attributes::{outer, struct_fields};

/// Returns the trait `Object`, as `#[derive(Object)]` writes it.
///
/// # Errors
/// If the struct has not the fields of an object.
pub fn object(input: &DeriveInput) -> Result<TokenStream> {
    let fields = struct_fields(input)?;
    let type_of = |name: &str| {
        fields
            .iter()
            .find(|field| field.ident.as_ref().is_some_and(|ident| ident == name))
            .map(|field| &field.ty)
    };
    let Some(type_meta) = type_of("type_meta") else {
        return Err(Error::new_spanned(&input.ident, "an API object needs a field `type_meta: TypeMeta`"));
    };
    if outer(type_meta).is_none_or(|(name, ..)| name != "TypeMeta") {
        return Err(Error::new_spanned(type_meta, "`type_meta` is a TypeMeta"));
    }
    let metadata = type_of("metadata").and_then(outer).map(|(name, ..)| name);
    let accessors = match metadata.as_deref() {
        None => quote!(),
        Some("ObjectMeta") => quote! {
            fn metadata(&self) -> ::core::option::Option<::std::borrow::Cow<'_, ::rhumb_meta::ObjectMeta>> {
                ::core::option::Option::Some(::std::borrow::Cow::Borrowed(&self.metadata))
            }
            fn edit_metadata(&mut self, edit: &mut dyn FnMut(&mut ::rhumb_meta::ObjectMeta)) -> bool {
                edit(&mut self.metadata);
                true
            }
        },
        Some("ListMeta") => {
            let items = match type_of("items").and_then(outer) {
                Some((list, Some(element), _)) if list == "Vec" => {
                    let raw =
                        outer(element).is_some_and(|(name, ..)| name == "RawJson" || name == "RawExtension");
                    if raw { quote!() } else { items(element) }
                }
                _ => quote!(),
            };
            quote! {
                fn list_metadata(&self) -> ::core::option::Option<::std::borrow::Cow<'_, ::rhumb_meta::ListMeta>> {
                    ::core::option::Option::Some(::std::borrow::Cow::Borrowed(&self.metadata))
                }
                fn edit_list_metadata(&mut self, edit: &mut dyn FnMut(&mut ::rhumb_meta::ListMeta)) -> bool {
                    edit(&mut self.metadata);
                    true
                }
                #items
            }
        }
        Some(other) => {
            return Err(Error::new_spanned(
                type_of("metadata"),
                format!("`metadata` is an ObjectMeta or a ListMeta, not a {other}"),
            ));
        }
    };
    let ident = &input.ident;
    Ok(quote! {
        #[automatically_derived]
        impl ::rhumb_meta::Object for #ident {
            fn type_meta(&self) -> (&str, &str) {
                (&self.type_meta.api_version, &self.type_meta.kind)
            }
            fn set_type_meta(&mut self, api_version: &str, kind: &str) {
                self.type_meta.set(api_version, kind);
            }
            fn clone_object(&self) -> ::std::boxed::Box<dyn ::rhumb_meta::Object> {
                ::std::boxed::Box::new(::core::clone::Clone::clone(self))
            }
            fn equals(&self, other: &dyn ::rhumb_meta::Object) -> bool {
                (other as &dyn ::core::any::Any).downcast_ref::<Self>().is_some_and(|other| self == other)
            }
            #accessors
        }
    })
}

fn items(element: &syn::Type) -> TokenStream {
    quote! {
        fn items(&self) -> ::core::option::Option<::std::vec::Vec<&dyn ::rhumb_meta::Object>> {
            ::core::option::Option::Some(
                self.items.iter().map(|item| item as &dyn ::rhumb_meta::Object).collect(),
            )
        }
        fn take_items(
            &mut self,
        ) -> ::core::option::Option<::std::vec::Vec<::std::boxed::Box<dyn ::rhumb_meta::Object>>> {
            ::core::option::Option::Some(
                ::core::mem::take(&mut self.items)
                    .into_iter()
                    .map(|item| ::std::boxed::Box::new(item) as ::std::boxed::Box<dyn ::rhumb_meta::Object>)
                    .collect(),
            )
        }
        fn push_item(
            &mut self,
            item: ::std::boxed::Box<dyn ::rhumb_meta::Object>,
        ) -> ::core::result::Result<(), ::std::boxed::Box<dyn ::rhumb_meta::Object>> {
            self.items.push(::rhumb_meta::downcast::<#element>(item)?);
            ::core::result::Result::Ok(())
        }
    }
}
