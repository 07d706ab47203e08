//! `lister`: typed listers over the cache of an informer.
//!
//! A kind that can't be read one by one and as a list has none.

use quote::{format_ident, quote};
use syn::Ident;

use super::client::name;
use super::kinds::{self, ClientKind};
use super::relocate::own_name;
use crate::generator::{Context, Generator, Output, Tool};
use crate::namer::Namers;
use crate::problem::Outcome;
use crate::universe::Type;

/// The tool.
pub(super) const TOOL: Tool = Tool {
    name: "lister",
    about: "typed listers over informers' indexers for kinds tagged +genclient",
    targets: |universe, _| kinds::targets(universe, || Listers),
};

struct Listers;

impl Generator for Listers {
    fn name(&self) -> &'static str {
        "lister"
    }

    fn filter(&self, _: &Context<'_>, _: &Type) -> bool {
        false
    }

    fn namers(&self, context: &Context<'_>) -> Namers {
        kinds::namers(context.options)
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let Some(package) = context.package else { return Ok(()) };
        let mut kinds = kinds::of_package(context.universe, package, &context.namers)?;
        kinds.retain(|kind| kind.can("get") && kind.can("list"));
        for kind in &kinds {
            context.imports.reserve(lister(kind).to_string());
        }
        for kind in &kinds {
            own_name(context, kind.ty);
        }
        for kind in &kinds {
            write(context, kind, out);
        }
        Ok(())
    }
}

fn lister(kind: &ClientKind<'_>) -> Ident {
    format_ident!("{}Lister", kind.ty.name.name)
}

fn write(context: &mut Context<'_>, kind: &ClientKind<'_>, out: &mut Output) {
    let (own, ty) = (lister(kind), own_name(context, kind.ty));
    let arc = name(context, "std::sync::Arc");
    let mut of = |what: &str| name(context, &format!("rhumb_client::informer::{what}"));
    let (indexer, generic, informer) = (of("Indexer"), of("Lister"), of("SharedInformer"));
    let below = kind.is_namespaced.then(|| of("NamespaceLister"));
    let selector = name(context, "rhumb_meta::labels::Selector");
    let doc =
        format!(" Reads the local copy of `{}`. What it gives is shared and can't be changed.", kind.plural);
    out.rust(quote! {
        #[doc = #doc]
        #[derive(Clone)]
        pub struct #own {
            lister: #generic<#ty>,
        }
    });
    let one = match below {
        Some(below) => {
            let method = Ident::new(&kind.method, proc_macro2::Span::call_site());
            quote! {
                #[doc = " Only what is in one namespace."]
                pub fn #method(&self, namespace: &str) -> #below<#ty> {
                    self.lister.namespace(namespace)
                }
            }
        }
        None => quote! {
            #[doc = " The object of a name."]
            pub fn get(&self, name: &str) -> Option<#arc<#ty>> {
                self.lister.get(name)
            }
        },
    };
    let all = match kind.is_namespaced {
        true => " The objects that a selector selects, in all namespaces.",
        false => " The objects that a selector selects.",
    };
    out.rust(quote! {
        impl #own {
            #[doc = " A lister of an indexer."]
            pub fn new(indexer: #arc<#indexer<#ty>>) -> Self {
                #own { lister: #generic::new(indexer) }
            }

            #[doc = #all]
            pub fn list(&self, selector: &#selector) -> Vec<#arc<#ty>> {
                self.lister.list(selector)
            }

            #one
        }
    });
    out.rust(quote! {
        impl From<&#informer<#ty>> for #own {
            fn from(informer: &#informer<#ty>) -> Self {
                #own { lister: informer.lister() }
            }
        }
    });
}
