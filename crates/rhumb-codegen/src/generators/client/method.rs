//! Additional methods of a kind: `+genclient:method=GetScale,verb=get,subresource=scale,result=…`.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::Ident;

use super::name;
use crate::generator::{Context, Output};
use crate::generators::kinds::ClientKind;
use crate::generators::relocate::own_name;
use crate::namer::snake_case;
use crate::problem::{Outcome, Problem};
use crate::universe::{Tag, Type, Universe};

/// The type of scales.
const SCALE: &str = "rhumb_api::autoscaling::v1::Scale";

/// Verbs of methods.
const VERBS: [&str; 6] = ["apply", "create", "get", "list", "patch", "update"];

/// A method requested by a tag.
pub(in crate::generators) struct Method {
    name: String,
    verb: &'static str,
    subresource: Option<String>,
    /// The path of the type that is sent and read, if it is not the kind itself.
    ty: Option<String>,
}

impl Method {
    /// Reads a tag.
    ///
    /// # Errors
    /// If it doesn't say what to do, or what can't be done.
    pub(in crate::generators) fn read(universe: &Universe, ty: &Type, tag: &Tag) -> Outcome<Method> {
        let refused = |message: String| Problem::at(&tag.place, message);
        let mut words = tag.value().split(',').map(str::trim);
        let name = snake_case(words.next().unwrap_or_default());
        if syn::parse_str::<Ident>(&name).is_err() {
            return Err(refused(format!("{name:?} is no name of a method")).into());
        }
        let (mut verb, mut subresource, mut input, mut result) = (None, None, None, None);
        for word in words {
            match word.split_once('=') {
                Some(("verb", said)) => {
                    verb = Some(VERBS.into_iter().find(|verb| *verb == said).ok_or_else(|| {
                        refused(format!("{said:?} is no verb for methods: there are {}", VERBS.join(", ")))
                    })?);
                }
                Some(("subresource", said)) => subresource = Some(said.trim_matches('/').to_owned()),
                Some(("input", said)) => input = Some(path(universe, ty, said).map_err(refused)?),
                Some(("result", said)) => result = Some(path(universe, ty, said).map_err(refused)?),
                _ => {
                    let what = format!("{word:?} is none of verb=…, subresource=…, input=… and result=…");
                    return Err(refused(what).into());
                }
            }
        }
        let verb = verb.ok_or_else(|| refused(format!("say what {name} does: `verb=get`")))?;
        // What is sent is of the type that is read; who names one of them means both.
        let said = match (input, result) {
            (Some(input), Some(result)) if input != result => {
                let what = format!("{name} sends {input} and reads {result}: they must be the same type");
                return Err(refused(what).into());
            }
            (input, result) => input.or(result),
        };
        if verb == "list" && subresource.is_some() {
            return Err(
                refused(format!("{name} lists what stands below an object, which can only be read")).into()
            );
        }
        let itself = ty.name.to_string();
        Ok(Method { name, verb, subresource, ty: said.filter(|said| *said != itself) })
    }

