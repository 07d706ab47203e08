//! `deepcopy`: `impl Clone`, the deep copy of Rust.
//!
//! `// +k8s:deepcopy-gen=package` at the top of a file is for all of its types, `+k8s:deepcopy-gen=true` or `=false`
//! above a type for this one. Types that have `Clone`, derived or by hand, are left alone.
//!
//! `// +k8s:deepcopy-gen:interfaces=TRAIT` above a type is for a trait whose objects can be copied: the trait is
//! implemented by its one method that gives a copy behind the trait, such as `fn clone_shape(&self) -> Box<dyn
//! Shape>`. Of `rhumb_meta::Object` that method is `clone_object`, which the trait's own derive and generator
//! write.

mod interfaces;

use quote::{format_ident, quote};

use super::relocate::{declaration, own_name};
use super::{is_wanted, per_package};
use crate::generator::{Context, Generator, Output, Tool};
use crate::problem::Outcome;
use crate::universe::{Kind, Package, Type, Universe};

const TAG: &str = "k8s:deepcopy-gen";

pub(super) const TOOL: Tool = Tool {
    name: "deepcopy",
    about: "impl Clone for types tagged +k8s:deepcopy-gen",
    targets: |universe, _| per_package(universe, |package| is_mentioned(universe, package), || Deepcopy),
};

fn is_mentioned(universe: &Universe, package: &Package) -> bool {
    universe.types_of(package).any(|ty| is_wanted(package, ty, TAG) || interfaces::are_wanted(ty))
}

struct Deepcopy;

impl Generator for Deepcopy {
    fn name(&self) -> &'static str {
        "deepcopy"
    }

    fn filter(&self, context: &Context<'_>, ty: &Type) -> bool {
        let can_be = matches!(ty.kind, Kind::Struct | Kind::Enum(_) | Kind::Generic(_));
        interfaces::are_wanted(ty) || (can_be && needs_clone(context, ty))
    }

    fn generate_type(&mut self, context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
        if needs_clone(context, ty) {
            clone(context, ty, out)?;
        }
        interfaces::implement(context, ty, out)
    }
}

/// Reports whether a type asks for `Clone` and has none.
fn needs_clone(context: &Context<'_>, ty: &Type) -> bool {
    context.package.is_some_and(|package| is_wanted(package, ty, TAG))
        && !ty.derives("Clone")
        && !context.universe.implements(&ty.name, "Clone")
}

/// Writes `impl Clone`.
fn clone(context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
    let item = declaration(ty)?;
    let name = own_name(context, ty);
    let mut generics = item.generics.clone();
    for parameter in generics.type_params_mut() {
        parameter.bounds.push(syn::parse_quote!(::core::clone::Clone));
    }
    let (bounds, arguments, condition) = generics.split_for_impl();
    let body = match &item.data {
        syn::Data::Struct(data) => {
            let fields = data.fields.iter().enumerate().map(|(position, field)| match &field.ident {
                Some(field) => quote!(#field: ::core::clone::Clone::clone(&self.#field)),
                None => {
                    let index = syn::Index::from(position);
                    quote!(#index: ::core::clone::Clone::clone(&self.#index))
                }
            });
            quote!(#name { #(#fields),* })
        }
        syn::Data::Enum(data) => {
            let arms = data.variants.iter().map(|variant| variant_arm(&name, variant));
            quote!(match self { #(#arms)* })
        }
        syn::Data::Union(_) => return Ok(()),
    };
    out.rust(quote! {
        #[automatically_derived]
        impl #bounds ::core::clone::Clone for #name #arguments #condition {
            fn clone(&self) -> Self {
                #body
            }
        }
    });
    Ok(())
}

fn variant_arm(name: &syn::Ident, variant: &syn::Variant) -> proc_macro2::TokenStream {
    let ident = &variant.ident;
    match &variant.fields {
        syn::Fields::Unit => quote!(#name::#ident => #name::#ident,),
        syn::Fields::Named(fields) => {
            let fields: Vec<_> = fields.named.iter().filter_map(|field| field.ident.as_ref()).collect();
            quote! {
                #name::#ident { #(#fields),* } => {
                    #name::#ident { #(#fields: ::core::clone::Clone::clone(#fields)),* }
                }
            }
        }
        syn::Fields::Unnamed(fields) => {
            let fields: Vec<_> =
                (0..fields.unnamed.len()).map(|position| format_ident!("field_{position}")).collect();
            quote! {
                #name::#ident(#(#fields),*) => #name::#ident(#(::core::clone::Clone::clone(#fields)),*),
            }
        }
    }
}
