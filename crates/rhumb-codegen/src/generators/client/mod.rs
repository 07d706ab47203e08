//! `client`: typed clients, `client.stable_v1().cron_tabs("default")`.
//!
//! A kind has the `Api` of `rhumb-client`, with everything it can. One whose tags say that less can be done has a type
//! of its own with just that. Methods of tags, `+genclient:method=GetScale,verb=get,subresource=scale,…`, stand in a
//! trait for the `Api`, or among those of the kind's own type.

mod method;
mod narrow;

pub(super) use method::Method;

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::kinds::{self, ClientKind, Home};
use super::relocate::own_name;
use crate::generator::{Context, Generator, Output, Tool};
use crate::namer::Namers;
use crate::problem::Outcome;
use crate::universe::Type;

/// The tool.
pub(super) const TOOL: Tool = Tool {
    name: "client",
    about: "typed clients, client.GROUP_VERSION().KINDS(namespace), for kinds tagged +genclient",
    targets: |universe, _| kinds::targets(universe, || Client),
};

struct Client;

impl Generator for Client {
    fn name(&self) -> &'static str {
        "client"
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
        let kinds = kinds::of_package(context.universe, package, &context.namers)?;
        let door = format_ident!("{}Ext", home.name);
        let own = Ident::new(&home.name, Span::call_site());
        reserve(context, &kinds, [&door, &own]);
        write_door(context, &home, &door, &own, out);
        let methods: Vec<TokenStream> = kinds.iter().map(|kind| accessor(context, &home, kind)).collect();
        out.rust(quote! { impl #own<'_> { #(#methods)* } });
        for kind in &kinds {
            if kind.needs_resource {
                out.rust(resource(context, &home, kind));
            }
            if kind.is_narrow {
                narrow::write(context, kind, out);
            } else if !kind.methods.is_empty() {
                method::write_trait(context, kind, out);
            }
        }
        Ok(())
    }
}

/// Keeps the names of the file's own types, and then those of the kinds, from being given to others.
fn reserve(context: &mut Context<'_>, kinds: &[ClientKind<'_>], names: [&Ident; 2]) {
    for name in names {
        context.imports.reserve(name.to_string());
    }
    for kind in kinds {
        let own = if kind.is_narrow { narrow::type_name(kind) } else { method::trait_name(kind) };
        context.imports.reserve(own.to_string());
    }
    for kind in kinds {
        own_name(context, kind.ty);
    }
}

/// Generates the trait from the client to the group version, and its type.
fn write_door(context: &mut Context<'_>, home: &Home, door: &Ident, own: &Ident, out: &mut Output) {
    let client = name(context, "rhumb_client::Client");
    let method = Ident::new(&home.method, Span::call_site());
    let adds = format!(" Adds `{}` to a client.", home.api_version());
    let leads = format!(" The resources of `{}`.", home.api_version());
    out.rust(quote! {
        #[doc = #adds]
        pub trait #door {
            #[doc = #leads]
            fn #method(&self) -> #own<'_>;
        }
    });
    out.rust(quote! {
        impl #door for #client {
            fn #method(&self) -> #own<'_> {
                #own { client: self }
            }
        }
    });
    out.rust(quote! {
        #[doc = #leads]
        #[derive(Clone, Copy, Debug)]
        pub struct #own<'a> {
            client: &'a #client,
        }
    });
}

/// Returns the method that leads to a kind.
fn accessor(context: &mut Context<'_>, home: &Home, kind: &ClientKind<'_>) -> TokenStream {
    let api = name(context, "rhumb_client::Api");
    let ty = own_name(context, kind.ty);
    let method = Ident::new(&kind.method, Span::call_site());
    let found = resource_api(context, home, kind, &quote!(self.client));
    let (doc, parameters, found) = match kind.is_namespaced {
        true => (
            format!(" The `{}` of a namespace; of all if it is empty.", kind.plural),
            quote!(&self, namespace: &str),
            quote!(#found.namespace(namespace)),
        ),
        false => (format!(" The `{}` of the cluster.", kind.plural), quote!(&self), found),
    };
    if kind.is_narrow {
        let own = narrow::type_name(kind);
        return quote! {
            #[doc = #doc]
            pub fn #method(#parameters) -> #own {
                #own { api: #found }
            }
        };
    }
    quote! {
        #[doc = #doc]
        pub fn #method(#parameters) -> #api<#ty> {
            #found
        }
    }
}

/// Returns the `Api` of a kind, from a client. Another name for a type may be in another version than the type says.
pub(super) fn resource_api(
    context: &mut Context<'_>,
    home: &Home,
    kind: &ClientKind<'_>,
    client: &TokenStream,
) -> TokenStream {
    if !kind.is_alias {
        let ty = own_name(context, kind.ty);
        return quote!(#client.resource::<#ty>());
    }
    let gvr = name(context, "rhumb_meta::GroupVersionResource");
    let (group, version, plural) = (&home.api.group, &home.api.version, &kind.plural);
    // What the method gives says the type.
    quote!(#client.resource_at(#gvr::new_static(#group, #version, #plural)))
}

/// Returns the expansion of `derive(Resource)`, from tags.
fn resource(context: &mut Context<'_>, home: &Home, kind: &ClientKind<'_>) -> TokenStream {
    let ty = own_name(context, kind.ty);
    let (resource, scope) = (name(context, "rhumb_meta::Resource"), name(context, "rhumb_meta::Scope"));
    let lives = format_ident!("{}", if kind.is_namespaced { "Namespaced" } else { "Cluster" });
    let (group, version) = (&home.api.group, &home.api.version);
    let (kind, plural) = (&kind.kind, &kind.plural);
    quote! {
        impl #resource for #ty {
            const GROUP: &'static str = #group;
            const VERSION: &'static str = #version;
            const KIND: &'static str = #kind;
            const PLURAL: &'static str = #plural;
            const SCOPE: #scope = #scope::#lives;
        }
    }
}

/// Returns the file's name of an item of another crate.
pub(super) fn name(context: &mut Context<'_>, path: &str) -> Ident {
    Ident::new(&context.imports.name(path), Span::call_site())
}