    /// Returns the method's name, what it takes and gives, its documentation and its body.
    fn parts(&self, context: &mut Context<'_>, kind: &ClientKind<'_>, api: &TokenStream) -> Parts {
        let ty = match &self.ty {
            Some(path) => type_name(context, path),
            None => own_name(context, kind.ty),
        };
        let option_name = match self.verb {
            "get" => "Get",
            "list" => "List",
            "create" => "Create",
            "update" => "Update",
            "patch" => "Patch",
            _ => "Apply",
        };
        let options = name(context, &format!("rhumb_meta::v1::{option_name}Options"));
        let error = name(context, "rhumb_client::Error");
        let is_scale = self.subresource.as_deref() == Some("scale") && self.ty.as_deref() == Some(SCALE);
        let target = match &self.subresource {
            // Servers have scales of several versions, which the client knows about.
            Some(_) if is_scale && self.verb != "create" => quote!(#api.scale()),
            Some(below) => quote!(#api.subresource::<#ty>(#below)),
            None if self.ty.is_some() => quote!(#api.read_as::<#ty>()),
            None => quote!(#api),
        };
        let is_whole = self.subresource.is_none();
        let (parameters, call, gives) = match self.verb {
            "get" => (quote!(name: &str,), quote!(get_with(name, options)), quote!(#ty)),
            "list" => {
                let list = name(context, "rhumb_client::List");
                (quote!(), quote!(list(options)), quote!(#list<#ty>))
            }
            "create" if is_whole => (quote!(body: &#ty,), quote!(create(body, options)), quote!(#ty)),
            "update" if is_whole => (quote!(body: &#ty,), quote!(update(body, options)), quote!(#ty)),
            "create" => {
                let answer = name(context, "rhumb_client::Answer");
                (quote!(name: &str, body: &#ty,), quote!(create(name, body, options)), quote!(#answer<#ty>))
            }
            "update" => (quote!(name: &str, body: &#ty,), quote!(update(name, body, options)), quote!(#ty)),
            "patch" => {
                let patch = name(context, "rhumb_client::Patch");
                (quote!(name: &str, patch: &#patch,), quote!(patch(name, patch, options)), quote!(#ty))
            }
            _ => {
                let object = name(context, "rhumb_meta::Object");
                let parameters = quote!(name: &str, body: &dyn #object,);
                (parameters, quote!(apply(name, body, options)), quote!(#ty))
            }
        };
        Parts {
            docs: self.docs(),
            ident: Ident::new(&self.name, Span::call_site()),
            parameters: quote!(&self, #parameters options: &#options),
            gives: quote!(Result<#gives, #error>),
            body: quote!(#target.#call.await),
        }
    }

    fn docs(&self) -> Vec<String> {
        let does = match self.verb {
            "get" => "Reads",
            "list" => "Lists",
            "create" => "Posts",
            "update" => "Replaces",
            "patch" => "Patches",
            _ => "Applies",
        };
        let what = match (&self.subresource, self.verb) {
            (Some(below), _) => format!("`{below}` of an object"),
            (None, "list") => "objects".to_owned(),
            (None, _) => "an object".to_owned(),
        };
        vec![
            format!(" {does} {what}."),
            String::new(),
            " # Errors".to_owned(),
            " If the server refuses, and whenever there is no answer.".to_owned(),
        ]
    }
}

struct Parts {
    docs: Vec<String>,
    ident: Ident,
    parameters: TokenStream,
    gives: TokenStream,
    body: TokenStream,
}

/// Returns the methods as those of a type that holds the `Api`.
pub(super) fn inherent(context: &mut Context<'_>, kind: &ClientKind<'_>) -> Vec<TokenStream> {
    let methods = kind.methods.iter().map(|method| {
        let Parts { docs, ident, parameters, gives, body } = method.parts(context, kind, &quote!(self.api));
        quote! {
            #(#[doc = #docs])*
            pub async fn #ident(#parameters) -> #gives {
                #body
            }
        }
    });
    methods.collect()
}

/// Returns the name of the trait with a kind's methods.
pub(super) fn trait_name(kind: &ClientKind<'_>) -> Ident {
    format_ident!("{}Ext", kind.ty.name.name)
}

/// Generates a trait with the methods for the `Api` of the kind.
pub(super) fn write_trait(context: &mut Context<'_>, kind: &ClientKind<'_>, out: &mut Output) {
    let api = name(context, "rhumb_client::Api");
    let (own, ty) = (trait_name(kind), own_name(context, kind.ty));
    let parts: Vec<Parts> =
        kind.methods.iter().map(|method| method.parts(context, kind, &quote!(self))).collect();
    let declared = parts.iter().map(|Parts { docs, ident, parameters, gives, .. }| {
        quote! {
            #(#[doc = #docs])*
            fn #ident(#parameters) -> impl Future<Output = #gives> + Send;
        }
    });
    let doc = format!(" What can be done with `{}` beyond the usual.", kind.plural);
    out.rust(quote! {
        #[doc = #doc]
        pub trait #own { #(#declared)* }
    });
    let defined = parts.iter().map(|Parts { ident, parameters, gives, body, .. }| {
        quote! { async fn #ident(#parameters) -> #gives { #body } }
    });
    out.rust(quote! { impl #own for #api<#ty> { #(#defined)* } });
}

/// Returns the Rust path of a type that a tag names: by such a path, by its name in the package, or as Go names those
/// of Kubernetes (`k8s.io/api/autoscaling/v1.Scale`).
fn path(universe: &Universe, ty: &Type, said: &str) -> Result<String, String> {
    if let Some((module, name)) = said.rsplit_once('.').filter(|_| said.contains('/')) {
        let meta = module.strip_prefix("k8s.io/apimachinery/pkg/apis/meta/");
        let api = module.strip_prefix("k8s.io/api/");
        return match (meta, api) {
            (Some(version), _) => Ok(format!("rhumb_meta::{version}::{name}")),
            (_, Some(module)) => Ok(format!("rhumb_api::{}::{name}", module.replace('/', "::"))),
            _ => Err(format!("{said} is the name of a type in Go: write its path in Rust")),
        };
    }
    if syn::parse_str::<syn::Path>(said).is_err() {
        return Err(format!("{said:?} is no path of a type"));
    }
    if said.contains("::") {
        return Ok(said.to_owned());
    }
    let package = universe.package(&ty.name.package);
    let found = package.and_then(|package| universe.find(package, said));
    found
        .map(|found| found.name.to_string())
        .ok_or_else(|| format!("there is no type {said} in the package: write its path, such as `{SCALE}`"))
}

/// Returns the file's name of a type.
fn type_name(context: &mut Context<'_>, path: &str) -> Ident {
    let known = context.universe.types().find(|ty| ty.name.to_string() == path);
    let own = known.filter(|ty| context.package.is_some_and(|package| package.path == ty.name.package));
    match own {
        Some(ty) => own_name(context, ty),
        None => name(context, path),
    }
}
