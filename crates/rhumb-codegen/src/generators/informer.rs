//! `informer`: typed informers, `informers.stable_v1().cron_tabs()`.
//!
//! What it gives is the shared informer of `rhumb-client`; a kind that can't be listed and watched has none.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::client::{name, resource_api};
use super::kinds::{self, ClientKind, Home};
use super::relocate::own_name;
use crate::generator::{Context, Generator, Output, Tool};
use crate::namer::Namers;
use crate::problem::Outcome;
use crate::universe::Type;

/// The tool.
pub(super) const TOOL: Tool = Tool {
    name: "informer",
    about: "typed informers, informers.GROUP_VERSION().KINDS(), for kinds tagged +genclient",
    targets: |universe, _| kinds::targets(universe, || Informers),
};

struct Informers;

impl Generator for Informers {
    fn name(&self) -> &'static str {
        "informer"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn namers(&self, context: &Context<'_>) -> Namers {
        kinds::namers(context.options)
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let Some(package) = context.package else { return Ok(()) };
        let home = kinds::home(context.universe, package)?;
        let mut kinds = kinds::of_package(context.universe, package, &context.namers)?;
        kinds.retain(|kind| kind.can("list") && kind.can("watch"));
        if kinds.is_empty() {
            return Ok(());
        }
        let door = format_ident!("{}InformersExt", home.name);
        let own = format_ident!("{}Informers", home.name);
        context.imports.reserve(door.to_string());
        context.imports.reserve(own.to_string());
        for kind in &kinds {
            own_name(context, kind.ty);
        }
        let informers = name(context, "rhumb_client::informer::Informers");
        let method = Ident::new(&home.method, Span::call_site());
        let adds = format!(" Adds `{}` to the informers of a client.", home.api_version());
        let leads = format!(" The informers of `{}`.", home.api_version());
        out.rust(quote! {
            #[doc = #adds]
            pub trait #door {
                #[doc = #leads]
                fn #method(&self) -> #own<'_>;
            }
        });
        out.rust(quote! {
            impl #door for #informers {
                fn #method(&self) -> #own<'_> {
                    #own { informers: self }
                }
            }
        });
        out.rust(quote! {
            #[doc = #leads]
            #[derive(Clone, Copy)]
            pub struct #own<'a> {
                informers: &'a #informers,
            }
        });
        let methods: Vec<TokenStream> = kinds.iter().map(|kind| accessor(context, &home, kind)).collect();
        out.rust(quote! { impl #own<'_> { #(#methods)* } });
        Ok(())
    }
}

fn accessor(context: &mut Context<'_>, home: &Home, kind: &ClientKind<'_>) -> TokenStream {
    let shared = name(context, "rhumb_client::informer::SharedInformer");
    let ty = own_name(context, kind.ty);
    let method = Ident::new(&kind.method, Span::call_site());
    let doc = format!(" The informer of `{}`, which all who ask for it share.", kind.plural);
    let api = resource_api(context, home, kind, &quote!(self.informers.client()));
    quote! {
        #[doc = #doc]
        pub fn #method(&self) -> #shared<#ty> {
            self.informers.of(&#api)
        }
    }
}
