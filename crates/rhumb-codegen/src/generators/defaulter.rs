//! `defaulter`: one function that registers all defaults of a package.
//!
//! A package says `// +k8s:defaulter-gen=TypeMeta` (or `true`). Functions `default_NAME(value: &mut Type)`, written by
//! hand in the package or its private modules, are registered for their types: the scheme finds the types wherever in
//! an object they stand. The tag `+default=JSON` above a field becomes such a function, unless the table of the type,
//! made by `schema`, has the default already. `+k8s:defaulter-gen=false` leaves a type or a function out.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::per_package;
use super::relocate::own_name;
use crate::generator::{Context, Generator, Output, Tool};
use crate::namer::snake_case;
use crate::problem::{Outcome, Problem, Problems};
use crate::universe::{Builtin, Function, Member, Tag, Type, TypeRef};

const TAG: &str = "k8s:defaulter-gen";

pub(super) const TOOL: Tool = Tool {
    name: "defaulter",
    about: "register_defaults(builder), from functions default_NAME(&mut Type) and +default tags",
    targets: |universe, _| {
        let wanted = |tags: &crate::universe::Tags| tags.value(TAG).is_some_and(|value| value != "false");
        per_package(universe, |package| wanted(&package.tags), Defaulter::default)
    },
};

#[derive(Default)]
struct Defaulter {
    calls: Vec<TokenStream>,
}

impl Generator for Defaulter {
    fn name(&self) -> &'static str {
        "defaulter"
    }

    fn filter(&self, _: &Context<'_>, ty: &Type) -> bool {
        // A type without the derive gets its table from `schema`, which has seen the tags.
        ty.derives("Schema")
            && ty.tags.value(TAG) != Some("false")
            && ty.members.iter().any(|member| member.tags.has("default"))
    }

    fn init(&mut self, context: &mut Context<'_>, _: &mut Output) -> Outcome<()> {
        let Some(package) = context.package else { return Ok(()) };
        let mut problems = Problems::default();
        for function in package.functions.iter().filter(|function| is_defaulter(function)) {
            if function.private && function.module != package.path {
                problems.push(Problem::at(
                    &function.place,
                    format!("`{}` can't be called from its package: make it `pub(super)`", function.name),
                ));
                continue;
            }
            let below = function.module.strip_prefix(&package.path).unwrap_or_default();
            let path = context.imports.name(&format!("super{below}::{}", function.name));
            let name = format_ident!("{path}");
            self.calls.push(quote!(builder.defaults(#name);));
        }
        problems.or(())
    }

    fn generate_type(&mut self, context: &mut Context<'_>, ty: &Type, out: &mut Output) -> Outcome<()> {
        let mut problems = Problems::default();
        let mut fills = Vec::new();
        for member in &ty.members {
            if let Some(tag) = member.tags.get("default") {
                fills.extend(problems.take(fill(member, tag)));
            }
        }
        problems.or(())?;
        let name = own_name(context, ty);
        let function = format_ident!("fill_{}", snake_case(&ty.name.name));
        self.calls.push(quote!(builder.defaults(#function);));
        let doc = format!(" Fills in what the tags of `{}` say.", ty.name.name);
        out.rust(quote! {
            #[doc = #doc]
            fn #function(value: &mut #name) {
                #(#fills)*
            }
        });
        Ok(())
    }

    fn finalize(&mut self, context: &mut Context<'_>, out: &mut Output) -> Outcome<()> {
        let calls = &self.calls;
        let package = context.package.map(|package| package.name.as_str()).unwrap_or_default();
        let doc = format!(" Registers the defaults of `{package}`.");
        let nothing = calls.is_empty().then(|| quote!(let _ = builder;));
        out.rust(quote! {
            #[doc = #doc]
            pub fn register_defaults(builder: &mut ::rhumb_scheme::SchemeBuilder) {
                #nothing
                #(#calls)*
            }
        });
        Ok(())
    }
}

fn is_defaulter(function: &Function) -> bool {
    function.name.starts_with("default_")
        && matches!(function.changes, Some(TypeRef::Named(_)))
        && function.tags.value(TAG) != Some("false")
}

/// Code that gives a field its default if nothing stands there.
fn fill(member: &Member, tag: &Tag) -> Outcome<TokenStream> {
    let name = format_ident!("{}", member.name);
    let value: serde_json::Value = serde_json::from_str(tag.value())
        .map_err(|error| Problem::at(&tag.place, format!("the default is no JSON: {error}")))?;
    let misfit = || {
        Problem::at(
            &tag.place,
            format!(
                "the default {} doesn't fit `{}`, or is more than a tag can say: write a function \
                 `default_…(value: &mut …)`, or `#[field(…, default = …)]`",
                tag.value(),
                member.name
            ),
        )
    };
    let (builtin, optional) = match &member.ty {
        TypeRef::Builtin(builtin) => (*builtin, false),
        TypeRef::Option(inner) => match &**inner {
            TypeRef::Builtin(builtin) => (*builtin, true),
            _ => return Err(misfit().into()),
        },
        _ => return Err(misfit().into()),
    };
    let literal = literal(builtin, &value).ok_or_else(misfit)?;
    Ok(match (optional, builtin) {
        (true, _) => quote!(value.#name.get_or_insert_with(|| #literal);),
        (false, Builtin::Text) => quote!(if value.#name.is_empty() { value.#name = #literal; }),
        (false, Builtin::Bool) => quote!(if !value.#name { value.#name = #literal; }),
        (false, Builtin::Double) => quote!(if value.#name == 0.0 { value.#name = #literal; }),
        (false, _) => quote!(if value.#name == 0 { value.#name = #literal; }),
    })
}

/// A JSON value as a literal of a type, if it is one.
fn literal(builtin: Builtin, value: &serde_json::Value) -> Option<TokenStream> {
    match builtin {
        Builtin::Bool => value.as_bool().map(|value| quote!(#value)),
        Builtin::Text => value.as_str().map(|value| quote!(#value.to_owned())),
        Builtin::Int32 => i32::try_from(value.as_i64()?).ok().map(|value| quote!(#value)),
        Builtin::Int64 => value.as_i64().map(|value| quote!(#value)),
        Builtin::Uint32 => u32::try_from(value.as_u64()?).ok().map(|value| quote!(#value)),
        Builtin::Uint64 => value.as_u64().map(|value| quote!(#value)),
        Builtin::Double => value.as_f64().map(|value| quote!(#value)),
    }
}
