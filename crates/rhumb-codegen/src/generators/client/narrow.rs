//! Client types of kinds that don't support all verbs: the supported ones, forwarded to `Api`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::{method, name};
use crate::generator::{Context, Output};
use crate::generators::kinds::ClientKind;
use crate::generators::relocate::own_name;

/// A method of `Api`.
struct Forwarded {
    method: &'static str,
    /// The verbs it takes.
    needs: &'static [&'static str],
    /// The parameters beside `self`, with their types.
    takes: &'static [(&'static str, Takes)],
    gives: Gives,
}

/// Type of a parameter.
enum Takes {
    Name,
    Object,
    AnyObject,
    Patch,
    /// A closure that changes an object.
    Change,
    Options(&'static str),
}

/// Result type of a method.
enum Gives {
    Object,
    MaybeObject,
    List,
    Watch,
    Answer,
    AnswerList,
}

use Takes::{AnyObject, Change, Name, Object, Options, Patch};

const fn method(
    method: &'static str,
    needs: &'static [&'static str],
    takes: &'static [(&'static str, Takes)],
    gives: Gives,
) -> Forwarded {
    Forwarded { method, needs, takes, gives }
}

const FORWARDED: &[Forwarded] = &[
    method("get", &["get"], &[("name", Name)], Gives::Object),
    method("get_with", &["get"], &[("name", Name), ("options", Options("Get"))], Gives::Object),
    method("find", &["get"], &[("name", Name)], Gives::MaybeObject),
    method("list", &["list"], &[("options", Options("List"))], Gives::List),
    method("list_all", &["list"], &[("options", Options("List"))], Gives::List),
    method("watch", &["watch"], &[("options", Options("List"))], Gives::Watch),
    method("create", &["create"], &[("object", Object), ("options", Options("Create"))], Gives::Object),
    method("update", &["update"], &[("object", Object), ("options", Options("Update"))], Gives::Object),
    method(
        "modify",
        &["get", "update"],
        &[("name", Name), ("options", Options("Update")), ("change", Change)],
        Gives::Object,
    ),
    method(
        "update_status",
        &["updateStatus"],
        &[("object", Object), ("options", Options("Update"))],
        Gives::Object,
    ),
    method(
        "modify_status",
        &["get", "updateStatus"],
        &[("name", Name), ("options", Options("Update")), ("change", Change)],
        Gives::Object,
    ),
    method(
        "patch",
        &["patch"],
        &[("name", Name), ("patch", Patch), ("options", Options("Patch"))],
        Gives::Object,
    ),
    method(
        "apply",
        &["apply"],
        &[("name", Name), ("object", AnyObject), ("options", Options("Apply"))],
        Gives::Object,
    ),
    method(
        "apply_status",
        &["applyStatus"],
        &[("name", Name), ("object", AnyObject), ("options", Options("Apply"))],
        Gives::Object,
    ),
    method("delete", &["delete"], &[("name", Name), ("options", Options("Delete"))], Gives::Answer),
    method(
        "delete_collection",
        &["deleteCollection"],
        &[("options", Options("Delete")), ("which", Options("List"))],
        Gives::AnswerList,
    ),
];

/// Returns the name of the type.
pub(super) fn type_name(kind: &ClientKind<'_>) -> Ident {
    format_ident!("{}Client", kind.ty.name.name)
}

/// Writes the type.
pub(super) fn write(context: &mut Context<'_>, kind: &ClientKind<'_>, out: &mut Output) {
    let (own, ty) = (type_name(kind), own_name(context, kind.ty));
    let api = name(context, "rhumb_client::Api");
    let possible = FORWARDED.iter().filter(|forwarded| forwarded.needs.iter().all(|verb| kind.can(verb)));
    let verbs: Vec<TokenStream> = possible.map(|forwarded| forward(context, &ty, forwarded)).collect();
    let more = method::inherent(context, kind);
    let doc = format!(" The `{}` that were asked for, and what can be done with them.", kind.plural);
    out.rust(quote! {
        #[doc = #doc]
        #[derive(Clone, Debug)]
        pub struct #own {
            api: #api<#ty>,
        }
    });
    let gvr = name(context, "rhumb_meta::GroupVersionResource");
    out.rust(quote! {
        impl #own {
            #[doc = " The full name of the resource."]
            pub fn gvr(&self) -> &#gvr {
                self.api.gvr()
            }
            #(#verbs)*
            #(#more)*
        }
    });
}

fn forward(context: &mut Context<'_>, ty: &Ident, forwarded: &Forwarded) -> TokenStream {
    let mut parameters = Vec::new();
    let mut arguments = Vec::new();
    for (parameter, takes) in forwarded.takes {
        let parameter = Ident::new(parameter, Span::call_site());
        let takes = match takes {
            Takes::Name => quote!(&str),
            Takes::Object => quote!(&#ty),
            Takes::Change => quote!(impl FnMut(&mut #ty)),
            Takes::AnyObject => {
                let object = name(context, "rhumb_meta::Object");
                quote!(&dyn #object)
            }
            Takes::Patch => {
                let patch = name(context, "rhumb_client::Patch");
                quote!(&#patch)
            }
            Takes::Options(verb) => {
                let options = name(context, &format!("rhumb_meta::v1::{verb}Options"));
                quote!(&#options)
            }
        };
        parameters.push(quote!(#parameter: #takes));
        arguments.push(parameter);
    }
    let mut of = |wrapper: &str| name(context, &format!("rhumb_client::{wrapper}"));
    let gives = match forwarded.gives {
        Gives::Object => quote!(#ty),
        Gives::MaybeObject => quote!(Option<#ty>),
        Gives::List => {
            let list = of("List");
            quote!(#list<#ty>)
        }
        Gives::Watch => {
            let stream = of("WatchStream");
            quote!(#stream<#ty>)
        }
        Gives::Answer => {
            let answer = of("Answer");
            quote!(#answer<#ty>)
        }
        Gives::AnswerList => {
            let (answer, list) = (of("Answer"), of("List"));
            quote!(#answer<#list<#ty>>)
        }
    };
    let (error, api) = (of("Error"), of("Api"));
    let method = Ident::new(forwarded.method, Span::call_site());
    let doc = format!(" As [`{api}::{method}`].");
    quote! {
        #[doc = #doc]
        #[doc = ""]
        #[doc = " # Errors"]
        #[doc = " If the server refuses, and whenever there is no answer."]
        pub async fn #method(&self, #(#parameters),*) -> Result<#gives, #error> {
            self.api.#method(#(#arguments),*).await
        }
    }
}
